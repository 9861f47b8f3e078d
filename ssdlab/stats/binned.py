"""Histograms of several steps as counts of the same bins, one row per step."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.stats.latency_kind import latency_kind
from ssdlab.stats.quantiles import BinnedRounds, FloatArray


def bin_rounds(steps: pd.DataFrame, bins: pd.DataFrame) -> BinnedRounds:
    """Return the counts of steps as arrays: one row per step, one column per bin.

    The greatest bin ends at the recorded maximum. If that lies beyond the bin, which is
    then fio's last, latencies within it are not resolved, and no percentile is placed
    beyond its lower edge.
    """
    names, places = np.unique(bins["lat_ns"].to_numpy(np.int64), return_inverse=True)
    order = {step: row for row, step in enumerate(steps["step_id"])}
    codes, step_ids = pd.factorize(bins["step_id"])
    rows = np.array([order[step] for step in step_ids], dtype=np.intp)[codes]
    counts = np.zeros((len(order), names.size), np.int64)
    np.add.at(counts, (rows, places), bins["count"].to_numpy(np.int64))
    lower = np.full(names.size, np.inf)
    upper = np.zeros(names.size)
    np.minimum.at(lower, places, bins["lat_lower_ns"].to_numpy(float))
    np.maximum.at(upper, places, bins["lat_upper_ns"].to_numpy(float))
    kind = latency_kind(steps, bins)
    least = float(_known(steps, f"{kind}_min_ns").min())
    greatest = float(_known(steps, f"{kind}_max_ns").max())
    told_apart = lower[-1] if greatest > upper[-1] else greatest
    if not math.isnan(greatest):
        upper[-1] = max(lower[-1], greatest)
    return BinnedRounds(
        names=names,
        lower=lower,
        upper=upper,
        counts=counts,
        extremes=(least, float(told_apart)),
    )


def _known(steps: pd.DataFrame, column: str) -> FloatArray:
    """Return a column of numbers; one that is missing if there is none."""
    if column not in steps:
        return np.array([math.nan])
    return steps[column].to_numpy(float, na_value=math.nan)


def merged_cells(
    cells: pd.DataFrame, bins: pd.DataFrame, *, keys: Sequence[str]
) -> Iterator[tuple[tuple[Any, ...], BinnedRounds]]:
    """Yield each cell that has latency bins, and the counts of its rounds."""
    where = cells[list(dict.fromkeys(["run_id", "step_id", *keys]))]
    held = bins[bins["count"] > 0].merge(where, on=["run_id", "step_id"])
    by_cell = dict(iter(held.groupby(list(keys), sort=False)))
    for cell, steps in cells.sort_values("step_id").groupby(list(keys)):
        if cell in by_cell:
            own = by_cell[cell]
            is_held = steps["step_id"].isin(own["step_id"].unique())
            yield cell, bin_rounds(steps[is_held], own)
