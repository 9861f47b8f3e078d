"""Response time histogram, confidence levels, and the markers between them."""

import numpy as np
import pandas as pd

from ssdlab.stats.binned import bin_rounds
from ssdlab.stats.claims import claim_levels
from ssdlab.stats.latency_kind import latency_kind, with_latency_of

MARKER_LEVELS_PERCENT = (99.0, 99.9, 99.99, 99.999)

_STEP = ["run_id", "step_id"]


def summarise_histogram(
    bins: pd.DataFrame, measurements: pd.DataFrame, *, test: str
) -> pd.DataFrame:
    """Merge the bins of a test's histogram run into counts and confidence levels."""
    steps = _histogram_steps(measurements, test)[_STEP]
    own = bins[bins["step_id"].isin(steps["step_id"])]
    rows = own[(own["direction"] == "total") & (own["count"] > 0)].merge(
        steps, on=_STEP
    )
    table = rows.groupby(["run_id", "lat_ns"], as_index=False).agg(
        lat_lower_ns=("lat_lower_ns", "min"),
        lat_upper_ns=("lat_upper_ns", "max"),
        count=("count", "sum"),
    )
    counts = table.groupby("run_id")["count"]
    total = counts.transform("sum").astype(float)
    reached = counts.cumsum().astype(float)
    table["confidence_percent"] = 100 * reached / total
    table["exceedance_ratio"] = (total - reached) / total
    return table


def summarise_confidence(
    bins: pd.DataFrame, measurements: pd.DataFrame, *, test: str
) -> pd.DataFrame:
    """Return the markers of a confidence plot: average, nines and maximum."""
    steps = _histogram_steps(measurements, test)
    histogram = summarise_histogram(bins, measurements, test=test)
    own = bins[bins["step_id"].isin(steps["step_id"])]
    held = own[(own["direction"] == "total") & (own["count"] > 0)]
    rows = [
        (run_id, *marker)
        for run_id, curve in histogram.groupby("run_id")
        for marker in _markers(
            curve,
            steps[steps["run_id"] == run_id].sort_values("step_id"),
            held[held["run_id"] == run_id],
        )
    ]
    names = ["run_id", "marker", "lat_ns", "confidence_percent", "is_supported"]
    return pd.DataFrame(rows, columns=names)


def _histogram_steps(measurements: pd.DataFrame, test: str) -> pd.DataFrame:
    return measurements[
        (measurements["test"] == test)
        & (measurements["kind"] == "histogram")
        & (measurements["direction"] == "total")
    ]


def _markers(
    curve: pd.DataFrame, steps: pd.DataFrame, bins: pd.DataFrame
) -> list[tuple[str, float, float, bool]]:
    own = bins[bins["step_id"].isin(steps["step_id"])]
    steps = with_latency_of(steps, latency_kind(steps, own))
    weights = steps["total_ios"].to_numpy(dtype=float)
    average = float(np.average(steps["lat_mean_ns"].to_numpy(), weights=weights))
    below = curve[curve["lat_lower_ns"] <= average]["confidence_percent"]
    greatest = float(steps["lat_max_ns"].max())
    claims = claim_levels(bin_rounds(steps, own), MARKER_LEVELS_PERCENT)
    nines = [
        (f"{one.level:g} %", one.interval.estimate, one.level, one.is_supported)
        for one in claims
    ]
    return [
        ("average", average, float(below.max()) if len(below) else 0.0, True),
        *nines,
        ("max", greatest, 100.0, True),
    ]
