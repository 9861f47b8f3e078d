"""The level of one side: the logarithm of its mean, and its uncertainty."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ssdlab.stats.autocorrelation import moments_of_series
from ssdlab.stats.interval import Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelEstimate:
    """The level of one side: the logarithm of its mean, and its uncertainty.

    ``variance`` is that of ``log_mean``, ``freedom`` its degrees of freedom, and
    ``n_values`` the number of its values. A level that is more uncertain upwards than
    downwards has its own ``variance_above``. Where scatter is pooled over cells, a test
    of the level has ``test_freedom``, more than its interval.
    """

    log_mean: float
    variance: float
    freedom: float
    n_values: int
    variance_above: float | None = None
    pooled_freedom: float = 0.0

    @property
    def variances(self) -> tuple[float, float]:
        """The variance downwards and that upwards; NaN if unbounded."""
        above = self.variance_above
        return self.variance, self.variance if above is None else above

    @property
    def test_freedom(self) -> float:
        """The degrees of freedom of a test, with what pooling over cells adds."""
        return self.freedom + self.pooled_freedom


@dataclass(frozen=True, kw_only=True, slots=True)
class RunScatter:
    """How much runs of one side scatter, pooled over the cells of a test.

    ``variance`` is that of the logarithm from run to run, the mean over ``n_cells``.
    """

    variance: float
    n_cells: int

    @property
    def freedom(self) -> float:
        """What it adds to the degrees of freedom of a cell's test (decision 77)."""
        return _POOLED_FREEDOM * (1 - 1 / self.n_cells)


_POOLED_FREEDOM = 2.0  # however many cells: they share their runs, and scatter unlike


def estimate_level(values: npt.ArrayLike, *, dependence: float = 0.0) -> LevelEstimate:
    """Estimate the mean of a side from its values, in their order.

    Notes
    -----
    The variance of the logarithm is by the delta method. With a dependence the values
    are a first-order process: the variance of their mean grows, and their scatter
    understates it; its degrees of freedom are by Satterthwaite.
    """
    series = np.asarray(values, dtype=np.float64)
    if not (series.size and np.isfinite(series).all() and (series > 0).all()):
        msg = "a level needs values above zero, without missing ones"
        raise ValueError(msg)
    mean = float(series.mean())
    n = len(series)
    if n < 2:
        nan = math.nan
        return LevelEstimate(
            log_mean=math.log(mean), variance=nan, freedom=nan, n_values=n
        )
    moments = moments_of_series(n, dependence)
    process_variance = float(series.var(ddof=1)) * (n - 1) / moments.residual
    return LevelEstimate(
        log_mean=math.log(mean),
        variance=process_variance * moments.of_mean / mean**2,
        freedom=moments.freedom,
        n_values=n,
    )


def estimate_log_level(
    values: npt.ArrayLike, *, scatter: RunScatter | None = None
) -> LevelEstimate:
    """Estimate the geometric mean of independent values, such as one per run.

    Return its logarithm, and the variance of that, which is NaN for a single value.

    >>> pooled = RunScatter(variance=0.5, n_cells=4)
    >>> level = estimate_log_level([1.0, 1.0], scatter=pooled)
    >>> level.variance, level.freedom, level.test_freedom
    (0.25, 1.0, 2.5)
    """
    logs = np.log(np.asarray(values, dtype=np.float64))
    n = len(logs)
    if n < 2:
        nan = math.nan
        mean = float(logs.mean())
        return LevelEstimate(log_mean=mean, variance=nan, freedom=nan, n_values=n)
    floor = scatter.variance if scatter else 0.0
    return LevelEstimate(
        log_mean=float(logs.mean()),
        variance=max(float(logs.var(ddof=1)), floor) / n,
        freedom=float(n - 1),
        n_values=n,
        pooled_freedom=scatter.freedom if scatter else 0.0,
    )


