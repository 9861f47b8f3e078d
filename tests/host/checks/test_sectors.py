"""Whether the drive's sectors fit the blocks of the tests."""

from pathlib import Path

import pytest

from tests.host.made_host import Case, look, require_found

LARGE = {"logical_sector_bytes": 4096}
ONLY_LARGE = {"block_sizes_bytes": (4096, 131072)}
NO_TESTS = {"block_sizes_bytes": ()}

CASES = (
    Case(check="sector_size_512", verdict="good", says="512 B"),
    Case(check="sector_size_512", verdict="good", says="512 B", habits=NO_TESTS),
    Case(
        check="sector_size_512",
        verdict="bad",
        says="blocks of 0.5 KiB cannot be measured",
        drive=LARGE,
    ),
    Case(
        check="sector_size_512",
        verdict="unknown",
        says="does not apply: no test of this run has blocks below 4 KiB; 4096 B",
        drive=LARGE,
        habits=ONLY_LARGE,
    ),
    Case(
        check="sector_size_512",
        verdict="unknown",
        says="does not apply: no tests were named; 4096 B",
        drive=LARGE,
        habits=NO_TESTS,
    ),
    Case(
        check="sector_size_512",
        verdict="good",
        says="blocks of 2 KiB are whole sectors",
        drive={"logical_sector_bytes": 1024},
        habits={"block_sizes_bytes": (2048, 4096)},
    ),
    Case(check="sector_size_4k", verdict="good", says="4096 B", drive=LARGE),
    Case(
        check="sector_size_4k",
        verdict="warn",
        says="512 B (/sys/block/nvme0n1/queue/logical_block_size): all blocks of these",
        habits=ONLY_LARGE,
    ),
    Case(
        check="sector_size_4k",
        verdict="unknown",
        says="does not apply: the tests also have blocks of 0.5 KiB",
    ),
    Case(
        check="sector_size_4k",
        verdict="unknown",
        says="does not apply: no tests were named; 512 B",
        habits=NO_TESTS,
    ),
    Case(
        check="sector_size_4k",
        verdict="unknown",
        says="does not apply: this drive has no other sector size",
        drive={"bus": "ata"},
        habits=ONLY_LARGE,
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_sectors_are_judged_by_the_blocks(case: Case, host: Path) -> None:
    require_found(host, case)


@pytest.mark.parametrize(
    ("bus", "command"),
    [
        ("nvme", "ssdlab purge --lba-format 512 /dev/nvme0n1"),
        ("scsi", "sg_format --format --size=512 /dev/nvme0n1"),
        ("loop", "losetup --sector-size 512"),
        ("ata", "Leave out these blocks."),
    ],
)
def test_remedy_for_sectors_is_that_of_the_bus(
    bus: str, command: str, tmp_path: Path
) -> None:
    case = Case(
        check="sector_size_512", verdict="bad", says="", drive={**LARGE, "bus": bus}
    )
    remedy = look(tmp_path, case).remedy
    assert command in remedy
    assert ("erases" in remedy) is (bus in {"nvme", "scsi"})
