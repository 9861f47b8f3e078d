"""Mean and slope of a series whose neighbouring values are alike.

The noise of a round is taken as first-order autoregressive. Which autocorrelation it
has is not known, so none is chosen: the fit is made for each of a grid, and the fits
are averaged by how well each explains the series (decision 38).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from ssdlab.analysis.inference.interval import Interval

FloatArray = npt.NDArray[np.float64]

FEWEST_FOR_AUTOCORRELATION = 10
TOO_FEW = (
    f"fewer than {FEWEST_FOR_AUTOCORRELATION} rounds: too narrow if neighbours are "
    "alike"
)
NO_SCATTER = "the values do not scatter at all"

_GRID = np.linspace(-0.95, 0.99, 98)
# Between a flat weight and that of Jeffreys; measured to cover best (decision 38).
_EDGE_WEIGHT = 0.25
_NEGLIGIBLE = 1e-7
_HALVINGS = 44
_FUTURES = 32
_TIMES_AS_MANY = (2, 3, 4, 6, 9, 17)
_ROUNDING_RATIO = 1e-12  # scatter that is no more than what rounding adds


@dataclass(frozen=True, kw_only=True, slots=True)
class Mixture:
    """Student t distributions of one number, and the weight of each.

    ``centers`` and ``scales`` have the weights in their last dimension; those before
    it are of as many numbers as are asked for at once.
    """

    centers: FloatArray
    scales: FloatArray
    weights: FloatArray
    degrees: int

    def mean(self) -> FloatArray:
        """Return the mean of each number."""
        return np.asarray(self.centers @ self.weights)

    def standard_error(self) -> FloatArray:
        """Return the root mean square of scale and of distance from the mean."""
        apart = self.centers - self.mean()[..., None]
        return np.sqrt((self.scales**2 + apart**2) @ self.weights)

    def quantile(self, share: float) -> FloatArray:
        """Return the value below which a share of each distribution lies."""
        ends = self.centers + self.scales * stdtrit(self.degrees, share)
        low, high = ends.min(axis=-1), ends.max(axis=-1)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = stdtr(
                self.degrees, (middle[..., None] - self.centers) / self.scales
            )
            is_low = below @ self.weights < share
            low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
        return np.asarray((low + high) / 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class AutoregressiveFit:
    """Least squares for each autocorrelation of a grid.

    ``weights`` add up to 1. ``coefficients`` has one row an autocorrelation,
    ``spreads`` the matrix that a unit variance of the noise leaves them with, and
    ``squares`` the sum of squared innovations. ``evidence`` is the logarithm of what
    the weights added up to before, to compare designs of as many columns.
    """

    autocorrelations: FloatArray
    weights: FloatArray
    coefficients: FloatArray
    spreads: FloatArray
    squares: FloatArray
    degrees: int
    evidence: float
    has_scatter: bool

    def combine(self, parts: npt.ArrayLike) -> Mixture:
        """Return the distribution of a sum of the coefficients' multiples.

        Parameters
        ----------
        parts : array_like of float, shape (..., n_coefficients)
            What each coefficient is multiplied with.

        Returns
        -------
        Mixture
            Its distribution, or one for each row of `parts`.
        """
        rows = np.asarray(parts, dtype=np.float64)
        variances = np.einsum("...i,kij,...j->...k", rows, self.spreads, rows)
        variances = variances * (self.squares / self.degrees)
        return Mixture(
            centers=rows @ self.coefficients.T,
            scales=np.sqrt(variances),
            weights=self.weights,
            degrees=self.degrees,
        )

    def autocorrelation(self) -> float:
        """Return the mean autocorrelation.

        Returns
        -------
        float
            Between -0.95 and 0.99.
        """
        return float(self.autocorrelations @ self.weights)


def fit_autoregressive(
    values: npt.ArrayLike, design: npt.ArrayLike
) -> AutoregressiveFit:
    """Fit a linear model with autoregressive noise for every autocorrelation.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value a round, oldest first, none missing.
    design : array_like of float, shape (n, p)
        The columns whose multiples make the values.

    Returns
    -------
    AutoregressiveFit
        The fits and their weights; those without weight are left out.

    Raises
    ------
    ValueError
        If values are missing, or no more than the coefficients.
    """
    series, columns = _as_values(values), np.asarray(design, dtype=np.float64)
    count, width = columns.shape
    if count <= width:
        msg = f"{count} values are too few for {width} coefficients"
        raise ValueError(msg)
    start = np.linalg.lstsq(columns, series, rcond=None)[0]
    residuals = series - columns @ start
    greatest = float(np.abs(series).max(initial=0.0))
    least_square = count * (_ROUNDING_RATIO * greatest) ** 2 + np.finfo(float).tiny
    products = _whiten(columns, columns)
    cross = _whiten(columns, residuals[:, None])[..., 0]
    own = _whiten(residuals[:, None], residuals[:, None])[..., 0, 0]
    spreads = np.linalg.inv(products)
    shifts = np.einsum("kij,kj->ki", spreads, cross)
    squares = np.maximum(own - np.einsum("ki,ki->k", shifts, cross), least_square)
    logs = (0.5 - _EDGE_WEIGHT) * np.log1p(-(_GRID**2))
    logs = logs - np.linalg.slogdet(products)[1] / 2
    logs = logs - (count - width) / 2 * np.log(squares)
    weights = np.exp(logs - logs.max())
    evidence = float(logs.max() + np.log(weights.sum()))
    weights /= weights.sum()
    kept = weights > _NEGLIGIBLE
    return AutoregressiveFit(
        autocorrelations=_GRID[kept],
        weights=weights[kept] / weights[kept].sum(),
        coefficients=start + shifts[kept],
        spreads=spreads[kept],
        squares=squares[kept],
        degrees=count - width,
        evidence=evidence,
        has_scatter=bool((residuals**2).sum() > least_square),
    )


def _whiten(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the products of two sets of columns as Prais and Winsten weigh them.

    They are a square in the autocorrelation: that of all values, that of neighbours
    and that of all but the ends.
    """
    whole = left.T @ right
    inner = left[1:-1].T @ right[1:-1]
    beside = left[1:].T @ right[:-1] + left[:-1].T @ right[1:]
    grid = _GRID[:, None, None]
    return np.asarray(whole - grid * beside + grid**2 * inner)


