"""Which point of the host's ceiling holds for a result, and how near it comes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.findings.ceiling import find_ceiling, find_near_ceiling
from ssdlab.model.records import CeilingPoint
from tests.stats.frames import measured, measurements

KIB = 1024


def point(
    threads: int, depth: int, iops: float, *, read: int = 100, kib: int = 4
) -> CeilingPoint:
    return CeilingPoint(
        threads=threads,
        queue_depth=depth,
        block_size_bytes=kib * KIB,
        iops=iops,
        read_percent=read,
    )


POINTS = (
    point(1, 1, 100_000),
    point(1, 32, 500_000),
    point(2, 16, 900_000),
    point(4, 32, 1_600_000),
    point(1, 1, 50_000, read=0),
    point(1, 32, 250_000, read=0),
    point(2, 16, 450_000, read=0),
    point(4, 32, 800_000, read=0),
    point(1, 32, 1_000, read=0, kib=1024),
)


@pytest.mark.parametrize(
    ("tc", "qd", "kib", "read", "iops", "place"),
    [
        (1, 1, 4, 100, 100_000, "T1/Q1"),
        (1, 1, 0.5, 100, 100_000, "T1/Q1"),  # no smaller block was measured
        (1, 2, 4, 100, 500_000, "T1/Q32"),
        (1, 32, 4, 100, 500_000, "T1/Q32"),  # of T1/Q32 and T2/Q16 the fewer threads
        (2, 16, 4, 100, 900_000, "T2/Q16"),
        (2, 1, 4, 100, 900_000, "T2/Q16"),  # T1/Q32 has fewer threads
        (4, 1, 4, 100, 1_600_000, "T4/Q32"),
        (4, 32, 1024, 100, 1_600_000, "T4/Q32"),
        (1, 32, 512, 0, 250_000, "T1/Q32"),  # 1 MiB is larger than the result's block
        (1, 32, 1024, 0, 1_000, "T1/Q32"),
        (4, 32, 1024, 0, 800_000, "T4/Q32"),
        (1, 32, 0, 0, 250_000, "T1/Q32"),  # a composite: the smallest block
    ],
)
def test_ceiling_is_that_of_the_nearest_point_above(
    tc: int, qd: int, kib: float, *, read: int, iops: float, place: str
) -> None:
    found = find_ceiling(
        POINTS,
        threads=tc,
        queue_depth=qd,
        block_size_bytes=round(kib * KIB),
        read_percent=read,
    )
    assert found is not None
    assert found.iops == pytest.approx(iops)
    assert found.place == place


@pytest.mark.parametrize(("tc", "qd"), [(8, 1), (4, 64), (32, 32)])
def test_no_point_above_is_no_ceiling(tc: int, qd: int) -> None:
    for read in (100, 50, 0):
        assert (
            find_ceiling(
                POINTS,
                threads=tc,
                queue_depth=qd,
                block_size_bytes=4096,
                read_percent=read,
            )
            is None
        )


def test_mix_shares_the_time_of_the_host() -> None:
    """65 reads at 1.6 M/s take 40.625 us, 35 writes at 0.8 M/s 43.75 us."""
    found = find_ceiling(
        POINTS, threads=4, queue_depth=32, block_size_bytes=4096, read_percent=65
    )
    assert found is not None
    assert found.iops == pytest.approx(100 / (40.625e-6 + 43.75e-6))
    reads = tuple(p for p in POINTS if p.read_percent)
    assert (
        find_ceiling(
            reads, threads=4, queue_depth=32, block_size_bytes=4096, read_percent=65
        )
        is None
    )


@given(st.integers(0, 100), st.floats(1.0, 1e9), st.floats(1.0, 1e9))
def test_ceiling_of_a_mix_lies_between_those_of_its_parts(
    read: int, reads: float, writes: float
) -> None:
    points = (point(1, 1, reads), point(1, 1, writes, read=0))
    found = find_ceiling(
        points, threads=1, queue_depth=1, block_size_bytes=4096, read_percent=read
    )
    assert found is not None
    low, high = sorted((reads, writes))
    assert low * (1 - 1e-9) <= found.iops <= high * (1 + 1e-9)


def cell(step: str, iops: float, **values: object) -> dict[str, object]:
    usual: dict[str, object] = {
        "test": "iops", "threads": 4, "queue_depth": 32, "block_size_bytes": 4096,
        "read_percent": 100,
    }  # fmt: skip
    return measured(step, iops=iops, **{**usual, **values})


def test_result_within_a_tenth_of_the_ceiling_is_found() -> None:
    rows = [
        cell("1", 1_440_000.0),  # 90 % of 1,600,000
        cell("2", 1_439_999.0),
        cell("3", 790_000.0, read_percent=0),  # 98.75 % of 800,000
        cell("4", 5e6, threads=32),  # no point has as many threads: not judged
        cell("5", 5e6, kind="pre_write"),
        cell("6", 799_000.0, read_percent=0, block_size_bytes=None, test="cbw"),
    ]
    iops, cbw = find_near_ceiling(measurements(rows), POINTS)
    assert (iops.code, iops.severity, iops.test) == ("host-ceiling", "grave", "iops")
    assert iops.words == (
        "host ceiling: 2 of 3 results come within 10 % of what this host can issue; at "
        "most RND 4 KiB 0/100 T4/Q32 with 790,000 of 800,000 IOPS (null engine, T4/Q32)"
    )
    assert "RND composite 0/100 T4/Q32 with 799,000" in cbw.words


def test_ceiling_that_was_not_measured_finds_nothing() -> None:
    assert find_near_ceiling(measurements([cell("1", 1e12)]), ()) == ()


def test_result_without_a_number_is_not_judged() -> None:
    rows = [cell("1", float("nan")), cell("2", 1e9, threads=None)]
    assert find_near_ceiling(measurements(rows), POINTS) == ()


def test_order_of_the_points_does_not_matter() -> None:
    rows = measurements([cell("1", 1_500_000.0)])
    assert find_near_ceiling(rows, POINTS[::-1]) == find_near_ceiling(rows, POINTS)
    lower = tuple(replace(p, iops=p.iops * 2) for p in POINTS)
    assert find_near_ceiling(rows, lower) == ()
