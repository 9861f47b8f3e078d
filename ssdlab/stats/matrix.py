"""Tables over the measurement window: IOPS, throughput, latency; and convergence.

A cell's value is the mean over the rounds of the window, its maximum latency the
maximum over them (PTS 2.1.24). A cell that was not measured has no row. Where others
printed a mean over their window and no rounds, a row of kind ``mean``, that is its
value.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ssdlab.model.schema import MEASUREMENTS
from ssdlab.model.spec import PTS_CRITERIA
from ssdlab.stats.binned import merged_cells
from ssdlab.stats.claims import claim_of_level

FIVE_NINES_PERCENT = 99.999

_CELL = ["run_id", "phase", "access", "block_size_bytes", "read_percent"]
_STEP = ["run_id", "step_id"]
_PHASE = ("run_id", "test", "phase")
_METRICS = {column.name for column in MEASUREMENTS.columns if column.dtype == "float64"}


def select_cells(measurements: pd.DataFrame, test: str) -> pd.DataFrame:
    """Return a test's round cells, one row each: all directions together."""
    return measurements[
        (measurements["test"] == test)
        & (measurements["kind"] == "cell")
        & (measurements["direction"] == "total")
        & measurements["round"].notna()
    ]


def select_window(
    measurements: pd.DataFrame, windows: pd.DataFrame, test: str
) -> pd.DataFrame:
    """Return a test's cells inside its reported measurement window."""
    is_mean = measurements["kind"] == "mean"
    is_cell = (measurements["kind"] == "cell") & measurements["round"].notna()
    is_total = (measurements["test"] == test) & (measurements["direction"] == "total")
    cells = mark_window(measurements[is_total & (is_cell | is_mean)], windows)
    chosen = cells.pop("is_sampled").fillna(value=False) | (cells["kind"] == "mean")
    window = cells[chosen.astype(bool)].drop(columns="is_in_window")
    return window.sort_values("kind", kind="stable").reset_index(drop=True)


