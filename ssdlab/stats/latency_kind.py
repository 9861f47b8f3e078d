"""Which latency a histogram is of: from submission (lat), or completion alone (clat).

fio keeps the bins of ``clat`` unless those of ``lat`` are requested, as ssdlab does.
For runs of others the numbers decide: mean and maximum of one kind match the bins.
"""

from typing import Literal

import numpy as np
import pandas as pd

LatencyKind = Literal["lat", "clat"]

_TOLD_APART = 0.01  # of the mean: bins are 1/64 wide, and their mean far less off


def latency_kind(steps: pd.DataFrame, bins: pd.DataFrame) -> LatencyKind:
    """Return the kind of latency in the bins of steps; ``lat`` in case of doubt.

    ``clat`` where the greatest bin holds its maximum but not that of ``lat``, or
    where the means differ by 1 % and that of ``clat`` is nearer.
    """
    names = ["lat_mean_ns", "lat_max_ns", "clat_mean_ns", "clat_max_ns", "total_ios"]
    if not set(names) <= set(steps):
        return "lat"
    lat_mean, lat_max, clat_mean, clat_max, ios = (
        steps[name].to_numpy(float, na_value=np.nan) for name in names
    )
    if np.isnan([lat_mean, lat_max, clat_mean, clat_max, ios]).any():
        return "lat"
    end = float(bins["lat_upper_ns"].max())
    if clat_max.max() < end < lat_max.max():
        return "clat"
    own, lat, clat = (
        float(np.average(values, weights=weights))
        for values, weights in (
            (bins["lat_ns"].to_numpy(), bins["count"].to_numpy()),
            (lat_mean, ios),
            (clat_mean, ios),
        )
    )
    is_apart = abs(lat - clat) > _TOLD_APART * lat
    return "clat" if is_apart and abs(own - clat) < abs(own - lat) else "lat"


def with_latency_of(steps: pd.DataFrame, kind: LatencyKind) -> pd.DataFrame:
    """Return steps whose mean and extremes are of the same kind as the bins."""
    if kind == "lat":
        return steps
    return steps.assign(**{
        f"lat_{name}_ns": steps[f"clat_{name}_ns"] for name in ("min", "mean", "max")
    })
