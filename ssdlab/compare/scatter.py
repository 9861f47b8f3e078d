"""Repeated runs: drive-to-drive against run-to-run scatter, and outliers."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.compare.cells import CELL
from ssdlab.compare.side_cells import SideCell
from ssdlab.compare.verdicts import OTHER_CONDITIONS
from ssdlab.stats.outliers import (
    LEAST_VALUES,
    find_outliers,
    outlier_distances,
    outlier_limit,
)
from ssdlab.stats.variance import estimate_variance_components

_VARIANCE = [*CELL, "n_sides", "n_runs", "between_percent", "within_percent"]
_VARIANCE += ["within_low_percent", "within_high_percent", "ratio", "low", "high"]
_OUTLIERS = [*CELL, "of", "run_id", "round", "value", "median", "distance", "limit"]


def summarise_variance(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    differences: pd.DataFrame,
) -> pd.DataFrame:
    """Split the scatter of each cell into drive-to-drive and run-to-run."""
    rows = []
    barred = differences[differences["verdict"] == OTHER_CONDITIONS]
    apart = set(zip(barred["test"], barred["a"], barred["b"], strict=True))
    for place, own in found.items():
        logs = [np.log(one.means) for one in _alike(place[0], own, apart)]
        parts = estimate_variance_components(logs)
        if parts is None:
            continue
        within, ratio = parts.within, parts.between_to_within
        row: dict[str, Any] = dict(zip(CELL, place, strict=True))
        row |= {"n_sides": parts.n_groups, "n_runs": parts.n_values}
        row |= {
            "between_percent": 100 * math.sqrt(parts.between),
            "within_percent": 100 * math.sqrt(within.estimate),
            "within_low_percent": 100 * math.sqrt(within.low),
            "within_high_percent": 100 * math.sqrt(within.high),
            "ratio": ratio.estimate,
            "low": ratio.low,
            "high": ratio.high,
            "note": parts.note,
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=[*_VARIANCE, "note"])


def _alike(
    test: str, own: Mapping[str, SideCell], apart: set[tuple[str, str, str]]
) -> list[SideCell]:
    """Return the side with the most repetitions, and those under its conditions."""
    most = max(own.values(), key=lambda one: one.n_runs)
    return [
        one
        for one in own.values()
        if not {(test, most.side, one.side), (test, one.side, most.side)} & apart
    ]


def find_cell_outliers(cells: pd.DataFrame, sides: pd.DataFrame) -> pd.DataFrame:
    """Return the outliers among the runs of a drive, and among the rounds of a run."""
    if cells.empty:
        return pd.DataFrame(columns=_OUTLIERS)
    by_run = cells.groupby(["run_id", *CELL], as_index=False)["value"].mean()
    runs = by_run.merge(sides[["run_id", "side"]], on="run_id").assign(round=pd.NA)
    rounds = cells[cells["round"].notna()]
    parts = [
        _outliers(group, of)
        for of, table, keys in (
            ("runs of a drive", runs, ["side", *CELL]),
            ("rounds of a run", rounds, ["run_id", *CELL]),
        )
        for _, group in table.groupby(keys)
        if len(group) >= LEAST_VALUES
    ]
    found = [part for part in parts if len(part)]
    if not found:
        return pd.DataFrame(columns=_OUTLIERS)
    table = pd.concat(found, ignore_index=True)
    return table.astype({"round": "Int64"})[_OUTLIERS]


def _outliers(group: pd.DataFrame, of: str) -> pd.DataFrame:
    logs = np.log(group["value"].to_numpy(dtype=float))
    is_far = find_outliers(logs)
    if not is_far.any():
        return group.iloc[:0]
    found = group[is_far].assign(
        of=of,
        median=float(np.exp(np.median(logs))),
        distance=outlier_distances(logs)[is_far],
        limit=outlier_limit(len(logs)),
    )
    found["round"] = found["round"].astype("Int64")
    return found
