"""The cells of several runs, round by round: what a comparison is made from."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.analysis.comparison.metrics import (
    METRICS,
    CellMetric,
    is_by_workers,
    metrics_of,
)
from ssdlab.analysis.matrix import select_window
from ssdlab.analysis.phases import range_name
from ssdlab.model.spec import stimulus_label

CELL = ["test", "metric", "cell"]

_STEP = ["run_id", "step_id"]
_COLUMNS = [
    "run_id",
    *CELL,
    "access",
    "block_size_bytes",
    "read_percent",
    "threads",
    "queue_depth",
    "round",
    "value",
    "is_steady",
    "is_supported",
]


def rows_of(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a frame by name, of no particular type."""
    yield from frame.itertuples(index=False)


def tabulate_window_cells(
    measurements: pd.DataFrame, windows: pd.DataFrame, *, percentiles: pd.DataFrame
) -> pd.DataFrame:
    """Return the rounds of every cell that runs can be compared by.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of several runs.
    windows : pandas.DataFrame
        The table ``windows``: only rounds of the measurement window count.
    percentiles : pandas.DataFrame
        The table ``percentiles``, for the nines of the latency test.

    Returns
    -------
    pandas.DataFrame
        One row a run, cell and round: ``run_id``, ``test``, ``metric``, ``cell`` (in
        words, such as ``RND 4 KiB 0/100``; of a demand variation with TC and QD),
        ``access``, ``block_size_bytes`` [B], ``read_percent`` [%], ``threads``,
        ``queue_depth``, ``round``, ``value`` (as stored: 1/s, B/s or ns),
        ``is_steady`` (missing where it was not judged), and ``is_supported``, false of
        a percentile with too few IOs behind it. Where others printed a mean and no
        rounds, ``round`` is missing.
    """
    parts = [
        _tabulate(select_window(measurements, windows, test), percentiles, metric)
        for test in sorted(str(name) for name in measurements["test"].unique())
        for metric in metrics_of(test)
    ]
    found = [part for part in parts if len(part)]
    if not found:
        return pd.DataFrame(columns=_COLUMNS)
    table = pd.concat(found, ignore_index=True)
    table = table.merge(_steady(windows), on=["run_id", "test", "phase"], how="left")
    printed = table["kind"] == "mean"
    rounds = table.loc[~printed, ["run_id", *CELL]].drop_duplicates()
    both = table[["run_id", *CELL]].merge(rounds.assign(has_rounds=True), how="left")
    table = table[~(printed & both["has_rounds"].eq(other=True).to_numpy())]
    table["round"] = table["round"].astype("Int64").mask(table["kind"] == "mean")
    order = {name: place for place, name in enumerate(METRICS)}
    table["place"] = table["metric"].map(order)
    places = ["run_id", "test", "place", "access", "block_size_bytes", "read_percent"]
    table = table.sort_values([*places, "threads", "queue_depth", "round"])
    return table[_COLUMNS].reset_index(drop=True)


def _tabulate(
    window: pd.DataFrame, percentiles: pd.DataFrame, metric: CellMetric
) -> pd.DataFrame:
    """Return one metric of the cells of one test."""
    rows = _with_level(window, percentiles, metric)
    values = rows["value"].astype("Float64").astype(float)
    rows = rows.assign(value=values)[np.isfinite(values) & (values > 0)]
    if metric.level_percent:
        proved = rows.groupby("phase")["is_supported"].transform("any")
        rows = rows[proved.astype(bool)]
    words = [_cell_words(row) for row in rows.itertuples()]
    return rows.assign(metric=metric.name, cell=words)


def _with_level(
    window: pd.DataFrame, percentiles: pd.DataFrame, metric: CellMetric
) -> pd.DataFrame:
    if not metric.level_percent:
        return window.assign(value=window[metric.name], is_supported=True)
    chosen = percentiles[
        (percentiles["direction"] == "total")
        & ((percentiles["percentile"] - metric.level_percent).abs() < 1e-9)
    ]
    levels = chosen[[*_STEP, "lat_ns", "is_supported"]]
    joined = window.merge(levels, on=_STEP, how="inner")
    supported = joined["is_supported"].fillna(value=False).astype(bool)
    return joined.assign(value=joined["lat_ns"], is_supported=supported)


def _cell_words(row: Any) -> str:
    words = str(row.phase)
    if not pd.isna(row.read_percent):
        size = 0 if pd.isna(row.block_size_bytes) else int(row.block_size_bytes)
        words = stimulus_label(row.access, size, int(row.read_percent))
    if is_by_workers(str(row.test)):
        words = f"{words} T{row.threads}/Q{row.queue_depth}"
    active = range_name(str(row.phase))
    return f"{words} {active}" if active else words


def _steady(windows: pd.DataFrame) -> pd.DataFrame:
    """Return of each phase whether its last window was steady."""
    final = windows[windows["is_final"].fillna(value=False)]
    judged = final.dropna(subset=["is_round_steady"])
    names = ["run_id", "test", "phase"]
    table = judged.groupby(names, as_index=False).agg(
        is_steady=("is_round_steady", "all")
    )
    return table.astype({"is_steady": "boolean"})
