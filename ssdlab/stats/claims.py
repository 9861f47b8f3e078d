"""The interval that is claimed for a percentile: that of rounds, or of independent IOs.

There are two intervals. One treats every IO as independent; it is the least uncertainty
that a percentile can have. The other treats rounds as independent, and allows any
correlation between the IOs of one round. With three rounds or more the second one is
claimed: decision 41.

Percentiles of one distribution rise with their level, so an upper end of a higher level
bounds every lower one, and a lower end of a lower level every higher one. A percentile
is supported if the interval that is claimed has an upper end: decision 42. No other
rule is used anywhere.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.stats.clusters import (
    FEWEST_ROUNDS,
    effective_count,
    interval_of_count,
    join_rounds,
)
from ssdlab.stats.interval import Interval
from ssdlab.stats.quantiles import BinnedRounds, quantile_interval

BETWEEN_ROUNDS = "between rounds"
INDEPENDENT = "independent IOs"
QOS_LEVELS_PERCENT = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)

End = Literal["low", "high"]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelClaim:
    """The interval that is claimed for a percentile, and its basis.

    ``count`` is the effective sample size at this level; ``alone`` is the interval if
    all IOs were independent. ``bounded_by`` is the higher level whose upper end is the
    one that is claimed, the level itself where it is its own.
    """

    level: float
    interval: Interval
    alone: Interval
    claimed: str
    count: int
    rounds: int
    bounded_by: float

    @property
    def is_of_rounds(self) -> bool:
        """Whether it is the one between rounds."""
        return self.claimed == BETWEEN_ROUNDS

    @property
    def is_supported(self) -> bool:
        """Whether the percentile is more than just the maximum latency."""
        return math.isfinite(self.interval.high)


def claim_of_level(
    bins: BinnedRounds, level: float, *, confidence_percent: float = 95.0
) -> LevelClaim:
    """Return the interval that is claimed for a percentile."""
    return claim_levels(bins, [level], confidence_percent=confidence_percent)[0]


def claim_levels(
    bins: BinnedRounds, levels: Iterable[float], *, confidence_percent: float = 95.0
) -> tuple[LevelClaim, ...]:
    """Return the intervals that are claimed for percentiles of one distribution.

    One per level, in their order. Between rounds if there are three or more, never
    narrower than that of independent IOs; else the latter. Their ends rise with the
    level: see `order_ends`.
    """
    asked = [float(level) for level in levels]
    ascending = sorted({*asked, *QOS_LEVELS_PERCENT})
    joined = join_rounds(bins)
    own = [
        _own_claim(bins, level, joined=joined, confidence_percent=confidence_percent)
        for level in ascending
    ]
    lows = order_ends(ascending, [one.interval.low for one in own], end="low")
    highs = order_ends(ascending, [one.interval.high for one in own], end="high")
    known = {
        one.level: _with_ends(one, ends, own)
        for one, *ends in zip(own, lows.tolist(), highs.tolist(), strict=True)
    }
    return tuple(known[level] for level in asked)


def order_ends(
    levels: Iterable[float], ends: Iterable[float], *, end: End
) -> FloatArray:
    """Return ends of intervals that rise with the level of their percentiles.

    Those of the usual levels depend on the usual levels alone, so that they are the
    same whatever else is asked for; any other lies between its neighbours'.

    >>> ends = [0.3, 11.0, math.inf, 1.6, math.inf, math.inf, math.inf]
    >>> order_ends(QOS_LEVELS_PERCENT, ends, end="high")[:5].tolist()
    [0.3, 1.6, 1.6, 1.6, inf]
    """
    places, values = np.array(list(levels)), np.array(list(ends), dtype=np.float64)
    is_usual = np.array([place in QOS_LEVELS_PERCENT for place in places.tolist()])
    usual = _rising(values[is_usual], end)
    below = np.concatenate([[-math.inf], usual])[np.cumsum(is_usual)]
    above = np.concatenate([usual, [math.inf]])[np.cumsum(is_usual)]
    found = values.copy()
    found[is_usual] = usual
    others = np.clip(values[~is_usual], below[~is_usual], above[~is_usual])
    found[~is_usual] = _rising(others, end)
    return found


def _rising(ends: FloatArray, end: End) -> FloatArray:
    if end == "low":
        return np.maximum.accumulate(ends)
    return np.minimum.accumulate(ends[::-1])[::-1]


def _own_claim(
    bins: BinnedRounds,
    level: float,
    *,
    joined: BinnedRounds,
    confidence_percent: float,
) -> LevelClaim:
    """Return the interval of a percentile by itself; ``joined`` are the same rounds."""
    alone = quantile_interval(bins, level, confidence_percent=confidence_percent)
    rounds = len(bins.counts)
    if rounds < FEWEST_ROUNDS:
        return LevelClaim(
            level=level,
            interval=alone,
            alone=alone,
            claimed=INDEPENDENT,
            count=bins.total,
            rounds=rounds,
            bounded_by=level,
        )
    held = effective_count(joined, level, confidence_percent=confidence_percent)
    apart = interval_of_count(
        joined, level, held.whole, confidence_percent=confidence_percent
    )
    interval = Interval(
        estimate=alone.estimate,
        low=min(alone.low, apart.low),
        high=max(alone.high, apart.high),
        confidence_percent=confidence_percent,
        note=apart.note,
    )
    return LevelClaim(
        level=level,
        interval=interval,
        alone=alone,
        claimed=BETWEEN_ROUNDS,
        count=held.whole,
        rounds=rounds,
        bounded_by=level,
    )


def _with_ends(
    claim: LevelClaim, ends: Iterable[float], own: Sequence[LevelClaim]
) -> LevelClaim:
    """Return a claim with other ends; ``own`` are those of each level by itself.

    A usual level is bounded by usual ones alone: see `order_ends`.
    """
    low, high = ends
    is_usual = claim.level in QOS_LEVELS_PERCENT
    others = QOS_LEVELS_PERCENT if is_usual else [one.level for one in own]
    same = (one.level for one in own if one.interval.high == high)
    return replace(
        claim,
        interval=replace(
            claim.interval,
            low=low,
            high=high,
            note=claim.interval.note if math.isinf(high) else "",
        ),
        bounded_by=next(
            (level for level in same if level >= claim.level and level in others),
            claim.level,
        ),
    )
