"""The queue depth that a drive can use, from files of the kernel."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ssdlab.drive.queues import DriveQueues, read_queues
from tests.drive.purge.made import made_drive


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"mq/0/nr_tags": "1023", "mq/1/nr_tags": "1023", "mq/x/nr_tags": "1"},
         DriveQueues(count=2, depth=1023)),
        ({"mq/0/nr_tags": "64", "mq/1/nr_tags": "64", "device/queue_depth": "32"},
         DriveQueues(count=1, depth=32)),
        ({"device/queue_depth": "0", "mq/0/nr_tags": "many"}, None),
        ({}, None),
    ],
    ids=["nvme", "sata", "not-numbers", "unknown"],
)  # fmt: skip
def test_queues_are_those_of_the_device_or_of_the_kernel(
    tmp_path: Path, files: Mapping[str, str], expected: DriveQueues | None
) -> None:
    drive = made_drive("nvme")
    for name, text in files.items():
        path = tmp_path / "sys/class/block" / drive.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", "utf-8")
    assert read_queues(drive, tmp_path) == expected


def test_outstanding_ios_are_those_of_all_queues() -> None:
    assert DriveQueues(count=8, depth=1023).outstanding == 8184
