"""Least squares for every autocorrelation."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ssdlab.stats.autoregressive import (
    AutoregressiveFit,
    Mixture,
    fit_autoregressive,
    weigh_columns,
)
from ssdlab.stats.trend import fit_line, fit_mean, line_design


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


@pytest.mark.parametrize("count", [4, 7, 30])
def test_ordinary_coefficients_have_the_spread_of_each_autocorrelation(
    count: int,
) -> None:
    design = line_design(count)
    values = np.random.default_rng(count).normal(100, 1, count)
    fit = fit_autoregressive(values, design)
    rows = np.linalg.pinv(design)
    assert fit.ordinary == pytest.approx(rows @ values)
    apart = np.abs(np.subtract.outer(range(count), range(count)))
    for place in (0, len(fit.weights) // 2, len(fit.weights) - 1):
        alike = fit.autocorrelations[place]
        spread = rows @ (alike**apart / (1 - alike**2)) @ rows.T
        assert fit.ordinary_spreads[place] == pytest.approx(spread, rel=1e-9, abs=1e-12)


def test_spread_of_the_average_of_two_alike_is_by_hand() -> None:
    """The mean of two has variance (1 + a) / 2 of one's, which is 1 / (1 - a^2)."""
    fit = fit_mean([1.0, 2.0])
    alike = fit.autocorrelations
    expected = (1 + alike) / 2 / (1 - alike**2)
    assert fit.ordinary_spreads[:, 0, 0] == pytest.approx(expected)


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


def test_too_many_coefficients_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values are too few for 2"):
        fit_line([1.0, 2.0])


@pytest.mark.parametrize(
    ("fit", "count", "widening"),
    [
        (fit_mean, 3, 1.25),
        (fit_mean, 5, 1.25),
        (fit_mean, 8, 1.1),
        (fit_mean, 10, 1.0),
        (fit_line, 4, 1.4),
        (fit_line, 5, 1.4),
        (fit_line, 14, 1.16),
        (fit_line, 20, 1.0),
        (fit_line, 60, 1.0),
    ],
)
def test_short_series_are_widened(
    fit: Callable[[np.ndarray], AutoregressiveFit], count: int, widening: float
) -> None:
    values = np.random.default_rng(count).normal(100, 1, count)
    parts = [1.0] * (1 if fit is fit_mean else 2)
    mixture = fit(values).combine(parts)
    assert mixture.widening == pytest.approx(widening)
    plain = replace(mixture, widening=1.0)
    reach = float(plain.quantile(0.975) - plain.mean())
    found = float(mixture.quantile(0.975) - mixture.mean())
    assert found == pytest.approx(widening * reach)


def test_quantile_has_its_share_of_the_mixture_below_it() -> None:
    """Also where the parts lie apart, so that the density between them is low."""
    mixture = Mixture(
        centers=np.array([0.0, 0.0, 80.0]),
        scales=np.array([1.0, 3.0, 0.01]),
        weights=np.array([0.5, 0.25, 0.25]),
        degrees=3,
    )
    for share in (1e-6, 0.025, 0.3, 0.5, 0.749, 0.751, 0.975, 1 - 1e-6):
        place = float(mixture.quantile(share))
        away = (place - mixture.centers) / mixture.scales
        below = float(mixture.weights @ stats.t(3).cdf(away))
        assert below == pytest.approx(share, abs=1e-9)


def test_columns_are_weighed_as_fits_of_each_design_are() -> None:
    rng = np.random.default_rng(6)
    values = 100 + rng.standard_normal(9)
    shared, each = line_design(9), rng.standard_normal((9, 4))
    fits = [
        fit_autoregressive(values, np.column_stack([shared, column])).evidence
        for column in each.T
    ]
    assert weigh_columns(values, shared, each) == pytest.approx(fits, rel=1e-8)


def test_column_that_the_shared_ones_make_explains_nothing_more() -> None:
    shared = line_design(6)
    each = np.column_stack([shared @ [2.0, 3.0], np.arange(6.0) ** 2])
    found = weigh_columns([1.0, 2, 4, 7, 11, 17], shared, each)
    assert np.isneginf(found).tolist() == [True, False]
