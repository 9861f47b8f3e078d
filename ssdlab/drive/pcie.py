"""The PCIe link and the NUMA node of a drive."""

import re
from pathlib import Path

from ssdlab.drive.sysfs import folders_above
from ssdlab.model.drive import PcieLink
from ssdlab.system.files import ROOT, read_leading_number, read_number

_ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_NO_WIDTHS = {None, 0, 255}  # absent; no link; PCIE_LNK_WIDTH_UNKNOWN


def read_pcie_link(folder: Path, root: Path = ROOT) -> PcieLink | None:
    """Return the link of the PCI device that a folder of sysfs belongs to.

    ``None`` if there is none, or its link is unknown: a device inside the chipset has
    none.
    """
    place = find_pci_folder(folder, root)
    return _link(place) if place else None


def find_pci_folder(folder: Path, root: Path = ROOT) -> Path | None:
    """Return the folder of the PCI device that a folder of sysfs belongs to."""
    places = folders_above(folder, root)
    return next((one for one in places if _ADDRESS.fullmatch(one.name)), None)


def read_numa_node(folder: Path, root: Path = ROOT) -> int | None:
    """Return the NUMA node that a device is attached to, if known."""
    for place in folders_above(folder, root):
        node = read_number(place / "numa_node")
        if node is not None:
            return node if node >= 0 else None
    return None


def _link(place: Path) -> PcieLink | None:
    link = PcieLink(
        address=place.name,
        width=_width(place / "current_link_width"),
        width_max=_width(place / "max_link_width"),
        speed_gt_s=read_leading_number(place / "current_link_speed"),
        speed_gt_s_max=read_leading_number(place / "max_link_speed"),
    )
    return None if link == PcieLink(address=place.name) else link


def _width(path: Path) -> int | None:
    width = read_number(path)
    return None if width in _NO_WIDTHS else width
