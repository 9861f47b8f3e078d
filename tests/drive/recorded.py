"""What real tools and real controllers said, and drives that answer with it."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from ssdlab.drive.nvme_admin import AdminAnswer, AdminCommand
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import Bus, Drive
from tests.paths import ROOT

DRIVES = ROOT / "tests/data/drives"


def a_drive(bus: Bus, name: str = "sdz", **changes: object) -> Drive:
    values = {
        "path": f"/dev/{name}",
        "name": name,
        "model": "MADE SSD",
        "serial": "S1",
        "firmware": "1.0",
        "wwn": "",
        "bus": bus,
        "capacity_bytes": 10**9,
        "logical_sector_bytes": 512,
        "physical_sector_bytes": 4096,
        "device_number": "8:0",
    }
    return Drive(**{**values, **changes})  # type: ignore[arg-type]


def node(root: Path, drive: Drive) -> Path:
    """Make a file where the node of a drive would stand."""
    path = root / drive.path.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return root


def saying(stdout: str, *, exit_code: int = 0, stderr: str = "") -> "Saying":
    return Saying(stdout, exit_code, stderr)


class Saying:
    """A tool that always says the same; it keeps what it was asked."""

    def __init__(self, stdout: str, exit_code: int, stderr: str) -> None:
        self.said = (stdout, exit_code, stderr)
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        self.asked.append(tuple(command))
        stdout, exit_code, stderr = self.said
        return Answer(
            command=tuple(command),
            exit_code=exit_code,
            stdout=stdout,
            stderr=stderr,
            took_s=0.01,
        )


class Controller:
    """An NVMe controller that answers with recorded pages and keeps its features."""

    def __init__(self, *, smart_log: bytes = b"", identify: bytes = b"") -> None:
        recorded_log = DRIVES / "nvme-smart-log-qemu-7.2.bin"
        recorded_page = DRIVES / "nvme-id-ctrl-qemu-7.2.bin"
        self.pages = {
            0x02: smart_log or recorded_log.read_bytes(),
            0x06: identify or recorded_page.read_bytes(),
        }
        self.features = {0x06: 1}
        self.is_obstinate = False
        self.asked: list[AdminCommand] = []

    def __call__(self, path: str, command: AdminCommand) -> AdminAnswer:
        assert path.startswith("/dev/")
        self.asked.append(command)
        if command.opcode in self.pages:
            return AdminAnswer(status=0, data=self.pages[command.opcode])
        if command.dword10 not in self.features:
            return AdminAnswer(status=0x4002)
        if command.opcode == 0x09 and not self.is_obstinate:
            self.features[command.dword10] = command.dword11
        return AdminAnswer(status=0, result=self.features[command.dword10])


def changed(page: bytes, fields: Mapping[int, tuple[str, int]]) -> bytes:
    """Return a page with other values at some offsets, each as struct would pack it."""
    copy = bytearray(page)
    for at, (form, value) in fields.items():
        struct.pack_into(form, copy, at, value)
    return bytes(copy)
