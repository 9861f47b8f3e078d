"""Where the IOs of a load were, over time and latency."""

import math
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ssdlab.model.errors import EmptyLogError
from ssdlab.qos.load import Load
from ssdlab.qos.rounds import place_of_round

Origin = Literal["rounds", "histogram log", "latency log", "mean latency log"]
Floats = NDArray[np.float64]

_PER_OCTAVE = 8  # cells of the map: a twelfth of a decade, which the eye can resolve
_MOST_COLUMNS = 240
_LEAST_WIDTH_S = 0.001  # fio's times are whole ms
_MAP = ["start", "end", "unit", "origin", "lat_lower_ns", "lat_upper_ns", "count"]
_LATENCIES = ("lat_ns", "clat_ns", "slat_ns")


def summarise_latency_map(
    load: Load,
    *,
    series: pd.DataFrame | None = None,
    log: pd.DataFrame | None = None,
    most_columns: int = _MOST_COLUMNS,
) -> pd.DataFrame:
    """Count the IOs of a load over time and latency."""
    if log is not None:
        cells = _log_cells(load, log, most_columns)
    elif len(load.steps) > 1:
        cells = _round_cells(load)
    else:
        cells = _series_cells(load, series)
    return _pooled(cells, most_columns)


def _round_cells(load: Load) -> pd.DataFrame:
    steps = load.steps
    numbers = {
        step: place_of_round(number, place)
        for place, (step, number) in enumerate(
            zip(steps["step_id"], steps["round"], strict=True)
        )
    }
    place = load.bins["step_id"].map(numbers).astype(float)
    return _cells(
        (place - 0.5, place + 0.5), load.bins["lat_ns"], load.bins["count"]
    ).assign(unit="round", origin="rounds")


def _log_cells(load: Load, log: pd.DataFrame, most_columns: int) -> pd.DataFrame:
    """Return the cells of a log."""
    rows = log if load.direction == "total" else log[log["direction"] == load.direction]
    if rows.empty:
        raise EmptyLogError(direction=load.direction)
    ends = rows["time_ms"].to_numpy(float) / 1000
    latency = next(name for name in _LATENCIES if name in rows)
    if "record" in rows:
        spans, counts = _record_spans(rows, ends), rows["count"].to_numpy(float)
        origin: Origin = "histogram log"
    else:
        spans, counts = np.zeros_like(ends), np.ones_like(ends)
        origin = "latency log"
    columns = _columns(ends - spans, ends, most_columns)
    return _cells(columns, rows[latency], counts).assign(unit="s", origin=origin)


def _record_spans(rows: pd.DataFrame, ends: Floats) -> Floats:
    """Return the time that each record covers: since the previous one of its kind [s].

    The first one of a file and direction is taken to be as long as most, or to start
    with the job.
    """
    keys = rows[["file", "direction"]].astype(str).assign(end=ends)
    records = keys.drop_duplicates().sort_values(["file", "direction", "end"])
    before = records.groupby(["file", "direction"])["end"].shift()
    since = records["end"] - before
    first = records["end"].clip(upper=float(since.median()))
    records["span"] = since.fillna(first)
    found = keys.merge(records, on=["file", "direction", "end"], how="left")
    return found["span"].to_numpy(float)


def _columns(starts: Floats, ends: Floats, most_columns: int) -> tuple[Floats, Floats]:
    """Return the column, of equal widths, that contains the midpoint of each span.

    Time counts from the start of the first span: logs may use clock time.
    """
    first, last = float(starts.min()), float(ends.max())
    usual = float(np.median(ends - starts))
    width = max(usual, (last - first) / most_columns, _LEAST_WIDTH_S)
    middle = (starts + ends) / 2
    place = np.minimum(
        np.floor((middle - first) / width),
        max(0, math.ceil((last - first) / width) - 1),
    )
    begin = place * width
    return begin, begin + width


