"""Latency statistics: what may be merged, merged exactly.

IOPS and bandwidth add; means are weighted by IO count; maxima take the maximum;
percentiles are never averaged: bins are added and the percentile is read from them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Histogram = tuple[NDArray[np.int64], NDArray[np.int64]]
Extremes = tuple[float, float]

UNKNOWN_EXTREMES: Extremes = (math.nan, math.nan)
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class LatencySummary:
    """Four numbers of a set of latencies, and how many there were.

    ``stddev_ns`` has n - 1 in its denominator, as fio's has. ``count`` is ``None`` if
    fio does not report the number of latencies.
    """

    min_ns: float
    mean_ns: float
    stddev_ns: float
    max_ns: float
    count: int | None


def merge_bins(histograms: Iterable[tuple[ArrayLike, ArrayLike]]) -> Histogram:
    """Add histograms of the same kind of bins.

    Parameters
    ----------
    histograms : iterable of (values, counts)
        The name of each bin [ns] and the IOs in it; bins in any order, of which
        each histogram may name others.

    Returns
    -------
    values : ndarray of int64, shape (n_bins,)
        Every bin that was named, ascending, once [ns].
    counts : ndarray of int64, shape (n_bins,)
        The IOs in it.

    Raises
    ------
    ValueError
        If values and counts differ in length or a count is negative.

    Examples
    --------
    >>> values, counts = merge_bins([([100, 120], [3, 1]), ([120, 2000], [4, 1])])
    >>> values.tolist(), counts.tolist()
    ([100, 120, 2000], [3, 5, 1])
    """
    pairs = [_require_histogram(values, counts) for values, counts in histograms]
    if not pairs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    values = np.concatenate([pair[0] for pair in pairs])
    counts = np.concatenate([pair[1] for pair in pairs])
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    first = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    if not first.size:
        return values, counts
    return values[first], np.add.reduceat(counts, first)


def percentiles_from_bins(
    values: ArrayLike, counts: ArrayLike, levels: ArrayLike, *, within: Extremes
) -> NDArray[np.float64]:
    """Return the latency at each confidence level, by fio's own rule.

    Parameters
    ----------
    values : array_like of int, shape (n_bins,)
        The name of each bin [ns], in any order.
    counts : array_like of int, shape (n_bins,)
        The IOs in each bin.
    levels : array_like of float, shape (n_levels,)
        Confidence levels [%], greater than 0 and at most 100.
    within : tuple of float
        The exact least and greatest of these latencies [ns], NaN where one is not
        known. The name of a bin is its middle, which may lie beyond them; a percentile
        does not.

    Returns
    -------
    ndarray of float64, shape (n_levels,)
        For each level the first bin, by ascending latency, up to which at least
        that share of all IOs was counted, held within the extremes [ns].

    Raises
    ------
    ValueError
        If no IO was counted, or a level is not within (0, 100].

    Notes
    -----
    See `percentile_places` for the rule.

    Examples
    --------
    >>> bins = [100, 120, 2000], [3, 5, 2]
    >>> percentiles_from_bins(*bins, [50, 80, 90], within=(99.0, 1990.0)).tolist()
    [120.0, 120.0, 1990.0]
    """
    names, numbers = merge_bins([(values, counts)])
    found = names[percentile_places(numbers, levels)]
    return hold_within(found, within)


def percentile_places(counts: NDArray[np.int64], levels: ArrayLike) -> NDArray[np.intp]:
    """Return the place of the bin at each confidence level, by fio's own rule.

    For each level the first bin up to which at least that share was counted.

    Notes
    -----
    fio compares ``sum >= level / 100 * n`` (``calc_clat_percentiles`` in ``stat.c``)
    and is built with ``-ffast-math``; fio 3.33 computes ``n * 0.01 * level`` in C
    ``long double``, and so does this. It matters where a bin ends at exactly that
    share of the IOs: 99.9 % of 1000 IOs is the 1000th, since 99.9 is a little more in
    binary. fio 3.8 computes in ``double`` and may name the next bin there.

    >>> percentile_places(np.array([3, 5, 2]), [30, 50, 90]).tolist()
    [0, 1, 2]
    """
    return places_reached(np.cumsum(counts), levels)


def places_reached(reached: NDArray[np.int64], levels: ArrayLike) -> NDArray[np.intp]:
    """Return the place of the bin at each confidence level, as `percentile_places`.

    For each level the first bin up to which at least that share was counted.
    """
    shares = np.asarray(levels, dtype=np.float64)
    if not ((shares > 0) & (shares <= 100)).all():
        msg = "a confidence level is more than 0 and at most 100 %"
        raise ValueError(msg)
    if not reached.size or not reached[-1]:
        msg = "no IO was counted, so there is no percentile"
        raise ValueError(msg)
    hundredth = np.longdouble(reached[-1]) * (np.longdouble(1) / 100)
    wanted = shares.astype(np.longdouble) * hundredth
    found = np.searchsorted(reached, np.ceil(wanted).astype(np.int64), side="left")
    return np.asarray(np.minimum(found, reached.size - 1))


def hold_within(
    latencies: ArrayLike, within: tuple[ArrayLike, ArrayLike]
) -> NDArray[np.float64]:
    """Hold latencies within the least and the greatest that were recorded.

    >>> hold_within([100, 2000], (102.0, 1990.0)).tolist()
    [102.0, 1990.0]
    >>> hold_within([100, 2000], UNKNOWN_EXTREMES).tolist()
    [100.0, 2000.0]
    """
    least, greatest = within
    held = np.fmin(np.fmax(np.asarray(latencies, dtype=np.float64), least), greatest)
    return np.asarray(held, dtype=np.float64)


def least_count(level_percent: float, confidence_percent: float = 95.0) -> int:
    """Return how many independent latencies bound a percentile from above.

    It is the least n for which all n lie below the percentile with at most half the
    remaining probability: ``p ** n <= (1 - confidence) / 2``.
    """
    if not 0 < level_percent < 100:
        msg = f"a quantile is between 0 and 100 %, not {level_percent:g}"
        raise ValueError(msg)
    tail = (1 - confidence_percent / 100) / 2
    return math.ceil(math.log(tail) / math.log(level_percent / 100) - _ROUNDING)


def is_supported(
    levels: ArrayLike, count: int, *, confidence_percent: float = 95.0
) -> NDArray[np.bool_]:
    """Return for which confidence levels there are enough IOs.

    Parameters
    ----------
    levels : array_like of float, shape (n_levels,)
        Confidence levels [%].
    count : int
        Independent IOs counted.
    confidence_percent : float, default 95
        The confidence of the two-sided interval [%].

    Returns
    -------
    ndarray of bool, shape (n_levels,)
        Whether there are `least_count` IOs, so that the interval of the percentile has
        an upper end. One without is just the maximum. 100 % has none.

    Examples
    --------
    >>> is_supported([99, 99.9, 99.99, 100], 4000).tolist()
    [True, True, False, False]
    """
    return np.array([
        level < 100 and count >= least_count(level, confidence_percent)
        for level in np.asarray(levels, dtype=np.float64).tolist()
    ])


def merge_summaries(summaries: Sequence[LatencySummary]) -> LatencySummary:
    """Merge summaries of disjoint sets of IOs into that of all of them.

    Least minimum, mean weighted by IO count, pooled standard deviation, greatest
    maximum, sum of counts. If a count is unknown, so are mean, standard deviation (NaN)
    and count (``None``).

    Notes
    -----
    The squared deviations add with those of the means (Chan, Golub, LeVeque 1979),
    as in ``__sum_stat`` of fio's ``stat.c``; the result has n - 1 in its denominator.

    >>> reads = LatencySummary(min_ns=1, mean_ns=2, stddev_ns=1, max_ns=3, count=3)
    >>> writes = LatencySummary(min_ns=6, mean_ns=6, stddev_ns=0, max_ns=6, count=1)
    >>> merged = merge_summaries([reads, writes])
    >>> merged.mean_ns, merged.max_ns, merged.count
    (3.0, 6, 4)
    """
    if not summaries:
        msg = "there is no summary to merge"
        raise ValueError(msg)
    if len(summaries) == 1:
        return summaries[0]
    mean_ns, stddev_ns, count = _pooled(summaries)
    return LatencySummary(
        min_ns=min(summary.min_ns for summary in summaries),
        mean_ns=mean_ns,
        stddev_ns=stddev_ns,
        max_ns=max(summary.max_ns for summary in summaries),
        count=count,
    )


def sum_rates(rates: Iterable[float]) -> float:
    """Add IOPS or data rates of directions, threads or jobs that ran together.

    Their sum; NaN where one is NaN. A mixed workload's IOPS is the sum of its
    reads and writes, never a mean weighted by its mix.

    >>> sum_rates([6500.0, 3500.0])
    10000.0
    """
    return math.fsum(rates)


def _require_histogram(values: ArrayLike, counts: ArrayLike) -> Histogram:
    names = np.asarray(values, dtype=np.int64)
    numbers = np.asarray(counts, dtype=np.int64)
    if names.shape != numbers.shape or names.ndim != 1:
        msg = f"{names.size} bins cannot have {numbers.size} counts"
        raise ValueError(msg)
    if numbers.size and numbers.min() < 0:
        msg = f"a bin cannot hold {numbers.min()} IOs"
        raise ValueError(msg)
    return names, numbers


def _pooled(summaries: Sequence[LatencySummary]) -> tuple[float, float, int | None]:
    counts = [summary.count for summary in summaries if summary.count is not None]
    if len(counts) < len(summaries):
        return math.nan, math.nan, None
    if min(counts) < 1:
        msg = "a summary of no IO cannot be merged; omit it"
        raise ValueError(msg)
    total = sum(counts)
    pairs = list(zip(summaries, counts, strict=True))
    mean = math.fsum(s.mean_ns * n for s, n in pairs) / total
    squares = math.fsum(
        s.stddev_ns**2 * (n - 1) + n * (s.mean_ns - mean) ** 2 for s, n in pairs
    )
    return mean, math.sqrt(squares / (total - 1)), total
