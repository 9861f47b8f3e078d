"""How much two sides differ: the ratio of their means, and its interval."""

import math
from dataclasses import dataclass, replace

import numpy.typing as npt

from ssdlab.stats.interval import Interval
from ssdlab.stats.levels import (
    LevelEstimate,
    RunScatter,
    estimate_log_level,
    join_freedoms,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One side over another: the ratio, its interval, and how certainly it is not 1.

    ``p_value`` is that of the hypothesis that the truth lies within the least ratio
    that matters, ``p_below`` that of the hypothesis that it lies above the ratio that
    counts as the same, and ``p_above`` that it lies below the inverse of that; NaN if
    they are unknown, which ``ratio.note`` explains.
    """

    ratio: Interval
    p_value: float
    p_below: float
    p_above: float
    freedom: float

    @property
    def p_same(self) -> float:
        """The p-value of two one-sided tests: that it lies beyond what is the same."""
        return max(self.p_below, self.p_above)


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The limits for a difference.

    ``confidence_percent`` is the level of its interval [%]. A ratio up to
    ``least_ratio``, and down to its inverse, does not matter: 1.05 for 5 %. One that is
    shown to be within ``same_ratio`` and its inverse is the same.
    """

    confidence_percent: float = 95.0
    least_ratio: float = 1.0
    same_ratio: float = 1.03


_PLAIN = Limits()


def compare_levels(
    first: LevelEstimate, second: LevelEstimate, *, limits: Limits = _PLAIN
) -> Difference:
    """Compare two sides by the logarithm of their ratio, after Welch.

    Notes
    -----
    Where a level may be farther off to one side than to the other, each end of the
    ratio has the scatter that it takes: its low end that of the first side downwards
    and of the second upwards [2]_. The p-value is by the end towards 1, so a percentile
    that nothing bounds from above can still be shown to be greater than another. That
    both are the same is shown by two one-sided tests [3]_. Tests have the
    ``test_freedom`` of the levels, the interval their own.

    References
    ----------
    .. [1] B. L. Welch, "The generalization of Student's problem when several different
       population variances are involved", Biometrika 34, 1947.
    .. [2] G. Y. Zou, A. Donner, "Construction of confidence limits about effect
       measures: a general approach", Statistics in Medicine 27, 2008.
    .. [3] D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the
       power approach for assessing the equivalence of average bioavailability",
       Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.

    >>> from ssdlab.stats.levels import estimate_level
    >>> slow, fast = estimate_level([50, 51, 49]), estimate_level([100, 101, 99])
    >>> found = compare_levels(slow, fast).ratio
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.5, 0.48, 0.521)
    """
    freedoms = (first.freedom, second.freedom)
    of_tests = (first.test_freedom, second.test_freedom)
    down, up = (
        _Scatter(
            variance=sum(pair),
            freedom=join_freedoms(pair, freedoms),
            test_freedom=join_freedoms(pair, of_tests),
        )
        for pair in zip(first.variances, second.variances[::-1], strict=True)
    )
    return _judge(first.log_mean - second.log_mean, (down, up), limits)


def compare_runs_of_sides(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    scatters: tuple[RunScatter | None, RunScatter | None] = (None, None),
    limits: Limits = _PLAIN,
) -> Difference:
    """Compare two sides by one value per run: the proper unit if runs are repeated.

    The ratio is first over second. If neither has two runs nothing can be said.

    Notes
    -----
    Two sides with repeated runs are compared after Welch. Where one repeats them alone,
    the variance of the logarithm between runs is taken as the same in both.
    """
    levels = [
        estimate_log_level(values, scatter=scatter)
        for values, scatter in zip((first, second), scatters, strict=True)
    ]
    repeated = [one for one in levels if one.n_values > 1]
    if len(repeated) == 2:
        return compare_levels(levels[0], levels[1], limits=limits)
    known = repeated[0] if repeated else levels[0]
    scatter = _Scatter(
        variance=known.variance * known.n_values * (1 / known.n_values + 1),
        freedom=known.freedom,
        test_freedom=known.test_freedom,
    )
    shift = levels[0].log_mean - levels[1].log_mean
    return _judge(shift, (scatter, scatter), limits)


def widest_difference(first: Difference, second: Difference) -> Difference:
    """Return the less certain one of two judgements of the same difference."""
    if math.isnan(first.p_value) or math.isnan(second.p_value):
        return first
    low = min(first.ratio.low, second.ratio.low)
    high = max(first.ratio.high, second.ratio.high)
    return Difference(
        ratio=replace(first.ratio, low=low, high=high),
        p_value=max(first.p_value, second.p_value),
        p_below=max(first.p_below, second.p_below),
        p_above=max(first.p_above, second.p_above),
        freedom=first.freedom,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scatter:
    """The variance of a logarithm to one side, NaN where nothing bounds it."""

    variance: float
    freedom: float
    test_freedom: float

    def reach(self, confidence_percent: float) -> float:
        """Return by what factor the interval reaches to that side."""
        from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

        if not self.variance > 0:
            return math.inf if math.isnan(self.variance) else 1.0
        student = float(stdtrit(self.freedom, 0.5 + confidence_percent / 200))
        return math.exp(student * math.sqrt(self.variance))

    def tail(self, distance: float) -> float:
        """Return how likely the logarithm is off by as much as this to that side."""
        from ssdlab.stats.special import stdtr  # noqa: PLC0415 - loads scipy

        if not self.variance > 0:
            return 1.0 if math.isnan(self.variance) or distance <= 0 else 0.0
        return float(stdtr(self.test_freedom, -distance / math.sqrt(self.variance)))


def _judge(
    shift: float, scatters: tuple[_Scatter, _Scatter], limits: Limits
) -> Difference:
    """Make a difference of the logarithm of a ratio and its scatter down and up."""
    ratio = math.exp(shift)
    down, up = scatters
    towards = down if shift > 0 else up
    if not towards.variance > 0:
        note = "the values do not scatter at all"
        if math.isnan(towards.variance):
            note = "one value per side, no repetition: scatter unknown"
        nan = math.nan
        interval = Interval(
            estimate=ratio,
            low=nan,
            high=nan,
            confidence_percent=limits.confidence_percent,
            note=note,
        )
        return Difference(
            ratio=interval, p_value=nan, p_below=nan, p_above=nan, freedom=nan
        )
    reaches = [one.reach(limits.confidence_percent) for one in scatters]
    beyond = max(0.0, abs(shift) - math.log(limits.least_ratio))
    same = math.log(limits.same_ratio)
    return Difference(
        ratio=Interval(
            estimate=ratio,
            low=ratio / reaches[0],
            high=ratio * reaches[1],
            confidence_percent=limits.confidence_percent,
        ),
        p_value=min(1.0, 2 * towards.tail(beyond)),
        p_below=up.tail(same - shift),
        p_above=down.tail(same + shift),
        freedom=towards.freedom,
    )
