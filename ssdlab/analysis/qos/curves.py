"""The distribution of a load, whole, by direction, by round and over time."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ssdlab.analysis.inference.quantiles import least_count
from ssdlab.analysis.latency import percentiles_from_bins
from ssdlab.analysis.qos.loads import Load, select_load
from ssdlab.model.errors import NoHistogramError

Origin = Literal["rounds", "histogram log", "mean latency log", "nothing"]

BAND_LEVELS_PERCENT = (50.0, 90.0, 99.0, 99.9, 99.99)
_PER_OCTAVE = 8  # cells of the map: a twelfth of a decade, to be told apart by eye
_MOST_COLUMNS = 240
_MAP = ["start", "end", "unit", "origin", "lat_lower_ns", "lat_upper_ns", "count"]

_Integers = NDArray[np.int64]


def summarise_load(load: Load) -> dict[str, float]:
    """Return the rates of a load, and how many IOs it did.

    Parameters
    ----------
    load : Load
        The load.

    Returns
    -------
    dict
        ``iops`` [1/s] and ``bw_bytes_per_s`` [B/s], of the time under IO of all steps,
        ``lat_mean_ns`` and ``lat_max_ns`` [ns], and ``total_ios`` in the histograms.
    """
    steps = load.steps
    seconds = steps["runtime_s"].astype(float).to_numpy()
    shares = seconds if np.isfinite(seconds).all() else np.ones(len(steps))
    counts = steps["total_ios"].astype(float).to_numpy()
    means = steps["lat_mean_ns"].to_numpy(float)
    return {
        "iops": float(np.average(steps["iops"].to_numpy(float), weights=shares)),
        "bw_bytes_per_s": float(
            np.average(steps["bw_bytes_per_s"].to_numpy(float), weights=shares)
        ),
        "lat_mean_ns": float(np.average(means, weights=counts)),
        "lat_max_ns": load.greatest_ns,
        "total_ios": float(load.bins["count"].sum()),
    }


def summarise_curve(*loads: Load, confidence_percent: float = 95.0) -> pd.DataFrame:
    """Return the counts of loads, and the share of IOs up to each bin and beyond it.

    Parameters
    ----------
    *loads : Load
        The loads, such as the reads and the writes of one mix.
    confidence_percent : float, default 95
        The confidence that asks for so many IOs [%].

    Returns
    -------
    pandas.DataFrame
        One row a load and bin, by ascending latency: ``load``, ``direction``,
        ``lat_ns``, ``lat_lower_ns``, ``lat_upper_ns`` [ns], ``count``,
        ``confidence_percent`` (IOs in this bin and below) [%], ``exceedance_ratio``
        (IOs above it), ``total_ios``, and ``is_supported``: a percentile there has an
        upper end.
    """
    frames = [_curve(load, confidence_percent) for load in loads]
    return pd.concat(frames, ignore_index=True)


def _curve(load: Load, confidence_percent: float) -> pd.DataFrame:
    bins = load.binned()
    reached = np.cumsum(bins.merged)
    total = bins.total
    return pd.DataFrame({
        "load": load.label,
        "direction": load.direction,
        "lat_ns": bins.names,
        "lat_lower_ns": bins.lower,
        "lat_upper_ns": bins.upper,
        "count": bins.merged,
        "confidence_percent": 100 * reached / total,
        "exceedance_ratio": (total - reached) / total,
        "total_ios": total,
        "is_supported": _is_bounded(reached / total, total, confidence_percent),
    })


def _is_bounded(
    share: NDArray[np.float64], total: int, confidence_percent: float
) -> NDArray[np.bool_]:
    tail = (1 - confidence_percent / 100) / 2
    return np.asarray(share <= tail ** (1 / total))


def select_directions(
    load: Load, measurements: pd.DataFrame, bins: pd.DataFrame
) -> tuple[Load, ...]:
    """Return the reads and the writes of the steps of a load apart.

    Parameters
    ----------
    load : Load
        The load.
    measurements : pandas.DataFrame
        The table ``measurements``.
    bins : pandas.DataFrame
        The table ``bins``.

    Returns
    -------
    tuple of Load
        One a direction that fio told apart; the load itself if it told none.
    """
    steps = load.steps["step_id"]
    own = measurements[measurements["step_id"].isin(steps)]
    held = bins[bins["step_id"].isin(steps)]
    found = []
    for direction in ("read", "write"):
        try:
            found.append(select_load(own, held, direction=direction))
        except NoHistogramError:
            continue
    return tuple(found) or (load,)


def summarise_percentile_rounds(
    load: Load,
    *,
    levels: Sequence[float] = BAND_LEVELS_PERCENT,
    confidence_percent: float = 95.0,
) -> pd.DataFrame:
    """Return the percentiles of each step of a load by itself.

    Parameters
    ----------
    load : Load
        The load; of all rounds rather than those of the window.
    levels : sequence of float, default BAND_LEVELS_PERCENT
        Percentiles [%].
    confidence_percent : float, default 95
        The confidence that asks for so many IOs [%].

    Returns
    -------
    pandas.DataFrame
        One row a step and level: ``round``, or the place of a step that has none,
        ``minutes`` under IO up to its end [min], ``marker``, ``percentile`` [%],
        ``lat_ns``, ``lat_mean_ns``, ``lat_max_ns`` [ns], ``total_ios``, and
        ``is_supported``: the IOs of this one step bound the level from above.
    """
    bins = load.binned()
    steps = load.steps
    minutes = steps["runtime_s"].astype(float).fillna(0).cumsum() / 60
    needed = np.array([least_count(level, confidence_percent) for level in levels])
    rows = []
    for place, (counts, (_, step)) in enumerate(
        zip(bins.counts, steps.iterrows(), strict=True)
    ):
        found = percentiles_from_bins(bins.names, counts, levels)
        greatest = float(step["lat_max_ns"])
        total = int(counts.sum())
        shared = {
            "round": _round_of(step["round"], place),
            "minutes": float(minutes.iloc[place]),
            "lat_mean_ns": float(step["lat_mean_ns"]),
            "lat_max_ns": greatest,
            "total_ios": total,
        }
        rows += [
            shared
            | {
                "marker": f"{level:.10g} %",
                "percentile": level,
                "lat_ns": float(np.fmin(lat_ns, greatest)),
                "is_supported": bool(total >= least),
            }
            for level, lat_ns, least in zip(levels, found, needed, strict=True)
        ]
    return pd.DataFrame(rows)


def _round_of(number: Any, place: int) -> int:
    return place + 1 if pd.isna(number) else int(number)


def summarise_latency_map(
    load: Load,
    *,
    series: pd.DataFrame | None = None,
    histogram_log: pd.DataFrame | None = None,
    most_columns: int = _MOST_COLUMNS,
) -> pd.DataFrame:
    """Count the IOs of a load over time and latency.

    Parameters
    ----------
    load : Load
        The load; of all rounds rather than those of the window.
    series : pandas.DataFrame, optional
        The table ``series``: it is shown where there is nothing better.
    histogram_log : pandas.DataFrame, optional
        The frame of a histogram log, as `ssdlab.read_fio_histogram_log` returns it.
    most_columns : int, default 240
        Neighbouring rounds or records are added until there are no more.

    Returns
    -------
    pandas.DataFrame
        One row a column of the map and latency: ``start`` and ``end`` in ``unit``
        (round or s), ``origin``, ``lat_lower_ns``, ``lat_upper_ns`` [ns], ``count``
        and ``share_percent`` of its column [%]. ``origin`` says what it is made of:
        a histogram log if one is given; else rounds if there are several; else the
        log of mean latencies, in which each interval stands where its mean is. Without
        any of them there are no rows.
    """
    if histogram_log is not None:
        cells = _log_cells(load, histogram_log)
    elif len(load.steps) > 1:
        cells = _round_cells(load)
    else:
        cells = _series_cells(load, series)
    return _pooled(cells, most_columns)


def _round_cells(load: Load) -> pd.DataFrame:
    steps = load.steps
    numbers = {
        step: _round_of(number, place)
        for place, (step, number) in enumerate(
            zip(steps["step_id"], steps["round"], strict=True)
        )
    }
    place = load.bins["step_id"].map(numbers).astype(float)
    return _cells(
        (place - 0.5, place + 0.5), load.bins["lat_ns"], load.bins["count"]
    ).assign(unit="round", origin="rounds")


def _log_cells(load: Load, log: pd.DataFrame) -> pd.DataFrame:
    rows = log if load.direction == "total" else log[log["direction"] == load.direction]
    ends = rows["time_ms"].to_numpy(float) / 1000
    times = np.unique(ends)
    starts = np.concatenate([[0.0], times[:-1]])[np.searchsorted(times, ends)]
    return _cells((starts, ends), rows["lat_ns"], rows["count"]).assign(
        unit="s", origin="histogram log"
    )


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
    """Return the cells with neighbouring columns added until they are few enough."""
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


def origin_text(cells: pd.DataFrame) -> str:
    """Say in words what a map of latency over time is made of.

    Parameters
    ----------
    cells : pandas.DataFrame
        As `summarise_latency_map` returns.

    Returns
    -------
    str
        One sentence.
    """
    origin = str(cells["origin"].iloc[0]) if len(cells) else "nothing"
    return {
        "rounds": "No log of single latencies was kept: a column is the histogram of "
        "a round, and time goes from round to round.",
        "histogram log": "A column is a record of fio's histogram log.",
        "mean latency log": "No histogram log was kept: a column is an interval of "
        "the log of mean latencies, and shows no tail.",
    }.get(origin, "Nothing was kept that tells how latency went over time.")
