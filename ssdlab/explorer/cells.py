"""What an explorer asks of any test of any run: cells, their rounds, their bins."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from ssdlab.model.spec import Direction
from ssdlab.stats.binned import merged_cells
from ssdlab.stats.claims import claim_of_level
from ssdlab.stats.matrix import average_cells, mark_window

PERCENTILE_METRICS = MappingProxyType({
    "lat_p99_ns": 99.0,
    "lat_p999_ns": 99.9,
    "lat_p9999_ns": 99.99,
    "lat_p99999_ns": 99.999,
})
CELL_METRICS = (
    "iops",
    "bw_bytes_per_s",
    "lat_mean_ns",
    *PERCENTILE_METRICS,
    "lat_max_ns",
)
SIZES_BY_MIX = ("read_percent", "block_size_bytes")
THREADS_BY_DEPTH = ("threads", "queue_depth")

_STEP = ["run_id", "step_id"]
_WHERE = ["test", "phase", "kind", "round", "access"]
_CELL = ["block_size_bytes", "read_percent", "threads", "queue_depth"]
_MEASURED = ["total_ios", "iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"]
_BEHIND_BINS = ["lat_min_ns", "clat_min_ns", "clat_mean_ns", "clat_max_ns"]
MEASURED_COLUMNS = (*_STEP, "direction", *_WHERE, *_CELL, *_MEASURED, *_BEHIND_BINS)
WINDOW_COLUMNS = (
    *("run_id", "test", "phase", "is_final"),
    *("window_first_round", "window_last_round"),
)
LEVEL_COLUMNS = (*_STEP, "direction", "percentile", "lat_ns", "is_supported")
_NO_LEVEL = 1e-9

Rounds = tuple[int, int] | Literal["window", "samples"]
CellValues = Mapping[str, int]


def stack_frames(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Stack a frame of each of several runs, each under a name of its own.

    Parameters
    ----------
    frames : mapping of str to pandas.DataFrame
        The same table of each run, by the name that the run is to have.

    Returns
    -------
    pandas.DataFrame
        All rows; ``run_id`` is the name, so that copies of one run stay apart.

    Examples
    --------
    >>> one = pd.DataFrame({"run_id": ["r"], "iops": [1.0]})
    >>> stack_frames({"a": one, "b": one})["run_id"].tolist()
    ['a', 'b']
    """
    named = [frame.assign(run_id=name) for name, frame in frames.items()]
    return pd.concat(named, ignore_index=True) if named else pd.DataFrame()


def tabulate_cells(
    measurements: pd.DataFrame,
    percentiles: pd.DataFrame,
    windows: pd.DataFrame | None = None,
    *,
    direction: Direction = "total",
) -> pd.DataFrame:
    """Return every cell that was measured.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    percentiles : pandas.DataFrame
        The table ``percentiles`` of the same.
    windows : pandas.DataFrame, optional
        The table ``windows`` of the same; without it no round is in a window.
    direction : {"total", "read", "write", "trim"}, default "total"
        All directions together, or what of a mixed workload was read or written.

    Returns
    -------
    pandas.DataFrame
        One row a step of kind cell, histogram or mean that did such IOs: where it
        belongs, its workload, ``total_ios``, the metrics of ``CELL_METRICS``, and what
        holds a percentile of its bins. A percentile that the IOs do not bound from
        above is missing. ``is_in_window`` and ``is_sampled`` are those of
        `ssdlab.stats.matrix.mark_window`.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> cells = tabulate_cells(run.measurements, run.percentiles)
    >>> sorted(cells["test"].unique())
    ['iops', 'lat', 'tp', 'wsat']
    """
    totals = measurements[
        (measurements["direction"] == direction)
        & measurements["kind"].isin(["cell", "histogram", "mean"])
    ]
    names = [*_STEP, *_WHERE, *_CELL, *_MEASURED, *_BEHIND_BINS]
    cells = totals[names].reset_index(drop=True)
    if windows is None:
        unknown = pd.array([pd.NA] * len(cells), dtype="boolean")
        cells = cells.assign(is_in_window=unknown, is_sampled=unknown)
    else:
        cells = mark_window(cells, windows)
    rows = percentiles[
        (percentiles["direction"] == direction)
        & percentiles["is_supported"].fillna(value=False)
    ]
    keys = pd.Index(_step_keys(cells))
    for name, level in PERCENTILE_METRICS.items():
        at_level = rows[np.isclose(rows["percentile"], level, rtol=0, atol=_NO_LEVEL)]
        known = pd.Series(at_level["lat_ns"].array, index=_step_keys(at_level))
        cells[name] = known.reindex(keys).array
    return cells


