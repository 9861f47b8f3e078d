"""Inventory of drives, as the system reports them without querying them."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.names import (
    device_path,
    find_name,
    find_stable_paths,
    is_drive_name,
    require_drive_name,
)
from ssdlab.drive.pcie import read_numa_node, read_pcie_link
from ssdlab.drive.sysfs import block_folder, folders_above
from ssdlab.model.drive import Bus, Drive
from ssdlab.model.errors import TargetRefusedError
from ssdlab.system.files import (
    ROOT,
    Look,
    clean_text,
    list_names,
    look_at,
    read_bytes,
    read_flag,
    read_number,
    read_text,
)

_SERIAL_PAGE, _ATA_PAGE = 0x80, 0x89  # SPC-4 7.8.13, SAT-3 12.4.2
_PAGE_HEAD_BYTES = 4
_IDENTIFY_AT, _IDENTIFY_BYTES = 60, 512
_NVME = re.compile(r"nvme\d+n\d+")
_SECTOR_BYTES = 512  # of the kernel's sizes, whatever the drive's sector size
_CONTROLLER = re.compile(r"nvme\d+")
_CACHES = {"write back": True, "write through": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """Texts of the drive; empty if it has none."""

    model: str
    serial: str
    firmware: str
    wwn: str


def find_bus(name: str, root: Path = ROOT) -> Bus:
    """Return how a whole drive is attached."""
    if _NVME.fullmatch(name):
        return "nvme"
    folder = block_folder(name, root)
    if (folder / "loop").is_dir():
        return "loop"
    above = [place.name for place in folders_above(folder, root)]
    if not any(place.startswith("target") for place in above):
        is_virtio = any(place.startswith("virtio") for place in above)
        return "virtio" if is_virtio else "other"
    if any(re.fullmatch(r"usb\d+", place) for place in above):
        return "usb"
    is_ata = any(re.fullmatch(r"ata\d+", place) for place in above)
    return "ata" if is_ata or read_text(folder / "device/vendor") == "ATA" else "scsi"


def read_identity(name: str, bus: Bus, root: Path = ROOT) -> Identity:
    """Return the texts that identify a drive."""
    folder = block_folder(name, root)
    match bus:
        case "nvme":
            return _nvme(folder)
        case "ata" | "scsi" | "usb":
            return _scsi(folder, bus, root)
        case "virtio":
            serial = read_text(folder / "serial")
            return Identity(model="virtio disk", serial=serial, firmware="", wwn="")
        case "loop":
            return Identity(
                model="loop device",
                serial=_backing_file(folder),
                firmware="",
                wwn="",
            )
        case "other":
            return _other(folder)


def _nvme(folder: Path) -> Identity:
    device = folder / "device"  # the controller, or the subsystem of several
    return Identity(
        model=read_text(device / "model"),
        serial=read_text(device / "serial"),
        firmware=read_text(device / "firmware_rev"),
        wwn=read_text(folder / "wwid"),
    )


def _scsi(folder: Path, bus: Bus, root: Path) -> Identity:
    device = folder / "device"
    identify = _read_identify(device)
    if bus == "ata" and identify:
        return Identity(
            model=_ata_text(identify, 27, 47),
            serial=_ata_text(identify, 10, 20),
            firmware=_ata_text(identify, 23, 27),
            wwn=read_text(device / "wwid"),
        )
    vendor = "" if bus == "ata" else read_text(device / "vendor")
    serial = clean_text(_read_page(device, _SERIAL_PAGE))
    return Identity(
        model=f"{vendor} {read_text(device / 'model')}".strip(),
        serial=serial or (_usb_serial(folder, root) if bus == "usb" else ""),
        firmware=read_text(device / "rev"),
        wwn=read_text(device / "wwid"),
    )


def _other(folder: Path) -> Identity:
    device = folder / "device"
    return Identity(
        model=read_text(device / "model") or read_text(device / "name"),
        serial=read_text(folder / "serial") or read_text(device / "serial"),
        firmware=read_text(device / "rev") or read_text(device / "fwrev"),
        wwn=read_text(folder / "wwid") or read_text(device / "wwid"),
    )


def _backing_file(folder: Path) -> str:
    """Return the path of the file, whose own blanks count."""
    content = read_bytes(folder / "loop/backing_file").removesuffix(b"\n")
    return content.decode("utf-8", "backslashreplace")


def _read_page(device: Path, number: int) -> bytes:
    """Return the content of a page of vital product data, if it is complete."""
    page = read_bytes(device / f"vpd_pg{number:x}")
    if len(page) < _PAGE_HEAD_BYTES or page[1] != number:
        return b""
    length = int.from_bytes(page[2:4], "big")
    return page[_PAGE_HEAD_BYTES : _PAGE_HEAD_BYTES + length]


def _read_identify(device: Path) -> bytes:
    """Return the IDENTIFY DEVICE data of an ATA drive.

    The kernel keeps it as the page "ATA information"; its own model attribute is cut
    after 16 characters, the firmware after 4.
    """
    page = _read_page(device, _ATA_PAGE)[_IDENTIFY_AT - _PAGE_HEAD_BYTES :]
    return page if len(page) == _IDENTIFY_BYTES else b""


def _ata_text(identify: bytes, first: int, end: int) -> str:
    """Return the text in words of two bytes, each of them swapped."""
    words = identify[2 * first : 2 * end]
    swapped = bytearray(len(words))
    swapped[::2], swapped[1::2] = words[1::2], words[::2]
    return clean_text(bytes(swapped))


def read_makers(drive: Drive, root: Path = ROOT) -> tuple[str, str]:
    """Return the manufacturer that a drive names itself, and its media's serial number.

    SCSI has the vendor in INQUIRY; of ATA the kernel's "vendor" names the protocol, and
    words 176 to 205 of IDENTIFY DEVICE have both where bit 2 of word 87 says so.
    """
    device = block_folder(drive.name, root) / "device"
    if drive.bus == "scsi":
        return read_text(device / "vendor"), ""
    if drive.bus != "ata":
        return "", ""
    identify = _read_identify(device)
    features = int.from_bytes(identify[174:176], "little")  # word 87
    if features >> 14 != 0b01 or not features & 0b100:
        return "", ""
    return _ata_text(identify, 196, 206), _ata_text(identify, 176, 196)


def _usb_serial(folder: Path, root: Path) -> str:
    """Return the serial number of the USB device itself, not of a hub above it."""
    for place in folders_above(folder, root):
        if (place / "idVendor").exists():
            return read_text(place / "serial")
    return ""


def list_drives(root: Path = ROOT) -> tuple[Drive, ...]:
    """Return all whole drives that can be read, in natural order.

    Loop devices count if they have a backing file. Partitions, volumes, memory and the
    hidden paths of an NVMe namespace are not drives.
    """
    drives = []
    for name in list_drive_names(root):
        try:
            drives.append(read_drive(name, root))
        except TargetRefusedError:  # it went away, or its size is unknown
            continue
    return tuple(drives)


def list_drive_names(root: Path = ROOT) -> tuple[str, ...]:
    """Return the kernel names of all whole drives, readable or not."""
    names = list_names(root / "sys/block")
    return tuple(name for name in names if is_drive_name(name, root))


def find_drive(path: str, root: Path = ROOT, *, look: Look = look_at) -> Drive:
    """Return the drive that a path means: a device, a link to it, or a kernel name."""
    return read_drive(find_name(path, root, look=look), root)


def read_drive(name: str, root: Path = ROOT) -> Drive:
    """Return the drive of a kernel name, such as ``nvme0n1``."""
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
    """Return the NVMe controllers of a namespace: one, or those of its subsystem."""
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
            reason=f"its size is unknown ({path} cannot be read)",
            remedy="Check whether it is still attached.",
        )
    return number
