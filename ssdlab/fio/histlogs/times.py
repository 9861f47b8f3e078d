"""The start of the records of a histogram log, which has only their ends."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

EPOCH_MS: Final = 1 << 40  # greater times are of log_unix_epoch, not of the job


def find_starts(
    time_ms: NDArray[np.int64], directions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the start of each record of one file [ms].

    A record begins where the previous one of its direction ended; the first one at the
    start of the job. A time that goes back is another thread or run, appended. If the
    first one ends later than two median records, as with Unix times or after a
    ``ramp_time``, its start is unknown and assumed a median record earlier.
    """
    starts = np.zeros_like(time_ms)
    usual_ms = min(median_span(time_ms, directions), EPOCH_MS)
    for direction in np.unique(directions):
        rows = np.flatnonzero(directions == direction)
        starts[rows] = _starts(time_ms[rows], usual_ms)
    return starts


def median_span(time_ms: NDArray[np.int64], directions: NDArray[np.int64]) -> int:
    """Return the median time between two records of one direction [ms]; 0: unknown."""
    parts = [
        _steps(time_ms[directions == direction]) for direction in np.unique(directions)
    ]
    return _median(np.concatenate([*parts, np.empty(0, np.int64)]))


def _starts(time_ms: NDArray[np.int64], usual_ms: int) -> NDArray[np.int64]:
    before = np.concatenate([[0], time_ms[:-1]])
    is_first = time_ms < before
    is_first[:1] = True
    latest = 2 * usual_ms if usual_ms else EPOCH_MS
    begun = np.where(time_ms <= latest, 0, np.maximum(time_ms - usual_ms, 0))
    return np.where(is_first, begun, before)


def _steps(time_ms: NDArray[np.int64]) -> NDArray[np.int64]:
    steps = np.diff(time_ms)
    return steps[steps >= 0]


def _median(steps: NDArray[np.int64]) -> int:
    return int(np.median(steps)) if steps.size else 0
