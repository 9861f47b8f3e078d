"""Firmware A and B of a model: a contrast of their drives."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.fleet.contrast import (
    Contrast,
    DriveValues,
    FleetMetric,
    contrast_drives,
    summarise_contrasts,
)
from ssdlab.stats.holm import adjust_by_holm
from ssdlab.stats.states import SIGNIFICANCE, more_runs_needed


def contrast_runs(
    before: pd.DataFrame, after: pd.DataFrame, metric: FleetMetric
) -> Contrast:
    """Contrast the drives of two sets of runs.

    Drives that are in both are compared with themselves where they are as many as the
    others of the smaller side, and no drive else counts; otherwise they do not count,
    as two populations must not share a drive.
    """
    sides = [sorted(set(runs["drive"])) for runs in (before, after)]
    shared = set(sides[0]) & set(sides[1])
    are_pairs = 0 < min(len(side) for side in sides) <= 2 * len(shared)
    first, second = (
        _values_of(runs, [one for one in side if (one in shared) == are_pairs])
        for runs, side in zip((before, after), sides, strict=True)
    )
    return contrast_drives(first, second, metric=metric)


def _values_of(runs: pd.DataFrame, drives: Sequence[str]) -> DriveValues:
    own = runs[runs["drive"].isin(list(drives))]
    logs = np.log(own["value"]).groupby(own["drive"]).mean()
    levels = {str(name): math.exp(value) for name, value in logs.items()}
    return DriveValues(by_drive=levels, runs=len(own))


def contrast_firmwares(kept: pd.DataFrame, metric: FleetMetric) -> pd.DataFrame:
    """Return how later firmwares of each model differ from its first.

    As `summarise_contrasts`, with ``model``, the names of both firmwares, and
    ``is_shown``: the p-value adjusted for all rows (Holm) is below 0.05, and there are
    as many drives as so many rows take (decision 77).
    """
    pairs = list(_pairs(kept))
    contrasts = [
        contrast_runs(
            kept[(kept["model"] == model) & (kept["firmware"] == first)],
            kept[(kept["model"] == model) & (kept["firmware"] == later)],
            metric,
        )
        for model, first, later in pairs
    ]
    found = summarise_contrasts(contrasts)
    adjusted = adjust_by_holm(found["p_value"].to_numpy(float))
    are_enough = [
        not one.reason and not any(more_runs_needed(*drives, pairs=len(pairs)))
        for one in contrasts
        for drives in [(one.baseline.drives, one.candidate.drives)]
    ]
    return found.assign(
        model=[model for model, _, _ in pairs],
        baseline_firmware=[first for _, first, _ in pairs],
        candidate_firmware=[later for _, _, later in pairs],
        adjusted_p=adjusted,
        is_shown=(adjusted < SIGNIFICANCE) & np.array(are_enough, bool),
    )


def _pairs(kept: pd.DataFrame) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the first firmware of each model and a later one, in order of time."""
    named = kept[kept["firmware"] != ""]
    for model, own in named.groupby("model", sort=True):
        first, *later = own.sort_values("time", kind="stable")["firmware"].unique()
        yield from ((model, first, one) for one in later)
