"""Futures of a series that settles: a decay to a level, with autocorrelated noise.

The decay is one exponential or the sum of two, the slower of which may have the
opposite sign. The decay times, the autocorrelation of the noise, and all other unknowns
are drawn anew for each future, weighted by how well they explain the measurements
(decision 40).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ssdlab.stats.autoregressive import (
    fit_autoregressive,
    weigh_columns,
)
from ssdlab.stats.interval import Interval

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

FEWEST_TO_FORECAST = 4
DRAWS = 1000

_FASTEST_ROUNDS = 0.5
_SLOWEST_SHARE = 3.0  # of the rounds measured; a slower decay looks like a line
_SINGLE, _OF_PAIRS = 80, 14  # decay times that are tried of one exponential, of two
# The height of the slower one, by that of the faster: below 0 the series overshoots.
_HEIGHT_RATIOS = (-0.6, -0.4, -0.2, 0.25, 0.5, 1.0, 2.0)
# No shape is quite that of a drive, and few rounds without noise would choose one as if
# it were: what the rounds say for a shape counts as if they were fewer (decision 40).
_BELIEF = 0.7
_A_SHAPE = 5  # futures go on with a shape each time that it is drawn: it costs a fit


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shapes:
    """Shapes of a decay, in a row each: two decay times [rounds], and the height ratio.

    ``middle`` and ``scale`` are of the rounds measured: shapes are told from there.
    """

    parts: FloatArray
    middle: FloatArray
    scale: FloatArray

    def at(self, rounds: int) -> FloatArray:
        """Return the shapes at so many rounds: shape (rounds, shapes)."""
        raw = _raw_shapes(self.parts, rounds)
        return np.asarray((raw - self.middle) / self.scale, dtype=np.float64)


def _raw_shapes(parts: FloatArray, rounds: int) -> FloatArray:
    fast, slow, ratio = parts.T
    places = np.arange(rounds, dtype=np.float64)[:, None]
    return np.asarray(np.exp(-places / fast) + ratio * np.exp(-places / slow))


def draw_futures(
    values: npt.ArrayLike, rounds: int, *, draws: int = DRAWS, seed: int = 0
) -> FloatArray:
    """Simulate possible futures of a series."""
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or len(series) < FEWEST_TO_FORECAST:
        msg = f"a forecast needs {FEWEST_TO_FORECAST} rounds or more"
        raise ValueError(msg)
    rng = np.random.default_rng(seed)
    every = _find_shapes(len(series)).at(len(series) + rounds)
    known = every[: len(series)]
    evidence = weigh_columns(series, np.ones((len(series), 1)), known)
    weights = np.exp(_BELIEF * (evidence - evidence.max()))
    chosen = rng.choice(
        len(weights), size=-(-draws // _A_SHAPE), p=weights / weights.sum()
    )
    places, shares = np.unique(chosen.repeat(_A_SHAPE)[:draws], return_counts=True)
    drawn = [
        _draw(series, every[:, place], int(share), rng=rng)
        for place, share in zip(places, shares, strict=True)
    ]
    means, noise, alike, fresh = zip(*drawn, strict=True)
    return _draw_futures(
        np.concatenate(means),
        np.concatenate(noise),
        alike=np.concatenate(alike),
        fresh=np.concatenate(fresh, axis=1),
    )


@lru_cache(maxsize=256)
def _find_shapes(count: int) -> _Shapes:
    """Return the shapes that are tried of so many rounds, all as likely before."""
    slowest = max(2 * _FASTEST_ROUNDS, _SLOWEST_SHARE * count)
    alone = np.geomspace(_FASTEST_ROUNDS, slowest, _SINGLE)
    times = np.geomspace(_FASTEST_ROUNDS, slowest, _OF_PAIRS)
    pairs = np.array([
        (fast, slow, ratio)
        for fast, slow in combinations(times, 2)
        for ratio in _HEIGHT_RATIOS
    ])
    singles = np.column_stack([alone, alone, np.zeros(len(alone))])
    parts = np.concatenate([singles, pairs])
    raw = _raw_shapes(parts, count)
    return _Shapes(parts=parts, middle=raw.mean(axis=0), scale=raw.std(axis=0))


def _draw(
    series: FloatArray, shape: FloatArray, draws: int, *, rng: np.random.Generator
) -> tuple[FloatArray, ...]:
    """Draw coefficients and innovations of one shape of a decay: see `_draw_futures`.

    ``shape`` goes on for the rounds ahead.
    """
    count = len(series)
    ahead = shape[count:]
    design = np.column_stack([np.ones(count), shape[:count]])
    fit = fit_autoregressive(series, design)
    chosen = rng.choice(len(fit.weights), size=draws, p=fit.weights)
    deviations = np.sqrt(fit.squares[chosen] / rng.chisquare(fit.degrees, size=draws))
    roots = np.linalg.cholesky(fit.spreads)[chosen]
    normals = rng.standard_normal((draws, 2))
    offsets = np.einsum("kij,kj->ki", roots, normals)
    coefficients = fit.coefficients[chosen] + deviations[:, None] * offsets
    last = coefficients[:, 0] + coefficients[:, 1] * shape[count - 1]
    return (
        coefficients[:, :1] + coefficients[:, 1:] * ahead,
        series[-1] - last,
        fit.autocorrelations[chosen],
        deviations * rng.standard_normal((len(ahead), draws)),
    )


def _draw_futures(
    means: FloatArray, noise: FloatArray, *, alike: FloatArray, fresh: FloatArray
) -> FloatArray:
    """Add noise to the expected values of each future, round by round.

    ``means`` has the shape (draws, rounds) and ``fresh`` (rounds, draws); ``noise`` is
    that of the last round measured.
    """
    futures = means.T.copy()
    for step, innovation in enumerate(fresh):
        noise = alike * noise + innovation
        futures[step] += noise
    return futures.T.copy()


def first_time(is_reached: BoolArray, *, confidence_percent: float = 95.0) -> Interval:
    """Return when an event first occurs.

    In rounds ahead, from 1: the median and the ends between which it occurs in so many
    futures; infinite if it does not occur within the horizon.
    """
    rounds = is_reached.shape[1]
    first = np.where(is_reached.any(axis=1), is_reached.argmax(axis=1) + 1.0, np.inf)
    ordered = np.sort(first)
    tail = (1 - confidence_percent / 100) / 2
    # Ranked, not interpolated: a round is whole, and infinity has no midpoint.
    low, middle, high = (
        float(ordered[min(len(ordered) - 1, int(share * len(ordered)))])
        for share in (tail, 0.5, 1 - tail)
    )
    late = float(np.isinf(first).mean())
    note = (
        f"{100 * late:.0f} % of the futures need more than {rounds} rounds"
        if late
        else ""
    )
    return Interval(
        estimate=middle,
        low=low,
        high=high,
        confidence_percent=confidence_percent,
        note=note,
    )
