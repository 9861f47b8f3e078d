"""The autocorrelation of values, estimated from many short series at once.

Values of one side may be autocorrelated; how much is estimated once over all cells that
were measured together, and widens the interval of each.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

LEAST_FREEDOM = 20  # residuals; fewer do not allow an estimate
GREATEST_DEPENDENCE = 0.95
_STEPS = 39
_LONGEST_EXACT = 60  # values; in longer series both expectations agree
_NODES = 64  # of the quadrature


def estimate_dependence(series: Iterable[npt.ArrayLike]) -> float:
    """Estimate the autocorrelation of values over several series at once.

    The correlation of neighbours in a process of first order, from 0 to
    `GREATEST_DEPENDENCE`; never below 0. NaN where fewer than `LEAST_FREEDOM`
    residuals are there.

    Notes
    -----
    In short series the correlation of neighbours comes out too low: of 5 independent
    values it is -0.2 on average. Its expectation is known for every length, and the
    estimate is the process whose expectation is the one that was found.
    """
    found, lengths = 0.0, []
    for one in series:
        values = np.asarray(one, dtype=np.float64)
        rest = values - values.mean() if len(values) > 2 else np.zeros(1)
        scatter = float((rest**2).sum())
        if scatter > 0:
            n = len(values)
            found += (n - 1) * float((rest[1:] * rest[:-1]).sum()) / scatter
            lengths.append(n)
    freedom = sum(n - 1 for n in lengths)
    if freedom < LEAST_FREEDOM:
        return math.nan
    grid = np.linspace(0.0, GREATEST_DEPENDENCE, _STEPS)
    expected = np.zeros(_STEPS)
    for n in lengths:
        expected += (n - 1) * _expected_neighbours(n)
    return float(np.interp(found, np.maximum.accumulate(expected), grid))


def bound_dependence(series: Iterable[npt.ArrayLike]) -> float:
    """Return about the greatest plausible autocorrelation of values.

    It is the estimate plus one standard error, `GREATEST_DEPENDENCE` at most; NaN if
    there is no estimate.

    Notes
    -----
    The standard error is that of the correlation of neighbours in a long series of
    first order, sqrt((1 - r^2) / n), of as many values as there are residuals.

    >>> bound_dependence([[1.0, 2.0, 1.0]])
    nan
    """
    own = [np.asarray(one, dtype=np.float64) for one in series]
    found = estimate_dependence(own)
    freedom = sum(max(len(one) - 1, 0) for one in own)
    if math.isnan(found) or not freedom:
        return math.nan
    return min(found + math.sqrt((1 - found**2) / freedom), GREATEST_DEPENDENCE)


@dataclass(frozen=True, slots=True)
class Moments:
    """Of n values of a process of variance 1.

    ``of_mean`` is the variance of their mean, ``residual`` the expected sum of squares
    about it, ``freedom`` the degrees of freedom of that, and ``neighbours`` the
    expected sum of products of neighbouring residuals.
    """

    of_mean: float
    residual: float
    freedom: float
    neighbours: float


def moments_of_series(n: int, dependence: float) -> Moments:
    """Return the moments of n values of a process of first order."""
    return _moments(n, round(min(max(dependence, 0.0), GREATEST_DEPENDENCE), 4))


@lru_cache(maxsize=4096)
def _moments(n: int, dependence: float) -> Moments:
    rest = _residual_correlation(n, dependence)
    residual = float(np.trace(rest))
    return Moments(
        of_mean=1 - residual / n,
        residual=residual,
        freedom=residual**2 / float((rest**2).sum()),
        neighbours=float(np.trace(rest, offset=1)),
    )


def _residual_correlation(n: int, dependence: float) -> npt.NDArray[np.float64]:
    places = np.arange(n)
    correlation = dependence ** np.abs(places[:, None] - places[None, :]).astype(float)
    rows = correlation.mean(axis=1)
    rest: npt.NDArray[np.float64] = (
        correlation - rows[:, None] - rows[None, :] + rows.mean()
    )
    return rest


@lru_cache(maxsize=256)
def _expected_neighbours(n: int) -> npt.NDArray[np.float64]:
    """Return the expected correlation of neighbours for each dependence of the grid."""
    grid = np.linspace(0.0, GREATEST_DEPENDENCE, _STEPS).round(4).tolist()
    if n <= _LONGEST_EXACT:
        return np.array([_expected_ratio(n, one) for one in grid])
    moments = [_moments(n, one) for one in grid]
    return np.array([one.neighbours / one.residual for one in moments])


def _expected_ratio(n: int, dependence: float) -> float:
    """Return the expectation of a ratio of two quadratic forms, after Sawa.

    The sum of products of neighbours by the sum of squares, both of residuals: that of
    their expectations is too high where the series is short.
    """
    scales, ways = np.linalg.eigh(_residual_correlation(n, dependence))
    kept = scales > 1e-12
    scales, ways = scales[kept], ways[:, kept]
    products = np.einsum("ti,ti->i", ways[1:], ways[:-1])
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    share = (places + 1) / 2
    at = (share / (1 - share))[:, None]
    spread = 1 + 2 * at * scales
    values = (scales * products / spread).sum(axis=1) / np.sqrt(spread.prod(axis=1))
    return float((weights / 2 * values / (1 - share) ** 2).sum())
