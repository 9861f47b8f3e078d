"""What may make numbers wrong, each on a case computed by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from ssdlab.findings.conformance import RunFacts
from ssdlab.findings.doubts import (
    find_buffered_io,
    find_cache_changes,
    find_clock_jumps,
    find_complaints,
    find_fio_faults,
    find_link_downgrades,
    find_throttling,
    find_unread_cache,
)
from ssdlab.model.drive import WriteCacheState
from ssdlab.model.fio_option import FioOption, FioOptions
from ssdlab.model.schema import TELEMETRY
from ssdlab.model.spec import (
    Histogram,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Workload,
)
from ssdlab.model.telemetry import CACHE_IS_ON
from tests.stats.frames import frame, steps

FACTS = RunFacts(
    tests=(),
    capacity_bytes=2**30,
    active_range_percent=100,
    purge="discard",
    purge_words="trim",
    status="finished",
    sessions=((1000.0, 1100.0),),
)
CELL = Workload(
    access="rnd", block_size_bytes=4096, read_percent=0, threads=1, queue_depth=1
)


def span(test: str, first: float, last: float, **values: object) -> dict[str, object]:
    return {"test": test, "started_s": first, "ended_s": last, **values}


def readings(*rows: tuple[float, str, float], source: str = "device") -> pd.DataFrame:
    return frame(
        TELEMETRY,
        [
            {"time_s": at, "source": source, "name": name, "value": value}
            for at, name, value in rows
        ],
    )


def test_complaints_are_counted_by_test() -> None:
    rows = steps([
        span("iops", 0, 1, warnings=""),
        span("iops", 1, 2, warnings="late"),
        span("tp", 2, 3),
    ])
    (found,) = find_complaints(rows)
    assert (found.code, found.severity, found.test) == ("doubts", "grave", "iops")
    words = "doubts: 1 of 2 steps logged a warning; first: late"
    assert found.words == words


@pytest.mark.parametrize(
    ("version", "named"),
    [
        ("fio-3.33", []),
        ("fio-3.5", []),
        ("fio-3.4", ["fio-3.4"]),
        ("fio-2.1.10, fio-3.12", ["fio-2.1.10"]),
        ("fio-3.16-rc1", []),
        ("", []),
        ("unknown", []),
    ],
)
def test_fio_older_than_3_5_is_found(version: str, named: list[str]) -> None:
    found = find_fio_faults(version)
    assert [f.words.partition(":")[0] for f in found] == named
    assert {(f.code, f.severity) for f in found} <= {("fio-fault", "minor")}


def test_step_that_begins_before_the_last_one_ended_is_a_clock_jump() -> None:
    rows = steps([
        span("iops", 1000, 1010),
        span("iops", 1009.8, 1020),  # within the tolerance
        span("iops", 1019, 1030),
        span("tp", 1030, 1040),
    ])
    (found,) = find_clock_jumps(rows, FACTS)
    assert (found.code, found.severity, found.test) == ("clock-jump", "grave", "iops")
    assert found.words == (
        "clock: 1 steps began before the previous one ended, by 1 s at most"
    )


def test_session_that_begins_before_the_last_one_ended_is_a_clock_jump() -> None:
    facts = replace(FACTS, sessions=((1000.0, 1100.0), (1040.0, 1200.0)))
    (found,) = find_clock_jumps(steps([span("iops", 1001, 1002)]), facts)
    assert (found.test, found.words) == (
        "",
        "clock: the run was resumed 1 min before it was stopped",
    )


@pytest.mark.parametrize(
    ("first", "last", "is_found"),
    [(999, 1101, False), (997, 1010, True), (1000, 1103, True)],
)
def test_step_outside_of_all_sessions_is_a_clock_jump(
    first: float, last: float, *, is_found: bool
) -> None:
    found = find_clock_jumps(steps([span("iops", first, last)]), FACTS)
    assert bool(found) is is_found
    assert all("the system clock was set" in f.words for f in found)


def test_session_that_was_killed_has_no_end_to_lie_beyond() -> None:
    facts = replace(FACTS, sessions=((1000.0, None),))
    assert find_clock_jumps(steps([span("iops", 900, 9000)]), facts) == ()
    assert find_clock_jumps(steps([]), replace(FACTS, sessions=())) == ()


def a_test(*phases: Phase) -> tuple[PtsTest, ...]:
    return (PtsTest(test_id="peak", title="", pts_section="", phases=phases),)


@pytest.mark.parametrize(
    ("options", "is_buffered"),
    [
        ((), False),  # a job of ours is always direct
        ((FioOption("direct", "1"),), False),
        ((FioOption("direct", "0"),), True),
        ((FioOption("rw", "write"),), True),  # fio is not direct unless told so
        ((FioOption("direct", "1"), FioOption("buffered", "1")), True),
    ],
)
def test_job_that_is_not_direct_is_buffered(
    options: FioOptions, *, is_buffered: bool
) -> None:
    work = replace(CELL, fio_options=options)
    phases: tuple[Phase, ...] = (
        Purge(),
        Rounds(phase_id="cells", cells=(CELL, work), cell_seconds=1, tracking=()),
        Histogram(phase_id="long", workload=work, seconds=1),
        Precondition(
            phase_id="fill",
            block_size_bytes=4096,
            queue_depth=1,
            capacity_multiple=1,
            fio_options=options,
        ),
    )
    found = find_buffered_io(a_test(*phases))
    words = (
        "buffered: cells, long, fill went through the memory of the host, which serves "
        "and merges IOs for the device"
    )
    assert [(f.code, f.severity, f.test, f.words) for f in found] == (
        [("buffered-io", "grave", "peak", words)] if is_buffered else []
    )


def test_throttling_is_found_in_the_test_in_which_it_counted_up() -> None:
    rows = steps([span("iops", 10, 20), span("tp", 20, 30), span("lat", 30, 40)])
    name = "temperature_throttled_s"
    told = readings(
        (9, name, 4), (15, name, 4), (19, name, 4), (25, name, 11), (35, name, 11),
        (25, "temperature_celsius", 80),
    )  # fmt: skip
    (found,) = find_throttling(told, rows)
    assert (found.code, found.severity, found.test) == ("throttled", "grave", "tp")
    assert "throttled for 7 s" in found.words


def test_throttling_before_the_run_is_none_of_it() -> None:
    rows = steps([span("iops", 10, 20)])
    told = readings((12, "temperature_throttled_s", 99))
    assert find_throttling(told, rows) == ()
    assert find_throttling(readings(), rows) == ()


def test_link_below_its_greatest_width_or_speed_is_found() -> None:
    rows = steps([span("iops", 10, 20), span("tp", 20.5, 30)])
    told = readings(
        (11, "pcie_link_width", 4), (11, "pcie_link_width_max", 4),
        (25, "pcie_link_width", 2),
        (11, "pcie_link_speed_gt_s", 8), (25, "pcie_link_speed_gt_s", 8),
        (25, "pcie_link_speed_gt_s_max", 16),
    )  # fmt: skip
    found = find_link_downgrades(told, rows)
    assert [(f.test, f.words) for f in found] == [
        ("iops", "link: 8 of 16 GT/s at times"),
        ("tp", "link: 2 of 4 lanes at times"),
        ("tp", "link: 8 of 16 GT/s at times"),
    ]
    assert {(f.code, f.severity) for f in found} == {("link-downgraded", "grave")}


@pytest.mark.parametrize(
    ("asked", "tests"),
    [("disabled", ["tp"]), ("enabled", ["iops", "tp"]), ("as found", ["tp"])],
)
def test_write_cache_that_was_put_back_within_a_test_is_found(
    asked: WriteCacheState, tests: list[str]
) -> None:
    rows = steps([span("iops", 10, 20), span("tp", 20.5, 30), span("lat", 31, 40)])
    told = readings(
        (11, CACHE_IS_ON, 0), (15, CACHE_IS_ON, 0),
        (22, CACHE_IS_ON, 0), (27, CACHE_IS_ON, 1),
        (30.5, CACHE_IS_ON, 1),
    )  # fmt: skip
    found = find_cache_changes(told, rows, asked=asked)
    assert [f.test for f in found] == tests
    assert {(f.code, f.severity) for f in found} == {("write-cache", "major")}
    if asked == "disabled":
        assert "enabled in 1 of 2 readings, though disabled before" in found[0].words
    assert find_cache_changes(readings(), rows, asked=asked) == ()


def test_write_cache_that_was_not_read_within_a_test_is_found() -> None:
    rows = steps([span("iops", 10, 20), span("tp", 20.5, 30), span("lat", 31, 40)])
    told = readings((11, CACHE_IS_ON, 0), (20.2, CACHE_IS_ON, 0), (35, "temp", 1))
    found = find_unread_cache(told, rows)
    assert [(f.test, f.code, f.severity) for f in found] == [
        ("tp", "write-cache-unread", "minor"),
        ("lat", "write-cache-unread", "minor"),
    ]


def test_link_that_fell_is_found_without_knowing_its_maximum() -> None:
    rows = steps([span("iops", 10, 20)])
    told = readings((5, "pcie_link_width", 8), (15, "pcie_link_width", 4))
    (found,) = find_link_downgrades(told, rows)
    assert found.words == "link: 4 of 8 lanes at times"
    steady = readings((5, "pcie_link_width", 8), (15, "pcie_link_width", 8))
    assert find_link_downgrades(steady, rows) == ()
