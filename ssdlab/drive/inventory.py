"""Which drives there are, and what the system tells of each without asking it."""

import os
import re
from pathlib import Path

from ssdlab.drive.identity import find_bus, read_identity
from ssdlab.drive.names import (
    device_path,
    find_name,
    find_stable_paths,
    is_drive_name,
    require_drive_name,
)
from ssdlab.drive.pcie import read_numa_node, read_pcie_link
from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Drive
from ssdlab.model.errors import TargetRefusedError
from ssdlab.system.files import (
    ROOT,
    Look,
    list_names,
    look_at,
    read_flag,
    read_number,
    read_text,
)

_SECTOR_BYTES = 512  # of the kernel's sizes, whatever the drive's sectors
_CONTROLLER = re.compile(r"nvme\d+")
_CACHES = {"write back": True, "write through": False}


def list_drives(root: Path = ROOT) -> tuple[Drive, ...]:
    """Return all whole drives that can be read, in the order that people count.

    Loop devices count when they stand on a file. Partitions, volumes, memory and the
    hidden paths of an NVMe namespace are no drives.
    """
    drives = []
    for name in list_drive_names(root):
        try:
            drives.append(read_drive(name, root))
        except TargetRefusedError:  # it went away, or the kernel does not tell
            continue
    return tuple(drives)


def list_drive_names(root: Path = ROOT) -> tuple[str, ...]:
    """Return the kernel names of all whole drives, readable or not."""
    names = list_names(root / "sys/block")
    return tuple(name for name in names if is_drive_name(name, root))


def find_drive(path: str, root: Path = ROOT, *, look: Look = look_at) -> Drive:
    """Return the drive that a path means: a device, a link to it, or a kernel name.

    Raises
    ------
    TargetRefusedError
        If it means no whole drive; it says which ones to name instead.
    """
    return read_drive(find_name(path, root, look=look), root)


def read_drive(name: str, root: Path = ROOT) -> Drive:
    """Return the drive of a kernel name, such as ``nvme0n1``.

    Raises
    ------
    TargetRefusedError
        If that is no whole drive, or the kernel does not tell how large it is.
    """
    path = device_path(name)
    require_drive_name(name, path, root)
    folder, queue = block_folder(name, root), block_folder(name, root) / "queue"
    bus = find_bus(name, root)
    identity = read_identity(name, bus, root)
    sector_bytes = _need(queue / "logical_block_size", path)
    namespace_id = read_number(folder / "nsid")
    controllers = _list_controllers(folder) if bus == "nvme" else ()
    attached = root / "sys/class/nvme" / controllers[0] if controllers else folder
    return Drive(
        path=path,
        name=name,
        model=identity.model,
        serial=identity.serial,
        firmware=identity.firmware,
        wwn=identity.wwn,
        bus=bus,
        capacity_bytes=_need(folder / "size", path) * _SECTOR_BYTES,
        logical_sector_bytes=sector_bytes,
        physical_sector_bytes=read_number(queue / "physical_block_size")
        or sector_bytes,
        device_number=read_text(folder / "dev"),
        diskseq=read_number(folder / "diskseq"),
        stable_paths=find_stable_paths(name, namespace_id, root),
        controller=controllers[0] if len(controllers) == 1 else _subsystem(folder),
        namespace_id=namespace_id,
        is_read_only=read_flag(folder / "ro"),
        is_removable=read_flag(folder / "removable"),
        is_rotational=read_flag(queue / "rotational"),
        write_cache_is_on=_CACHES.get(read_text(queue / "write_cache")),
        discard_max_bytes=read_number(queue / "discard_max_bytes") or 0,
        write_zeroes_max_bytes=read_number(queue / "write_zeroes_max_bytes") or 0,
        numa_node=read_numa_node(attached, root),
        pcie=read_pcie_link(attached, root),
    )


def _list_controllers(folder: Path) -> tuple[str, ...]:
    """Return the NVMe controllers that lead to a namespace: one, or a subsystem's."""
    device = Path(os.path.realpath(folder / "device"))
    if _CONTROLLER.fullmatch(device.name):
        return (device.name,)
    return tuple(name for name in list_names(device) if _CONTROLLER.fullmatch(name))


def _subsystem(folder: Path) -> str:
    name = Path(os.path.realpath(folder / "device")).name
    return name if name.startswith("nvme-subsys") else ""


def _need(path: Path, device: str) -> int:
    number = read_number(path)
    if number is None:
        raise TargetRefusedError(
            target=device,
            reason=f"the kernel does not tell its size ({path} cannot be read)",
            remedy="See whether it is still attached.",
        )
    return number