def _step_keys(rows: pd.DataFrame) -> "np.ndarray[Any, Any]":
    """Return what tells the steps of several runs apart."""
    keys = rows["run_id"].astype(str) + "\0" + rows["step_id"].astype(str)
    return keys.to_numpy(dtype=object)


def find_cell_axes(cells: pd.DataFrame) -> tuple[str, str]:
    """Tell what the matrix of some cells is made of.

    The columns that are its rows and its columns: R/W mix by block size, or
    threads by queue depth where those vary and the workload is one, or where its
    blocks are of many sizes at once.
    """
    if cells["block_size_bytes"].isna().all():
        return THREADS_BY_DEPTH
    varies = {name: len(cells[name].dropna().unique()) > 1 for name in _CELL}
    is_load = varies["threads"] or varies["queue_depth"]
    is_workload = varies["read_percent"] or varies["block_size_bytes"]
    return THREADS_BY_DEPTH if is_load and not is_workload else SIZES_BY_MIX


def select_rounds(
    cells: pd.DataFrame, *, test: str, phase: str = "", rounds: Rounds | None = None
) -> pd.DataFrame:
    """Return the cells of a test, in some of its rounds.

    Parameters
    ----------
    cells : pandas.DataFrame
        Rows of `tabulate_cells`.
    test : str
        The test.
    phase : str, optional
        One phase of it; without it all.
    rounds : tuple of int or {"window", "samples"}, optional
        First and last round; or those of the measurement window, of which a
        determination of write saturation takes samples; without it all. Where there
        is no window all rounds count. What belongs to no round, such as a histogram,
        is in every span.

    Returns
    -------
    pandas.DataFrame
        Those rows, in their order.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> cells = ssdlab.analysis.tabulate_cells(run.measurements, run.percentiles)
    >>> chosen = select_rounds(cells, test="iops", rounds=(1, 2))
    >>> sorted(chosen["round"].unique().tolist())
    [1, 2]
    """
    chosen = cells["test"] == test
    if phase:
        chosen &= cells["phase"] == phase
    if isinstance(rounds, str):
        column = {"window": "is_in_window", "samples": "is_sampled"}[rounds]
        chosen &= cells[column].fillna(value=True)
    elif rounds is not None:
        numbers = cells["round"]
        chosen &= numbers.between(*rounds).fillna(value=False) | numbers.isna()
    return cells[chosen.astype(bool)]


def select_cell(cells: pd.DataFrame, cell: CellValues) -> pd.DataFrame:
    """Return the rows of one cell.

    Parameters
    ----------
    cells : pandas.DataFrame
        Rows of `tabulate_cells`.
    cell : mapping of str to int
        Columns and their values, such as ``{"block_size_bytes": 4096}``.

    Returns
    -------
    pandas.DataFrame
        The rows that have all of them, by run and round.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> cells = ssdlab.analysis.tabulate_cells(run.measurements, run.percentiles)
    >>> frame = select_cell(cells, {"block_size_bytes": 4096, "read_percent": 0})
    >>> frame["block_size_bytes"].unique().tolist()
    [4096]
    """
    chosen = pd.Series(data=True, index=cells.index)
    for name, value in cell.items():
        chosen &= (cells[name] == value).fillna(value=False).astype(bool)
    return cells[chosen].sort_values(["run_id", "phase", "round"], kind="stable")


def select_histogram(
    cells: pd.DataFrame, *, rounds: Rounds | None = None
) -> pd.DataFrame:
    """Return the rows of a cell whose latency histograms belong together.

    A long histogram run and the rounds are two measurements: their IOs are never
    merged.

    Parameters
    ----------
    cells : pandas.DataFrame
        Rows of `select_cell`.
    rounds : tuple of int or {"window", "samples"}, optional
        Which rounds were selected. A span of rounds asks for those rounds; otherwise
        the long run of a cell is its histogram, and the rounds are if it has none.

    Returns
    -------
    pandas.DataFrame
        Of each run either its long histogram run or its rounds.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> cells = ssdlab.analysis.tabulate_cells(run.measurements, run.percentiles)
    >>> saturation = ssdlab.analysis.select_rounds(cells, test="wsat")
    >>> select_histogram(saturation)["kind"].unique().tolist()
    ['histogram']
    """
    is_long = cells["kind"] == "histogram"
    is_wanted = is_long ^ isinstance(rounds, tuple)
    has_wanted = is_wanted.groupby(cells["run_id"]).transform("any")
    return cells[is_wanted | ~has_wanted.astype(bool)]


