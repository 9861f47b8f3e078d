"""How many more rounds would halve the interval of a level."""

import numpy as np
import numpy.typing as npt

from ssdlab.stats.autoregressive import (
    AutoregressiveFit,
    FloatArray,
    as_values,
)
from ssdlab.stats.interval import Interval
from ssdlab.stats.trend import (
    NO_SCATTER,
    fit_mean,
    short_series_note,
)

_FUTURES = 39  # their minimum and maximum contain the next one with 95 %
_TOP = 0.975  # the upper end of an interval that is symmetric about the level
_TIMES_AS_MANY = (2, 3, 4, 6, 9, 17)


def rounds_to_halve(
    values: npt.ArrayLike, *, seed: int = 0, called: str = "rounds"
) -> Interval:
    """Estimate how many more rounds would halve the interval of the level.

    In rounds beyond the existing ones; infinite if 16 times as many are not enough.

    Notes
    -----
    The series is continued some dozens of times, each with noise that explains it, and
    the interval of each longer series is computed: more rounds also determine the
    autocorrelation better.

    >>> more = rounds_to_halve([99.0, 101.0, 100.0, 98.0, 102.0, 100.0] * 4)
    >>> 40 < more.estimate < 100
    True
    """
    series = as_values(values)
    fit = fit_mean(series)
    if not fit.has_scatter:
        return Interval(estimate=0.0, low=0.0, high=0.0, note=NO_SCATTER)
    count = len(series)
    totals = count * np.array(_TIMES_AS_MANY)
    futures = _draw_futures(series, fit, int(totals[-1]) - count, seed=seed)
    more = []
    wide = _width(series)
    for future in futures:
        whole = np.concatenate([series, future])
        more.append(find_halving(whole, count, wide) - count)
    low, middle, high = min(more), sorted(more)[_FUTURES // 2], max(more)
    note = short_series_note(count, called)
    return Interval(estimate=float(middle), low=float(low), high=float(high), note=note)


def _width(series: FloatArray) -> float:
    level = fit_mean(series).combine([1.0])
    return 2 * float(level.quantile(_TOP) - level.mean())


def _draw_futures(
    series: FloatArray, fit: AutoregressiveFit, rounds: int, *, seed: int
) -> FloatArray:
    """Simulate futures about a level, each with noise of its own kind."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(fit.weights), size=_FUTURES, p=fit.weights)
    alike, level = fit.autocorrelations[chosen], fit.coefficients[chosen, 0]
    deviations = np.sqrt(fit.squares[chosen] / rng.chisquare(fit.degrees, _FUTURES))
    futures = np.empty((_FUTURES, rounds))
    noise = series[-1] - level
    for step in range(rounds):
        noise = alike * noise + deviations * rng.standard_normal(_FUTURES)
        futures[:, step] = level + noise
    return futures


def find_halving(whole: FloatArray, count: int, wide: float | None = None) -> float:
    """Return after how many values the interval of the level is half as wide.

    Between the lengths tried, 2 to 17 times `count`; infinite if none does it.
    """
    wide = _width(whole[:count]) if wide is None else wide
    before, half = count, wide / 2
    for total in (times * count for times in _TIMES_AS_MANY):
        width = _width(whole[:total])
        if width <= half:
            share = np.log(wide / half) / np.log(wide / width)
            return float(np.ceil(before * (total / before) ** share))
        before, wide = total, width
    return np.inf
