"""Level and slope of rounds that are alike."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.stats.more_rounds import rounds_to_halve
from ssdlab.stats.trend import (
    NO_SCATTER,
    estimate_mean,
    estimate_slope,
    expect_round,
    fit_line,
    fit_mean,
    line_design,
    short_series_note,
)
from tools.coverage_cases.case import draw_noise

SERIES = st.lists(st.floats(50, 150), min_size=5, max_size=20).filter(
    lambda values: np.ptp(values) > 1e-3
)


@settings(deadline=None, max_examples=25)
@given(SERIES, st.floats(0.01, 1e4), st.floats(-30, 1e3))
def test_interval_follows_a_change_of_unit_and_of_level(
    values: list[float], unit: float, shift: float
) -> None:
    plain = estimate_slope(values)
    moved = estimate_slope([unit * (value + shift) for value in values])
    width = plain.high - plain.low
    assert moved.estimate == pytest.approx(
        unit * plain.estimate, rel=1e-4, abs=1e-4 * unit * width
    )
    assert moved.high - moved.low == pytest.approx(unit * width, rel=1e-3)


@settings(deadline=None, max_examples=25)
@given(SERIES)
def test_slope_of_the_reversed_series_is_the_opposite(values: list[float]) -> None:
    ahead, back = estimate_slope(values), estimate_slope(values[::-1])
    width = ahead.high - ahead.low
    assert back.low == pytest.approx(-ahead.high, abs=1e-5 * width)
    assert back.estimate == pytest.approx(-ahead.estimate, abs=1e-5 * width)


@settings(deadline=None, max_examples=25)
@given(SERIES)
def test_intervals_lie_about_what_the_rule_reports(values: list[float]) -> None:
    """Plain average and least-squares line, in the middle of their intervals."""
    level, fit = estimate_mean(values), fit_line(values)
    slope, middle = np.polyfit(line_design(len(values))[:, 1], values, 1)
    assert level.estimate == pytest.approx(np.mean(values))
    assert (level.low + level.high) / 2 == pytest.approx(np.mean(values))
    band = fit.combine(line_design(len(values)))
    line = line_design(len(values)) @ [middle, slope]
    assert band.mean() == pytest.approx(line)
    both = (band.quantile(0.025) + band.quantile(0.975)) / 2
    assert both == pytest.approx(line, rel=1e-6)


def test_rounds_that_are_alike_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    plain, alike = (draw_noise(rng, 40, a) for a in (0.0, 0.8))
    found = [estimate_mean(noise / noise.std()) for noise in (plain, alike)]
    widths = [interval.high - interval.low for interval in found]
    assert widths[1] > 2 * widths[0]
    assert fit_mean(alike).autocorrelation() > fit_mean(plain).autocorrelation() + 0.3


def test_short_series_say_that_they_do_not_tell() -> None:
    assert estimate_mean([1.0, 2, 1, 2, 1]).note == short_series_note(5)
    sampled = estimate_mean([1.0, 2, 1, 2, 1] * 2, called="samples")
    assert sampled.note.startswith("fewer than 20 samples do not determine")
    assert estimate_mean([1.0, 2, 1, 2, 1] * 4).note == ""
    lone = estimate_mean([3.0])
    assert (lone.low, lone.estimate, lone.high) == (-math.inf, 3.0, math.inf)
    assert estimate_slope([3.0, 4.0]).estimate == 1.0


@pytest.mark.parametrize("level", [7.0, 0.0, -3.5])
def test_values_that_do_not_scatter_have_a_narrow_interval_that_says_so(
    level: float,
) -> None:
    interval = estimate_mean([level] * 6)
    assert interval.note == NO_SCATTER
    assert interval.low == pytest.approx(level, abs=1e-9)
    assert rounds_to_halve([level] * 6).estimate == 0


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [[1.0, 2.0]]])
def test_missing_values_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="without missing values"):
        estimate_mean(values)


def test_one_more_round_is_expected_within_the_level_and_its_scatter() -> None:
    """By hand: a deviation of 1 and Student's t of 4 degrees, 2.776."""
    values = [100 + place / math.sqrt(2.5) for place in (-2, -1, 0, 1, 2)]
    level, found = estimate_mean(values), expect_round(values)
    assert found.estimate == pytest.approx(100)
    assert found.high == pytest.approx(level.high + 2.776445, rel=1e-6)
    assert found.low < level.low < level.high < found.high


def test_of_a_single_round_nothing_is_expected() -> None:
    found = expect_round([7.0])
    assert (found.low, found.high) == (-math.inf, math.inf)
