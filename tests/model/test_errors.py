"""Errors as a user reads them: what happened, to what, and what to do now."""

import pytest

from ssdlab.model.drive import Use
from ssdlab.model.errors import DriveInUseError, PurgeFailedError

MOUNTED = Use(
    kind="mounted",
    device="/dev/sda1",
    reason="/dev/sda1 is mounted at /mnt",
    remedy="Unmount it: umount /mnt.",
)
SWAP = Use(
    kind="swap",
    device="/dev/sda2",
    reason="/dev/sda2 is used as swap",
    remedy="Switch it off: swapoff /dev/sda2.",
)


def of_drive(reason: str, remedy: str = "Wait for it: lsof /dev/sda.") -> Use:
    return Use(kind="opened", device="/dev/sda", reason=reason, remedy=remedy)


def test_each_of_several_uses_has_its_line_and_its_own_remedy() -> None:
    error = DriveInUseError(target="/dev/sda", uses=(MOUNTED, SWAP, MOUNTED))
    assert str(error).splitlines() == [
        "/dev/sda cannot be used for 2 reasons:",
        "  - /dev/sda1 is mounted at /mnt. Unmount it: umount /mnt.",
        "  - /dev/sda2 is used as swap. Switch it off: swapoff /dev/sda2.",
    ]
    assert error.reason.startswith("/dev/sda1 is mounted at /mnt; /dev/sda2 is used")
    assert error.remedy.startswith("Unmount it: umount /mnt. Switch it off")


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (
            of_drive("/dev/sda is open for writing by dd"),
            "/dev/sda is open for writing by dd. Wait for it: lsof /dev/sda.",
        ),
        (
            of_drive("/dev/md0 stands on /dev/sda, as an array"),
            "/dev/md0 stands on /dev/sda, as an array. Wait for it: lsof /dev/sda.",
        ),
        (
            of_drive("something writes to it"),
            "/dev/sda: something writes to it. Wait for it: lsof /dev/sda.",
        ),
        (of_drive("/dev/sda is read-only", remedy=""), "/dev/sda is read-only."),
        (
            MOUNTED,
            "/dev/sda: /dev/sda1 is mounted at /mnt. Unmount it: umount /mnt.",
        ),
    ],
    ids=["named first", "named later", "not named", "no remedy", "its partition"],
)
def test_one_use_is_one_line_that_names_the_drive_once(use: Use, text: str) -> None:
    assert str(DriveInUseError(target="/dev/sda", uses=(use,))) == text


def test_failed_step_keeps_the_lines_of_its_reason_and_one_full_stop() -> None:
    def failed(reason: str) -> str:
        error = PurgeFailedError(step_id="0001-tp", reason=reason, remedy="Mend that.")
        return str(error)

    assert failed("it is gone") == "Step 0001-tp: it is gone. Mend that."
    assert failed("Stop it.") == "Step 0001-tp: Stop it. Mend that."
    several = str(DriveInUseError(target="/dev/sda", uses=(MOUNTED, SWAP)))
    assert failed(several).splitlines()[-2:] == [
        "  - /dev/sda2 is used as swap. Switch it off: swapoff /dev/sda2.",
        "Mend that.",
    ]
