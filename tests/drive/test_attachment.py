"""How a drive is attached, by the system's own words."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ssdlab.drive.attachment import read_attachment
from ssdlab.drive.inventory import read_drive
from ssdlab.drive.tools import Answer, Ask
from ssdlab.model.errors import MissingToolError
from ssdlab.model.report_fields import ReportFields
from tests.made_machine import MadeMachine

TOLD = """\
Slot:\t0001:00:00.0
Class:\tNon-Volatile memory controller
Vendor:\tLab Devices
Device:\tController 9
SVendor:\tLab Drives
SDevice:\tSSD
PhySlot:\t4
"""


def answering(text: str, exit_code: int = 0) -> "Teller":
    return Teller(text, exit_code)


class Teller:
    """Says what ``lspci`` would, and keeps what it was asked."""

    def __init__(self, text: str, exit_code: int) -> None:
        self.text, self.exit_code = text, exit_code
        self.asked: list[Sequence[str]] = []

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        self.asked.append(command)
        return Answer(
            command=tuple(command),
            exit_code=self.exit_code,
            stdout=self.text,
            stderr="",
            took_s=timeout_s,
        )


def absent(command: Sequence[str], *, timeout_s: float) -> Answer:
    needed_for = f"{command[0]} within {timeout_s:g} s"
    raise MissingToolError(tool="lspci", needed_for=needed_for, remedy="")


@pytest.fixture
def made(tmp_path: Path) -> MadeMachine:
    return MadeMachine(tmp_path)


def read(made: MadeMachine, name: str, ask: Ask) -> ReportFields:
    return read_attachment(read_drive(name, made.root), root=made.root, ask=ask)


def test_nvme_drive_names_its_slot_and_maker(made: MadeMachine) -> None:
    ask = answering(TOLD)
    said = read(made, made.add_nvme(), ask)
    address = ask.asked[0][-1]
    assert said.hba == f"Lab Devices Controller 9 (slot 4, PCI {address})"
    assert said.manufacturer == "Lab Drives"


def test_without_lspci_the_address_is_told(made: MadeMachine) -> None:
    name = made.add_nvme()
    drive = read_drive(name, made.root)
    for ask in (absent, answering("", 1), answering("nonsense")):
        said = read_attachment(drive, root=made.root, ask=ask)
        assert said.hba.startswith("PCI ")
        assert said.manufacturer == ""


def test_drivers_are_those_up_to_the_slot(made: MadeMachine) -> None:
    name = made.add_nvme()
    slot = (made.root / "sys/class/nvme/nvme0").resolve().parents[1]
    place = "/" + str(slot.relative_to(made.root.resolve()))
    made.link(f"{place}/driver", "/sys/bus/pci/drivers/nvme")
    made.link("/sys/devices/pci0000:00/driver", "/sys/bus/pci/drivers/pcieport")
    assert read(made, name, answering(TOLD)).driver == "nvme"


@pytest.mark.parametrize(
    ("word_87", "maker", "features"),
    [
        (0x4004, "Lab Media", "media serial number M-77"),
        (0x4000, "", ""),
        (0x0004, "", ""),
        (0xFFFF, "", ""),
    ],
    ids=["valid", "not-valid", "no-word", "empty-word"],
)
def test_ata_drive_names_its_media_where_it_says_that_it_does(
    made: MadeMachine, word_87: int, maker: str, features: str
) -> None:
    said = read(made, made.add_ata(media=(word_87, "M-77", "Lab Media")), absent)
    assert (said.manufacturer, said.features) == (maker, features)


def test_scsi_drive_names_its_vendor(made: MadeMachine) -> None:
    said = read(made, made.add_scsi(vendor="LABVEND"), answering(TOLD))
    assert (said.manufacturer, said.features) == ("LABVEND", "")
