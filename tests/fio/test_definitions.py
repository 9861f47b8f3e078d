"""What fio says of its jobs before it runs them, in its normal text."""

import pytest

from ssdlab.fio.from_text.normal import parse_normal
from ssdlab.fio.jobs.workload import ForeignWorkload, describe_workload
from tests.paths import ROOT

TEXT = ROOT / "tests" / "data" / "fio-3.33-groups.txt"


def described(line: str) -> ForeignWorkload | None:
    lines = TEXT.read_text().splitlines()
    (document,) = parse_normal("\n".join([line, *lines[1:], ""]), source="text")
    job = document.jobs[0]
    assert job.members == 2
    return describe_workload({o.name: o.value for o in job.options})


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            (
                "rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
                "ioengine=libaio, iodepth=16"
            ),
            ("rnd", 4096, 16),
        ),
        ("rw=read, bs=4K-4K/8K-8K/4K-4K, ioengine=libaio, iodepth=2", ("seq", 4096, 2)),
        ("rw=write, bs=4K-4K/8K-8K, ioengine=sync, iodepth=1", ("seq", 8192, 1)),
        ("rw=randwrite, bs=4K-16K/4K-4K, ioengine=libaio, iodepth=1", ("rnd", 4096, 1)),
        (
            "rw=randread, bs=4K-16K/4K-4K/4K-4K, ioengine=libaio, iodepth=1",
            ("rnd", None, 1),
        ),
        (
            (
                "rw=randread, bs=(R) 512B-64.0KiB, (W) 512B-64.0KiB, (T) 512B-64.0KiB, "
                "ioengine=io_uring, iodepth=1"
            ),
            ("rnd", None, 1),
        ),
        ("rw=randread, bs=strange, ioengine=libaio, iodepth=3", ("rnd", None, 3)),
    ],
)
def test_a_definition_tells_direction_block_size_and_depth(
    said: str, expected: tuple[object, ...]
) -> None:
    found = described(f"reads: (g=0): {said}")
    assert found is not None
    assert (found.access, found.block_size_bytes, found.queue_depth) == expected


def test_a_group_of_unlike_jobs_in_one_entry_tells_nothing() -> None:
    lines = TEXT.read_text().splitlines()
    other = lines[0].replace("reads:", "others:").replace("iodepth=4", "iodepth=64")
    (document,) = parse_normal("\n".join([other, *lines, ""]), source="text")
    assert document.jobs[0].options == ()
    assert document.jobs[1].options
