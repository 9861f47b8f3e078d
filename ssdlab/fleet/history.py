"""A metric over time: where its level changed, and whether the firmware did too."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from ssdlab.fleet.contrast import FleetMetric
from ssdlab.fleet.firmwares import contrast_runs
from ssdlab.stats.differences import compare_runs_of_sides
from ssdlab.stats.pelt import segment_series

FEWEST_RUNS: Final = 8  # of a series: fewer do not show the noise about a level
_MOSTLY = 0.9  # of the runs of a segment, that a firmware must have to be its own


def find_changes(kept: pd.DataFrame, metric: FleetMetric) -> pd.DataFrame:
    """Return where the level of each model, and of each drive, changed over time.

    One row per change, with the number of runs and the last and first time on either
    side, the ``ratio`` of the level after to that before with its interval, and the
    firmware of each side where nine of ten of its runs have it. It is an observation:
    whatever else changed then is not told apart.

    Notes
    -----
    The series is the logarithm of the metric, run by run; of a model those of all its
    drives, so that drives are the sample of the ratio; of a drive its runs are.
    """
    rows = [
        {"of": of, **names} | _change(before, after, metric, are_drives=of == "model")
        for of, names, runs in series_of(kept)
        for before, after in pairwise(_segments(runs))
    ]
    columns = ["of", "model", "drive", "runs_before", "runs_after", "last_before"]
    columns += ["first_after", "ratio", "low", "high", "reason"]
    return pd.DataFrame(
        rows, columns=[*columns, "firmware_before", "firmware_after", "is_new_firmware"]
    )


def series_of(
    kept: pd.DataFrame,
) -> Iterator[tuple[str, dict[str, str], pd.DataFrame]]:
    """Yield the series that are long enough: of models, and of drives."""
    known = kept[kept["time"].notna()].sort_values(["time", "run_id"], kind="stable")
    for model, own in known.groupby("model", sort=True):
        if len(own) >= FEWEST_RUNS:
            yield "model", {"model": str(model), "drive": ""}, own
    for names, own in known.groupby(["model", "drive"], sort=True):
        if len(own) >= FEWEST_RUNS:
            model, drive = map(str, names)
            yield "drive", {"model": model, "drive": drive}, own


def _segments(runs: pd.DataFrame) -> list[pd.DataFrame]:
    bounds = segment_series(np.log(runs["value"].to_numpy())).bounds
    return [runs.iloc[begin:end] for begin, end in bounds]


def _change(
    before: pd.DataFrame, after: pd.DataFrame, metric: FleetMetric, *, are_drives: bool
) -> dict[str, Any]:
    reason: str = ""
    if are_drives:
        contrast = contrast_runs(before, after, metric)
        ratio, reason = contrast.difference().ratio, contrast.reason
    else:
        values = [one["value"].to_numpy() for one in (after, before)]
        ratio = compare_runs_of_sides(*values).ratio
    firmwares = [_own_firmware(one) for one in (before, after)]
    return {
        "runs_before": len(before),
        "runs_after": len(after),
        "last_before": before["time"].iloc[-1],
        "first_after": after["time"].iloc[0],
        "ratio": ratio.estimate,
        "low": math.nan if reason else ratio.low,
        "high": math.nan if reason else ratio.high,
        "reason": reason,
        "firmware_before": firmwares[0],
        "firmware_after": firmwares[1],
        "is_new_firmware": all(firmwares) and firmwares[0] != firmwares[1],
    }


def _own_firmware(runs: pd.DataFrame) -> str:
    """Return the firmware of a segment; empty if it is mixed, or not known."""
    ((firmware, count),) = Counter(runs["firmware"]).most_common(1)
    return str(firmware) if count >= _MOSTLY * len(runs) else ""
