"""A drive that is still at an erasure, or whose last one failed."""

from collections.abc import Mapping, Sequence

import pytest

from ssdlab.drive.purge.running import find_running_purge
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import Bus
from ssdlab.model.errors import MissingToolError
from tests.drive.purge.made import answer, made_drive, sanitize_log
from tests.drive.purge.test_ata_sanitize import FAILED as ATA_FAILED
from tests.drive.purge.test_ata_sanitize import STATUS, WELL
from tests.drive.purge.test_scsi import FAILED, QUIET

PROGRESS = "Progress indication: 40.5% done\n"
GOING = "    State:    SD2 Sanitize operation In Process\n    Progress: 0x6666 (40%)\n"
Said = Mapping[str, tuple[int, str, str]]


class Drive:
    """Answers to each program the same, but for the last word of the question."""

    def __init__(self, said: Said) -> None:
        self.said = said

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        words = " ".join(command)
        for part, said in self.said.items():
            if part in words:
                return answer(command, *said)
        raise MissingToolError(tool=command[0], needed_for="it", remedy="Install it.")


@pytest.mark.parametrize(
    ("bus", "said"),
    [
        ("nvme", {"sanitize-log": (0, sanitize_log(2, progress=26214), "")}),
        ("ata", {"--sanitize-status": (0, STATUS + GOING, "")}),
        ("scsi", {"--progress": (0, PROGRESS, "")}),
    ],
)
def test_erasure_under_way_is_told_with_how_far_it_is(bus: Bus, said: Said) -> None:
    drive = made_drive(bus)
    use = find_running_purge(drive, Drive(said))
    assert use is not None
    assert f"still in progress on {drive.path}, 40 % done" in use.reason
    assert use.remedy == (
        "Leave its power on, wait until it is done, and try again then."
    )


def test_scsi_format_that_tells_no_progress_is_told() -> None:
    text = "Additional sense: Logical unit not ready, format in progress\n"
    said = {"--progress": (0, QUIET, ""), "--status": (0, text, "")}
    use = find_running_purge(made_drive("scsi"), Drive(said))
    assert use is not None
    assert "in progress on /dev/sda; until" in use.reason


@pytest.mark.parametrize(
    ("bus", "said", "command"),
    [
        (
            "nvme",
            {"sanitize-log": (0, sanitize_log(3), "")},
            "nvme sanitize /dev/nvme0n1 --sanact=1",
        ),
        (
            "ata",
            {"--sanitize-status": (5, STATUS, ATA_FAILED)},
            "hdparm --yes-i-know-what-i-am-doing --sanitize-block-erase /dev/sda",
        ),
        (
            "scsi",
            {"--progress": (0, QUIET, ""), "--status": (0, FAILED, "")},
            "sg_sanitize --fail /dev/sda",
        ),
        (
            "scsi",
            {
                "--progress": (0, QUIET, ""),
                "--status": (0, "Additional sense: Format command failed\n", ""),
            },
            "sg_format --format /dev/sda",
        ),
    ],
    ids=["nvme", "ata", "scsi sanitize", "scsi format"],
)
def test_erasure_that_failed_is_told_with_the_way_out(
    bus: Bus, said: Said, command: str
) -> None:
    use = find_running_purge(made_drive(bus), Drive(said))
    assert use is not None
    assert "failed; until that is repaired" in use.reason
    assert command in use.remedy


@pytest.mark.parametrize(
    ("bus", "said"),
    [
        ("nvme", {"sanitize-log": (0, sanitize_log(1), "")}),
        ("nvme", {"sanitize-log": (1, "", "Permission denied")}),
        ("ata", {"--sanitize-status": (0, STATUS + WELL, "")}),
        ("scsi", {"--progress": (0, QUIET, ""), "--status": (0, QUIET, "")}),
        ("scsi", {"--progress": (15, "", "open failed")}),
        ("nvme", {}),
        ("ata", {}),
        ("scsi", {}),
        ("loop", {}),
    ],
)
def test_drive_that_tells_of_none_has_none(bus: Bus, said: Said) -> None:
    assert find_running_purge(made_drive(bus), Drive(said)) is None
