"""ATA sanitize, by what hdparm prints of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ssdlab.drive.purge.ata_sanitize import await_running_sanitize, sanitize
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import PurgeMethod
from tests.drive.purge.made import MadeWork, Recorded, answer, made_drive

DRIVE = made_drive("ata")
STATUS = "\n/dev/sda:\nIssuing SANITIZE_STATUS command\nSanitize status:\n"
IDLE = "    State:    SD0 Sanitize Idle\n"
WELL = f"{IDLE}    Last Sanitize Operation Completed Without Error\n"
STARTED = (
    "\n/dev/sda:\nIssuing SANITIZE_BLOCK_ERASE command\nOperation started in background"
    "\nYou may use `--sanitize-status` to check progress\n"
)
FAILED = (
    "SANITIZE failed: Input/output error\nSANITIZE device error reason: Last Sanitize "
    "Command completed unsuccessfully\nDrive in SD3 Sanitize Operation Failed state\n"
)


@dataclass
class Sanitizer:
    """A drive that is busy for some looks, and then as ``end`` says."""

    looks: int = 3
    end: tuple[int, str, str] = (0, STATUS + WELL, "")
    runs: bool = False
    asked: list[str] = field(default_factory=list)
    seen: int = 0

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        self.asked.append(" ".join(command))
        if "--sanitize-status" not in command:
            self.runs = True
            return answer(command, stdout=STARTED)
        self.seen += 1
        if self.runs and self.seen <= self.looks:
            share = 0xFFFF * self.seen // (self.looks + 1)
            text = "    State:    SD2 Sanitize operation In Process\n"
            text += f"    Progress: {share:#x} ({100 * share // 0xFFFF}%)\n"
            return answer(command, stdout=STATUS + text)
        return answer(command, *self.end)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("ata-sanitize-block", "--sanitize-block-erase"),
        ("ata-sanitize-crypto", "--sanitize-crypto-scramble"),
        (
            "ata-sanitize-overwrite",
            "--sanitize-overwrite-passes 1 --sanitize-overwrite hex:00000000",
        ),
    ],
)
def test_sanitize_is_followed_until_it_is_done(
    method: PurgeMethod, words: str, tmp_path: Path
) -> None:
    drive, made = Sanitizer(looks=12), MadeWork(tmp_path)
    done = sanitize(made.on(DRIVE, method, drive))
    assert not done.fault
    assert drive.asked[0] == (f"hdparm --yes-i-know-what-i-am-doing {words} /dev/sda")
    assert done.said[1].endswith("SD0 Sanitize Idle, completed without error")
    assert any("% done" in line for line in made.told)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ((0, STATUS + IDLE, ""), "the sanitize failed"),
        ((5, "\n/dev/sda:\n", FAILED), "completed unsuccessfully"),
        ((0, f"{STATUS}    State:    SD1 Sanitize Frozen\n", ""), "SD1"),
    ],
    ids=["idle", "failed", "frozen"],
)
def test_sanitize_that_did_not_succeed_is_a_fault(
    end: tuple[int, str, str], words: str, tmp_path: Path
) -> None:
    done = sanitize(
        MadeWork(tmp_path).on(DRIVE, "ata-sanitize-block", Sanitizer(end=end))
    )
    assert words in done.fault


def test_sanitize_that_did_not_start_is_a_fault_though_hdparm_ends_well(
    tmp_path: Path,
) -> None:
    ask = Recorded({"hdparm": (0, "\n/dev/sda:\n", "SG_IO: bad/missing sense data")})
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "ata-sanitize-block", ask))
    assert "starting the sanitize failed" in done.fault
    assert len(ask.asked) == 1


def test_sanitize_that_never_ends_is_given_up(tmp_path: Path) -> None:
    drive, made = Sanitizer(looks=10**6), MadeWork(tmp_path)
    done = sanitize(made.on(DRIVE, "ata-sanitize-block", drive))
    assert "did not end within 30 min" in done.fault


def test_drive_that_falls_silent_is_a_fault(tmp_path: Path) -> None:
    ask = Recorded({
        "hdparm --yes": (0, STARTED, ""),
        "hdparm --sanitize-status": (5, "", "/dev/sda: No such device"),
    })
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "ata-sanitize-block", ask))
    assert "The drive is gone" in done.fault


def test_sanitize_of_before_a_crash_is_waited_for(tmp_path: Path) -> None:
    work = MadeWork(tmp_path).on(DRIVE, "ata-sanitize-block", Sanitizer(runs=True))
    done = await_running_sanitize(work)
    assert done.said[0] == "waited for a sanitize that was already in progress"
    resting = Sanitizer()
    work = MadeWork(tmp_path).on(DRIVE, "ata-sanitize-block", resting)
    assert await_running_sanitize(work).said == ()
    assert len(resting.asked) == 1
