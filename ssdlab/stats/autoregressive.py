"""Least squares of series with autocorrelated noise.

The noise is modelled as first-order autoregressive. Its autocorrelation is unknown, so
none is chosen: the fit is made for each of a grid, and the fits are averaged by how
well each explains the series (decision 38).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ssdlab.stats.special import betaln, stdtr, stdtrit

FloatArray = npt.NDArray[np.float64]
_GRID = np.linspace(-0.95, 0.99, 98)
# Between a flat prior and that of Jeffreys; best measured coverage (decision 38).
_EDGE_WEIGHT = 0.25
_NEGLIGIBLE = 1e-7
_MOST_WIDENED = 5  # values; still fewer are widened by as much
# By how much intervals of 5 values are widened, and how many values need no more:
# of a level, and of a line. Found by simulation (decision 38).
_LEVEL_WIDENING, _LINE_WIDENING = (0.25, 10), (0.4, 20)
_MOST_STEPS = 60  # to a quantile; halving alone needs no more
_LAST_STEP_RATIO = 1e-9  # of a scale; what Newton leaves after it is its square
_ROUNDING_RATIO = 1e-12  # scatter that rounding alone may cause


@dataclass(frozen=True, kw_only=True, slots=True)
class Mixture:
    """Student t distributions of one number, and the weight of each.

    ``centers`` and ``scales`` have the weights in their last dimension; those before
    it are of as many numbers as are asked for at once. ``widening`` is what quantiles
    are moved from the mean by.
    """

    centers: FloatArray
    scales: FloatArray
    weights: FloatArray
    degrees: int
    widening: float = 1.0

    def mean(self) -> FloatArray:
        """Return the mean of each number."""
        return np.asarray(self.centers @ self.weights)

    def standard_error(self) -> FloatArray:
        """Return the root mean square of scale and of distance from the mean."""
        apart = self.centers - self.mean()[..., None]
        return np.sqrt((self.scales**2 + apart**2) @ self.weights)

    def quantile(self, share: float) -> FloatArray:
        """Return the value below which a share of each distribution lies, widened."""
        ends = self.centers + self.scales * stdtrit(self.degrees, share)
        low, high = ends.min(axis=-1), ends.max(axis=-1)
        least = _LAST_STEP_RATIO * self.scales.min(axis=-1)
        found = ends @ self.weights
        for _ in range(_MOST_STEPS):
            excess, density = self._at(found)
            excess = excess - share
            low = np.where(excess < 0, found, low)
            high = np.where(excess < 0, high, found)
            before, found = found, found - excess / density
            is_between = (low <= found) & (found <= high)
            found = np.where(is_between, found, (low + high) / 2)
            if (np.abs(found - before) <= least).all():
                break
        mean = self.mean()
        return np.asarray(mean + self.widening * (found - mean))

    def _at(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share below each place, and the density there."""
        away = (places[..., None] - self.centers) / self.scales
        power = -(self.degrees + 1) / 2
        whole = np.sqrt(self.degrees) * np.exp(betaln(0.5, self.degrees / 2))
        dense = (1 + away**2 / self.degrees) ** power / (whole * self.scales)
        below = stdtr(self.degrees, away)
        return np.asarray(below @ self.weights), np.asarray(dense @ self.weights)


@dataclass(frozen=True, kw_only=True, slots=True)
class AutoregressiveFit:
    """Least squares for each autocorrelation of a grid.

    ``weights`` add up to 1. ``coefficients`` has one row an autocorrelation,
    ``spreads`` the matrix that a unit variance of the noise leaves them with, and
    ``squares`` the sum of squared innovations. ``ordinary`` are the coefficients of
    ordinary least squares, which know no autocorrelation, and ``ordinary_spreads``
    what each autocorrelation leaves those with. ``evidence`` is the logarithm of what
    the weights added up to before, to compare designs of as many columns.
    """

    autocorrelations: FloatArray
    weights: FloatArray
    ordinary: FloatArray
    ordinary_spreads: FloatArray
    coefficients: FloatArray
    spreads: FloatArray
    squares: FloatArray
    degrees: int
    evidence: float
    has_scatter: bool

    def combine(self, parts: npt.ArrayLike) -> Mixture:
        """Return the distribution of a linear combination of the coefficients.

        It is centred on the ordinary estimate, which is what people report: for a level
        the plain average. Each autocorrelation only gives its spread.
        """
        rows = np.asarray(parts, dtype=np.float64)
        spreads = self.ordinary_spreads
        variances = np.einsum("...i,kij,...j->...k", rows, spreads, rows)
        scales = np.sqrt(variances * (self.squares / self.degrees))
        return Mixture(
            centers=(rows @ self.ordinary)[..., None] + np.zeros_like(scales),
            scales=scales,
            weights=self.weights,
            degrees=self.degrees,
            widening=_widening(self.coefficients.shape[1], self.degrees),
        )

    def autocorrelation(self) -> float:
        """Return the mean autocorrelation."""
        return float(self.autocorrelations @ self.weights)


