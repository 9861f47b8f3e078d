"""Runs that were appended to one file: each is a result, whatever its numbers."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.frames.result import FioResult
from ssdlab.fio.output import parse_output
from ssdlab.fio.read import read_fio
from ssdlab.fio.runs import place_in_runs
from tests.quick_fio import CLOCK

RUNS = 20

_NORMAL = """j: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, \
(T) 4096B-4096B, ioengine=null, iodepth=1
fio-3.33
Starting 1 process

{entry}"""
_ENTRY = """j: (groupid=0, jobs=1): err= 0: pid={pid}: Sun Nov 22 15:07:{second:02} 2026
  read: IOPS={iops}, BW={bw}KiB/s (4.2MB/s)({kib}KiB/{ms}msec)
    clat (nsec): min={least}, max={most}, avg={mean}.00, stdev= 1.00
  cpu          : usr=2.00%, sys=9.00%, ctx=1, majf=0, minf=9
     issued rwts: total={ios},0,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
   READ: bw=4.0MiB/s (4.2MB/s), io={kib}KiB (1MB), run={ms}-{ms}msec

"""


def normal(ios: int, *, is_introduced: bool = True, pid: int = 7, ms: int = 0) -> str:
    ms = ms or 1000 + ios % 7
    entry = _ENTRY.format(
        ios=ios,
        kib=4 * ios,
        iops=ios * 1000 // ms,
        bw=4 * ios * 1000 // ms,
        ms=ms,
        pid=pid,
        second=ios % 60,
        least=10,
        most=5000 + ios,
        mean=100,
    )
    return _NORMAL.format(entry=entry) if is_introduced else entry


def terse(ios: int, *, ms: int = 1000, disk_ios: int = 0) -> str:
    kib = 4 * ios
    latency = (10, 500 + ios, 20.0, 1.0)
    percentiles = ("50.000000%=15", *["0%=0"] * 19)
    idle = (0, 0, 0, 0, *[0] * 8, *["0%=0"] * 20, *[0] * 4, 0, 0, "0.000000%", 0, 0)
    rates = (kib * 1000 // ms, ios * 1000 // ms, ms)
    read = (kib, *rates, 0, 0, 0, 0, *latency, *percentiles, *latency)
    sampled = (0, 0, "0.000000%", 0, 0)
    usage = ("1.0%", "2.0%", 5, 0, 1, *["0.0%"] * 29)
    disk = ("vda", disk_ios, 0, 0, 0, 1, 0, 1, "9.00%") if disk_ios else ()
    fields = ("3", "fio-3.33", "j", 0, 0, *read, *sampled, *idle, *usage, *disk)
    return ";".join(map(str, fields)) + "\n"


def results(text: str) -> list[int | None]:
    """Return the bytes of each entry that counts, in the order of the text."""
    documents = parse_output(text.encode(), source="made")
    places = place_in_runs(documents)
    return [
        side.io_bytes
        for document, place in zip(documents, places, strict=True)
        if place.is_result
        for job in document.jobs
        for side in job.parts
    ]


def grave(result: FioResult) -> set[str]:
    return set(result.issues.loc[result.issues["is_grave"], "kind"])


def append(path: Path, *options: str, times: int = RUNS) -> list[int]:
    """Append runs of the real fio to a file; return the IOs that each was asked for.

    They run at once, and each is appended whole.
    """
    asked = [300 + 10 * number for number in range(times)]
    job = (
        *("--name=j", "--ioengine=null", "--size=1g", "--rw=randread", "--bs=4k"),
        CLOCK,
    )
    under_way = [
        subprocess.Popen(
            ["fio", *job, f"--number_ios={ios}", *options], stdout=subprocess.PIPE
        )
        for ios in asked
    ]
    with path.open("ab") as file:
        for one in under_way:
            file.write(one.communicate()[0])
            assert one.returncode == 0
    return asked


@pytest.mark.fio
@pytest.mark.parametrize(
    "options",
    [
        ("--output-format=normal",),
        ("--output-format=json",),
        ("--output-format=normal,json,terse",),
        ("--minimal",),
    ],
    ids=["normal", "json", "all", "terse"],
)
def test_every_run_that_was_appended_is_a_result(
    tmp_path: Path, options: Sequence[str]
) -> None:
    path = tmp_path / "a.txt"
    asked = append(path, *options)
    result = read_fio(path)
    rows = result.jobs[result.jobs["is_result"] & (result.jobs["io_bytes"] > 0)]
    assert rows["io_bytes"].tolist() == [4096 * ios for ios in asked]
    doubts = grave(result)
    assert doubts == ({"repeated-names"} if options == ("--minimal",) else set())


@given(st.lists(st.integers(1, 999), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_no_normal_run_is_lost_whatever_the_others_did(ios: list[int]) -> None:
    assert results("".join(map(normal, ios))) == [4096 * count for count in ios]


@given(
    st.lists(st.integers(1, 99_000), min_size=1, max_size=8), st.sampled_from([0, 1])
)
@settings(max_examples=60, deadline=None)
def test_no_terse_run_of_a_loop_is_lost(ios: list[int], disks: int) -> None:
    text = "".join(terse(count, disk_ios=count * disks) for count in ios)
    found = results(text)
    # What is printed twice in every digit may as well be one printing, said again.
    distinct = {4096 * count for count in ios}
    assert set(found) == distinct
    assert len(found) >= len(distinct)


def test_terse_runs_that_only_grew_are_kept_with_a_grave_doubt() -> None:
    result = read_fio("".join(terse(n, disk_ios=n) for n in (500, 510)).encode())
    rows = result.jobs[result.jobs["is_result"] & (result.jobs["io_bytes"] > 0)]
    assert rows["io_bytes"].tolist() == [500 * 4096, 510 * 4096]
    assert grave(result) == {"runs-unclear"}


def test_terse_printings_in_the_rhythm_of_an_interval_are_one_run() -> None:
    times_ms = (1000, 2001, 3001, 3400)
    text = "".join(terse(ms, ms=ms, disk_ios=ms) for ms in times_ms)
    assert results(text) == [3400 * 4096]


def test_text_without_introductions_is_told_by_the_process() -> None:
    two = [normal(n, is_introduced=False, pid=n) for n in (500, 510)]
    assert results("".join(two)) == [500 * 4096, 510 * 4096]
    same = [normal(n, is_introduced=False, pid=7, ms=1000) for n in (500, 510)]
    result = read_fio("".join(same).encode())
    assert result.documents["is_result"].all()
    assert grave(result) == {"runs-unclear"}


def test_a_whole_run_after_one_that_was_cut_is_a_result_of_its_own() -> None:
    first, second = normal(400), normal(410)
    for share in (0.4, 0.6, 0.8, 0.95):
        cut = first[: int(len(first) * share)]
        documents = parse_output((cut + "\n" + second).encode(), source="made")
        places = place_in_runs(documents)
        assert [place.is_result for place in places][-1]
        assert results(cut + "\n" + second)[-1] == 410 * 4096
        assert [d.is_whole for d in documents] == [False] * (len(documents) - 1) + [
            True
        ]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_terse_line_after_one_that_was_cut_is_read(end: str) -> None:
    first, second = terse(400, disk_ios=3), terse(410, disk_ios=4)
    cut = first[:90] + end
    result = read_fio((cut + second).encode())
    rows = result.jobs[result.jobs["io_bytes"] > 0]
    assert rows["io_bytes"].tolist() == [410 * 4096]
    assert not result.documents["is_whole"].all()
    assert grave(result) & {"truncated", "unreadable-line"}
