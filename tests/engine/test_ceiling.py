"""The host's ceiling, measured with the real fio and no device."""

import gzip
import json
from pathlib import Path

import pytest

from ssdlab.engine.ceiling import (
    CEILING_WORKLOADS,
    ceiling_lines,
    measure_ceiling,
)
from ssdlab.findings.ceiling import thread_time_us
from ssdlab.model.errors import UserError
from ssdlab.model.records import CeilingPoint
from ssdlab.system.folders import Folder

POINT = CeilingPoint(
    threads=4, queue_depth=32, block_size_bytes=4096, iops=2_500_000, read_percent=0
)


def test_points_are_those_of_the_tests() -> None:
    named = [
        (w.threads, w.queue_depth, w.block_size_bytes, w.read_percent)
        for w in CEILING_WORKLOADS
    ]
    depths = [(1, 1), (1, 32), (2, 16), (4, 32), (32, 32)]
    assert named == [
        *((tc, qd, 4096, mix) for mix in (100, 0) for tc, qd in depths),
        (1, 32, 2**20, 0),
    ]


def test_time_of_a_thread_is_its_share_of_the_ios() -> None:
    """Four threads with 2.5 million IOs a second do 625,000 each: 1.6 us."""
    assert thread_time_us(POINT) == pytest.approx(1.6)


def test_table_tells_place_stimulus_rate_and_time() -> None:
    heading, line = ceiling_lines([POINT])
    words = "TC/QD IO engine stimulus IOPS µs per IO of a thread"  # noqa: RUF001
    assert " ".join(heading.split()) == words
    assert " ".join(line.split()) == "T4/Q32 null RND 4 KiB 0/100 2,500,000 1.600"
    assert len(heading) == len(line)


def test_time_that_is_too_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"1 s are too short for 11 points of 0\.2 s"):
        measure_ceiling(Folder(tmp_path / "ceiling"), seconds=1)
    assert not (tmp_path / "ceiling").exists()


@pytest.mark.fio
@pytest.mark.parametrize(
    ("engine", "path"),
    [
        ("null", {"ioengine=null", "direct=1"}),
        ("libaio", {"ioengine=libaio", "direct=0", "filename=/dev/zero"}),
        ("io_uring fixedbufs hipri", {"ioengine=io_uring", "fixedbufs=1", "direct=0"}),
    ],
)
def test_ceiling_is_what_fio_says_of_the_path(
    engine: str, path: set[str], tmp_path: Path
) -> None:
    folder = tmp_path / "ceiling"
    chosen = CEILING_WORKLOADS[2], CEILING_WORKLOADS[7]
    told: list[str] = []
    points = measure_ceiling(
        Folder(folder), engine=engine, seconds=1, workloads=chosen, tell=told.append
    )
    assert [(p.threads, p.queue_depth, p.read_percent) for p in points] == [
        (2, 16, 100),
        (2, 16, 0),
    ]
    assert {p.engine for p in points} == {engine.removesuffix(" hipri")}
    assert len(told) == 2
    places = sorted(folder.iterdir())
    assert [place.name for place in places] == ["T2-Q16-4KiB-r0", "T2-Q16-4KiB-r100"]
    for place, point in zip(places, points[::-1], strict=True):
        said = gzip.decompress((place / "fio.json.gz").read_bytes())
        (job,) = json.loads(said[said.index(b"{") :])["jobs"]
        side = job["read" if point.read_percent else "write"]
        assert point.iops == pytest.approx(side["iops"], rel=0.01)
        assert side["runtime"] >= 450
        options = set((place / "job.fio").read_text("utf-8").splitlines())
        assert path | {"numjobs=2", "iodepth=16"} <= options
        assert "hipri=1" not in options
        assert (place / "exitcode").read_text("ascii") == "0\n"


@pytest.mark.fio
def test_synchronous_engine_has_points_of_one_io_per_thread(tmp_path: Path) -> None:
    points = measure_ceiling(
        Folder(tmp_path / "ceiling"),
        engine="psync",
        seconds=1,
        workloads=CEILING_WORKLOADS[:3],
    )
    assert [(p.threads, p.queue_depth) for p in points] == [(1, 1), (2, 1)]


def test_engine_that_is_none_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'http' is not an IO engine"):
        measure_ceiling(Folder(tmp_path / "ceiling"), engine="http")
