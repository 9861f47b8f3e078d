"""How far the clock of a meter is from that of a run, found from the power itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_FARTHEST_S: Final = 3600.0
_COARSE_S: Final = 0.5
_FINE_S: Final = 0.05
_NEAR_S: Final = 3.0  # of the whole, in which the parts are aligned
_PARTS: Final = 8
_LEAST_PARTS: Final = 4
_LEAST_STEPS: Final = 3  # of a part
_AMBIGUOUS_RATIO: Final = 1.1  # of the least scatter: what also fits
_MOST_CANDIDATES: Final = 30
_LEAST_READ: Final = 0.95  # of the steps
_LEAST_GAIN: Final = 0.02  # of the scatter, that the best offset must take away


@dataclass(frozen=True, kw_only=True, slots=True)
class ClockOffset:
    """What is added to the times of a meter, and its 95 % error [s]."""

    offset_s: float
    error_s: float


def find_offset(  # noqa: PLR0917 - two series, and what was done meanwhile
    times_s: npt.ArrayLike,
    watts: npt.ArrayLike,
    spans: npt.ArrayLike,
    stimuli: Sequence[object],
    *,
    farthest_s: float = _FARTHEST_S,
) -> ClockOffset | None:
    """Return how far the clock of a meter is from that of a run.

    Parameters
    ----------
    times_s, watts : array_like
        The readings by the meter's clock [s], ascending, and its power [W], shape (n,).
    spans : array_like
        Begin and end of each step by the clock of the run [s], shape (steps, 2).
    stimuli : sequence
        What each step does; steps of one stimulus take about the same power.
    farthest_s : float, default 3600
        How far the clocks may be apart at most [s].

    Returns
    -------
    ClockOffset or None
        ``None`` where the power tells none: too few steps, or it does not change with
        them.

    Notes
    -----
    The offset is that of the least scatter within stimuli; readings of no step are of
    one stimulus too, rest. Scatter within steps would not do: they are equally long, so
    any fits in place of another. Cells recur in each round, so what tells rounds apart
    is purge, fill and rest: where an offset half a step away or more fits nearly as
    well, none is told. The readings must cover the steps. Eight parts of the run are
    aligned by themselves; the error is that of their mean, by Student's t, and the time
    between two readings.
    """
    at_s, power = np.asarray(times_s, np.float64), np.asarray(watts, np.float64)
    steps = np.asarray(spans, np.float64).reshape(-1, 2)
    if len(steps) < _LEAST_PARTS * _LEAST_STEPS or len(at_s) < len(steps):
        return None
    kinds: dict[object, int] = {}
    codes = np.array([kinds.setdefault(one, len(kinds)) for one in stimuli])
    readings = _Readings(at_s, power)
    usual_s = float(np.median(steps[:, 1] - steps[:, 0]))
    coarse_s = min(_COARSE_S, max(_FINE_S, usual_s / 10))
    coarse = _offsets(0.0, farthest_s, coarse_s)
    scatter = np.array([readings.scatter(steps - offset, codes) for offset in coarse])
    fits = sorted(
        min(
            (readings.scatter(steps - offset, codes), float(offset))
            for offset in _offsets(place, coarse_s, _FINE_S)
        )
        for place in _candidates(coarse, scatter, apart_s=usual_s / 2)
    )
    if not fits or (len(fits) > 1 and fits[1][0] <= _AMBIGUOUS_RATIO * fits[0][0]):
        return None
    middle = fits[0][1]
    usual = readings.means(steps - middle, codes)[codes]
    near = _offsets(middle, _NEAR_S, _FINE_S)
    parts = [
        min(near, key=lambda offset: readings.error(steps[part] - offset, usual[part]))
        for part in np.array_split(np.arange(len(steps)), _PARTS)
        if len(part) >= _LEAST_STEPS
    ]
    if len(parts) < _LEAST_PARTS:
        return None
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    offsets = np.array(parts)
    error = float(offsets.std(ddof=1)) / math.sqrt(len(offsets))
    reach = float(stdtrit(len(offsets) - 1, 0.975)) * error
    apart = float(np.median(np.diff(at_s)))
    return ClockOffset(offset_s=float(offsets.mean()), error_s=reach + apart + _FINE_S)


def _candidates(
    offsets: FloatArray, scatter: FloatArray, *, apart_s: float
) -> list[float]:
    """Return the offsets that fit best, each farther than that from the others."""
    found: list[float] = []
    for place in np.argsort(scatter, kind="stable"):
        if scatter[place] > 1 - _LEAST_GAIN or len(found) == _MOST_CANDIDATES:
            break
        offset = float(offsets[place])
        if all(abs(offset - one) > apart_s for one in found):
            found.append(offset)
    return found


def _offsets(around_s: float, reach_s: float, by_s: float) -> FloatArray:
    return around_s + np.arange(-reach_s, reach_s + by_s / 2, by_s)


class _Readings:
    """Readings of a meter, summed up so that any span is read at once."""

    def __init__(self, at_s: FloatArray, power: FloatArray) -> None:
        self._at_s = at_s
        self._sums = np.concatenate([[0.0], np.cumsum(power)])
        self._squares = np.concatenate([[0.0], np.cumsum(power**2)])

    def scatter(self, steps: FloatArray, codes: IntArray) -> float:
        """Return the scatter within stimuli over that of all; 1 if not all are read.

        Readings that are of no step are of one stimulus too: rest.
        """
        count, sums, _ = self._read(steps)
        if (count > 0).mean() < _LEAST_READ:
            return 1.0
        total = float(self._sums[-1])
        around = float(self._squares[-1]) - total**2 / len(self._at_s)
        held = np.append(np.bincount(codes, count), len(self._at_s) - count.sum())
        by_code = np.append(np.bincount(codes, sums), total - sums.sum())
        within = float(self._squares[-1]) - (by_code**2 / np.maximum(held, 1)).sum()
        return float(within / around) if around > 0 else 1.0

    def means(self, steps: FloatArray, codes: IntArray) -> FloatArray:
        """Return the mean power of each stimulus."""
        count, sums, _ = self._read(steps)
        held = np.maximum(np.bincount(codes, count), 1)
        return np.asarray(np.bincount(codes, sums) / held, np.float64)

    def error(self, steps: FloatArray, usual: FloatArray) -> float:
        """Return the mean square distance of the readings of steps from their usual."""
        count, sums, squares = self._read(steps)
        whole = (squares - 2 * usual * sums + usual**2 * count).sum()
        return float(whole / count.sum()) if count.sum() else math.inf

    def _read(self, steps: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return how many readings each step has, their sum, and that of squares."""
        first = np.searchsorted(self._at_s, steps[:, 0], side="left")
        last = np.searchsorted(self._at_s, steps[:, 1], side="right")
        return (
            (last - first).astype(float),
            self._sums[last] - self._sums[first],
            self._squares[last] - self._squares[first],
        )