def fit_mean(values: npt.ArrayLike) -> AutoregressiveFit:
    """Fit a level alone.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value a round.

    Returns
    -------
    AutoregressiveFit
        Its only coefficient is the level.
    """
    series = _as_values(values)
    return fit_autoregressive(series, np.ones((len(series), 1)))


def fit_line(values: npt.ArrayLike) -> AutoregressiveFit:
    """Fit a straight line.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value a round.

    Returns
    -------
    AutoregressiveFit
        Its coefficients are the level in the middle and the slope a round.
    """
    series = _as_values(values)
    return fit_autoregressive(series, line_design(len(series)))


def line_design(count: int) -> FloatArray:
    """Return the columns of a straight line: ones, and the distance from the middle.

    Parameters
    ----------
    count : int
        Number of rounds.

    Returns
    -------
    ndarray of float, shape (count, 2)
        The columns.
    """
    return np.column_stack([np.ones(count), np.arange(count) - (count - 1) / 2])


def estimate_mean(
    values: npt.ArrayLike, *, confidence_percent: float = 95.0
) -> Interval:
    """Estimate the level that a series scatters about.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value a round, oldest first, without a trend.
    confidence_percent : float, default 95.0
        Confidence of the interval [%].

    Returns
    -------
    Interval
        In the unit of the values; open at both ends of fewer than two values.

    Raises
    ------
    ValueError
        If a value is missing, or there is none.

    Examples
    --------
    >>> level = estimate_mean([99.0, 101.0, 100.0, 98.0, 102.0, 100.0])
    >>> round(level.estimate), level.low < 100 < level.high
    (100, True)
    """
    series = _as_values(values)
    if len(series) == 1:
        return open_interval(float(series[0]), confidence_percent)
    fit = fit_mean(series)
    return interval_of(fit, [1.0], confidence_percent=confidence_percent)


def estimate_slope(
    values: npt.ArrayLike, *, confidence_percent: float = 95.0
) -> Interval:
    """Estimate by how much a series rises or falls in a round.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value a round, oldest first.
    confidence_percent : float, default 95.0
        Confidence of the interval [%].

    Returns
    -------
    Interval
        In the unit of the values a round; open at both ends of two values.

    Raises
    ------
    ValueError
        If a value is missing, or there are fewer than two.

    Examples
    --------
    >>> slope = estimate_slope([10.0, 12.5, 14.0, 16.5, 18.0, 20.5, 22.0])
    >>> round(slope.estimate, 1), slope.low > 1
    (2.0, True)
    """
    series = _as_values(values)
    if len(series) == 2:
        return open_interval(float(series[1] - series[0]), confidence_percent)
    fit = fit_line(series)
    return interval_of(fit, [0.0, 1.0], confidence_percent=confidence_percent)


