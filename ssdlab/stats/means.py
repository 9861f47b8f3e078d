"""Means of rounds, each with as many IOs as it had, and their intervals.

The values are rounds, or neighbouring intervals of a log joined into batches that are
long enough to be nearly uncorrelated (batch means, Law 2015, 9.5.3).
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ssdlab.stats.interval import Interval

FloatArray = NDArray[np.float64]

BATCHES = 10
FEWEST_VALUES = 2 * BATCHES  # a batch needs two values
UNKNOWN_SPREAD = "one value does not show the spread"


def mean_interval(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    confidence_percent: float = 95.0,
) -> Interval:
    """Return the weighted mean of independent values, its interval by Student's t.

    Without weights all are equal. Weights are random, too, as are the IOs of a round:
    the mean is the ratio of two sums, and its variance that of a ratio.

    >>> found = mean_interval([9.0, 10.0, 11.0])
    >>> found.estimate, round(found.high - found.estimate, 3)
    (10.0, 2.484)
    """
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    mean, error, count = _mean_and_error(values, weights)
    if math.isnan(error):
        half, note = math.inf, UNKNOWN_SPREAD
    else:
        student = float(stdtrit(count - 1, 0.5 + confidence_percent / 200))
        half, note = student * error, ""
    return Interval(
        estimate=mean,
        low=mean - half,
        high=mean + half,
        confidence_percent=confidence_percent,
        note=note,
    )


def chance_mean_below(
    values: ArrayLike, limit: float, weights: ArrayLike | None = None
) -> float:
    """Return the confidence with which the mean is below a limit.

    It is that of the one-sided interval by Student's t that just reaches the limit.

    >>> chance_mean_below([9.0, 10.0, 11.0], 10.0)
    0.5
    """
    from ssdlab.stats.special import stdtr  # noqa: PLC0415 - as above

    mean, error, count = _mean_and_error(values, weights)
    distance = limit - mean
    if error:
        return float(stdtr(count - 1, distance / error))
    return 0.5 if not distance else float(distance > 0)


def batch_means(
    values: ArrayLike, weights: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the means and weights of neighbouring values, joined into ten batches.

    >>> means, weights = batch_means(range(20))
    >>> means.tolist()[:2], weights.tolist()[:2]
    ([0.5, 2.5], [2.0, 2.0])
    """
    series = np.asarray(values, dtype=np.float64)
    known = _weights(series, weights)
    parts = np.array_split(np.arange(series.size), BATCHES)
    sums = np.array([known[part].sum() for part in parts])
    totals = np.array([(known[part] * series[part]).sum() for part in parts])
    return totals / sums, sums


def _mean_and_error(
    values: ArrayLike, weights: ArrayLike | None
) -> tuple[float, float, int]:
    """Return the mean, its standard error, NaN of one value, and how many there are."""
    series = np.asarray(values, dtype=np.float64)
    known = _weights(series, weights)
    total = float(known.sum())
    mean = float(known @ series) / total
    count = series.size
    if count < 2:
        return mean, math.nan, count
    off = known * (series - mean)
    error = math.sqrt(count / (count - 1) * float(off @ off)) / total
    return mean, error, count


def _weights(series: FloatArray, weights: ArrayLike | None) -> FloatArray:
    if weights is None:
        return np.ones_like(series)
    return np.asarray(weights, dtype=np.float64)
