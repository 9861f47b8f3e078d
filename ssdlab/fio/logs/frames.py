"""A log of fio as frames: its rows, its percentiles, its seconds."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ssdlab.fio.bins import BIN_COUNT, bin_edges, bin_value, is_last_bin
from ssdlab.fio.histlogs.times import find_starts
from ssdlab.fio.logs.choice import AddedLog
from ssdlab.fio.logs.files import LogFile, Span, changed
from ssdlab.fio.logs.layout import LogColumn
from ssdlab.fio.logs.scan import Columns, empty_column, make_columns, run_over
from ssdlab.fio.logs.sums import DIRECTIONS, EXACT_BELOW, LogSums, make_runs
from ssdlab.model.errors import FioOutputError
from ssdlab.stats.latency import Extremes, hold_within, percentile_places

if TYPE_CHECKING:
    import pandas as pd

_NAMES: Final[Mapping[LogColumn, str]] = {
    "time": "time_ms",
    "block size": "block_size_bytes",
    "offset": "offset_bytes",
    "issue time": "issue_time_ns",
}
_CLASSES: Final = ("none", "realtime", "best effort", "idle")
_CLASS_SHIFT: Final = 13  # linux/ioprio.h: class, hint and level of a priority
_HINT_SHIFT: Final = 3
_HINT_MASK: Final = 0x3FF
_LEVEL_MASK: Final = 0x7


def value_name(kind: str, statistic: str = "") -> str:
    """Return the name of a column of values, such as ``lat_mean_ns``."""
    middle = f"_{statistic}" if statistic else ""
    match kind:
        case "bw":
            return f"bw{middle}_bytes_per_s"
        case "iops":
            return f"iops{middle}"
        case "lat" | "slat" | "clat":
            return f"{kind}{middle}_ns"
        case _:
            return f"value{middle}"


def rows_frame(
    file: LogFile, added: AddedLog, *, kind: str, scale: int
) -> "pd.DataFrame":
    """Return every row of a log."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    columns = _read_columns(file, added)
    frame: dict[str, Any] = {}
    for name, column in zip(added.layout, columns, strict=True):
        if name in {"value", "maximum"} and scale > 1:
            np.multiply(column, scale, out=column)
        frame |= _named(name, column, kind)
    return pd.DataFrame(frame, copy=False)


def _read_columns(file: LogFile, added: AddedLog) -> Columns:
    """Return the columns of a log, as fio wrote them."""
    columns = make_columns(added.scanner.form, added.sums.row_count)
    ends = np.cumsum(added.row_counts).tolist()
    parts = [
        (span, [column[end - count : end] for column in columns])
        for span, count, end in zip(added.spans, added.row_counts, ends, strict=True)
    ]
    with file.open() as log:

        def fill(part: tuple[Span, Columns]) -> int:
            return added.scanner.fill(log, *part)

        if tuple(run_over(fill, parts)) != added.row_counts:
            raise FioOutputError(**changed(file.name))
    return columns


def _named(name: LogColumn, column: NDArray[Any], kind: str) -> dict[str, Any]:
    match name:
        case "value":
            return {value_name(kind): column}
        case "maximum":
            return {value_name(kind, "max"): column}
        case "direction":
            return {"direction": directions_from(column)}
        case "priority flag":
            return {"is_high_priority": column.view(np.bool_)}
        case "priority":
            return _priority(column)
        case _:
            return {_NAMES[name]: column}


def directions_from(codes: ArrayLike) -> "pd.Categorical[str]":
    """Return directions by fio's numbers for them."""
    import pandas as pd  # noqa: PLC0415 - as in rows_frame

    names = pd.Index(list(DIRECTIONS))
    return pd.Categorical.from_codes(np.asarray(codes, np.int8), names)


def _priority(column: NDArray[np.uint16]) -> dict[str, Any]:
    import pandas as pd  # noqa: PLC0415 - as in rows_frame

    classes = empty_column(column.size, np.dtype(np.int8))
    levels = empty_column(column.size, np.dtype(np.int8))
    np.right_shift(column, _CLASS_SHIFT, out=classes, casting="unsafe")
    np.bitwise_and(column, _LEVEL_MASK, out=levels, casting="unsafe")
    column >>= _HINT_SHIFT
    column &= _HINT_MASK
    if classes.size and classes.max() >= len(_CLASSES):
        classes[classes >= len(_CLASSES)] = -1
    return {
        "priority_class": pd.Categorical.from_codes(classes, pd.Index(list(_CLASSES))),
        "priority_level": levels,
        "priority_hint": column.view(np.int16),
    }


