"""How many repetitions at each level of a nested experiment: rounds, runs, drives.

The repetitions within a level follow from what one more of it costs and how much it
scatters, those of the outermost from what is to be shown.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ssdlab.stats.quantiles import find_ranks
from ssdlab.stats.states import more_runs_needed

MOST_REPETITIONS: Final = 10_000  # who needs more asks for too small a difference
_TRIALS: Final = 200
_SEED: Final = 2018  # arbitrary, but fixed, so that an answer can be reproduced

Purpose = Literal["difference", "change", "half-width"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Aim:
    """What is to be shown: a difference, a change, or an interval so narrow.

    A ``difference`` is one of two populations of drives, a ``change`` one of the same
    drives twice, and a ``half-width`` half of the interval of one population, all in
    ``percent``. ``power_percent`` is how often a true difference is to be found.
    """

    purpose: Purpose
    percent: float
    confidence_percent: float = 95.0
    power_percent: float = 80.0

    @property
    def distance(self) -> float:
        """The difference, or half of the interval, as a logarithm."""
        return math.log1p(self.percent / 100)

    @property
    def sides(self) -> int:
        """How many populations of drives there are."""
        return 2 if self.purpose == "difference" else 1

    @property
    def times(self) -> int:
        """How many means are compared: as often all runs are measured."""
        return 1 if self.purpose == "half-width" else 2


def best_count(
    *, own_cost: float, outer_cost: float, own_variance: float, outer_variance: float
) -> int | None:
    """Return the repetitions within one of the next outer level that cost least.

    ``outer_cost`` is what one more of the outer level costs besides what is repeated
    within it. None where the outer level was not seen to scatter, or nothing costs.

    Notes
    -----
    The variance of the mean for a given cost is least at sqrt(C / c * v / V), which is
    rounded up [1]_.

    References
    ----------
    .. [1] T. Kalibera, R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013.

    >>> best_count(own_cost=1, outer_cost=16, own_variance=4, outer_variance=1)
    8
    """
    if outer_variance <= 0 or own_cost <= 0:
        return None
    ratio = outer_cost / own_cost * own_variance / outer_variance
    return max(1, math.ceil(math.sqrt(ratio) - _ROUNDING))


_ROUNDING = 1e-9


def needed_count(variance: float, aim: Aim) -> int | None:
    """Return how many values of a side are enough, each of which has this variance.

    Three at least: of fewer nothing is claimed. None if 10,000 were not enough.

    >>> aim = Aim(purpose="difference", percent=100 * math.expm1(2.0))
    >>> needed_count(1.0, aim)  # 2.447 + 0.906 <= 2 / sqrt(2 / n) at n = 6, f = 10
    6
    """
    least = 2 + more_runs_needed(2, 2, pairs=1)[0]
    if reach_of(variance, least, aim) <= aim.distance:
        return least
    low, high = least, 2 * least
    while reach_of(variance, high, aim) > aim.distance:
        low, high = high, 2 * high
        if low > MOST_REPETITIONS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = reach_of(variance, middle, aim) <= aim.distance
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def reach_of(variance: float, count: int, aim: Aim) -> float:
    """Return what so many values a side show, as a logarithm.

    The difference that is found so often as is wanted, or half of the interval.
    """
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    freedom = aim.sides * (count - 1)
    students = float(stdtrit(freedom, 0.5 + aim.confidence_percent / 200))
    if aim.purpose != "half-width":
        students += float(stdtrit(freedom, aim.power_percent / 100))
    return students * math.sqrt(aim.times * variance / count)


def count_for_median(
    values: npt.ArrayLike, *, within_ratio: float, confidence_percent: float = 95.0
) -> int | None:
    """Return how many values bound their median to so small a part of it.

    None if all of them are not enough.

    Notes
    -----
    Of the values so many are drawn without replacement, again and again. The interval
    of their median is between two of them by rank, and its ends are averaged [1]_. So
    nothing is assumed of their distribution.

    References
    ----------
    .. [1] A. Maricq et al., "Taming performance variability", OSDI 2018, section 5.

    >>> count_for_median([100.0] * 6, within_ratio=0.01)
    6
    >>> count_for_median([100.0] * 5, within_ratio=0.01) is None
    True
    """
    known = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(_SEED)
    orders = rng.permuted(np.tile(known, (_TRIALS, 1)), axis=1)
    bounds = within_ratio * float(np.median(known)) if known.size else 0.0
    return _first(
        lambda count: _mean_reach(orders, count, confidence_percent) <= bounds,
        most=known.size,
    )


def _first(is_enough: Callable[[int], bool], *, most: int) -> int | None:
    return next((count for count in range(1, most + 1) if is_enough(count)), None)


def _mean_reach(
    orders: npt.NDArray[np.float64], count: int, confidence_percent: float
) -> float:
    """Return how far the mean ends of the interval are from the median of all."""
    low, high = find_ranks(50, count, confidence_percent)
    if low < 1 or high > count:
        return math.inf
    drawn = np.sort(orders[:, :count], axis=1)
    middle = float(np.median(orders[0]))
    ends = drawn[:, low - 1].mean(), drawn[:, high - 1].mean()
    return max(middle - float(ends[0]), float(ends[1]) - middle)
