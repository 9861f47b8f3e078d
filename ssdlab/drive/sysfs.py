"""Where the kernel tells of devices."""

import os
from collections.abc import Iterator
from pathlib import Path

from ssdlab.system.files import ROOT


def block_folder(name: str, root: Path = ROOT) -> Path:
    """Return the folder in which the kernel tells of a block device or partition."""
    return root / "sys/class/block" / name


def folders_above(folder: Path, root: Path = ROOT) -> Iterator[Path]:
    """Yield where a folder of sysfs really stands, and each folder above it.

    It ends below ``/sys/devices``: what stands higher tells of no device.
    """
    top = Path(os.path.realpath(root / "sys/devices"))
    place = Path(os.path.realpath(folder))
    while top in place.parents:
        yield place
        place = place.parent