def interval_of(
    fit: AutoregressiveFit, parts: npt.ArrayLike, *, confidence_percent: float = 95.0
) -> Interval:
    """Return the interval of one sum of a fit's coefficients.

    Parameters
    ----------
    fit : AutoregressiveFit
        The fit.
    parts : array_like of float, shape (n_coefficients,)
        What each coefficient is multiplied with.
    confidence_percent : float, default 95.0
        Confidence of the interval [%].

    Returns
    -------
    Interval
        Its note says what it cannot be trusted for.
    """
    mixture = fit.combine(parts)
    tail = (1 - confidence_percent / 100) / 2
    count = fit.degrees + fit.coefficients.shape[1]
    note = TOO_FEW if count < FEWEST_FOR_AUTOCORRELATION else ""
    return Interval(
        estimate=float(mixture.mean()),
        low=float(mixture.quantile(tail)),
        high=float(mixture.quantile(1 - tail)),
        confidence_percent=confidence_percent,
        note=note if fit.has_scatter else NO_SCATTER,
    )


def rounds_to_halve(values: npt.ArrayLike, *, seed: int = 0) -> Interval:
    """Tell how many more rounds would halve the interval of the level.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value a round, oldest first, without a trend.
    seed : int, default 0
        Seed of the draws.

    Returns
    -------
    Interval
        Rounds beyond those that are there; infinite where 16 times as many rounds
        do not do it.

    Raises
    ------
    ValueError
        If a value is missing, or there are fewer than two.

    Notes
    -----
    The series is gone on with some dozens of times, each with a noise that explains
    it, and the interval of each longer series is computed: more rounds also tell
    better how alike they are.

    Examples
    --------
    >>> more = rounds_to_halve([99.0, 101.0, 100.0, 98.0, 102.0, 100.0] * 4)
    >>> 40 < more.estimate < 100
    True
    """
    series = _as_values(values)
    fit = fit_mean(series)
    if not fit.has_scatter:
        return Interval(estimate=0.0, low=0.0, high=0.0, note=NO_SCATTER)
    count = len(series)
    totals = count * np.array(_TIMES_AS_MANY)
    half = _width(series) / 2
    futures = _go_on(series, fit, int(totals[-1]) - count, seed=seed)
    more = []
    for future in futures:
        whole = np.concatenate([series, future])
        widths = [_width(whole[:total]) for total in totals]
        more.append(_crossing(totals, np.array(widths), half) - count)
    # Counted off, not interpolated: infinity has no middle.
    low, middle, high = np.quantile(more, [0.025, 0.5, 0.975], method="nearest")
    note = TOO_FEW if count < FEWEST_FOR_AUTOCORRELATION else ""
    return Interval(estimate=float(middle), low=float(low), high=float(high), note=note)


def _width(series: FloatArray) -> float:
    interval = interval_of(fit_mean(series), [1.0])
    return interval.high - interval.low


def _go_on(
    series: FloatArray, fit: AutoregressiveFit, rounds: int, *, seed: int
) -> FloatArray:
    """Draw futures about a level, each with noise of its own kind."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(fit.weights), size=_FUTURES, p=fit.weights)
    alike, level = fit.autocorrelations[chosen], fit.coefficients[chosen, 0]
    deviations = np.sqrt(fit.squares[chosen] / rng.chisquare(fit.degrees, _FUTURES))
    futures = np.empty((_FUTURES, rounds))
    noise = series[-1] - level
    for step in range(rounds):
        noise = alike * noise + deviations * rng.standard_normal(_FUTURES)
        futures[:, step] = level + noise
    return futures


def _crossing(totals: npt.NDArray[np.int64], widths: FloatArray, half: float) -> float:
    """Return the total at which the width falls to a half, between those tried."""
    below = np.flatnonzero(widths <= half)
    if not len(below):
        return np.inf
    place = int(below[0])
    if place == 0:
        return float(totals[0])
    span = slice(place - 1, place + 1)
    logs = np.log(widths[span])
    share = (logs[0] - np.log(half)) / (logs[0] - logs[1])
    first, last = np.log(totals[span])
    return float(np.ceil(np.exp(first + share * (last - first))))


def open_interval(estimate: float, confidence_percent: float = 95.0) -> Interval:
    """Return an estimate of which the data say nothing but itself.

    Parameters
    ----------
    estimate : float
        The estimate.
    confidence_percent : float, default 95.0
        Confidence of the interval [%].

    Returns
    -------
    Interval
        Open at both ends.
    """
    return Interval(
        estimate=estimate,
        low=-np.inf,
        high=np.inf,
        confidence_percent=confidence_percent,
        note="too few rounds for an interval",
    )


def _as_values(values: npt.ArrayLike) -> FloatArray:
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or not len(series) or not np.isfinite(series).all():
        msg = "an estimate needs a row of numbers, none of them missing"
        raise ValueError(msg)
    return series
