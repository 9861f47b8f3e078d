"""Least squares for every autocorrelation."""

import math

import numpy as np
import pytest
from scipy import stats

from ssdlab.analysis.inference.autoregressive import fit_autoregressive
from ssdlab.analysis.inference.trend import fit_line, fit_mean, line_design


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


def test_too_many_coefficients_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values are too few for 2"):
        fit_line([1.0, 2.0])
