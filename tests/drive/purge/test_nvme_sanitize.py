"""NVMe sanitize: followed to its end, whichever that is."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ssdlab.drive.purge.nvme import parse_json
from ssdlab.drive.purge.nvme_sanitize import (
    await_running_sanitize,
    parse_sanitize_log,
    sanitize,
)
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import PurgeMethod
from tests.drive.purge.made import (
    MadeWork,
    NvmeSanitizer,
    Recorded,
    answer,
    made_drive,
    sanitize_log,
)

DRIVE = made_drive("nvme")


def log_of(status: int, **fields: int) -> dict[str, object]:
    return dict(parse_json(sanitize_log(status, **fields))["nvme0n1"])


def test_log_is_read_as_the_drive_wrote_it() -> None:
    log = parse_sanitize_log(log_of(2, progress=16384, action=4))
    assert log is not None
    assert (log.status, log.action, log.done_ratio) == (2, 4, 0.25)
    assert log.words == "Sanitize in Progress"


@pytest.mark.parametrize(
    "data", [{}, {"sprog": 1}, {"sprog": 1, "sstat": {"status": None}}, {"sstat": 3}]
)
def test_log_that_lacks_a_field_is_none(data: dict[str, object]) -> None:
    assert parse_sanitize_log(data) is None


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("nvme-sanitize-block", "--sanact=2 --ause"),
        ("nvme-sanitize-overwrite", "--sanact=3 --ause --owpass=1"),
        ("nvme-sanitize-crypto", "--sanact=4 --ause"),
    ],
)
def test_sanitize_is_followed_until_the_drive_says_it_is_done(
    method: PurgeMethod, words: str, tmp_path: Path
) -> None:
    drive, made = NvmeSanitizer(looks=12), MadeWork(tmp_path)
    done = sanitize(made.on(DRIVE, method, drive))
    assert (done.fault, done.doubt) == ("", "")
    assert " ".join(drive.asked[0]) == f"nvme sanitize /dev/nvme0n1 {words}"
    assert "Completed Successfully" in done.said[1]
    # After 8 of 13 looks, 38.7 s: 7/13 in 38.5 s, so 5/13 in 27.5 s.
    assert "sanitize: 62 % done, about 28 s left" in made.told


def test_failed_sanitize_is_a_fault_and_the_failure_is_left(tmp_path: Path) -> None:
    drive = NvmeSanitizer(ends=3)
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", drive))
    assert "the sanitize failed" in done.fault
    assert "accepts IO again" in done.fault
    assert drive.asked[-1][3] == "--sanact=1"


def test_failure_that_cannot_be_left_is_said(tmp_path: Path) -> None:
    drive = NvmeSanitizer(ends=3, exit_failure_code=1)
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", drive))
    assert "still in its failure mode" in done.fault


def test_drive_that_never_began_is_a_fault(tmp_path: Path) -> None:
    drive = NvmeSanitizer(looks=0, ends=0)
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", drive))
    assert "no sanitize was run" in done.fault


def test_log_of_another_sanitize_is_a_fault(tmp_path: Path) -> None:
    ask = Recorded({
        "nvme sanitize /dev": (0, "", ""),
        "nvme sanitize-log": (0, sanitize_log(1, action=4), ""),
    })
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", ask))
    assert "another sanitize than the requested one" in done.fault


def test_refused_sanitize_has_the_words_of_the_drive(tmp_path: Path) -> None:
    said = (
        "NVMe status: Invalid Command Opcode: A reserved coded value or an unsupported "
        "value in the command opcode field(0x4001)"
    )
    ask = Recorded({"nvme sanitize /dev": (1, "", said)})
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", ask))
    assert done.fault == f"starting the sanitize failed (nvme: {said})"


def test_sanitize_that_does_not_end_is_given_up_by_the_time_of_the_drive(
    tmp_path: Path,
) -> None:
    ask = Recorded({
        "nvme sanitize /dev": (0, "", ""),
        "nvme sanitize-log": (0, sanitize_log(2, progress=1, block_s=36000), ""),
    })
    made = MadeWork(tmp_path)
    done = sanitize(made.on(DRIVE, "nvme-sanitize-block", ask))
    assert "did not end within 20 h" in done.fault
    assert "continues it by itself" in done.fault
    assert made.clock.time_s == pytest.approx(72000, abs=20)


def test_drive_that_falls_silent_is_a_fault(tmp_path: Path) -> None:
    ask = Recorded({
        "nvme sanitize /dev": (0, "", ""),
        "nvme sanitize-log": (1, "", "/dev/nvme0n1: No such file or directory"),
    })
    done = sanitize(MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", ask))
    assert "no longer reports the progress of" in done.fault
    assert "No such file" in done.fault


def test_sanitize_of_before_a_crash_is_waited_for(tmp_path: Path) -> None:
    drive, made = NvmeSanitizer(status=2, looks=4), MadeWork(tmp_path)
    done = await_running_sanitize(made.on(DRIVE, "nvme-sanitize-block", drive))
    assert not done.fault
    assert done.said[0] == "waited for a sanitize that was already in progress"
    assert made.told[0] == "Waiting for a sanitize that is already in progress."


def test_drive_at_rest_is_not_waited_for(tmp_path: Path) -> None:
    drive = NvmeSanitizer(status=1)
    done = await_running_sanitize(
        MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", drive)
    )
    assert (done.said, len(drive.asked)) == ((), 1)


def test_drive_that_answers_again_after_a_while_is_followed_on(tmp_path: Path) -> None:
    drive = NvmeSanitizer(looks=8)
    silent = iter([True] * 5)

    def ask(command: Sequence[str], *, timeout_s: float) -> Answer:
        if command[1] == "sanitize-log" and next(silent, False):
            return answer(command, 1, stderr="resource temporarily unavailable")
        return drive(command, timeout_s=timeout_s)

    done = sanitize(MadeWork(tmp_path).on(DRIVE, "nvme-sanitize-block", ask))
    assert not done.fault
