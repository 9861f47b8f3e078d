"""Where the level of a series changes: the best segmentation, by PELT.

The cost of a segment is the sum of squared deviations from its own mean; each change
costs a penalty that grows with the noise. The search is exact: no other segmentation
costs less [1]_. Values far from their neighbours are first limited, as a single stall
is not a change of level, but squares would make it one [2]_.

References
----------
.. [1] R. Killick, P. Fearnhead, I. A. Eckley, "Optimal detection of changepoints with
   a linear computational cost", JASA 107 (2012).
.. [2] P. Fearnhead, G. Rigaill, "Changepoint detection in the presence of outliers",
   JASA 114 (2019), who bound the cost instead of the values.

Where the transient ends: the truncation that leaves the most precise mean.

MSER-5 of simulation studies: of all initial segments, in batches of five, the one whose
removal leaves the least standard error of the mean of the rest.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ssdlab.stats.autoregressive import weigh_columns
from ssdlab.stats.interval import Interval

FloatArray = npt.NDArray[np.float64]

FEWEST_IN_A_SEGMENT = 2
# Measured: at most 5 of 100 steady series with hardly autocorrelated noise are split, 1
# of 3 if it is strongly autocorrelated (decision 39).
PENALTY_FACTOR = 4.0
# The least four fifths of normal squares have 0.4377 of the mean of all.
_TRIMMED_SHARE, _TRIMMED_MEAN = 0.8, 0.4377
_SHRINKAGE = 10.0  # rounds: with fewer, most observed autocorrelation is by chance
_ALIKE = np.linspace(0.0, 0.8, 81)
_NEIGHBOURS = 2  # rounds on each side; two of these five may stall
_FARTHEST = 3.0  # noise deviations from the median of the five
_FEWEST_FOR_NOISE = 6
_ROUNDING_RATIO = 1e-12
BATCH = 5
FEWEST_ROUNDS = 60  # of 25 independent ones MSER removes 10 in the median
_FEWEST_LEFT = 5  # batches that are always kept


@dataclass(frozen=True, kw_only=True, slots=True)
class Segmentation:
    """Where segments start, counted from 0, and the noise and penalty that were used.

    ``noise`` is the standard deviation of a value about its level, as it affects the
    mean of a segment: autocorrelation increases it.
    """

    starts: tuple[int, ...]
    count: int
    noise: float
    penalty: float

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """First position of each segment, and the position after its last."""
        return tuple(zip(self.starts, (*self.starts[1:], self.count), strict=True))


def segment_series(
    values: npt.ArrayLike,
    *,
    penalty: float | None = None,
    fewest: int = FEWEST_IN_A_SEGMENT,
) -> Segmentation:
    """Split a series where its level changes.

    It has the least cost, with stalls limited by `hold_stalls`; a short series is one
    segment.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or not len(series) or not np.isfinite(series).all():
        msg = "a segmentation needs a series of numbers without missing values"
        raise ValueError(msg)
    noise = estimate_noise(series)
    if penalty is None:
        penalty = PENALTY_FACTOR * noise**2 * math.log(max(2, len(series)))
    held = hold_stalls(series, noise)
    starts = _search(held, penalty, max(1, fewest))
    return Segmentation(
        starts=starts, count=len(series), noise=noise, penalty=float(penalty)
    )


def hold_stalls(values: FloatArray, noise: float) -> FloatArray:
    """Limit values far from their neighbours to what noise can explain.

    Each value, within three deviations of the median of itself and two neighbours
    on each side; at the ends the series is mirrored. A level that lasts three rounds,
    or two at an end, is not moved.

    >>> hold_stalls(np.array([9.0, 9, 9, 2, 9, 9, 9, 5, 5, 5]), 0.5).tolist()
    [9.0, 9.0, 9.0, 7.5, 9.0, 9.0, 9.0, 5.0, 5.0, 5.0]
    """
    if len(values) <= 2 * _NEIGHBOURS:
        return values
    mirrored = np.pad(values, _NEIGHBOURS, mode="symmetric")
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, 2 * _NEIGHBOURS + 1)
    middle = np.median(windows, axis=-1)
    far = _FARTHEST * noise
    return np.clip(values, middle - far, middle + far)


def estimate_noise(values: FloatArray) -> float:
    """Estimate the noise of a series whose level may change or fall.

    It is the standard deviation of independent values whose mean would be as uncertain.

    Notes
    -----
    Second differences are free of level and slope. Those of neighbours have the mean
    square ``s^2 (6 - 8 a + 2 a^2)`` with the autocorrelation ``a``, those of values
    two rounds apart the same of ``a^2``: their ratio gives the autocorrelation, which
    is shrunk for short series. The greatest fifth of the squares is excluded, and with
    it a few changes.
    """
    rounding = _ROUNDING_RATIO * float(np.abs(values).max(initial=0.0))
    if len(values) < _FEWEST_FOR_NOISE:
        return max(rounding, float(values.std()))
    near, far = (
        _mean_square(values[2 * lag :] - 2 * values[lag:-lag] + values[: -2 * lag])
        for lag in (1, 2)
    )
    if near <= rounding**2:
        return rounding
    alike = float(np.interp(far / near, _bend_ratio(_ALIKE), _ALIKE))
    alike *= len(values) / (len(values) + _SHRINKAGE)
    variance = near / (2 * (1 - alike) * (3 - alike))
    return max(rounding, math.sqrt(variance * (1 + alike) / (1 - alike)))


