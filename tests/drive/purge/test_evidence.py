"""What a drive's own log makes of a purge."""

import pytest

from ssdlab.drive.purge.proof import compare_logs, read_log
from ssdlab.model.drive import DriveHealth, PurgeMethod
from ssdlab.model.units import MIB
from tests.drive.purge.made import Recorded, made_drive

DRIVE = made_drive("nvme", capacity_bytes=64 * MIB)


def log(errors: float | None = None, written: float | None = None) -> DriveHealth:
    return DriveHealth(error_log_entries=errors, host_written_bytes=written)


@pytest.mark.parametrize(
    ("before", "after", "said", "doubt"),
    [
        (log(7), log(7), "the drive's error log: 0 new entries", ""),
        (log(7), log(9), "2 new entries", "the drive counted 2 errors during the"),
        (log(7), log(), "", ""),
        (log(), log(3), "", ""),
        (log(7), log(0), "", ""),  # a drive that counts anew after its erasure
    ],
    ids=["none", "two", "lost", "appeared", "reset"],
)
def test_new_errors_are_said_and_doubted(
    before: DriveHealth, after: DriveHealth, said: str, doubt: str
) -> None:
    done = compare_logs(DRIVE, "nvme-format-user-data", (before, after))
    assert said in "; ".join(done.said)
    assert bool(said) == bool(done.said)
    assert done.doubt.startswith(doubt)
    assert bool(doubt) == bool(done.doubt)


@pytest.mark.parametrize(
    ("method", "grown", "is_doubted"),
    [
        ("overwrite", 64 * MIB, False),
        ("overwrite", 0.9 * 64 * MIB, False),
        ("overwrite", 0.9 * 64 * MIB - 1, True),
        ("overwrite", 0, True),
        ("discard", 0, False),
    ],
)
def test_overwrite_that_the_drive_did_not_count_is_doubted(
    method: PurgeMethod, grown: float, *, is_doubted: bool
) -> None:
    logs = (log(written=1000), log(written=1000 + grown))
    done = compare_logs(DRIVE, method, logs)
    assert bool(done.doubt) == is_doubted
    assert bool(done.said) == (method == "overwrite")


def test_drive_that_is_gone_has_no_log() -> None:
    gone = made_drive("ata", path="/dev/no-such-drive")
    assert read_log(gone, Recorded({})) == DriveHealth()
