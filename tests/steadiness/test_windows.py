"""Windows by rules, and what they are worth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.model.errors import UnknownNameError
from ssdlab.stats.steady_state import assess_rounds
from ssdlab.steadiness.rules import STEADY_RULES
from ssdlab.steadiness.windows import (
    judge_windows_by_rule,
    summarise_fit,
    summarise_windows,
)
from tests.stats.made_rounds import MX200, make_rounds, onsets_of

# Judged by hand: steady for the PTS (range 18 of 103.6), one value 13.9 % off.
POINT_OUTSIDE = [100.0, 100, 118, 100, 100]
# Range 18 % and slope 18 %: both fit ends 9 % off the average.
SLOPING = [91.0, 95.5, 100, 104.5, 109]


def test_windows_of_an_mx200_are_those_of_its_report() -> None:
    windows = summarise_windows(make_rounds(MX200))
    assert windows["is_steady"].tolist() == [False, True]
    last = windows.iloc[1]
    assert (last["window_first_round"], last["window_last_round"]) == (2, 6)
    assert last["average"] == 6000.8
    assert last["slope_ratio"] == pytest.approx(0.073657, abs=1e-6)
    assert last["mean_low"] < 6000.8 < last["mean_high"]
    assert last["drift_low"] < last["drift_ratio"] < last["drift_high"]
    assert last["difference_ratio"] == 0
    first = windows.iloc[0]
    assert "range" in first["reason"]
    assert first["difference_ratio"] == pytest.approx(np.mean(MX200[:5]) / 6000.8 - 1)


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(80, 120), min_size=5, max_size=12))
def test_windows_are_judged_as_the_test_judges_them(values: list[float]) -> None:
    windows = summarise_windows(make_rounds(values))
    expected = [v.is_steady for v in assess_rounds(values) if v is not None]
    assert windows["is_steady"].tolist() == expected


@pytest.mark.parametrize(
    ("values", "by_pts", "by_each_value"),
    [(POINT_OUTSIDE, True, False), (SLOPING, False, True), ([100.0] * 5, True, True)],
    ids=["a point outside", "sloping", "even"],
)
def test_rules_differ_where_they_should(
    values: list[float],
    by_pts: bool,  # noqa: FBT001 - a table
    by_each_value: bool,  # noqa: FBT001 - a table
) -> None:
    series = make_rounds(values)
    assert summarise_windows(series)["is_steady"].tolist() == [by_pts]
    windows = summarise_windows(series, "each-value")
    assert windows["is_steady"].tolist() == [by_each_value]
    onsets = onsets_of(series)
    assert bool(onsets.loc["pts-2.0.2", "is_steady"]) is by_pts
    assert bool(onsets.loc["each-value", "is_steady"]) is by_each_value


def test_unknown_rule_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"pts-2\.0\.2, tkperf, each-value"):
        summarise_windows(make_rounds(MX200), "strict")


def test_no_window_spans_a_gap_or_a_missing_round() -> None:
    gap = make_rounds([100.0] * 12, segment_starts=(7,))
    assert summarise_windows(gap)["window_last_round"].tolist() == [5, 6, 11, 12]
    missing = make_rounds([100.0] * 6, rounds=(1, 2, 3, 5, 6, 7))
    assert summarise_windows(missing).empty


def test_samples_are_judged_apart_and_counted_as_the_run_counts_them() -> None:
    values = [100.0 + number for number in range(1, 26)]
    series = make_rounds(values, sample_every=5, first_sample=5)
    ((places, verdict),) = judge_windows_by_rule(series, STEADY_RULES["pts-2.0.2"])
    assert [series.rounds[place] for place in places] == [5, 10, 15, 20, 25]
    assert verdict.slope_per_round == pytest.approx(5.0)
    assert verdict.intercept == pytest.approx(100.0)


def test_window_of_the_run_is_reported_though_an_earlier_one_is_steady() -> None:
    """The PTS waits until all tracking variables are steady at once."""
    series = make_rounds([100.0] * 7, window=(3, 7), is_window_steady=True)
    windows = summarise_windows(series)
    assert windows["is_reported"].tolist() == [False, False, True]
    assert summarise_fit(series)["round"].tolist() == [3, 4, 5, 6, 7]
    onsets = onsets_of(series)
    assert onsets.loc["pts-2.0.2", "first_round"] == 3
    assert onsets.loc["each-value", "first_round"] == 1
