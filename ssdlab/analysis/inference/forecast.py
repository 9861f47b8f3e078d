"""Futures of a series that settles: a decay to a level, with noise that is alike.

How fast it decays, how alike the noise is, and all else that is not known is drawn
anew for each future, by how well it explains what was measured (decision 40).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ssdlab.analysis.inference.autoregressive import (
    AutoregressiveFit,
    fit_autoregressive,
)
from ssdlab.analysis.inference.interval import Interval

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

FEWEST_TO_FORECAST = 4
DRAWS = 1000

_FASTEST_ROUNDS = 0.5
_SLOWEST_SHARE = 3.0  # of the rounds measured; a slower decay is as good as a line
_DECAYS = 18


@dataclass(frozen=True, kw_only=True, slots=True)
class _Decay:
    """A decay time, its scale, and the fits of level and height."""

    rounds: float
    middle: float
    scale: float
    fit: AutoregressiveFit

    def shape(self, rounds: FloatArray) -> FloatArray:
        """Return the decay at rounds, counted from 0, as the fit has it."""
        raw = np.exp(-rounds / self.rounds)
        return np.asarray((raw - self.middle) / self.scale, dtype=np.float64)


def draw_futures(
    values: npt.ArrayLike, rounds: int, *, draws: int = DRAWS, seed: int = 0
) -> FloatArray:
    """Draw what a series may go on as.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value a round, oldest first, four or more, none missing.
    rounds : int
        How many rounds to go on.
    draws : int, default 1000
        How many futures to draw.
    seed : int, default 0
        Seed of the draws.

    Returns
    -------
    ndarray of float, shape (draws, rounds)
        The futures.

    Raises
    ------
    ValueError
        If a value is missing, or there are fewer than four.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or len(series) < FEWEST_TO_FORECAST:
        msg = f"a forecast needs {FEWEST_TO_FORECAST} rounds or more"
        raise ValueError(msg)
    decays = _fit_decays(series)
    evidence = np.array([decay.fit.evidence for decay in decays])
    weights = np.exp(evidence - evidence.max())
    rng = np.random.default_rng(seed)
    shares = rng.multinomial(draws, weights / weights.sum())
    drawn = [
        _draw(series, decay, (int(share), rounds), rng=rng)
        for decay, share in zip(decays, shares, strict=True)
        if share
    ]
    means, noise, alike, fresh = zip(*drawn, strict=True)
    return _go_on(
        np.concatenate(means),
        np.concatenate(noise),
        alike=np.concatenate(alike),
        fresh=np.concatenate(fresh, axis=1),
    )


def _fit_decays(series: FloatArray) -> list[_Decay]:
    count = len(series)
    slowest = max(2 * _FASTEST_ROUNDS, _SLOWEST_SHARE * count)
    decays = []
    for time in np.geomspace(_FASTEST_ROUNDS, slowest, _DECAYS):
        raw = np.exp(-np.arange(count) / time)
        middle, scale = float(raw.mean()), float(raw.std())
        design = np.column_stack([np.ones(count), (raw - middle) / scale])
        fit = fit_autoregressive(series, design)
        decays.append(_Decay(rounds=float(time), middle=middle, scale=scale, fit=fit))
    return decays


def _draw(
    series: FloatArray,
    decay: _Decay,
    size: tuple[int, int],
    *,
    rng: np.random.Generator,
) -> tuple[FloatArray, ...]:
    """Draw coefficients and innovations of one decay time: see `_go_on`."""
    draws, rounds = size
    fit = decay.fit
    chosen = rng.choice(len(fit.weights), size=draws, p=fit.weights)
    deviations = np.sqrt(fit.squares[chosen] / rng.chisquare(fit.degrees, size=draws))
    roots = np.linalg.cholesky(fit.spreads)[chosen]
    normals = rng.standard_normal((draws, 2))
    offsets = np.einsum("kij,kj->ki", roots, normals)
    coefficients = fit.coefficients[chosen] + deviations[:, None] * offsets
    count = len(series)
    last = coefficients[:, 0] + coefficients[:, 1] * decay.shape(
        np.array([count - 1.0])
    )
    ahead = decay.shape(np.arange(count, count + rounds, dtype=np.float64))
    return (
        coefficients[:, :1] + coefficients[:, 1:] * ahead,
        series[-1] - last,
        fit.autocorrelations[chosen],
        deviations * rng.standard_normal((rounds, draws)),
    )


def _go_on(
    means: FloatArray, noise: FloatArray, *, alike: FloatArray, fresh: FloatArray
) -> FloatArray:
    """Add noise to what is expected of each future, round by round.

    ``means`` has the shape (draws, rounds) and ``fresh`` (rounds, draws); ``noise`` is
    that of the last round measured.
    """
    futures = means.T.copy()
    for step, innovation in enumerate(fresh):
        noise = alike * noise + innovation
        futures[step] += noise
    return futures.T.copy()


def first_time(is_reached: BoolArray, *, confidence_percent: float = 95.0) -> Interval:
    """Return when something is reached for the first time.

    Parameters
    ----------
    is_reached : ndarray of bool, shape (draws, rounds)
        Of each future whether it is reached in a round.
    confidence_percent : float, default 95.0
        Confidence of the interval [%].

    Returns
    -------
    Interval
        Rounds ahead, from 1: the median and the ends between which it is reached in
        so many futures; infinite where it is not reached in the rounds looked at.
    """
    rounds = is_reached.shape[1]
    first = np.where(is_reached.any(axis=1), is_reached.argmax(axis=1) + 1.0, np.inf)
    ordered = np.sort(first)
    tail = (1 - confidence_percent / 100) / 2
    # Counted off, not interpolated: a round is whole, and infinity has no middle.
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
