"""The level of one side: the logarithm of its mean, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ssdlab.analysis.inference.dependence import moments_of_series
from ssdlab.analysis.inference.interval import Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelEstimate:
    """The level of one side: logarithm of its mean, and how sure that is.

    ``variance`` is that of ``log_mean``, ``freedom`` its degrees of freedom, and
    ``n_values`` how many values stand behind it.
    """

    log_mean: float
    variance: float
    freedom: float
    n_values: int


def estimate_level(values: npt.ArrayLike, *, dependence: float = 0.0) -> LevelEstimate:
    """Estimate the mean of a side from its values, in their order.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Values above zero, such as the IOPS of each round, oldest first.
    dependence : float, default 0
        Correlation of each value with the one before, 0 to 0.95: what
        `estimate_dependence` returned.

    Returns
    -------
    LevelEstimate
        Of fewer than two values the variance is NaN.

    Raises
    ------
    ValueError
        If there is no value, or one is missing or not above zero.

    Notes
    -----
    The variance of the logarithm is by the delta method. With a dependence the values
    are a process of first order: the variance of their mean grows, and their scatter
    shows less of it than it seems; its degrees of freedom are by Satterthwaite.
    """
    series = np.asarray(values, dtype=np.float64)
    if not (series.size and np.isfinite(series).all() and (series > 0).all()):
        msg = "a level needs values above zero, none of them missing"
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


def estimate_log_level(values: npt.ArrayLike) -> LevelEstimate:
    """Estimate the geometric mean of independent values, such as one a run.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Two or more values above zero.

    Returns
    -------
    LevelEstimate
        Its logarithm, and the variance of that.
    """
    logs = np.log(np.asarray(values, dtype=np.float64))
    n = len(logs)
    return LevelEstimate(
        log_mean=float(logs.mean()),
        variance=float(logs.var(ddof=1)) / n,
        freedom=float(n - 1),
        n_values=n,
    )


def level_of_interval(
    interval: Interval, *, freedom: float, n_values: int
) -> LevelEstimate:
    """Return the level of a value of which an interval is known.

    Parameters
    ----------
    interval : Interval
        By Student's t; its estimate is above zero.
    freedom : float
        Degrees of freedom of the t.
    n_values : int
        How many values stand behind it.

    Returns
    -------
    LevelEstimate
        Its reach is half of the interval of the logarithm; where a side is not bounded
        the variance is NaN.

    Examples
    --------
    >>> held = Interval(estimate=2.0, low=1.0, high=4.0, confidence_percent=95.0)
    >>> level = level_of_interval(held, freedom=4, n_values=5)
    >>> round(math.exp(level_reach(level)), 9)
    2.0
    """
    variance = math.nan
    if interval.low > 0 and math.isfinite(interval.high):
        reach = math.log(interval.high / interval.low) / 2
        variance = (reach / _student(freedom, interval.confidence_percent)) ** 2
    return LevelEstimate(
        log_mean=math.log(interval.estimate),
        variance=variance,
        freedom=freedom,
        n_values=n_values,
    )


def join_levels(levels: Sequence[LevelEstimate]) -> LevelEstimate:
    """Return the mean of independent levels, such as those of several runs.

    Parameters
    ----------
    levels : sequence of LevelEstimate
        One or more; how they scatter among themselves is not asked.

    Returns
    -------
    LevelEstimate
        The mean of their logarithms with what is known of each; its degrees of freedom
        are by Satterthwaite.

    Examples
    --------
    >>> one = LevelEstimate(log_mean=1.0, variance=0.5, freedom=4.0, n_values=5)
    >>> joined = join_levels([one, one])
    >>> joined.log_mean, joined.variance, joined.freedom, joined.n_values
    (1.0, 0.25, 8.0, 10)
    """
    count = len(levels)
    total = math.fsum(one.variance for one in levels)
    parts = math.fsum(one.variance**2 / one.freedom for one in levels)
    return LevelEstimate(
        log_mean=math.fsum(one.log_mean for one in levels) / count,
        variance=total / count**2,
        freedom=total**2 / parts if parts else math.nan,
        n_values=sum(one.n_values for one in levels),
    )


def level_reach(
    level: LevelEstimate | None, *, confidence_percent: float = 95.0
) -> float:
    """Return half of the interval of the logarithm of a level.

    Parameters
    ----------
    level : LevelEstimate or None
        The level.
    confidence_percent : float, default 95
        Level of the interval [%].

    Returns
    -------
    float
        NaN where there is no level, or nothing scatters.
    """
    if level is None or not level.variance > 0:
        return math.nan
    return _student(level.freedom, confidence_percent) * math.sqrt(level.variance)


def _student(freedom: float, confidence_percent: float) -> float:
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to load

    return float(stdtrit(freedom, 0.5 + confidence_percent / 200))
