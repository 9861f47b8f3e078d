"""By how much two sides differ: the ratio of their means, its interval, Holm's rule.

Values of one side may depend on those before them; how much is estimated once over all
cells that were measured together (`estimate_dependence`) and widens the interval.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ssdlab.analysis.inference.interval import Interval

LEAST_FREEDOM = 20  # residuals; from fewer no dependence can be told
GREATEST_DEPENDENCE = 0.95

_STEPS = 39
_LONGEST_EXACT = 60  # values; in longer series both expectations agree
_NODES = 64  # of the quadrature


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One side by another: the ratio with its interval, and how surely it is not 1.

    ``p_value`` is that of the hypothesis that the truth lies within the least ratio
    that was asked for; NaN where it cannot be told, which ``ratio.note`` explains.
    """

    ratio: Interval
    p_value: float
    freedom: float


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
    moments = _moments(n, round(min(max(dependence, 0.0), GREATEST_DEPENDENCE), 4))
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
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to load

    student = float(stdtrit(level.freedom, 0.5 + confidence_percent / 200))
    return student * math.sqrt(level.variance)


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

    References
    ----------
    .. [1] B. L. Welch, "The generalization of Student's problem when several different
       population variances are involved", Biometrika 34, 1947.

    Examples
    --------
    >>> slow, fast = estimate_level([50, 51, 49]), estimate_level([100, 101, 99])
    >>> found = compare_levels(slow, fast).ratio
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.5, 0.48, 0.521)
    """
    freedom = _welch_freedom(first, second)
    return _judge(
        first.log_mean - second.log_mean,
        first.variance + second.variance,
        freedom,
        confidence_percent=confidence_percent,
        least_ratio=least_ratio,
    )


def compare_runs_of_sides(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    others: Sequence[npt.ArrayLike] = (),
    confidence_percent: float = 95.0,
    least_ratio: float = 1.0,
) -> Difference:
    """Compare two sides by one value a run: the honest unit where runs are repeated.

    Parameters
    ----------
    first, second : array_like of float, shape (n_runs,)
        One value a run; a side with a single run borrows the scatter of the others.
    others : sequence of array_like of float, optional
        The runs of further sides; asked only where a side has a single run.
    confidence_percent : float, default 95
        Level of the interval [%].
    least_ratio : float, default 1
        A ratio up to this, and down to its inverse, does not matter.

    Returns
    -------
    Difference
        The first by the second. Where no side has two runs nothing can be told.

    Notes
    -----
    Two sides with repeated runs are compared after Welch. Otherwise the variance of the
    logarithm between runs is pooled over all sides that repeat theirs, as if it were
    the same in each.
    """
    logs = [np.log(np.asarray(one, dtype=np.float64)) for one in (first, second)]
    sizes = [len(one) for one in logs]
    shift = float(logs[0].mean() - logs[1].mean())
    limits = {"confidence_percent": confidence_percent, "least_ratio": least_ratio}
    if min(sizes) >= 2:
        levels = [estimate_log_level(one) for one in (first, second)]
        return compare_levels(levels[0], levels[1], **limits)
    pool = [*logs, *(np.log(np.asarray(one, dtype=np.float64)) for one in others)]
    freedom = sum(len(one) - 1 for one in pool)
    if freedom == 0:
        return _judge(shift, math.nan, math.nan, **limits)
    squares = math.fsum(float(((one - one.mean()) ** 2).sum()) for one in pool)
    variance = squares / freedom * (1 / sizes[0] + 1 / sizes[1])
    return _judge(shift, variance, float(freedom), **limits)


def adjust_by_holm(p_values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Adjust p-values so that among all of them one in 20 tables errs, not one cell.

    Parameters
    ----------
    p_values : array_like of float, shape (n,)
        One a test; NaN is no test and stays.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        Compare with 0.05.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> [round(float(p), 3) for p in adjust_by_holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(raw.shape, np.nan)
    known = np.flatnonzero(np.isfinite(raw))
    order = known[np.argsort(raw[known], kind="stable")]
    steps = raw[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def estimate_dependence(series: Iterable[npt.ArrayLike]) -> float:
    """Estimate how much values depend on the ones before, over several series at once.

    Parameters
    ----------
    series : iterable of array_like of float
        Series that were measured together, each in its order: of each cell of a test
        the rounds of its window. Each has a scatter of its own.

    Returns
    -------
    float
        The correlation of neighbours in a process of first order, from 0 to
        `GREATEST_DEPENDENCE`; never below 0. NaN where fewer than `LEAST_FREEDOM`
        residuals are there.

    Notes
    -----
    In short series the correlation of neighbours comes out too low: of 5 independent
    values it is -0.2 on average. Its expectation is known for every length, and the
    estimate is the process whose expectation is the one that was found.
    """
    found, lengths = 0.0, []
    for one in series:
        values = np.asarray(one, dtype=np.float64)
        rest = values - values.mean() if len(values) > 2 else np.zeros(1)
        scatter = float((rest**2).sum())
        if scatter > 0:
            n = len(values)
            found += (n - 1) * float((rest[1:] * rest[:-1]).sum()) / scatter
            lengths.append(n)
    freedom = sum(n - 1 for n in lengths)
    if freedom < LEAST_FREEDOM:
        return math.nan
    grid = np.linspace(0.0, GREATEST_DEPENDENCE, _STEPS)
    expected = np.zeros(_STEPS)
    for n in lengths:
        expected += (n - 1) * _expected_neighbours(n)
    return float(np.interp(found, np.maximum.accumulate(expected), grid))


@dataclass(frozen=True, slots=True)
class _Moments:
    """Of n values of a process of variance 1 (see `estimate_level`)."""

    of_mean: float
    residual: float
    freedom: float
    neighbours: float


def _residual_correlation(n: int, dependence: float) -> npt.NDArray[np.float64]:
    places = np.arange(n)
    correlation = dependence ** np.abs(places[:, None] - places[None, :]).astype(float)
    rows = correlation.mean(axis=1)
    rest: npt.NDArray[np.float64] = (
        correlation - rows[:, None] - rows[None, :] + rows.mean()
    )
    return rest


@lru_cache(maxsize=4096)
def _moments(n: int, dependence: float) -> _Moments:
    rest = _residual_correlation(n, dependence)
    residual = float(np.trace(rest))
    return _Moments(
        of_mean=1 - residual / n,
        residual=residual,
        freedom=residual**2 / float((rest**2).sum()),
        neighbours=float(np.trace(rest, offset=1)),
    )


@lru_cache(maxsize=256)
def _expected_neighbours(n: int) -> npt.NDArray[np.float64]:
    """Return the expected correlation of neighbours for each dependence of the grid."""
    grid = np.linspace(0.0, GREATEST_DEPENDENCE, _STEPS).round(4).tolist()
    if n <= _LONGEST_EXACT:
        return np.array([_expected_ratio(n, one) for one in grid])
    moments = [_moments(n, one) for one in grid]
    return np.array([one.neighbours / one.residual for one in moments])


def _expected_ratio(n: int, dependence: float) -> float:
    """Return the expectation of a ratio of two quadratic forms, after Sawa.

    The sum of products of neighbours by the sum of squares, both of residuals: that of
    their expectations is too high where the series is short.
    """
    scales, ways = np.linalg.eigh(_residual_correlation(n, dependence))
    kept = scales > 1e-12
    scales, ways = scales[kept], ways[:, kept]
    products = np.einsum("ti,ti->i", ways[1:], ways[:-1])
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    share = (places + 1) / 2
    at = (share / (1 - share))[:, None]
    spread = 1 + 2 * at * scales
    values = (scales * products / spread).sum(axis=1) / np.sqrt(spread.prod(axis=1))
    return float((weights / 2 * values / (1 - share) ** 2).sum())


def _welch_freedom(first: LevelEstimate, second: LevelEstimate) -> float:
    total = first.variance + second.variance
    parts = [
        side.variance**2 / side.freedom
        for side in (first, second)
        if side.variance != 0
    ]
    return total**2 / math.fsum(parts) if parts else math.nan


def _judge(
    shift: float,
    variance: float,
    freedom: float,
    *,
    confidence_percent: float,
    least_ratio: float,
) -> Difference:
    """Make a difference of the logarithm of a ratio and the variance of that."""
    ratio = math.exp(shift)
    if not variance > 0:
        note = "the values do not scatter at all"
        if math.isnan(variance):
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
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - scipy is slow to load

    error = math.sqrt(variance)
    reach = math.exp(float(stdtrit(freedom, 0.5 + confidence_percent / 200)) * error)
    beyond = max(0.0, abs(shift) - math.log(least_ratio))
    return Difference(
        ratio=Interval(
            estimate=ratio,
            low=ratio / reach,
            high=ratio * reach,
            confidence_percent=confidence_percent,
        ),
        p_value=min(1.0, 2 * float(stdtr(freedom, -beyond / error))),
        freedom=freedom,
    )