def _bend_ratio(alike: FloatArray) -> FloatArray:
    """Return the mean square of bends two rounds wide, that of one round being 1."""
    return (1 + alike) * (3 - alike**2) / (3 - alike)


def _mean_square(differences: FloatArray) -> float:
    squares = np.sort(differences**2)
    kept = max(2, round(_TRIMMED_SHARE * len(squares)))
    return float(squares[:kept].mean()) / _TRIMMED_MEAN


def locate_last_change(
    values: npt.ArrayLike,
    segmentation: Segmentation,
    *,
    confidence_percent: float = 95.0,
) -> Interval:
    """Return where the last change of level may lie, given that there is one.

    Notes
    -----
    Each position of the series is weighted by how well levels with autoregressive noise
    explain the values if the last change is there and all others are where they were
    found, whatever the levels are. So the interval is wide if autocorrelated noise may
    be mistaken for the change.
    """
    if len(segmentation.starts) < 2:
        msg = "a series of one segment has no change"
        raise ValueError(msg)
    series = np.asarray(values, dtype=np.float64)
    *others, found = segmentation.starts
    count = len(series)
    if count <= len(segmentation.starts) + 1:
        return Interval(
            estimate=float(found),
            low=1.0,
            high=float(count - 1),
            confidence_percent=confidence_percent,
        )
    places = np.arange(1, count)
    is_after = np.arange(count)[:, None] >= np.concatenate([others, places])
    steps = is_after.astype(np.float64)
    held = hold_stalls(series, segmentation.noise)
    logs = weigh_columns(held, steps[:, : len(others)], steps[:, len(others) :])
    weights = np.exp(logs - logs.max())
    order = np.argsort(-weights, kind="stable")
    total = np.cumsum(weights[order]) / weights.sum()
    enough = int(np.searchsorted(total, confidence_percent / 100)) + 1
    likely = places[order[: min(enough, len(order))]]
    return Interval(
        estimate=float(found),
        low=float(min(likely.min(), found)),
        high=float(max(likely.max(), found)),
        confidence_percent=confidence_percent,
    )


def _search(values: FloatArray, penalty: float, fewest: int) -> tuple[int, ...]:
    """Return the starts of the segments of the least cost.

    A start is pruned once it cannot belong to the best segmentation of the rest; as a
    new segment has a least length, it is kept for that long.
    """
    count = len(values)
    centered = values - values.mean()
    sums = np.concatenate([[0.0], np.cumsum(centered)])
    squares = np.concatenate([[0.0], np.cumsum(centered**2)])
    best = np.full(count + 1, math.inf)
    best[0] = -penalty
    before = np.zeros(count + 1, dtype=np.int64)
    last_end = np.full(count + 1, count, dtype=np.int64)
    starts = np.array([0], dtype=np.int64)
    for end in range(fewest, count + 1):
        if end >= 2 * fewest:
            starts = np.append(starts, end - fewest)
        starts = starts[last_end[starts] >= end]
        costs = best[starts] + _cost((sums, squares), starts, end)
        place = int(np.argmin(costs))
        best[end], before[end] = costs[place] + penalty, starts[place]
        hopeless = starts[costs > best[end]]
        last_end[hopeless] = np.minimum(last_end[hopeless], end + fewest - 1)
    return _walk_back(before, count)


def _cost(
    running: tuple[FloatArray, FloatArray], starts: npt.NDArray[np.int64], end: int
) -> FloatArray:
    """Return the squared deviations of the segments that end before `end`."""
    sums, squares = (column[end] - column[starts] for column in running)
    return np.asarray(squares - sums**2 / (end - starts))


def _walk_back(before: npt.NDArray[np.int64], count: int) -> tuple[int, ...]:
    starts, end = [], count
    while end > 0:
        end = int(before[end])
        starts.append(end)
    return tuple(reversed(starts)) or (0,)


@dataclass(frozen=True, kw_only=True, slots=True)
class Truncation:
    """How many values to remove, and the mean of the rest.

    ``is_found`` is False if the best truncation lies in the second half: then the
    series is too short for its transient. ``note`` states the limitations.
    """

    dropped: int
    mean: float
    is_found: bool
    note: str = ""


def find_truncation(values: npt.ArrayLike, *, batch: int = BATCH) -> Truncation:
    """Find how much of a series to remove by the MSER rule.

    References
    ----------
    .. [1] K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state
       truncation heuristics for simulation", Winter Simulation Conference 2000.

    >>> find_truncation([9, 8, 5, 6, 5, 6, 5, 6], batch=2).dropped
    2
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or len(series) < batch or not np.isfinite(series).all():
        msg = f"the rule needs {batch} numbers or more, without missing values"
        raise ValueError(msg)
    count = len(series) // batch
    means = series[: count * batch].reshape(count, batch).mean(axis=1)
    # A few batches at the end may agree by chance.
    left = max(2, min(_FEWEST_LEFT, count // 2))
    cuts = np.arange(max(1, count - left + 1))
    errors = np.array([means[cut:].var() / (count - cut) for cut in cuts])
    best = int(np.argmin(errors))
    dropped = best * batch
    is_found = count > 1 and best <= count // 2
    notes = [] if is_found else ["more than half would be removed: series too short"]
    if len(series) < FEWEST_ROUNDS:
        notes.append(f"of little use below {FEWEST_ROUNDS} rounds")
    return Truncation(
        dropped=dropped,
        mean=float(series[dropped:].mean()),
        is_found=is_found,
        note="; ".join(notes),
    )
