"""From which round a series is steady, by which rule."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.steadiness.onsets import summarise_onsets
from ssdlab.steadiness.phases import summarise_phases
from tests.stats.made_rounds import make_rounds, onsets_of, settled


def test_steady_window_does_not_make_a_test_steady_that_is_not() -> None:
    series = make_rounds([100.0] * 5, window=(1, 5), is_window_steady=False)
    assert not summarise_onsets(series)["is_steady"].iloc[0]


def test_onsets_of_a_known_decay() -> None:
    series = make_rounds(settled(60))
    onsets = onsets_of(series)
    assert onsets.loc[onsets["is_normative"].astype(bool)].index.tolist() == [
        "pts-2.0.2"
    ]
    assert onsets.loc["pelt", "first_round"] > onsets.loc["pts-2.0.2", "first_round"]
    assert onsets.loc["pelt", "level"] == pytest.approx(100, rel=0.01)
    assert onsets.loc["pts-2.0.2", "difference_ratio"] == 0
    assert onsets.loc["pelt", "difference_ratio"] < -0.02
    low, first, high = (
        onsets.loc["pelt", name] for name in ("first_low", "first_round", "first_high")
    )
    assert low <= first <= high


def test_rounds_too_few_for_a_rule_say_so() -> None:
    onsets = onsets_of(make_rounds([100.0, 101, 99]))
    assert onsets.loc["pts-2.0.2", "note"] == "fewer rounds than a window needs"
    assert onsets.loc["mser-5", "note"] == "fewer than 10 rounds"
    assert not onsets["is_steady"].astype(bool).any()
    assert summarise_phases(make_rounds([])).empty


@settings(deadline=None, max_examples=15)
@given(st.floats(1e-3, 1e6))
def test_what_is_told_does_not_depend_on_the_unit(unit: float) -> None:
    values = settled(24)
    plain, scaled = (
        summarise_onsets(make_rounds(factor * values)) for factor in (1.0, unit)
    )
    pd.testing.assert_series_equal(plain["first_round"], scaled["first_round"])
    assert scaled["level"].to_numpy(dtype=float) / unit == pytest.approx(
        plain["level"].to_numpy(dtype=float), rel=1e-6, nan_ok=True
    )
