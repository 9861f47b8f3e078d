"""The result that every reader must find, and its comparison."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Answer = Mapping[str, NDArray[Any]]

LEVELS = (50.0, 90.0, 99.0, 99.9, 99.99)

_BIN_RATIO = 1 / 64  # the width of fio's bins, as a share of the latency
_ROUNDING = 1e-9


def differences(ours: Answer, theirs: Answer) -> list[str]:
    """Return what differs; percentiles may be either end of one bin."""
    found = []
    for name in sorted(set(ours) & set(theirs)):
        tolerance = _BIN_RATIO if name == "percentiles" else _ROUNDING
        mine, other = (np.asarray(side[name], np.float64) for side in (ours, theirs))
        if mine.shape != other.shape:
            found.append(f"{name}: {mine.shape} and {other.shape}")
        elif not np.allclose(mine, other, rtol=tolerance, atol=0, equal_nan=True):
            worst = np.nanmax(np.abs(mine - other) / np.abs(other))
            found.append(f"{name}: up to {worst:.2%} apart")
    return found


def log_answer(
    time_ms: NDArray[np.int64], lat_ns: NDArray[np.int64], directions: NDArray[np.int64]
) -> Answer:
    """Return the answer to the work on the latency log, from three columns."""
    seconds = time_ms // 1000
    length = int(seconds.max()) + 1
    chosen = [directions == direction for direction in (0, 1)]
    parts = [(lat_ns[rows], seconds[rows]) for rows in chosen]
    return {
        "counts": np.array([len(values) for values, _ in parts]),
        "percentiles": np.array([exact_percentiles(values) for values, _ in parts]),
        "means": np.array([_means(*part, length) for part in parts]),
    }


def exact_percentiles(values: NDArray[np.int64]) -> NDArray[np.int64]:
    levels = np.array(LEVELS) / 100
    return np.quantile(values, levels, method="inverted_cdf").astype(np.int64)


def _means(
    values: NDArray[np.int64], seconds: NDArray[np.int64], length: int
) -> NDArray[np.float64]:
    counts = np.bincount(seconds, minlength=length)
    return np.bincount(seconds, weights=values, minlength=length) / counts