def fit_autoregressive(
    values: npt.ArrayLike, design: npt.ArrayLike
) -> AutoregressiveFit:
    """Fit a linear model with autoregressive noise for every autocorrelation.

    Return the fits and their weights; those without weight are omitted.
    """
    series, columns = as_values(values), np.asarray(design, dtype=np.float64)
    count, width = columns.shape
    if count <= width:
        msg = f"{count} values are too few for {width} coefficients"
        raise ValueError(msg)
    known = _design(columns.tobytes(), width)
    start = known.estimator @ series
    residuals = series - columns @ start
    least_square = _least_square(series)
    cross = _whiten(columns, residuals[:, None])[..., 0]
    own = _whiten(residuals[:, None], residuals[:, None])[..., 0, 0]
    spreads = known.spreads
    shifts = np.einsum("kij,kj->ki", spreads, cross)
    squares = np.maximum(own - np.einsum("ki,ki->k", shifts, cross), least_square)
    logs = _log_weights(known.determinants, squares, count - width)
    weights = np.exp(logs - logs.max())
    evidence = float(logs.max() + np.log(weights.sum()))
    weights /= weights.sum()
    kept = weights > _NEGLIGIBLE
    return AutoregressiveFit(
        autocorrelations=_GRID[kept],
        weights=weights[kept] / weights[kept].sum(),
        ordinary=np.asarray(start, dtype=np.float64),
        ordinary_spreads=known.ordinary_spreads[kept],
        coefficients=start + shifts[kept],
        spreads=spreads[kept],
        squares=squares[kept],
        degrees=count - width,
        evidence=evidence,
        has_scatter=bool((residuals**2).sum() > least_square),
    )


def weigh_columns(
    values: npt.ArrayLike, shared: npt.ArrayLike, each: npt.ArrayLike
) -> FloatArray:
    """Return how well a series is explained with each of several columns.

    The ``evidence`` that `fit_autoregressive` has of each design, at the cost of
    few fits; minus infinity where a column is a sum of the shared ones.
    """
    series, columns = as_values(values), np.asarray(shared, dtype=np.float64)
    added = np.asarray(each, dtype=np.float64)
    estimator = np.linalg.pinv(columns)
    rest = (series - columns @ (estimator @ series))[:, None]
    sizes = (added**2).sum(axis=0)
    added = added - columns @ (estimator @ added)
    is_new = (added**2).sum(axis=0) > _ROUNDING_RATIO * sizes
    own, apart = _whiten(columns, columns), _whiten(columns, added)
    toward = np.linalg.solve(own, np.concatenate([_whiten(columns, rest), apart], -1))
    left = _whiten(rest, rest)[:, 0] - (_whiten(rest, columns) @ toward[..., :1])[:, 0]
    across = (_whiten(rest, added) - _whiten(rest, columns) @ toward[..., 1:])[:, 0]
    lengths = _whiten_lengths(added) - (apart * toward[..., 1:]).sum(axis=1)
    lengths = np.where(is_new, lengths, 1.0)
    count, width = columns.shape
    squares = np.maximum(left - across**2 / lengths, _least_square(series))
    determinants = np.linalg.slogdet(own)[1][:, None] + np.log(lengths)
    logs = _log_weights(determinants, squares, count - width - 1)
    greatest = logs.max(axis=0)
    found = greatest + np.log(np.exp(logs - greatest).sum(axis=0))
    return np.where(is_new, found, -np.inf)