def pool_scatter(groups: Iterable[npt.ArrayLike]) -> RunScatter | None:
    """Pool how values scatter in the cells of a test, from run to run.

    >>> pooled = pool_scatter([[1.0, math.e], [1.0, 1.0], [3.0]])
    >>> round(pooled.variance, 9), pooled.n_cells
    (0.25, 2)
    """
    logs = [np.log(np.asarray(one, dtype=np.float64)) for one in groups]
    repeated = [one for one in logs if len(one) > 1]
    if not repeated:
        return None
    squares = math.fsum(float(((one - one.mean()) ** 2).sum()) for one in repeated)
    freedom = sum(len(one) - 1 for one in repeated)
    return RunScatter(variance=squares / freedom, n_cells=len(repeated))


def level_of_interval(
    interval: Interval, *, freedom: float, n_values: int
) -> LevelEstimate:
    """Return the level of a value with a known interval.

    Either side reaches to the end of the interval; where that is open the
    variance is NaN.

    >>> held = Interval(estimate=2.0, low=1.0, high=8.0, confidence_percent=95.0)
    >>> level = level_of_interval(held, freedom=4, n_values=5)
    >>> [round(math.exp(reach), 9) for reach in level_reaches(level)]
    [2.0, 4.0]
    """
    student = _student(freedom, interval.confidence_percent)
    log_mean = math.log(interval.estimate)
    ends = interval.low, interval.high
    below, above = (
        ((math.log(end) - log_mean) / student) ** 2 if 0 < end < math.inf else math.nan
        for end in ends
    )
    return LevelEstimate(
        log_mean=log_mean,
        variance=below,
        freedom=freedom,
        n_values=n_values,
        variance_above=above,
    )


def join_levels(levels: Sequence[LevelEstimate]) -> LevelEstimate:
    """Return the mean of independent levels, such as those of several runs.

    The mean of their logarithms with what is known of each; its degrees of freedom
    are by Satterthwaite, the fewer of both sides.

    >>> one = LevelEstimate(log_mean=1.0, variance=0.5, freedom=4.0, n_values=5)
    >>> joined = join_levels([one, one])
    >>> joined.log_mean, joined.variance, joined.freedom, joined.n_values
    (1.0, 0.25, 8.0, 10)
    """
    count = len(levels)
    freedoms = [one.freedom for one in levels]
    sides = list(zip(*(one.variances for one in levels), strict=True))
    totals = [math.fsum(side) for side in sides]
    found = [join_freedoms(side, freedoms) for side in sides]
    return LevelEstimate(
        log_mean=math.fsum(one.log_mean for one in levels) / count,
        variance=totals[0] / count**2,
        freedom=min((one for one in found if one > 0), default=math.nan),
        n_values=sum(one.n_values for one in levels),
        variance_above=totals[1] / count**2,
    )


def join_freedoms(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of variances, after Satterthwaite.

    >>> join_freedoms([0.5, 0.5], [4.0, 4.0]), join_freedoms([0.5, 0.0], [4.0, 9.0])
    (8.0, 4.0)
    """
    known = [
        variance**2 / freedom
        for variance, freedom in zip(variances, freedoms, strict=True)
        if variance != 0
    ]
    return math.fsum(variances) ** 2 / math.fsum(known) if known else math.nan


def level_reaches(
    level: LevelEstimate | None, *, confidence_percent: float = 95.0
) -> tuple[float, float]:
    """Return how far the interval of the logarithm of a level reaches to either side.

    Downwards and upwards: NaN where there is no level, nothing bounds it, or
    nothing scatters.
    """
    if level is None or not any(one > 0 for one in level.variances):
        return math.nan, math.nan
    student = _student(level.freedom, confidence_percent)
    below, above = (student * math.sqrt(one) for one in level.variances)
    return below, above


def _student(freedom: float, confidence_percent: float) -> float:
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    return float(stdtrit(freedom, 0.5 + confidence_percent / 200))
