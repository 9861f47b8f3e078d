"""The logs of a step combined: its rates and latencies over time."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.logs.read import FioLog
from ssdlab.fio.logs.sums import DIRECTIONS

_MS_PER_S: Final = 1000
_KINDS: Final = ("iops", "bw", "lat")
_SIDES: Final = ("read", "total", "trim", "write")
_TOTAL: Final = _SIDES.index("total")
# The place of a direction of fio in the table; parse_log refuses a sync.
_PLACES: Final = np.array([_SIDES.index(name) for name in DIRECTIONS[:3]])

Floats = NDArray[np.float64]
_Rows = tuple[NDArray[np.int64], NDArray[np.int64], Floats]


def tabulate_series(
    threads: Sequence[Sequence[FioLog]], *, interval_ms: int
) -> Mapping[str, NDArray[Any]]:
    """Return the intervals of a step: rates of all threads added.

    ``threads`` holds, for each thread or for all in one, the ``iops`` log and, where
    there are some, the ``bw`` and ``lat`` logs. Columns are those of the table
    ``series`` from ``direction`` on; ``total`` is all directions. Rates are added. A
    mean latency is weighted by IOPS over directions and files; threads that share a
    file have the same weight, as their lines cannot be distinguished. An interval ends
    at the multiple of ``interval_ms`` nearest to fio's time; the rest after the last
    complete interval has no ``iops`` line and no row.
    """
    parts = [_rows_of_thread(logs, interval_ms) for logs in threads]
    places, intervals, values = (
        np.concatenate(each, axis=-1) for each in zip(*parts, strict=True)
    )
    count = intervals.max(initial=0) + 1
    keys = np.concatenate([places * count, np.full_like(places, _TOTAL * count)])
    keys += np.tile(intervals, 2)
    found, groups = np.unique(keys, return_inverse=True)
    iops, bw, lat_ns = np.tile(values, 2)

    def add(some: Floats) -> Floats:
        is_known = ~np.isnan(some)
        known = np.bincount(groups, is_known, found.size)
        sums = np.bincount(groups, np.where(is_known, some, 0.0), found.size)
        return np.where(known > 0, sums, np.nan)

    weights = add(np.where(np.isnan(lat_ns), np.nan, iops))
    columns = {
        "direction": np.array(_SIDES, dtype=object)[found // count],
        "time_s": found % count * interval_ms / _MS_PER_S,
        "iops": add(iops),
        "bw_bytes_per_s": add(bw),
        "lat_mean_ns": add(lat_ns * iops) / np.where(weights > 0, weights, np.nan),
    }
    is_complete = ~np.isnan(columns["iops"])
    return {name: column[is_complete] for name, column in columns.items()}


def _rows_of_thread(logs: Sequence[FioLog], interval_ms: int) -> _Rows:
    """Return place, interval and the three values of each row, NaN where unknown."""
    ends = {log.kind: log.ends(interval_ms) for log in logs}
    keys = {
        kind: end.intervals * len(DIRECTIONS) + end.directions
        for kind, end in ends.items()
    }
    rows = np.unique(np.concatenate(list(keys.values())))
    values = np.full((len(_KINDS), rows.size), np.nan)
    for kind, end in ends.items():
        where = np.searchsorted(rows, keys[kind])
        known = end.means if kind == "lat" else end.sums
        values[_KINDS.index(kind), where] = known
    intervals, directions = np.divmod(rows, len(DIRECTIONS))
    return _PLACES[directions], intervals, values
