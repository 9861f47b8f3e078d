"""How much more it would take to tell: so many rounds, or so many IOs.

If they scatter as those that were measured do, and the value stays where it is.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

from ssdlab.limits.bounds import BoundLimit
from ssdlab.limits.estimates import ESTIMATED, Estimate
from ssdlab.qos.load import Load
from ssdlab.stats.claims import claim_of_level
from ssdlab.stats.latency import least_count

_MOST_ROUNDS = 10_000  # who needs more has a bound too near to the value
_MOST_IOS = 10**15


@dataclass(frozen=True, kw_only=True, slots=True)
class Needed:
    """So many of what there would have to be in all."""

    count: int
    what: Literal["rounds", "IOs"]


def find_needed(
    estimate: Estimate, limit: BoundLimit, *, confidence_percent: float
) -> Needed | None:
    """Return what would make an interval leave its bound; None where that is not known.

    The bound is the one nearest to the value.
    """
    bound = min(limit.range, key=lambda end: abs(end - estimate.value))
    if estimate.basis == "rounds":
        reach = abs(estimate.value - bound)
        return rounds_to_reach(estimate, reach, confidence_percent=confidence_percent)
    if estimate.load is None or bound != limit.range[1]:
        return None
    return _ios_to_bound(
        estimate.load, limit, bound=bound, confidence_percent=confidence_percent
    )


def rounds_to_reach(
    estimate: Estimate, reach: float, *, confidence_percent: float
) -> Needed | None:
    """Return how many rounds have an interval that reaches no farther than this."""
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    count, top = estimate.count, 0.5 + confidence_percent / 200
    known = estimate.interval(confidence_percent)
    spread = (known.high - known.estimate) * math.sqrt(count)
    spread /= float(stdtrit(count - ESTIMATED, top))

    def is_enough(tried: int) -> bool:
        half = spread * float(stdtrit(tried - ESTIMATED, top)) / math.sqrt(tried)
        return half <= reach

    possible = range(count + 1, _MOST_ROUNDS + 1)
    at = bisect_left(possible, True, key=is_enough)  # noqa: FBT003 - the first that is
    return Needed(count=possible[at], what="rounds") if at < len(possible) else None


def _ios_to_bound(
    load: Load, limit: BoundLimit, *, bound: float, confidence_percent: float
) -> Needed | None:
    bins, level = load.binned, limit.level
    claim = claim_of_level(bins, level, confidence_percent=confidence_percent)
    independent = float(least_count(level, confidence_percent))
    if claim.is_supported:
        is_within = claim.interval.estimate <= bound
        counted = bins.upper <= bound if is_within else bins.lower <= bound
        share = float(bins.merged[counted].sum()) / bins.total
        independent = independent_ios(
            level, share, is_within=is_within, confidence_percent=confidence_percent
        )
    whole = independent / claim.count * bins.total
    if not bins.total < whole < _MOST_IOS:
        return None
    return Needed(count=math.ceil(whole), what="IOs")


def independent_ios(
    level: float, share: float, *, is_within: bool, confidence_percent: float
) -> float:
    """Return how many independent IOs tell a level from a share of them by a bound.

    Infinite where the share is on the wrong side of the level.

    >>> round(independent_ios(99, 0.992, is_within=True, confidence_percent=95))
    9508
    """
    from ssdlab.stats.special import ndtri  # noqa: PLC0415 - loads scipy

    wanted = level / 100
    apart = share - wanted if is_within else wanted - share
    if apart <= 0:
        return math.inf
    normal = float(ndtri(0.5 + confidence_percent / 200))
    return normal**2 * wanted * (1 - wanted) / apart**2
