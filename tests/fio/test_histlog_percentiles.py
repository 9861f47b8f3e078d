"""Percentiles of the intervals of histogram logs."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.histlogs.read import read_fio_histogram_log
from ssdlab.stats.latency import UNKNOWN_EXTREMES, percentiles_from_bins
from tests.fio.histlog_texts import record

LOG = record(1001, {3: 5, 7: 2}) + record(1001, {2: 4}, direction=1)
_COUNTS = st.integers(1, 99) | st.integers(1, 10_000_000)


def test_percentiles_of_many_intervals_are_those_of_each() -> None:
    lines = [
        record(1000 * n, {n % 1856: 3, 900: 1}, columns=1856) for n in range(1, 701)
    ]
    frame = read_fio_histogram_log(b"".join(lines)).percentiles([75, 100])
    totals = frame.query("direction == 'total'")
    assert totals["time_s"].tolist() == [float(n) for n in range(1, 701) for _ in "ab"]
    for n in (1, 141, 142, 700):  # several blocks of intervals
        alone = read_fio_histogram_log(lines[n - 1]).percentiles([75, 100])
        expected = alone.query("direction == 'total'")["lat_ns"].tolist()
        assert totals.query("time_s == @n")["lat_ns"].tolist() == expected


def test_record_belongs_to_the_interval_that_holds_its_middle() -> None:
    times = (1001, 2001, 3004, 4900, 5001)  # as fio writes them for 1000 ms
    text = b"".join(record(time, {1: number + 1}) for number, time in enumerate(times))
    frame = read_fio_histogram_log(text).percentiles([50])
    reads = frame[frame["direction"] == "read"]
    assert reads["time_s"].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert reads["total_ios"].tolist() == [1, 2, 3, 4, 5]


def test_intervals_without_an_io_have_no_row() -> None:
    text = record(1001, {1: 1}) + record(2001, {}) + record(3001, {1: 1})
    log = read_fio_histogram_log(text)
    assert log.percentiles([50])["time_s"].unique().tolist() == [1.0, 3.0]
    assert log.record_ms == 1000


def test_times_of_the_clock_are_told_from_those_of_the_job() -> None:
    start = 1_795_259_675_000
    lines = [record(start + 400 * n, {1: n}) for n in (1, 2, 3, 4, 5)]
    frame = read_fio_histogram_log(b"".join(lines)).percentiles([50])
    reads = frame[frame["direction"] == "read"]
    assert (reads["time_s"] - start / 1000).tolist() == [1.0, 2.0]
    assert reads["total_ios"].tolist() == [3, 12]


@pytest.mark.parametrize("begin", [0, 2000, 26_484_000, 1_795_259_675_000])
def test_records_of_any_clock_are_where_they_were_counted(begin: int) -> None:
    lines = [record(begin + 401 * n, {1: n}) for n in (1, 2, 3, 4, 5)]
    lines.append(
        record(begin + 1500, {1: 100}, direction=1)
    )  # the only one of its kind
    frame = read_fio_histogram_log(b"".join(lines)).percentiles([50])
    for direction, ends, ios in (("read", [1, 2], [3, 12]), ("write", [2], [100])):
        rows = frame[frame["direction"] == direction]
        assert (rows["time_s"] - begin // 1000).tolist() == ends
        assert rows["total_ios"].tolist() == ios


def test_time_that_goes_back_is_another_thread_or_run() -> None:
    lines = [record(t, {1: 1}) for t in (1001, 2001, 1004, 2001)]
    log = read_fio_histogram_log(b"".join(lines))
    (doubt,) = [doubt for doubt in log.issues if doubt.kind == "time-goes-back"]
    assert doubt.place == "fio output, line 3"
    totals = log.percentiles([50]).query("direction == 'total'")["total_ios"]
    assert totals.tolist() == [2, 2]


@given(
    counts=st.lists(
        st.tuples(
            st.integers(1, 40),
            st.integers(0, 2),
            st.integers(0, 28),
            st.integers(1, 99),
        ),
        min_size=1,
        max_size=60,
    ),
    levels=st.lists(st.floats(1e-3, 100), min_size=1, max_size=5),
)
@settings(max_examples=100, deadline=None)
def test_percentiles_are_those_of_the_merged_bins(
    counts: Sequence[tuple[int, int, int, int]], levels: list[float]
) -> None:
    lines = sorted(counts)
    texts = [record(100 * t, {c: n}, direction=way) for t, way, c, n in lines]
    log = read_fio_histogram_log(b"".join(texts))
    frame = log.percentiles(levels, interval_s=None)
    for direction, rows in frame.groupby("direction"):
        some = log.frame
        if direction != "total":
            some = some[some["direction"] == direction]
        expected = percentiles_from_bins(
            some["lat_ns"], some["count"], levels, within=UNKNOWN_EXTREMES
        )
        assert rows["lat_ns"].tolist() == expected.tolist()
        assert (rows["total_ios"] == some["count"].sum()).all()
    by_interval = log.percentiles([50], interval_s=0.3).query("direction == 'total'")
    assert by_interval["total_ios"].sum() == log.frame["count"].sum()


@pytest.mark.parametrize("levels", [[], [0.0], [101.0], [float("nan")]])
def test_levels_that_cannot_be_are_refused(levels: list[float]) -> None:
    with pytest.raises(ValueError, match="levels are required"):
        read_fio_histogram_log(LOG).percentiles(levels)


@pytest.mark.parametrize("interval_s", [0.0, -1.0, 1e-9, float("nan"), float("inf")])
def test_intervals_that_cannot_be_are_refused(interval_s: float) -> None:
    with pytest.raises(ValueError, match="an interval must be at least"):
        read_fio_histogram_log(LOG).percentiles(interval_s=interval_s)
