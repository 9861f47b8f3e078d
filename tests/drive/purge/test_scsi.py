"""SCSI sanitize and format unit, by what sg3-utils prints."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ssdlab.drive.purge.scsi import await_running, erase, list_scsi_options
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import PurgeMethod
from tests.drive.purge.made import NO_ROOT, MadeWork, Recorded, answer, made_drive

DRIVE = made_drive("scsi")
UNTOLD = (9, "", "Report supported operation codes: Illegal request, Invalid opcode\n")
QUIET = (
    "data-in decoded as sense:\nFixed format, current; Sense key: No Sense\n"
    "Additional sense: No additional sense information\n"
)
FAILED = (
    "data-in decoded as sense:\nFixed format, current; Sense key: Medium Error\n"
    "Additional sense: Sanitize command failed\n"
)


def opcode_text(state: str, times: str = "no nominal timeout") -> str:
    return (
        "\n  Opcode=0x48  Service_action=0x0002\n"
        "  Command_name: Sanitize, block erase\n"
        f"  Command is {state}\n  No command duration limit mode page\n  {times}\n"
    )


@dataclass
class Disk:
    """A disk that is busy for some looks after a start, and then as ``end`` says."""

    looks: int = 3
    end: tuple[int, str, str] = (0, QUIET, "")
    start_code: int = 0
    seconds: int = 120
    runs: bool = False
    attentions: int = 0
    asked: list[str] = field(default_factory=list)
    seen: int = 0

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        self.asked.append(" ".join(command))
        if command[0] == "sg_opcodes":
            times = f"recommended timeout: {self.seconds} secs"
            text = opcode_text("supported [conforming to SCSI standard]", times)
            return answer(command, stdout=text)
        if command[0] == "sg_requests":
            return self._tell(command)
        self.runs = self.start_code == 0
        words = (
            "" if self.runs else "sg_sanitize failed: Illegal request, Invalid opcode"
        )
        return answer(command, self.start_code, stderr=words)

    def _tell(self, command: Sequence[str]) -> Answer:
        is_progress = command[1] == "--progress"
        self.seen += is_progress
        if self.runs and self.seen <= self.looks:
            share = 100 * self.seen / (self.looks + 1)
            text = f"Progress indication: {share:.2f}% done\n"
            return answer(command, stdout=text)
        if is_progress:
            return answer(command)
        if self.attentions:
            self.attentions -= 1
            text = "Sense key: Unit Attention\nAdditional sense: Reset occurred\n"
            return answer(command, 6, stdout=text)
        return answer(command, *self.end)


def test_commands_are_possible_as_the_drive_lists_them() -> None:
    times = "nominal timeout: 60 secs, recommended timeout: 3600 secs"
    well = opcode_text("supported [conforming to SCSI standard]", times)
    ask = Recorded({
        "sg_opcodes --opcode=0x48,0x1": (0, opcode_text("NOT supported"), ""),
        "sg_opcodes --opcode=0x48,0x2": (0, well, ""),
        "sg_opcodes --opcode=0x48,0x3": (
            0,
            opcode_text("not currently available"),
            "",
        ),
        "sg_opcodes --opcode=0x4 ": (0, well, ""),
    })
    found = {o.method: o for o in list_scsi_options(DRIVE, ask, NO_ROOT)}
    assert {m for m, o in found.items() if o.is_possible} == {
        "scsi-sanitize-block",
        "scsi-format-unit",
    }
    assert found["scsi-sanitize-block"].expected_s == 3600
    assert found["scsi-sanitize-overwrite"].reason == (
        "the drive reports of this command: NOT supported"
    )
    assert not any(option.is_unknown for option in found.values())


def test_drive_that_lists_no_commands_is_unknown() -> None:
    ask = Recorded({"sg_opcodes": UNTOLD})
    found = list_scsi_options(DRIVE, ask, NO_ROOT)
    assert [option.is_possible for option in found] == [False] * 4
    assert all(option.is_unknown for option in found)
    assert all("only if requested by name" in option.reason for option in found)


def test_format_is_not_possible_where_it_takes_protection_away(tmp_path: Path) -> None:
    folder = tmp_path / "sys/class/block/sda/device/scsi_disk/0:0:0:0"
    folder.mkdir(parents=True)
    for kind, is_possible in (("0", True), ("1", False)):
        (folder / "protection_type").write_text(f"{kind}\n")
        *_, option = list_scsi_options(DRIVE, Disk(), tmp_path)
        assert option.method == "scsi-format-unit"
        assert option.is_possible == is_possible
    assert "protection information of type 1" in option.reason


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("scsi-sanitize-block", "sg_sanitize --block --ause --quick --early"),
        ("scsi-sanitize-crypto", "sg_sanitize --crypto --ause --quick --early"),
        (
            "scsi-sanitize-overwrite",
            "sg_sanitize --overwrite --zero --count=1 --ause --quick --early",
        ),
        ("scsi-format-unit", "sg_format --format --quick --early"),
    ],
)
def test_erasure_is_followed_until_the_drive_is_quiet(
    method: PurgeMethod, words: str, tmp_path: Path
) -> None:
    drive, made = Disk(looks=12), MadeWork(tmp_path)
    done = erase(made.on(DRIVE, method, drive))
    assert not done.fault
    assert drive.asked[1] == f"{words} /dev/sda"
    assert any("% done" in line for line in made.told)
    assert made.clock.time_s > 60


def test_failed_sanitize_is_a_fault_and_is_left(tmp_path: Path) -> None:
    drive = Disk(end=(3, FAILED, ""))
    done = erase(MadeWork(tmp_path).on(DRIVE, "scsi-sanitize-block", drive))
    assert "Sanitize command failed" in done.fault
    assert drive.asked[-1] == "sg_sanitize --fail --quick /dev/sda"


def test_failed_format_is_a_fault(tmp_path: Path) -> None:
    text = FAILED.replace("Sanitize", "Format")
    drive = Disk(end=(3, text, ""))
    done = erase(MadeWork(tmp_path).on(DRIVE, "scsi-format-unit", drive))
    assert "Format command failed" in done.fault
    assert not any("--fail" in line for line in drive.asked)


def test_command_that_the_drive_refuses_is_a_fault(tmp_path: Path) -> None:
    drive = Disk(start_code=9)
    done = erase(MadeWork(tmp_path).on(DRIVE, "scsi-sanitize-block", drive))
    assert "Invalid opcode" in done.fault
    assert not any(line.startswith("sg_requests") for line in drive.asked)


def test_attentions_are_passed_over_for_a_while(tmp_path: Path) -> None:
    work = MadeWork(tmp_path).on(DRIVE, "scsi-sanitize-block", Disk(attentions=3))
    assert not erase(work).fault
    work = MadeWork(tmp_path).on(DRIVE, "scsi-sanitize-block", Disk(attentions=99))
    assert "Unit Attention" in erase(work).fault


def test_time_is_that_of_the_drive_if_it_is_longer(tmp_path: Path) -> None:
    made = MadeWork(tmp_path)
    drive = Disk(looks=10**6, seconds=7200)
    done = erase(made.on(DRIVE, "scsi-format-unit", drive))
    assert "did not end within 4 h" in done.fault


def test_erasure_of_before_a_crash_is_waited_for(tmp_path: Path) -> None:
    work = MadeWork(tmp_path).on(DRIVE, "scsi-sanitize-block", Disk(runs=True))
    assert "already in progress" in await_running(work).said[0]
    work = MadeWork(tmp_path).on(DRIVE, "scsi-sanitize-block", Disk())
    assert await_running(work).said == ()
