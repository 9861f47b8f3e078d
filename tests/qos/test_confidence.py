"""Histogram and confidence levels from a handful of bins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.qos.confidence import summarise_confidence, summarise_histogram
from tests.stats.frames import Row, bins, measured, measurements

HISTOGRAM: Row = {"test": "lat", "phase": "histogram", "kind": "histogram"}
STEPS: list[Row] = [
    {
        **measured("h1", total_ios=90, lat_mean_ns=110.0, lat_max_ns=899.0),
        **HISTOGRAM,
    },
    {
        **measured("h2", total_ios=10, lat_mean_ns=310.0, lat_max_ns=901.0),
        **HISTOGRAM,
    },
    measured("s1", test="lat", phase="rounds", round=1, total_ios=1, lat_mean_ns=1.0),
]
BINS: list[Row] = [
    {"step_id": "h1", "lat_ns": 100, "count": 80},
    {"step_id": "h1", "lat_ns": 200, "count": 9},
    {"step_id": "h1", "lat_ns": 900, "count": 1},
    {"step_id": "h2", "lat_ns": 100, "count": 6},
    {"step_id": "h2", "lat_ns": 600, "count": 4},
    {"step_id": "h2", "lat_ns": 700, "count": 0},
    {"step_id": "h1", "lat_ns": 5, "count": 1000, "direction": "write"},
    {"step_id": "s1", "lat_ns": 5, "count": 1000},
]


def test_histogram_adds_the_bins_of_its_steps_alone() -> None:
    table = summarise_histogram(bins(BINS), measurements(STEPS), test="lat")

    assert table["lat_ns"].tolist() == [100, 200, 600, 900]
    assert table["count"].tolist() == [86, 9, 4, 1]
    assert table["lat_lower_ns"].tolist() == [99, 199, 599, 899]
    assert table["lat_upper_ns"].tolist() == [101, 201, 601, 901]


def test_confidence_rises_to_all_and_exceedance_falls_to_none() -> None:
    table = summarise_histogram(bins(BINS), measurements(STEPS), test="lat")

    assert table["confidence_percent"].tolist() == [86.0, 95.0, 99.0, 100.0]
    assert table["exceedance_ratio"].tolist() == [0.14, 0.05, 0.01, 0.0]
    assert str(table["exceedance_ratio"].dtype) == "float64"


def test_runs_are_counted_apart() -> None:
    other: Row = {"run_id": "r2", "step_id": "h1", "lat_ns": 300, "count": 2}
    steps = [*STEPS, STEPS[0] | {"run_id": "r2"}]
    table = summarise_histogram(bins([*BINS, other]), measurements(steps), test="lat")

    second = table[table["run_id"] == "r2"]
    assert second["confidence_percent"].tolist() == [100.0]
    assert len(table) == 5


def test_markers_are_exact_average_bins_of_the_nines_and_exact_maximum() -> None:
    table = summarise_confidence(bins(BINS), measurements(STEPS), test="lat")

    assert table[["marker", "lat_ns"]].to_numpy().tolist() == [
        ["average", pytest.approx(0.9 * 110 + 0.1 * 310)],
        ["99 %", 600.0],
        ["99.9 %", 900.0],
        ["99.99 %", 900.0],
        ["99.999 %", 900.0],
        ["max", 901.0],
    ]
    assert table["confidence_percent"].tolist() == [
        86.0, 99.0, 99.9, 99.99, 99.999, 100.0,
    ]  # fmt: skip
    # 100 IOs: 368 would bound 99 % from above
    assert table["is_supported"].tolist() == [True, False, False, False, False, True]


def test_level_is_the_maximum_when_the_middle_of_its_bin_lies_above_it() -> None:
    step: Row = {**measured("h1", lat_mean_ns=600.0, lat_max_ns=677.2), **HISTOGRAM}
    held: list[Row] = [
        {"step_id": "h1", "lat_ns": 600, "count": 995},
        {"step_id": "h1", "lat_ns": 678, "count": 5},
    ]
    found = summarise_confidence(
        bins(held), measurements([{**step, "total_ios": 1000}]), test="lat"
    )

    assert found["lat_ns"].tolist() == [600.0, 600.0, 677.2, 677.2, 677.2, 677.2]


@given(
    st.dictionaries(st.integers(10, 5000), st.integers(1, 10**6), min_size=1),
    st.floats(0, 1),
)
def test_levels_rise_and_none_is_above_the_maximum(
    counts: dict[int, int], place: float
) -> None:
    greatest = max(counts) - 1 + 2 * place
    total = sum(counts.values())
    step: Row = {
        **measured("h1", total_ios=total, lat_mean_ns=9.0, lat_max_ns=greatest),
        **HISTOGRAM,
    }
    held: list[Row] = [
        {"step_id": "h1", "lat_ns": lat_ns, "count": count}
        for lat_ns, count in counts.items()
    ]
    found = summarise_confidence(bins(held), measurements([step]), test="lat")
    levels = found.set_index("marker")["lat_ns"].loc["99 %":]

    assert levels.is_monotonic_increasing
    assert levels.iloc[-1] == greatest


def test_there_is_nothing_to_show_when_no_histogram_was_run() -> None:
    steps = measurements([STEPS[-1]])

    assert summarise_histogram(bins(BINS), steps, test="lat").empty
    assert summarise_confidence(bins(BINS), steps, test="wsat").empty
    assert summarise_confidence(bins([]), measurements([]), test="lat").empty