def percentiles_frame(
    sums: LogSums, levels: Sequence[float], *, unit_ns: int
) -> "pd.DataFrame":
    """Return percentiles by direction, by fio's own rule on its own bins.

    They are clipped to the minimum and maximum of the direction.
    """
    import pandas as pd  # noqa: PLC0415 - as in rows_frame

    names = bin_value(np.arange(BIN_COUNT))
    parts = [
        (code, names[percentile_places(counts, levels)], int(counts.sum()))
        for code, counts in enumerate(sums.counts)
        if counts.any()
    ]
    held = [hold_within(found, _extremes(sums, code)) for code, found, _ in parts]
    values = np.concatenate([np.empty(0, np.int64), *(found for _, found, _ in parts)])
    lower, upper = bin_edges(values)
    repeat = partial(np.repeat, repeats=len(levels))
    return pd.DataFrame({
        "direction": directions_from(repeat([code for code, _, _ in parts])),
        "percentile": np.tile(np.asarray(levels, np.float64), len(parts)),
        "lat_ns": np.concatenate([np.empty(0, np.float64), *held]) * unit_ns,
        "lat_lower_ns": lower * unit_ns,
        "lat_upper_ns": upper * unit_ns,
        "is_censored": is_last_bin(values),
        "count": repeat(np.array([count for _, _, count in parts], np.int64)),
    })


def bins_frame(sums: LogSums, *, unit_ns: int) -> "pd.DataFrame":
    """Return the bins that are not empty, by direction."""
    import pandas as pd  # noqa: PLC0415 - as in rows_frame

    codes, places = np.nonzero(sums.counts)
    values = bin_value(places)
    lower, upper = bin_edges(values)
    return pd.DataFrame({
        "direction": directions_from(codes),
        "lat_ns": values * unit_ns,
        "lat_lower_ns": lower * unit_ns,
        "lat_upper_ns": upper * unit_ns,
        "is_censored": is_last_bin(values),
        "count": sums.counts[codes, places],
    })


def _extremes(sums: LogSums, code: int) -> Extremes:
    """Return the least and the greatest value of a direction."""
    runs = sums.runs[sums.runs["direction"] == code]
    return float(runs["least"].min()), float(runs["greatest"].max())


def averaged_runs(
    file: LogFile, added: AddedLog, *, interval_ms: int
) -> NDArray[np.void]:
    """Return the runs of a log of intervals: fio's time is the end of a row.

    A row belongs where its middle is, so ends at 999 and 2001 ms are of two seconds.
    """
    columns = _read_columns(file, added)
    times = columns[0]
    directions = columns[added.layout.index("direction")].astype(np.int64)
    starts = find_starts(times, directions)
    middles = starts + (times - starts) // 2
    return make_runs(middles // interval_ms, directions, columns[1])


def ending_runs(
    file: LogFile, added: AddedLog, *, interval_ms: int
) -> NDArray[np.void]:
    """Return the runs of a log whose rows end near multiples of an interval.

    A row belongs to the multiple nearest to its time.
    """
    columns = _read_columns(file, added)
    nearest = np.rint(columns[0] / interval_ms).astype(np.int64)
    directions = columns[added.layout.index("direction")].astype(np.int64)
    return make_runs(nearest, directions, columns[1])


def seconds_frame(
    runs: NDArray[np.void], *, kind: str, scale: int, interval_ms: int
) -> "pd.DataFrame":
    """Return the summary of each interval, by direction.

    A mean of a sum that is not exact is missing: it would depend on the order.
    """
    import pandas as pd  # noqa: PLC0415 - as in rows_frame

    sums = np.where(runs["sum"] < EXACT_BELOW, runs["sum"], np.nan)
    return pd.DataFrame({
        "direction": directions_from(runs["direction"]),
        "start_s": runs["interval"] * (interval_ms / 1000),
        "count": runs["count"],
        value_name(kind, "mean"): sums / runs["count"] * scale,
        value_name(kind, "min"): runs["least"] * scale,
        value_name(kind, "max"): runs["greatest"] * scale,
    })
