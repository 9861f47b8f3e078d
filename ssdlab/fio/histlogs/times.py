"""When a record of a histogram log began: its line tells when it ended alone."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

EPOCH_MS: Final = 1 << 40  # times beyond are those of log_unix_epoch, not of the job


def find_starts(
    time_ms: NDArray[np.int64], directions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the start of each record of one file [ms].

    A record begins where the one before it in its direction ended; the first one at
    the start of the job. A time that goes back is another thread or run, appended.
    Where times are those of the clock, the start of a job is not known: a median
    record before its first.
    """
    starts = np.zeros_like(time_ms)
    for direction in np.unique(directions):
        rows = np.flatnonzero(directions == direction)
        starts[rows] = _starts(time_ms[rows])
    return starts


def median_span(time_ms: NDArray[np.int64], directions: NDArray[np.int64]) -> int:
    """Return the median time between two records of one direction [ms]; 0: unknown."""
    parts = [
        _steps(time_ms[directions == direction]) for direction in np.unique(directions)
    ]
    return _median(np.concatenate([*parts, np.empty(0, np.int64)]))


def _starts(time_ms: NDArray[np.int64]) -> NDArray[np.int64]:
    before = np.concatenate([[0], time_ms[:-1]])
    is_first = time_ms < before
    is_first[:1] = True
    unknown = np.maximum(time_ms - _median(_steps(time_ms)), 0)
    begun = np.where(time_ms < EPOCH_MS, 0, unknown)
    return np.where(is_first, begun, before)


def _steps(time_ms: NDArray[np.int64]) -> NDArray[np.int64]:
    steps = np.diff(time_ms)
    return steps[steps >= 0]


def _median(steps: NDArray[np.int64]) -> int:
    return int(np.median(steps)) if steps.size else 0
