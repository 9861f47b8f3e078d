"""Folders of devices in sysfs."""

import os
from collections.abc import Iterator
from pathlib import Path

from ssdlab.system.files import ROOT


def block_folder(name: str, root: Path = ROOT) -> Path:
    """Return the sysfs folder of a block device or partition."""
    return root / "sys/class/block" / name


def folders_above(folder: Path, root: Path = ROOT) -> Iterator[Path]:
    """Yield the real path of a sysfs folder, and each folder above it.

    It ends below ``/sys/devices``: folders above are not of devices.
    """
    top = Path(os.path.realpath(root / "sys/devices"))
    place = Path(os.path.realpath(folder))
    while top in place.parents:
        yield place
        place = place.parent
