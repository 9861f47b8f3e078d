"""What a drive calls itself, as the kernel has read it from the drive."""

import re
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.sysfs import block_folder, folders_above
from ssdlab.model.drive import Bus
from ssdlab.system.files import ROOT, clean_text, read_bytes, read_text

_SERIAL_PAGE, _ATA_PAGE = 0x80, 0x89  # SPC-4 7.8.13, SAT-3 12.4.2
_PAGE_HEAD_BYTES = 4
_IDENTIFY_AT, _IDENTIFY_BYTES = 60, 512
_NVME = re.compile(r"nvme\d+n\d+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """Texts of the drive, or empty where it has none."""

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
    """Return the texts by which a drive can be told from others."""
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
    """Return what a page of vital product data holds, if it is whole."""
    page = read_bytes(device / f"vpd_pg{number:x}")
    if len(page) < _PAGE_HEAD_BYTES or page[1] != number:
        return b""
    length = int.from_bytes(page[2:4], "big")
    return page[_PAGE_HEAD_BYTES : _PAGE_HEAD_BYTES + length]


def _read_identify(device: Path) -> bytes:
    """Return what an ATA drive answered when it was told to identify itself.

    The kernel keeps it as the page "ATA information"; the model that it gives beside
    that is cut after 16 letters, the firmware after 4.
    """
    page = _read_page(device, _ATA_PAGE)[_IDENTIFY_AT - _PAGE_HEAD_BYTES :]
    return page if len(page) == _IDENTIFY_BYTES else b""


def _ata_text(identify: bytes, first: int, end: int) -> str:
    """Return the text in words of two letters, each of them the wrong way round."""
    words = identify[2 * first : 2 * end]
    swapped = bytearray(len(words))
    swapped[::2], swapped[1::2] = words[1::2], words[::2]
    return clean_text(bytes(swapped))


def _usb_serial(folder: Path, root: Path) -> str:
    """Return the serial of the USB device itself, not of a hub above it."""
    for place in folders_above(folder, root):
        if (place / "idVendor").exists():
            return read_text(place / "serial")
    return ""
