"""Quantiles of values that come in rounds, when rounds differ.

IOs of one round are correlated: they met the same garbage collection, the same
neighbours, the same temperature. A thousand of them may be worth no more than ten that
were taken far apart. The loss is the design effect: the variance of a share observed
between the rounds, over the variance that independent values would have (Kish 1965).
The count divided by it, and by a correction for few rounds, is the effective sample
size (Korn, Graubard 1998); the ranks are taken from that.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ssdlab.stats.interval import Interval
from ssdlab.stats.quantiles import (
    BinnedRounds,
    find_ranks,
    interval_of_ranks,
)

FEWEST_ROUNDS = 3  # with two, Student's t is 12.7 and nothing can be said
_ROUNDING = 1e-9
_MANY_ROUNDS = 20
_BLOCK_ROUNDS = 8
_FEWEST_BLOCKS, _MOST_BLOCKS = 4, 10


@dataclass(frozen=True, kw_only=True, slots=True)
class EffectiveCount:
    """The effective sample size of the values of the rounds.

    ``design_effect`` is as observed, possibly below 1; ``count`` is never more than the
    number of values.
    """

    design_effect: float
    count: float

    @property
    def whole(self) -> int:
        """The count without its fraction, at least 1: ranks are taken from it."""
        return max(1, math.floor(self.count + _ROUNDING))


def effective_count(
    bins: BinnedRounds, level_percent: float, *, confidence_percent: float = 95.0
) -> EffectiveCount:
    """Return the effective sample size for a quantile.

    The design effect at the bin of the quantile, and the count.
    """
    from ssdlab.stats.special import ndtri, stdtrit  # noqa: PLC0415 - loads scipy

    rounds = len(bins.counts)
    if rounds < 2:
        msg = "one round does not show how rounds differ"
        raise ValueError(msg)
    effect = _design_effect(bins, level_percent)
    two_sided = 0.5 + confidence_percent / 200
    price = (float(stdtrit(rounds - 1, two_sided)) / float(ndtri(two_sided))) ** 2
    whole = float(bins.total)
    count = whole / (effect * price) if effect > 0 else whole
    return EffectiveCount(design_effect=effect, count=min(whole, count))


def _design_effect(bins: BinnedRounds, level_percent: float) -> float:
    """Return the variance of the share at the quantile, over that under independence.

    Where no value lies beyond the quantile's bin, it is that of the bin below.
    """
    merged, total = bins.reached, float(bins.total)
    wanted = math.ceil(level_percent / 100 * total - _ROUNDING)
    below_all = int(np.searchsorted(merged, bins.total)) - 1
    place = min(int(np.searchsorted(merged, wanted)), below_all)
    if place < 0 or not merged[place]:
        return 1.0
    share = merged[place] / total
    rounds = len(bins.counts)
    reached = bins.counts[:, : place + 1].sum(axis=1)
    off = reached - share * bins.of_rounds
    variance = rounds / (rounds - 1) * float(off @ off) / total**2
    return float(variance / (share * (1 - share) / total))


def between_rounds_interval(
    bins: BinnedRounds, level_percent: float, *, confidence_percent: float = 95.0
) -> Interval:
    """Return a quantile and its interval if rounds, not values, are independent.

    It is for the quantile of the population of such rounds.
    """
    if len(bins.counts) < FEWEST_ROUNDS:
        msg = f"{len(bins.counts)} rounds do not show how rounds differ"
        raise ValueError(msg)
    held = effective_count(bins, level_percent, confidence_percent=confidence_percent)
    return interval_of_count(
        bins, level_percent, held.whole, confidence_percent=confidence_percent
    )


def interval_of_count(
    bins: BinnedRounds, level_percent: float, count: int, *, confidence_percent: float
) -> Interval:
    """Return a quantile and its interval if so many of the values are independent.

    Between the ranks that bound the quantile of `count` values, as far apart among
    all values.
    """
    low, high = find_ranks(level_percent, count, confidence_percent)
    scale = bins.total / count
    ranks = (
        math.floor((low - 1) * scale + _ROUNDING) + 1 if low else 0,
        math.ceil(high * scale - _ROUNDING) if high <= count else bins.total + 1,
    )
    return interval_of_ranks(
        bins, level_percent, ranks, confidence_percent=confidence_percent
    )


def join_rounds(bins: BinnedRounds) -> BinnedRounds:
    """Return the counts with neighbouring rounds merged if there are many.

    Successive rounds are correlated, and as long as they are few nothing can be done
    about it. From 20 rounds on neighbours are merged: into four blocks, and from 40
    rounds on into blocks of eight or more, at most ten. So what counts as independent
    is farther apart.
    """
    rounds = len(bins.counts)
    if rounds < _MANY_ROUNDS:
        return bins
    blocks = min(_MOST_BLOCKS, max(_FEWEST_BLOCKS, rounds // _BLOCK_ROUNDS))
    parts = np.array_split(bins.counts, blocks)
    return replace(bins, counts=np.array([part.sum(axis=0) for part in parts]))
