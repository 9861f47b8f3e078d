"""How a metric changes with the life of a drive: within drives, over drives."""

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.stats.means import mean_interval

READINGS: Final = ("written_before_bytes", "power_on_hours")


def repeated_runs(kept: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Return the runs of drives that have several under one firmware.

    Each has its ``relative`` value, to the geometric mean of these runs. Runs whose
    reading is not known, and drives whose reading did not change, are left out.
    """
    known = kept[kept[reading].notna()]
    if known.empty:
        return known.assign(relative=[])
    by = known.groupby(["model", "drive", "firmware"])
    has_span = by[reading].transform("max") > by[reading].transform("min")
    logs = np.log(known["value"])
    middle = logs.groupby([known[one] for one in by.keys]).transform("mean")
    found = known.assign(relative=np.exp(logs - middle))[has_span]
    order = ["model", "drive", "firmware", reading]
    return found.sort_values(order, kind="stable").reset_index(drop=True)


def summarise_ageing(kept: pd.DataFrame) -> pd.DataFrame:
    """Return by how much the drives of each model change with each reading.

    ``change_percent`` with its 95 % interval is the change per ``unit`` of the reading,
    a power of ten. Drives are the sample.

    Notes
    -----
    The slope of a drive is that of the least squares line of the logarithm, with a
    level for each of its firmwares. Their mean is weighted by the squared spread of the
    reading, which makes it the slope of one line with a level for each drive; its
    interval is by Student's t over drives, and does not assume that they age alike.
    """
    rows = []
    for reading in READINGS:
        runs = repeated_runs(kept, reading)
        by_drive = runs.groupby(["model", "drive"])[reading]
        spans = by_drive.max() - by_drive.min()
        unit = 10.0 ** math.ceil(math.log10(spans.median())) if len(spans) else 1.0
        for model, own in runs.groupby("model", sort=True):
            slopes, weights = _slopes(own, reading)
            found = mean_interval(slopes * unit, weights)
            rows.append({
                "model": model,
                "reading": reading,
                "drives": slopes.size,
                "runs": len(own),
                "unit": unit,
                "change_percent": _percent(found.estimate),
                "low_percent": _percent(found.low),
                "high_percent": _percent(found.high),
            })
    columns = ["model", "reading", "drives", "runs", "unit"]
    ends = ["change_percent", "low_percent", "high_percent"]
    return pd.DataFrame(rows, columns=[*columns, *ends])


def _slopes(
    runs: pd.DataFrame, reading: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the slope of each drive and its weight."""
    by = [runs["drive"], runs["firmware"]]
    across = runs[reading] - runs[reading].groupby(by).transform("mean")
    parts = pd.DataFrame({
        "drive": runs["drive"],
        "xx": across**2,
        "xy": across * np.log(runs["relative"]),
    })
    sums: Any = parts.groupby("drive").sum()
    return (sums["xy"] / sums["xx"]).to_numpy(), sums["xx"].to_numpy()


def _percent(log: float) -> float:
    """Return the logarithm of a ratio in percent; NaN if it is not bounded."""
    return 100 * math.expm1(log) if math.isfinite(log) else math.nan
