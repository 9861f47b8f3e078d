"""By how much two sides differ: the ratio of their means, and its interval."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ssdlab.analysis.inference.interval import Interval
from ssdlab.analysis.inference.levels import (
    LevelEstimate,
    estimate_log_level,
    join_freedoms,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One side by another: the ratio with its interval, and how surely it is not 1.

    ``p_value`` is that of the hypothesis that the truth lies within the least ratio
    that was asked for; NaN where it cannot be told, which ``ratio.note`` explains.
    """

    ratio: Interval
    p_value: float
    freedom: float


def compare_levels(
    first: LevelEstimate,
    second: LevelEstimate,
    *,
    confidence_percent: float = 95.0,
    least_ratio: float = 1.0,
) -> Difference:
    """Compare two sides by the logarithm of their ratio, after Welch.

    Parameters
    ----------
    first, second : LevelEstimate
        The sides.
    confidence_percent : float, default 95
        Level of the interval [%].
    least_ratio : float, default 1
        A ratio up to this, and down to its inverse, does not matter: 1.05 for 5 %.

    Returns
    -------
    Difference
        The first by the second.

    Notes
    -----
    Where a level may be farther off to one side than to the other, each end of the
    ratio has the scatter that it takes: its low end that of the first side downwards
    and of the second upwards [2]_. The p-value is by the end towards 1, so a percentile
    that nothing bounds from above can still be shown to be greater than another.

    References
    ----------
    .. [1] B. L. Welch, "The generalization of Student's problem when several different
       population variances are involved", Biometrika 34, 1947.
    .. [2] G. Y. Zou, A. Donner, "Construction of confidence limits about effect
       measures: a general approach", Statistics in Medicine 27, 2008.

    Examples
    --------
    >>> from ssdlab.analysis.inference.levels import estimate_level
    >>> slow, fast = estimate_level([50, 51, 49]), estimate_level([100, 101, 99])
    >>> found = compare_levels(slow, fast).ratio
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.5, 0.48, 0.521)
    """
    freedoms = (first.freedom, second.freedom)
    down, up = (
        _Scatter(variance=sum(pair), freedom=join_freedoms(pair, freedoms))
        for pair in zip(first.variances, second.variances[::-1], strict=True)
    )
    return _judge(
        first.log_mean - second.log_mean,
        (down, up),
        confidence_percent=confidence_percent,
        least_ratio=least_ratio,
    )


def compare_runs_of_sides(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    confidence_percent: float = 95.0,
    least_ratio: float = 1.0,
) -> Difference:
    """Compare two sides by one value a run: the honest unit where runs are repeated.

    Parameters
    ----------
    first, second : array_like of float, shape (n_runs,)
        One value a run; a side with a single run borrows the scatter of the other.
    confidence_percent : float, default 95
        Level of the interval [%].
    least_ratio : float, default 1
        A ratio up to this, and down to its inverse, does not matter.

    Returns
    -------
    Difference
        The first by the second. Where neither has two runs nothing can be told.

    Notes
    -----
    Two sides with repeated runs are compared after Welch. Where one repeats them alone,
    the variance of the logarithm between runs is taken as the same in both.
    """
    logs = [np.log(np.asarray(one, dtype=np.float64)) for one in (first, second)]
    sizes = [len(one) for one in logs]
    shift = float(logs[0].mean() - logs[1].mean())
    limits = {"confidence_percent": confidence_percent, "least_ratio": least_ratio}
    if min(sizes) >= 2:
        levels = [estimate_log_level(one) for one in (first, second)]
        return compare_levels(levels[0], levels[1], **limits)
    freedom = sum(sizes) - 2
    if freedom == 0:
        return _judge(shift, (_UNKNOWN, _UNKNOWN), **limits)
    squares = math.fsum(float(((one - one.mean()) ** 2).sum()) for one in logs)
    variance = squares / freedom * (1 / sizes[0] + 1 / sizes[1])
    scatter = _Scatter(variance=variance, freedom=float(freedom))
    return _judge(shift, (scatter, scatter), **limits)


def widest_difference(first: Difference, second: Difference) -> Difference:
    """Return the less sure one of two judgements of the same difference.

    Parameters
    ----------
    first, second : Difference
        The first gives the ratio; a second without an interval does not count.

    Returns
    -------
    Difference
        The interval that holds both, and the greater p-value.
    """
    if math.isnan(first.p_value) or math.isnan(second.p_value):
        return first
    low = min(first.ratio.low, second.ratio.low)
    high = max(first.ratio.high, second.ratio.high)
    return Difference(
        ratio=replace(first.ratio, low=low, high=high),
        p_value=max(first.p_value, second.p_value),
        freedom=first.freedom,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scatter:
    """The variance of a logarithm to one side, NaN where nothing bounds it."""

    variance: float
    freedom: float

    def reach(self, confidence_percent: float) -> float:
        """Return by what factor the interval reaches to that side."""
        from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to load

        if not self.variance > 0:
            return math.inf if math.isnan(self.variance) else 1.0
        student = float(stdtrit(self.freedom, 0.5 + confidence_percent / 200))
        return math.exp(student * math.sqrt(self.variance))


_UNKNOWN = _Scatter(variance=math.nan, freedom=math.nan)


def _judge(
    shift: float,
    scatters: tuple[_Scatter, _Scatter],
    *,
    confidence_percent: float,
    least_ratio: float,
) -> Difference:
    """Make a difference of the logarithm of a ratio and its scatter down and up."""
    ratio = math.exp(shift)
    towards = scatters[0 if shift > 0 else 1]
    if not towards.variance > 0:
        note = "the values do not scatter at all"
        if math.isnan(towards.variance):
            note = "one value on a side and no repetition: no scatter is known"
        nan = math.nan
        interval = Interval(
            estimate=ratio,
            low=nan,
            high=nan,
            confidence_percent=confidence_percent,
            note=note,
        )
        return Difference(ratio=interval, p_value=nan, freedom=nan)
    from scipy.special import stdtr  # noqa: PLC0415 - scipy is slow to load

    down, up = (one.reach(confidence_percent) for one in scatters)
    beyond = max(0.0, abs(shift) - math.log(least_ratio))
    error = math.sqrt(towards.variance)
    return Difference(
        ratio=Interval(
            estimate=ratio,
            low=ratio / down,
            high=ratio * up,
            confidence_percent=confidence_percent,
        ),
        p_value=min(1.0, 2 * float(stdtr(towards.freedom, -beyond / error))),
        freedom=towards.freedom,
    )
