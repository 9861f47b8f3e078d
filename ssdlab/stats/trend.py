"""Level and slope of an autocorrelated series."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ssdlab.stats.autoregressive import (
    AutoregressiveFit,
    FloatArray,
    as_values,
    fit_autoregressive,
)
from ssdlab.stats.interval import Interval
from ssdlab.stats.special import stdtrit

FEWEST_FOR_AUTOCORRELATION = 20
# Up to this autocorrelation level and slope hold at any number of rounds; for the noise
# below they do not: by the cases of the page of coverage.
ALIKE_AT_MOST = 0.8
NOT_COVERED = ("two states", "long memory", "rare drops")
LEVEL_CLAIM = (
    "The 95 % hold for first-order autoregressive noise with an autocorrelation of at "
    f"most {ALIKE_AT_MOST:g}; not covered are {', '.join(NOT_COVERED[:-1])} and "
    f"{NOT_COVERED[-1]}"
)
NO_SCATTER = "the values do not scatter at all"


def short_series_note(count: int, called: str = "rounds") -> str:
    """Return the note on values too few to estimate autocorrelation, if they are."""
    if count >= FEWEST_FOR_AUTOCORRELATION:
        return ""
    return (
        f"fewer than {FEWEST_FOR_AUTOCORRELATION} {called} do not determine "
        f"autocorrelation: wide enough up to {ALIKE_AT_MOST:g}"
    )


def fit_mean(values: npt.ArrayLike) -> AutoregressiveFit:
    """Fit a level only."""
    series = as_values(values)
    return fit_autoregressive(series, np.ones((len(series), 1)))


def fit_line(values: npt.ArrayLike) -> AutoregressiveFit:
    """Fit a straight line.

    Its coefficients are the level in the middle and the slope per round.
    """
    series = as_values(values)
    return fit_autoregressive(series, line_design(len(series)))


def line_design(count: int) -> FloatArray:
    """Return the columns of a straight line: ones, and the distance from the middle."""
    return np.column_stack([np.ones(count), np.arange(count) - (count - 1) / 2])


def estimate_mean(
    values: npt.ArrayLike,
    *,
    confidence_percent: float = 95.0,
    called: str = "rounds",
) -> Interval:
    """Estimate the level of a series, by its plain average.

    In the unit of the values; unbounded for fewer than two values.
    """
    series = as_values(values)
    if len(series) == 1:
        return open_interval(float(series[0]), confidence_percent)
    fit = fit_mean(series)
    return interval_of(fit, [1.0], confidence_percent=confidence_percent, called=called)


def estimate_nonnegative_mean(
    values: npt.ArrayLike, *, called: str = "rounds"
) -> Interval:
    """Estimate the level of a non-negative quantity, such as IOPS or a latency."""
    found = estimate_mean(values, called=called)
    return replace(found, low=max(0.0, found.low))


def expect_round(
    values: npt.ArrayLike, *, confidence_percent: float = 95.0
) -> Interval:
    """Estimate where one more round of the same level would be.

    The interval of the level widened by the scatter of a round, so that a round of
    another time is compared with it, not with the level alone.
    """
    series = as_values(values)
    level = estimate_mean(series, confidence_percent=confidence_percent)
    if len(series) == 1:
        return level
    quantile = stdtrit(len(series) - 1, 0.5 + confidence_percent / 200)
    scatter = float(quantile * np.std(series, ddof=1))
    return replace(level, low=level.low - scatter, high=level.high + scatter)


def estimate_slope(
    values: npt.ArrayLike, *, confidence_percent: float = 95.0
) -> Interval:
    """Estimate the slope of a series per round.

    In the unit of the values per round; unbounded for two values.
    """
    series = as_values(values)
    if len(series) == 2:
        return open_interval(float(series[1] - series[0]), confidence_percent)
    fit = fit_line(series)
    return interval_of(fit, [0.0, 1.0], confidence_percent=confidence_percent)


def interval_of(
    fit: AutoregressiveFit,
    parts: npt.ArrayLike,
    *,
    confidence_percent: float = 95.0,
    called: str = "rounds",
) -> Interval:
    """Return the interval of one linear combination of a fit's coefficients."""
    mixture = fit.combine(parts)
    tail = (1 - confidence_percent / 100) / 2
    count = fit.degrees + fit.coefficients.shape[1]
    note = short_series_note(count, called)
    return Interval(
        estimate=float(mixture.mean()),
        low=float(mixture.quantile(tail)),
        high=float(mixture.quantile(1 - tail)),
        confidence_percent=confidence_percent,
        note=note if fit.has_scatter else NO_SCATTER,
    )


def open_interval(estimate: float, confidence_percent: float = 95.0) -> Interval:
    """Return an estimate with an unbounded interval."""
    return Interval(
        estimate=estimate,
        low=-np.inf,
        high=np.inf,
        confidence_percent=confidence_percent,
        note="too few rounds for an interval",
    )