def summarise_cells(
    cells: pd.DataFrame,
    metric: str,
    *,
    axes: Sequence[str],
    bins: pd.DataFrame | None = None,
    direction: Direction = "total",
) -> pd.DataFrame:
    """Return the value of each cell of a matrix over its rounds.

    Parameters
    ----------
    cells : pandas.DataFrame
        Rows of `select_rounds`, of one run.
    metric : str
        One of ``CELL_METRICS``.
    axes : sequence of str
        The two columns that make the matrix, as `find_cell_axes` returns them.
    bins : pandas.DataFrame, optional
        The table ``bins`` of the run: a percentile over rounds is one of all their
        IOs. Without it such a metric has no row.
    direction : {"total", "read", "write", "trim"}, default "total"
        The direction of ``cells``, whose bins are taken.

    Returns
    -------
    pandas.DataFrame
        One row a cell that has a value: both axes, the metric as stored,
        ``n_rounds`` and ``total_ios`` behind it. Means are means of the rounds,
        maxima the greatest of them.

    Raises
    ------
    ValueError
        If there is no such metric.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> cells = ssdlab.analysis.tabulate_cells(run.measurements, run.percentiles)
    >>> own = ssdlab.analysis.select_rounds(cells, test="iops")
    >>> grid = summarise_cells(own, "iops", axes=["block_size_bytes"])
    >>> len(grid)
    4
    """
    if metric not in CELL_METRICS:
        msg = f"{metric!r} is not a metric; choose from: {', '.join(CELL_METRICS)}"
        raise ValueError(msg)
    placed = cells[cells[list(axes)].notna().all(axis=1)]
    rows = placed[placed["kind"] != "histogram"]
    if rows.empty:
        rows = placed
    if metric in PERCENTILE_METRICS:
        own = None if bins is None else bins[bins["direction"] == direction]
        return _merged_percentile(rows, metric, axes=list(axes), bins=own)
    groups = rows.groupby([*axes])
    sums = groups[["total_ios"]].sum().assign(greatest=groups[metric].max())
    table = average_cells(rows, axes, metric).join(sums, on=[*axes])
    if metric == "lat_max_ns":
        table[metric] = table["greatest"]
    return table[[*axes, metric, "n_rounds", "total_ios"]]


def _merged_percentile(
    rows: pd.DataFrame, metric: str, *, axes: list[str], bins: pd.DataFrame | None
) -> pd.DataFrame:
    level = PERCENTILE_METRICS[metric]
    found: list[tuple[Any, ...]] = []
    if bins is not None:
        for cell, rounds in merged_cells(rows, bins, keys=axes):
            claim = claim_of_level(rounds, level)
            if claim.is_supported:
                value = claim.interval.estimate
                found.append((*cell, value, len(rounds.counts), rounds.total))
    return pd.DataFrame(found, columns=[*axes, metric, "n_rounds", "total_ios"])


def merge_cell_bins(
    bins: pd.DataFrame, steps: pd.DataFrame, *, direction: Direction = "total"
) -> pd.DataFrame:
    """Merge the latency bins of some steps, each run by itself.

    Parameters
    ----------
    bins : pandas.DataFrame
        The table ``bins``, of one run or of several.
    steps : pandas.DataFrame
        Rows with ``run_id`` and ``step_id``, such as those of `select_cell`.
    direction : {"total", "read", "write", "trim"}, default "total"
        Whose IOs are counted.

    Returns
    -------
    pandas.DataFrame
        One row a run and bin, by ascending latency: ``run_id``, ``lat_ns``,
        ``lat_lower_ns``, ``lat_upper_ns`` [ns], ``count``, ``confidence_percent``: the
        share of the run's IOs in this bin and below [%].

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> merged = merge_cell_bins(run.bins, run.steps)
    >>> bool(merged["count"].sum() > 0)
    True
    """
    own = bins[(bins["direction"] == direction) & (bins["count"] > 0)]
    wanted = own["step_id"].isin(steps["step_id"])
    rows = own[wanted].merge(steps[_STEP], on=_STEP)
    table = rows.groupby(["run_id", "lat_ns"], as_index=False).agg(
        lat_lower_ns=("lat_lower_ns", "min"),
        lat_upper_ns=("lat_upper_ns", "max"),
        count=("count", "sum"),
    )
    counts = table.groupby("run_id")["count"]
    reached = counts.cumsum().astype(float)
    table["confidence_percent"] = 100 * reached / counts.transform("sum").astype(float)
    return table
