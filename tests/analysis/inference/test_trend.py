"""Level and slope of rounds that are alike."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ssdlab.analysis.inference.trend import (
    NO_SCATTER,
    TOO_FEW,
    estimate_mean,
    estimate_slope,
    fit_autoregressive,
    fit_line,
    fit_mean,
    line_design,
    rounds_to_halve,
)
from tools.coverage_cases.case import draw_noise

SERIES = st.lists(st.floats(50, 150), min_size=5, max_size=20).filter(
    lambda values: np.ptp(values) > 1e-3
)


def exact_fit(values: np.ndarray, design: np.ndarray, alike: float) -> tuple[
    np.ndarray, np.ndarray, float
]:  # fmt: skip
    """Generalised least squares by the covariance matrix itself."""
    count = len(values)
    apart = np.abs(np.subtract.outer(range(count), range(count)))
    weight = np.linalg.inv(alike**apart / (1 - alike**2))
    spread = np.linalg.inv(design.T @ weight @ design)
    found = spread @ design.T @ weight @ values
    rest = values - design @ found
    return found, spread, float(rest @ weight @ rest)


def test_each_fit_is_generalised_least_squares_of_its_autocorrelation() -> None:
    values = np.array([5776.0, 5865, 6022, 6160, 6181, 6100, 6090])
    design = line_design(7)
    fit = fit_autoregressive(values, design)
    for place in (0, len(fit.weights) // 2, len(fit.weights) - 1):
        alike = fit.autocorrelations[place]
        found, spread, squares = exact_fit(values, design, alike)
        assert fit.coefficients[place] == pytest.approx(found, rel=1e-8)
        assert fit.spreads[place] == pytest.approx(spread, rel=1e-6, abs=1e-9)
        assert fit.squares[place] == pytest.approx(squares, rel=1e-6)


def test_fit_without_autocorrelation_is_ordinary_least_squares() -> None:
    """By hand: x 1 to 5, slope 110.5 as in the report of an MX200."""
    values = np.array([5776.0, 5865, 6022, 6160, 6181])
    fit = fit_line(values)
    place = int(np.argmin(np.abs(fit.autocorrelations)))
    ordinary = stats.linregress(range(5), values)
    assert fit.autocorrelations[place] == pytest.approx(0.0, abs=0.02)
    assert fit.coefficients[place] == pytest.approx([6000.8, 110.5], rel=2e-3)
    error = math.sqrt(fit.squares[place] / 3 * fit.spreads[place, 1, 1])
    assert error == pytest.approx(ordinary.stderr, rel=0.05)


def test_mixture_of_one_is_student() -> None:
    fit = fit_mean([1.0, 2.0, 4.0])
    single = type(fit.combine([1.0]))(
        centers=np.array([3.0]), scales=np.array([2.0]), weights=np.ones(1), degrees=4
    )
    assert float(single.quantile(0.975)) == pytest.approx(3 + 2 * 2.776445, rel=1e-6)
    assert float(single.standard_error()) == 2.0


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


def test_rounds_that_are_alike_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    plain, alike = (draw_noise(rng, 40, a) for a in (0.0, 0.8))
    found = [estimate_mean(noise / noise.std()) for noise in (plain, alike)]
    widths = [interval.high - interval.low for interval in found]
    assert widths[1] > 2 * widths[0]
    assert fit_mean(alike).autocorrelation() > fit_mean(plain).autocorrelation() + 0.3


def test_short_series_say_that_they_do_not_tell() -> None:
    assert estimate_mean([1.0, 2, 1, 2, 1]).note == TOO_FEW
    assert estimate_mean([1.0, 2, 1, 2, 1] * 2).note == ""
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
    with pytest.raises(ValueError, match="none of them missing"):
        estimate_mean(values)


def test_too_many_coefficients_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values are too few for 2"):
        fit_line([1.0, 2.0])


def test_foretold_rounds_do_halve_the_interval() -> None:
    """Drawn with the foretold rounds, half of the intervals are half as wide."""
    rng = np.random.default_rng(11)
    shares = []
    for _ in range(8):
        noise = draw_noise(rng, 500, 0.4)
        before = estimate_mean(noise[:25])
        more = rounds_to_halve(noise[:25])
        after = estimate_mean(noise[: 25 + int(min(more.estimate, 400))])
        shares.append((after.high - after.low) / (before.high - before.low))
        assert more.low <= more.estimate <= more.high
    assert np.median(shares) == pytest.approx(0.5, abs=0.2)


def test_independent_rounds_need_about_three_times_as_many_more() -> None:
    rng = np.random.default_rng(3)
    more = [rounds_to_halve(rng.standard_normal(20)).estimate for _ in range(5)]
    assert 20 < np.median(more) < 100
