"""Attachment of a drive, as a report states it: slot, drivers, manufacturer."""

import re
from pathlib import Path

from ssdlab.drive.inventory import read_makers
from ssdlab.drive.pcie import find_pci_folder
from ssdlab.drive.sysfs import block_folder, folders_above
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Drive
from ssdlab.model.errors import MissingToolError
from ssdlab.model.report_fields import ReportFields
from ssdlab.system.files import ROOT

_LSPCI_S = 10.0
_LINE = re.compile(r"(\w+):\s+(.*)")


def read_attachment(
    drive: Drive, *, root: Path = ROOT, ask: Ask = ask_tool
) -> ReportFields:
    """Return how a drive is attached, as far as this machine reports it."""
    controller = root / "sys/class/nvme" / (drive.controller or ".")
    is_named = bool(drive.controller) and controller.exists()
    folder = controller if is_named else block_folder(drive.name, root)
    maker, media_serial = read_makers(drive, root)
    features = f"media serial number {media_serial}" if media_serial else ""
    pci = find_pci_folder(folder, root)
    if pci is None:
        return ReportFields(
            driver=_drivers(folder, None, root), manufacturer=maker, features=features
        )
    raw = _ask_lspci(pci.name, ask)
    if drive.bus == "nvme":
        maker = raw.get("SVendor") or raw.get("Vendor", "")
    words = " ".join(filter(None, (raw.get("Vendor"), raw.get("Device"))))
    slot = f"slot {raw['PhySlot']}, " if "PhySlot" in raw else ""
    return ReportFields(
        hba=f"{words} ({slot}PCI {pci.name})" if words else f"PCI {pci.name}",
        driver=_drivers(folder, pci, root),
        manufacturer=maker,
        features=features,
    )


def _drivers(folder: Path, pci: Path | None, root: Path) -> str:
    """Return the drivers from the block device up to its PCI device, in that order."""
    names = []
    for place in folders_above(folder, root):
        link = place / "driver"
        if link.is_symlink():
            names.append(link.readlink().name)
        if place == pci:
            break
    return ", ".join(dict.fromkeys(names))


def _ask_lspci(address: str, ask: Ask) -> dict[str, str]:
    """Return the fields of ``lspci`` for a device; empty if there are none."""
    try:
        answer = ask(["lspci", "-D", "-vmm", "-s", address], timeout_s=_LSPCI_S)
    except MissingToolError:
        return {}
    if answer.exit_code != 0:
        return {}
    lines = map(_LINE.fullmatch, answer.stdout.splitlines())
    return {match[1]: match[2].strip() for match in lines if match}