def mark_window(cells: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Mark the rounds of the reported measurement window of each phase."""
    final = windows[windows["is_final"].fillna(value=False).astype(bool)]
    ends: dict[tuple[str, ...], tuple[int, int]] = {}
    names = ("window_first_round", "window_last_round")
    for first, last, *place in zip(
        *(final[name] for name in (*names, *_PHASE)), strict=True
    ):
        known = ends.get(tuple(place), (first, last))
        ends[tuple(place)] = (min(first, known[0]), max(last, known[1]))
    bounds = np.array(
        [
            ends.get(place, (math.nan, math.nan))
            for place in zip(*(cells[name] for name in _PHASE), strict=True)
        ],
        dtype=float,
    ).reshape(-1, 2)
    number = cells["round"].to_numpy(dtype=float, na_value=math.nan)
    since = number - bounds[:, 0]
    inside = (since >= 0) & (number <= bounds[:, 1])
    step = np.maximum(1, np.diff(bounds)[:, 0] // (PTS_CRITERIA.window_rounds - 1))
    is_unknown = np.isnan(since)  # no window, or no round
    return cells.assign(
        is_in_window=pd.arrays.BooleanArray(inside, is_unknown),
        is_sampled=pd.arrays.BooleanArray(
            inside & (since % step == 0), is_unknown.copy()
        ),
    )


def choose_rounds(rows: pd.DataFrame, mark: str) -> pd.DataFrame:
    """Return the marked rounds, numbered anew; all rows as they are if none is."""
    is_marked = rows[mark].fillna(value=False).astype(bool)
    return rows[is_marked].reset_index(drop=True) if is_marked.any() else rows


def summarise_iops_matrix(
    measurements: pd.DataFrame, windows: pd.DataFrame, *, test: str = "iops"
) -> pd.DataFrame:
    """Average the IOPS of each block size and R/W mix over the window.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    windows : pandas.DataFrame
        The table ``windows``.
    test : str, default "iops"
        The test.

    Returns
    -------
    pandas.DataFrame
        One row a cell: ``run_id``, ``phase``, ``access``, ``block_size_bytes`` [B],
        ``read_percent`` [%], ``iops`` [1/s], and ``n_rounds``, the rounds that were
        averaged: see `average_cells`. Small blocks and writes come first, as in the
        report of the PTS.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 7.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> matrix = summarise_iops_matrix(run.measurements, run.windows)
    >>> sorted(matrix["read_percent"].unique().tolist())
    [0, 65, 100]
    """
    return average_cells(select_window(measurements, windows, test), _CELL, "iops")


def summarise_throughput(
    measurements: pd.DataFrame, windows: pd.DataFrame, *, test: str = "tp"
) -> pd.DataFrame:
    """Average the throughput of each block size and R/W mix over the window.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    windows : pandas.DataFrame
        The table ``windows``; each block size has a phase and a window of its own.
    test : str, default "tp"
        The test.

    Returns
    -------
    pandas.DataFrame
        One row a cell: ``run_id``, ``phase``, ``access``, ``block_size_bytes`` [B],
        ``read_percent`` [%], ``bw_bytes_per_s`` [B/s], and ``n_rounds``, the rounds
        that were averaged: see `average_cells`.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 8.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> table = summarise_throughput(run.measurements, run.windows)
    >>> len(table)
    4
    """
    cells = select_window(measurements, windows, test)
    return average_cells(cells, _CELL, "bw_bytes_per_s")


def summarise_latency_table(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    *,
    percentiles: pd.DataFrame,
    bins: pd.DataFrame,
    test: str = "lat",
) -> pd.DataFrame:
    """Make the latency table: each R/W mix and block size over the window.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    windows : pandas.DataFrame
        The table ``windows``.
    percentiles : pandas.DataFrame
        The table ``percentiles``.
    bins : pandas.DataFrame
        The table ``bins``.
    test : str, default "lat"
        The test.

    Returns
    -------
    pandas.DataFrame
        One row a cell: ``run_id``, ``phase``, ``access``, ``block_size_bytes`` [B],
        ``read_percent`` [%], ``iops`` [1/s] and ``lat_mean_ns`` [ns] (means of the
        rounds), ``lat_five_nines_ns`` [ns] (99.999 % of all IOs of the window, from
        merged bins), ``lat_five_nines_mean_ns`` [ns] (mean of the rounds' 99.999 %),
        ``lat_max_ns`` [ns] (maximum over the rounds), ``n_rounds`` (see
        `average_cells`), and
        ``is_five_nines_supported``: the interval of the merged value has an upper
        end, as in `ssdlab.analysis.summarise_qos`; without bins that of each round has
        one. What was not recorded is missing.

    Notes
    -----
    The PTS does not say how 99.999 % is taken over the window. Others print the mean of
    the rounds; a percentile of all IOs needs merged bins.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 9.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> table = summarise_latency_table(
    ...     run.measurements, run.windows, percentiles=run.percentiles, bins=run.bins
    ... )
    >>> len(table)
    9
    """
    cells = select_window(measurements, windows, test)
    table = average_cells(cells, _CELL, "lat_mean_ns")
    rates = average_cells(cells, _CELL, "iops")[[*_CELL, "iops"]]
    greatest = cells.groupby(_CELL, as_index=False).agg(
        lat_max_ns=("lat_max_ns", "max")
    )
    table = table.merge(rates, on=_CELL, how="left").merge(greatest, on=_CELL)
    table = table.merge(_merge_five_nines(cells, bins), on=_CELL, how="left")
    table = table.merge(_mean_five_nines(cells, percentiles), on=_CELL, how="left")
    supported = table["is_five_nines_supported"].astype("boolean")
    of_rounds = table.pop("are_rounds_supported").astype("boolean")
    table["is_five_nines_supported"] = supported.fillna(of_rounds)
    return table.reset_index(drop=True)


def summarise_convergence(
    measurements: pd.DataFrame,
    test: str,
    *,
    metric: str,
    read_percent: int,
    block_size_bytes: int | None = None,
) -> pd.DataFrame:
    """Return one metric round by round, of one R/W mix.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    test : str
        The test: iops, tp, lat or wsat.
    metric : str
        A column of numbers of ``measurements``, such as ``iops`` or ``lat_max_ns``.
    read_percent : int
        The R/W mix: 0 for writes alone.
    block_size_bytes : int, optional
        One block size [B]; without it all of them.

    Returns
    -------
    pandas.DataFrame
        One row a round and block size: ``run_id``, ``phase``, ``round``,
        ``block_size_bytes`` [B], ``read_percent`` [%] and the metric in its own unit.

    Raises
    ------
    ValueError
        If ``measurements`` has no such metric.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> curve = summarise_convergence(
    ...     run.measurements, "iops", metric="iops", read_percent=0
    ... )
    >>> int(curve["round"].max())
    7
    """
    if metric not in _METRICS:
        msg = f"unknown metric {metric!r}; choose from: {', '.join(sorted(_METRICS))}"
        raise ValueError(msg)
    cells = select_cells(measurements, test)
    chosen = cells[(cells["read_percent"] == read_percent) & cells[metric].notna()]
    if block_size_bytes is not None:
        chosen = chosen[chosen["block_size_bytes"] == block_size_bytes]
    names = ["run_id", "phase", "block_size_bytes", "round"]
    columns = ["run_id", "phase", "round", "block_size_bytes", "read_percent", metric]
    return chosen.sort_values(names)[columns].reset_index(drop=True)


def _mean_five_nines(cells: pd.DataFrame, percentiles: pd.DataFrame) -> pd.DataFrame:
    rows = percentiles[
        (percentiles["direction"] == "total")
        & np.isclose(percentiles["percentile"], FIVE_NINES_PERCENT, rtol=0, atol=1e-9)
    ]
    joined = cells[[*_CELL, "step_id"]].merge(
        rows[[*_STEP, "lat_ns", "is_supported"]], on=_STEP
    )
    return joined.groupby(_CELL, as_index=False).agg(
        lat_five_nines_mean_ns=("lat_ns", "mean"),
        are_rounds_supported=("is_supported", "min"),
    )


def _merge_five_nines(cells: pd.DataFrame, bins: pd.DataFrame) -> pd.DataFrame:
    totals = bins[bins["direction"] == "total"]
    found = [
        (*cell, claim.interval.estimate, claim.is_supported)
        for cell, rounds in merged_cells(cells, totals, keys=_CELL)
        for claim in [claim_of_level(rounds, FIVE_NINES_PERCENT)]
    ]
    names = [*_CELL, "lat_five_nines_ns", "is_five_nines_supported"]
    return pd.DataFrame(found, columns=names).astype(cells[_CELL].dtypes)


def order_rounds(
    measurements: pd.DataFrame, steps: pd.DataFrame, *, test: str
) -> pd.DataFrame:
    """Return the rounds of a test with their gaps, in the order of the run."""
    gaps = steps[[*_STEP, "wait_s", "idle_before_s", "is_contiguous"]]
    table = select_cells(measurements, test).merge(gaps, on=_STEP, how="left")
    table = table.sort_values(_STEP).reset_index(drop=True)
    known = table["is_contiguous"].fillna(value=True).astype(bool)
    return table.assign(is_contiguous=known)


def average_cells(
    cells: pd.DataFrame, keys: Sequence[str], metric: str
) -> pd.DataFrame:
    """Average a metric over the rounds of each cell."""
    is_mean = cells["kind"] == "mean"
    split = cells[[*keys]].assign(
        by_round=cells[metric].mask(is_mean), printed=cells[metric].where(is_mean)
    )
    groups = split.groupby([*keys])
    means = groups[["by_round", "printed"]].mean()
    counts = groups["by_round"].count().astype("Int64")
    table = means.assign(
        **{metric: means["by_round"].fillna(means["printed"])},
        n_rounds=counts.mask(counts == 0),
    ).reset_index()
    found = table[table[metric].notna()].reset_index(drop=True)
    return found[[*keys, metric, "n_rounds"]]
