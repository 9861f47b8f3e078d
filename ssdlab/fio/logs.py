"""fio's averaged logs: rates and latencies of each ``log_avg_msec`` interval.

Lines of fio 3.33 are ``time, value, direction, block size[, offset][, priority]``.
The last two columns are not read. A log names neither its kind nor its unit: the
caller knows which option wrote it.
"""

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import DIRECTIONS
from ssdlab.model.errors import FioOutputError

if TYPE_CHECKING:
    import pandas as pd

LogKind = Literal["bw", "iops", "lat", "clat", "slat"]

_TIME_VALUE_DIRECTION_SIZE = (0, 1, 2, 3)
_NO_LOG = "it is no log of fio"
_NO_LOG_REMEDY = "Give a file that write_bw_log, write_iops_log or write_lat_log made."
_KIB = 1024
_MS_PER_S = 1000.0
_RATES = frozenset({"iops", "bw"})
_SERIES_NAMES: Mapping[LogKind, str] = {
    "iops": "iops",
    "bw": "bw_bytes_per_s",
    "lat": "lat_mean_ns",
}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioLog:
    """One log file, a row a line: of one thread, or of all (``per_job_logs=0``).

    ``numbers`` are IOPS [1/s], data rates [B/s] or latencies [ns], by ``kind``;
    ``directions`` count as fio does: 0 read, 1 write, 2 trim.
    """

    kind: LogKind
    time_ms: NDArray[np.int64]
    numbers: NDArray[np.int64]
    directions: NDArray[np.int64]
    block_size_bytes: NDArray[np.int64]


def parse_log(text: str, *, kind: LogKind, source: str = "fio log") -> FioLog:
    """Return the rows of a log of fio 3.x, of 4 to 6 columns.

    Raises
    ------
    FioOutputError
        If a line is not one of a fio log.
    """
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            rows = np.loadtxt(
                io.StringIO(text),
                dtype=np.int64,
                delimiter=",",
                usecols=_TIME_VALUE_DIRECTION_SIZE,
                ndmin=2,
            ).reshape(-1, len(_TIME_VALUE_DIRECTION_SIZE))
    except ValueError as error:
        raise FioOutputError(
            source=source, reason=f"{_NO_LOG} ({error})", remedy=_NO_LOG_REMEDY
        ) from error
    if not np.isin(rows[:, 2], (0, 1, 2)).all():
        raise FioOutputError(
            source=source,
            reason=f"{_NO_LOG} (its third column is no direction)",
            remedy=_NO_LOG_REMEDY,
        )
    return FioLog(
        kind=kind,
        time_ms=rows[:, 0],
        numbers=rows[:, 1] * (_KIB if kind == "bw" else 1),
        directions=rows[:, 2],
        block_size_bytes=rows[:, 3],
    )


def tabulate_series(
    threads: Sequence[Sequence[FioLog]], *, interval_ms: int
) -> "pd.DataFrame":
    """Return the intervals of a step: rates of all threads added.

    ``threads`` holds, for each thread or for all in one, the ``iops`` log and, where
    there are some, the ``bw`` and ``lat`` logs. Columns are those of the table
    ``series`` from ``direction`` on; ``total`` is all directions. Rates are added. A
    mean latency is weighted by IOPS over directions and files; threads that share a
    file weigh the same, since their lines cannot be told apart. An interval ends at the
    multiple of ``interval_ms`` that is next to fio's time; the rest after the last
    whole interval has no ``iops`` line and no row.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    keys = ["direction", "interval"]
    parts = [
        pd.concat([_log_column(log, interval_ms) for log in logs], axis=1).reset_index()
        for logs in threads
    ]
    rows = pd.concat(parts, ignore_index=True)
    rows = rows.reindex(columns=[*keys, *_SERIES_NAMES.values()])
    rows = pd.concat([rows, rows.assign(direction="total")], ignore_index=True)
    weighted = rows.assign(
        weighted=rows["lat_mean_ns"] * rows["iops"],
        weight=rows["iops"].where(rows["lat_mean_ns"].notna()),
    )
    sums = weighted.groupby(keys, sort=True).sum(min_count=1).reset_index()
    sums["time_s"] = sums["interval"] * interval_ms / _MS_PER_S
    sums["lat_mean_ns"] = sums["weighted"] / sums["weight"].where(sums["weight"] > 0)
    columns = ["direction", "time_s", *_SERIES_NAMES.values()]
    return sums[columns].dropna(subset=["iops"]).reset_index(drop=True)


def _log_column(log: FioLog, interval_ms: int) -> "pd.Series[float]":
    """Return one log as a column by direction and number of the interval."""
    import pandas as pd  # noqa: PLC0415 - as in tabulate_series

    frame = pd.DataFrame({
        "direction": np.array(DIRECTIONS)[log.directions],
        "interval": np.rint(log.time_ms / interval_ms).astype(np.int64),
        "value": log.numbers.astype(np.float64),
    })
    groups = frame.groupby(["direction", "interval"])["value"]
    column = groups.sum() if log.kind in _RATES else groups.mean()
    return column.rename(_SERIES_NAMES[log.kind])
