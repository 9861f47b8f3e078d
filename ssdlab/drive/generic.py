"""The generic character device of an NVMe namespace, which takes NVMe commands.

The gate holds the block device. Commands to the generic device are of the same drive
only if both are of the same namespace, so that is looked up and never assumed.
"""

import os
from pathlib import Path

from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Drive
from ssdlab.model.io_engine import generic_path
from ssdlab.system.files import ROOT

_CLASS = "sys/class/nvme-generic"


def find_generic(drive: Drive, *, root: Path = ROOT) -> str:
    """Return the path of the generic device of a drive, or an empty text.

    Both names number the namespace alike and both devices belong to the same
    controller, or to the same subsystem where it has several.
    """
    path = generic_path(drive.path)
    if drive.bus != "nvme" or path == drive.path:
        return ""
    device = root / _CLASS / Path(path).name
    owners = [
        os.path.realpath(folder / "device")
        for folder in (device, block_folder(drive.name, root))
    ]
    return path if device.is_dir() and owners[0] == owners[1] else ""
