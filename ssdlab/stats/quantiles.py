"""Quantiles of binned values with distribution-free intervals.

The r-th smallest of n independent values lies below the quantile p with a probability
that depends only on r, n and p: the binomial one of fewer than r values below it. So
two ranks bound the quantile, and a histogram gives the bins of those ranks. The
interval runs from the lower edge of the one bin to the upper edge of the other: it is
wider by the bins, never narrower.

Intervals by bootstrap: whole rounds are resampled, never single values.

Kept next to `between_rounds_interval` because readers know it, and for comparison: with
few rounds its interval is too narrow, as the table of coverage shows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ssdlab.stats.interval import Interval
from ssdlab.stats.latency import (
    UNKNOWN_EXTREMES,
    Extremes,
    hold_within,
    places_reached,
)

FloatArray = NDArray[np.float64]

NO_UPPER_END = "too few values to bound it from above"
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class BinnedRounds:
    """The same bins, counted in each of several rounds.

    ``names``, ``lower`` and ``upper`` have one value per bin, ascending; ``counts`` has
    one row per round and one column per bin. The last bin that holds a value has a
    value in it. ``extremes`` are the exact minimum and maximum of all values, NaN if
    unknown.
    """

    names: NDArray[np.int64]
    lower: FloatArray
    upper: FloatArray
    counts: NDArray[np.int64]
    extremes: Extremes = UNKNOWN_EXTREMES

    @cached_property
    def merged(self) -> NDArray[np.int64]:
        """The counts of all rounds together, shape (n_bins,)."""
        return np.asarray(self.counts.sum(axis=0))

    @cached_property
    def reached(self) -> NDArray[np.int64]:
        """How many values of all rounds are in each bin and those below it."""
        return np.cumsum(self.merged)

    @cached_property
    def of_rounds(self) -> NDArray[np.int64]:
        """How many values each round counted, shape (n_rounds,)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def total(self) -> int:
        """How many values were counted."""
        return int(self.reached[-1]) if self.reached.size else 0


@lru_cache(maxsize=4096)
def find_ranks(
    level_percent: float, count: int, confidence_percent: float = 95.0
) -> tuple[int, int]:
    """Return the ranks, from 1, of the values that bound a quantile.

    A rank of 0 leaves the lower end open, one of ``count + 1`` the upper end.

    >>> find_ranks(50, 10)  # 97.9 %: 1 - 2 (1 + 10) / 1024
    (2, 9)
    """
    from ssdlab.stats.special import bdtr  # noqa: PLC0415 - loads scipy

    tail = (1 - confidence_percent / 100) / 2
    share = _share(level_percent)
    low = _first_rank(lambda k: bdtr(k, count, share) > tail, count)
    high = _first_rank(lambda k: bdtr(k, count, share) >= 1 - tail, count) + 1
    return low, high


def _first_rank(is_reached: Callable[[int], bool], count: int) -> int:
    """Return the least k from 0 to count for which a rising statement is true."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if is_reached(middle):
            high = middle
        else:
            low = middle + 1
    return low


def chance_below(level_percent: float, rank: int, count: int) -> float:
    """Return how likely the quantile is no greater than the value of a rank.

    >>> chance_below(50, 4, 4), chance_below(50, 0, 4)
    (0.9375, 0.0)
    """
    from ssdlab.stats.special import bdtr  # noqa: PLC0415 - as above

    if rank < 1:
        return 0.0
    return float(bdtr(min(rank, count) - 1, count, _share(level_percent)))


def quantile_interval(
    bins: BinnedRounds, level_percent: float, *, confidence_percent: float = 95.0
) -> Interval:
    """Return a quantile and its interval if all values are independent.

    The estimate is the bin by fio's rule, as it is named, within the extremes.
    """
    ranks = find_ranks(level_percent, bins.total, confidence_percent)
    return interval_of_ranks(
        bins, level_percent, ranks, confidence_percent=confidence_percent
    )


def interval_of_ranks(
    bins: BinnedRounds,
    level_percent: float,
    ranks: tuple[int, int],
    *,
    confidence_percent: float,
) -> Interval:
    """Return the interval between the bins that hold two ranks."""
    reached = bins.reached
    low, high = ranks
    is_open = high > bins.total
    return Interval(
        estimate=estimate_quantile(bins, level_percent),
        low=0.0 if low < 1 else float(bins.lower[np.searchsorted(reached, low)]),
        high=math.inf if is_open else float(bins.upper[np.searchsorted(reached, high)]),
        confidence_percent=confidence_percent,
        note=NO_UPPER_END if is_open else "",
    )


def estimate_quantile(bins: BinnedRounds, level_percent: float) -> float:
    """Return the bin of a quantile by fio's rule, as it is named, within extremes."""
    place = places_reached(bins.reached, [level_percent])
    return float(hold_within(bins.names[place], bins.extremes)[0])


def share_interval(
    part: float, count: float, *, confidence_percent: float = 95.0
) -> Interval:
    """Return the share of values of a kind, with its interval (Clopper, Pearson 1934).

    >>> none = share_interval(0, 100)
    >>> none.estimate, none.low, round(none.high, 4)
    (0.0, 0.0, 0.0362)
    """
    from ssdlab.stats.special import betaincinv  # noqa: PLC0415 - as above

    tail = (1 - confidence_percent / 100) / 2
    rest = count - part
    return Interval(
        estimate=part / count,
        low=0.0 if part <= 0 else float(betaincinv(part, rest + 1, tail)),
        high=1.0 if rest <= 0 else float(betaincinv(part + 1, rest, 1 - tail)),
        confidence_percent=confidence_percent,
    )


def _share(level_percent: float) -> float:
    if not 0 < level_percent < 100:
        msg = f"a quantile is between 0 and 100 %, not {level_percent:g}"
        raise ValueError(msg)
    return level_percent / 100


def bootstrap_interval(
    bins: BinnedRounds,
    level_percent: float,
    *,
    seed: int,
    draws: int = 1000,
    confidence_percent: float = 95.0,
) -> Interval:
    """Return a quantile and its spread over resampled rounds.

    The percentile interval, from the lower to the upper edge of its bins.
    """
    rounds = len(bins.counts)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(rounds, np.full(rounds, 1 / rounds), size=draws)
    reached = drawn @ np.cumsum(bins.counts, axis=1)
    wanted = level_percent / 100 * reached[:, -1:] - _ROUNDING
    places = (reached >= wanted).argmax(axis=1)
    tail = (1 - confidence_percent / 100) / 2
    low, high = np.quantile(places, [tail, 1 - tail], method="inverted_cdf")
    return Interval(
        estimate=estimate_quantile(bins, level_percent),
        low=float(bins.lower[low]),
        high=float(bins.upper[high]),
        confidence_percent=confidence_percent,
    )