def _log_weights(
    determinants: FloatArray, squares: FloatArray, degrees: int
) -> FloatArray:
    """Return the logarithms of the grid's weights, the grid in the first dimension."""
    edge = (0.5 - _EDGE_WEIGHT) * np.log1p(-(_GRID**2))
    edge = edge.reshape(-1, *[1] * (squares.ndim - 1))
    return np.asarray(edge - determinants / 2 - degrees / 2 * np.log(squares))


def _least_square(series: FloatArray) -> float:
    """Return the sum of squares that rounding alone may cause."""
    greatest = float(np.abs(series).max(initial=0.0))
    return len(series) * (_ROUNDING_RATIO * greatest) ** 2 + float(np.finfo(float).tiny)


def _widening(width: int, degrees: int) -> float:
    """Return the factor by which intervals of so few values are widened.

    Few values do not reveal a strong autocorrelation, and the average over all of them
    is too optimistic if it is 0.8. The widening falls linearly from that of 5 values to
    none.
    """
    most, enough = _LEVEL_WIDENING if width == 1 else _LINE_WIDENING
    short = max(0, enough - max(width + degrees, _MOST_WIDENED))
    return 1 + most * short / (enough - _MOST_WIDENED)


def _whiten(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the products of two sets of columns with Prais-Winsten weights.

    They are a square in the autocorrelation: that of all values, that of neighbours
    and that of all but the ends.
    """
    whole = left.T @ right
    inner = left[1:-1].T @ right[1:-1]
    beside = left[1:].T @ right[:-1] + left[:-1].T @ right[1:]
    grid = _GRID[:, None, None]
    return np.asarray(whole - grid * beside + grid**2 * inner)


def _whiten_lengths(columns: FloatArray) -> FloatArray:
    """Return the product of each column with itself, as `_whiten` has them."""
    whole = (columns**2).sum(axis=0)
    inner = (columns[1:-1] ** 2).sum(axis=0)
    beside = 2 * (columns[1:] * columns[:-1]).sum(axis=0)
    grid = _GRID[:, None]
    return np.asarray(whole - grid * beside + grid**2 * inner)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Design:
    """What fits of the same columns share: all that does not depend on the values.

    ``estimator`` has the rows of ordinary least squares, and ``determinants`` are the
    logarithms of those of the products that ``spreads`` are the inverses of.
    """

    estimator: FloatArray
    spreads: FloatArray
    determinants: FloatArray
    ordinary_spreads: FloatArray


@lru_cache(maxsize=64)
def _design(columns: bytes, width: int) -> _Design:
    """Return what fits of some columns share, which are given row by row."""
    table = np.frombuffer(columns).reshape(-1, width)
    products = _whiten(table, table)
    estimator = np.asarray(np.linalg.pinv(table), dtype=np.float64)
    return _Design(
        estimator=estimator,
        spreads=np.asarray(np.linalg.inv(products), dtype=np.float64),
        determinants=np.linalg.slogdet(products)[1],
        ordinary_spreads=_ordinary_spreads(estimator, _GRID),
    )


def _ordinary_spreads(rows: FloatArray, alike: FloatArray) -> FloatArray:
    """Return the covariance of ordinary least squares by autocorrelation.

    That of the noise depends on the distance alone, so the products of the
    estimator's rows are added up by distance first.
    """
    count = rows.shape[1]
    waves = np.fft.rfft(rows, 2 * count)
    pairs = waves[:, None].conj() * waves[None]
    ahead = np.fft.irfft(pairs, 2 * count)[..., :count]
    both = ahead + ahead.swapaxes(0, 1)
    both[..., 0] /= 2
    powers = alike[:, None] ** np.arange(count)
    return np.asarray(
        np.einsum("ijd,kd->kij", both, powers / (1 - alike[:, None] ** 2))
    )


def as_values(values: npt.ArrayLike) -> FloatArray:
    """Return a series as a row of numbers."""
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or not len(series) or not np.isfinite(series).all():
        msg = "an estimate needs a series of numbers without missing values"
        raise ValueError(msg)
    return series
