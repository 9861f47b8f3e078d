"""The logs of a step combined: its rates and latencies over time."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from ssdlab.fio.logs.frames import value_name
from ssdlab.fio.logs.read import FioLog

if TYPE_CHECKING:
    import pandas as pd

_MS_PER_S: Final = 1000
_RATES = frozenset({"iops", "bw"})
_SERIES_NAMES: Mapping[str, str] = {
    "iops": "iops",
    "bw": "bw_bytes_per_s",
    "lat": "lat_mean_ns",
}


def tabulate_series(
    threads: Sequence[Sequence[FioLog]], *, interval_ms: int
) -> "pd.DataFrame":
    """Return the intervals of a step: rates of all threads added.

    ``threads`` holds, for each thread or for all in one, the ``iops`` log and, where
    there are some, the ``bw`` and ``lat`` logs. Columns are those of the table
    ``series`` from ``direction`` on; ``total`` is all directions. Rates are added. A
    mean latency is weighted by IOPS over directions and files; threads that share a
    file have the same weight, as their lines cannot be distinguished. An interval ends
    at the multiple of ``interval_ms`` nearest to fio's time; the rest after the last
    complete interval has no ``iops`` line and no row.
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

    rows = log.frame
    frame = pd.DataFrame({
        "direction": rows["direction"].astype("str"),
        "interval": np.rint(rows["time_ms"] / interval_ms).astype(np.int64),
        "value": rows[value_name(log.kind)].astype(np.float64),
    })
    groups = frame.groupby(["direction", "interval"])["value"]
    column = groups.sum() if log.kind in _RATES else groups.mean()
    return column.rename(_SERIES_NAMES[log.kind])
