"""The generic character device of an NVMe namespace, which takes NVMe commands.

The gate holds the block device. Commands to the generic device are of the same drive
only if both are of the same namespace, so that is looked up and never assumed.
"""

import os
import stat
from pathlib import Path

from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Drive
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.io_engine import generic_path
from ssdlab.model.units import KIB
from ssdlab.system.files import ROOT, read_number, read_text

_CLASS = "sys/class/nvme-generic"
_PAGE_BYTES = 4096


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


def require_generic(drive: Drive) -> None:
    """Require that this user can send commands to a drive, and to no other.

    The node in ``/dev`` must be the device of which sysfs speaks: in a container, or
    after a reboot, another one may have its name.
    """
    path = find_generic(drive)
    if not path:
        reason = "it has no generic NVMe device (/dev/ng...) to send commands to"
        remedy = "Choose libaio or io_uring, or measure an NVMe drive on Linux 5.19 or "
        remedy += "newer."
    elif not _is_node(Path(path)):
        reason = (
            f"{path} is not the node of the generic device that the kernel names so"
        )
        remedy = "Let udev make it, or pass the right one into the container."
    elif not os.access(path, os.R_OK | os.W_OK):
        reason = f"this user may not open {path}, its generic NVMe device"
        remedy = "Run ssdlab as root, or let this user open it by a udev rule."
    else:
        return
    raise TargetRefusedError(target=drive.path, reason=reason, remedy=remedy)


def _is_node(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    number = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"
    said = read_text(ROOT / _CLASS / path.name / "dev")
    return stat.S_ISCHR(found.st_mode) and number == said


def find_most_bytes(drive: Drive, *, root: Path = ROOT) -> int | None:
    """Return the most that one NVMe command surely moves [B]; ``None`` is unknown.

    The block layer would split more. A buffer may touch one page more than it has.
    """
    queue = block_folder(drive.name, root) / "queue"
    kib, segments = (
        read_number(queue / name) for name in ("max_hw_sectors_kb", "max_segments")
    )
    if not kib or not segments:
        return None
    return min(kib * KIB, max(segments - 1, 1) * _PAGE_BYTES)