def _series_cells(load: Load, series: pd.DataFrame | None) -> pd.DataFrame:
    if series is None:
        return pd.DataFrame(columns=_MAP)
    rows = series[
        (series["step_id"] == load.steps["step_id"].iloc[0])
        & (series["direction"] == load.direction)
        & series["lat_mean_ns"].notna()
        & series["iops"].notna()
    ].sort_values("time_s")
    ends = rows["time_s"].to_numpy(float)
    starts = np.concatenate([[0.0], ends])[:-1]
    counts = rows["iops"].to_numpy(float) * (ends - starts)
    return _cells((starts, ends), rows["lat_mean_ns"], counts).assign(
        unit="s", origin="mean latency log"
    )


def _cells(span: tuple[Any, Any], lat_ns: Any, counts: Any) -> pd.DataFrame:
    starts, ends = span
    octaves = np.log2(np.maximum(np.asarray(lat_ns, dtype=float), 1.0))
    place = np.floor(octaves * _PER_OCTAVE)
    return pd.DataFrame({
        "start": np.asarray(starts, dtype=float),
        "end": np.asarray(ends, dtype=float),
        "lat_lower_ns": 2.0 ** (place / _PER_OCTAVE),
        "lat_upper_ns": 2.0 ** ((place + 1) / _PER_OCTAVE),
        "count": np.asarray(counts, dtype=float),
    })


def _pooled(cells: pd.DataFrame, most_columns: int) -> pd.DataFrame:
    """Return the cells with neighbouring columns merged until they are few enough."""
    if cells.empty:
        return cells.assign(share_percent=pd.Series(dtype=float))
    starts, place = np.unique(cells["start"].to_numpy(), return_inverse=True)
    width = -(-starts.size // most_columns)
    grouped = cells.assign(column=place // width)
    spans = grouped.groupby("column").agg(start=("start", "min"), end=("end", "max"))
    keys = ["column", "unit", "origin", "lat_lower_ns", "lat_upper_ns"]
    table = grouped.groupby(keys, as_index=False)["count"].sum()
    table = table.merge(spans, left_on="column", right_index=True)
    whole = table.groupby("column")["count"].transform("sum")
    table["share_percent"] = 100 * table["count"] / whole
    found: pd.DataFrame = table[[*_MAP, "share_percent"]]
    return found


def origin_text(cells: pd.DataFrame, load: Load) -> str:
    """Say where the numbers of a map come from, and how many IOs it holds."""
    if cells.empty:
        return (
            f"The latency of {load.label} over time was not recorded: there is one "
            "histogram, and no log."
        )
    spans = cells[["start", "end"]].drop_duplicates()
    count = f"{len(spans):,} columns" if len(spans) > 1 else "One column"
    width = float((spans["end"] - spans["start"]).median())
    logged, held = float(cells["count"].sum()), int(load.bins["count"].sum())
    match str(cells["origin"].iloc[0]):
        case "rounds":
            each = "a round" if width <= 1 else f"{width:.0f} rounds"
            return (
                f"From fio's histograms of each round of {load.label}: {count} of "
                f"{each} each, {logged:,.0f} IOs. Times within a round are unknown; "
                "a log of this load can be given as a parameter."
            )
        case "mean latency log":
            return (
                f"From the log of mean latencies of {load.label}: {count} of "
                f"{_seconds_text(width)}, {logged:,.0f} IOs. Each interval is placed "
                "at its mean, so this map does not show the tail."
            )
        case origin:
            return (
                f"From fio's {origin}: {count} of {_seconds_text(width)}, "
                f"{logged:,.0f} IOs. {_likeness_text(logged, held, load)}"
            )


def _seconds_text(width_s: float) -> str:
    return f"{width_s:.3g} s" if width_s >= 1 else f"{1000 * width_s:.3g} ms"


def _likeness_text(logged: float, held: int, load: Load) -> str:
    words = f"The histogram of {load.label} holds {held:,}"
    if logged > held:
        return f"{words}, fewer than the log: the log is of another run."
    if logged == held:
        return f"{words} as well."
    return f"{words}: the log holds {100 * logged / held:.4g} % of them."
