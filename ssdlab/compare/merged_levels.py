"""Percentiles of all IOs of a load, from merged bins, with their intervals."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pandas as pd

from ssdlab.model.errors import NoHistogramError, UnknownNameError
from ssdlab.qos.load import Load
from ssdlab.qos.loads import select_loads
from ssdlab.stats.claims import claim_levels

_COLUMNS = ["run_id", "test", "kind", "workload", "access", "block_size_bytes"]
_COLUMNS += ["read_percent", "n_rounds", "total_ios", "level_percent", "lat_ns"]
_COLUMNS += ["low_ns", "high_ns", "is_of_rounds", "lat_mean_ns", "lat_max_ns"]


def summarise_merged_levels(
    measurements: pd.DataFrame,
    bins: pd.DataFrame,
    windows: pd.DataFrame,
    *,
    test: str,
    kind: Literal["cell", "histogram"],
    levels: Sequence[float],
) -> pd.DataFrame:
    """Return percentiles of the loads of a test, of several runs, with intervals.

    Notes
    -----
    The intervals are those of `ssdlab.analysis.summarise_qos`. The maximum latency is
    exact, and a percentile is never above it.
    """
    chosen = measurements[
        (measurements["test"] == test) & (measurements["kind"] == kind)
    ]
    held = bins[bins["step_id"].isin(chosen["step_id"].unique())]
    bins_of_run = dict(iter(held.groupby("run_id", sort=False)))
    rows = [
        row
        for run_id, own in chosen.groupby("run_id", sort=False)
        if run_id in bins_of_run
        for load in _loads(
            own, bins_of_run[run_id], windows[windows["run_id"] == run_id], test=test
        )
        for row in _level_rows(load, levels, run_id=str(run_id))
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _loads(
    measurements: pd.DataFrame, bins: pd.DataFrame, windows: pd.DataFrame, *, test: str
) -> tuple[Load, ...]:
    """Return the loads of one run; none if it has no such histogram."""
    try:
        return select_loads(measurements, bins, windows, test=test)
    except (NoHistogramError, UnknownNameError):
        return ()


def _level_rows(
    load: Load, levels: Sequence[float], *, run_id: str
) -> Iterator[dict[str, Any]]:
    bins, first = load.binned, load.steps.iloc[0]
    weights = load.steps["total_ios"].astype(float)
    mean = (load.steps["lat_mean_ns"] * weights).sum() / weights.sum()
    shared: dict[str, Any] = {"run_id": run_id, "test": load.test, "kind": load.kind}
    shared |= {"workload": load.workload, "n_rounds": len(load.steps)}
    shared |= {name: first[name] for name in _COLUMNS[4:7]}
    shared |= {
        "total_ios": bins.total,
        "lat_mean_ns": mean,
        "lat_max_ns": load.greatest_ns,
    }
    for claim in claim_levels(bins, levels):
        yield shared | {
            "level_percent": claim.level,
            "lat_ns": claim.interval.estimate,
            "low_ns": claim.interval.low,
            "high_ns": claim.interval.high,
            "is_of_rounds": claim.is_of_rounds,
        }
