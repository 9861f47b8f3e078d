"""The percentiles of each single round of a load."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ssdlab.qos.load import Load
from ssdlab.stats.latency import is_supported, percentiles_from_bins

BAND_LEVELS_PERCENT = (50.0, 90.0, 99.0, 99.9, 99.99)


def summarise_percentile_rounds(
    load: Load,
    *,
    levels: Sequence[float] = BAND_LEVELS_PERCENT,
    confidence_percent: float = 95.0,
) -> pd.DataFrame:
    """Return the percentiles of each single step of a load."""
    bins = load.binned
    steps = load.steps
    minutes = steps["runtime_s"].astype(float).fillna(0).cumsum() / 60
    rows = []
    for place, (counts, (_, step)) in enumerate(
        zip(bins.counts, steps.iterrows(), strict=True)
    ):
        least, greatest = float(step["lat_min_ns"]), float(step["lat_max_ns"])
        found = percentiles_from_bins(
            bins.names, counts, levels, within=(least, greatest)
        )
        total = int(counts.sum())
        bounded = is_supported(levels, total, confidence_percent=confidence_percent)
        shared = {
            "round": place_of_round(step["round"], place),
            "minutes": float(minutes.iloc[place]),
            "lat_mean_ns": float(step["lat_mean_ns"]),
            "lat_max_ns": greatest,
            "total_ios": total,
        }
        rows += [
            shared
            | {
                "marker": f"{level:.10g} %",
                "percentile": level,
                "lat_ns": float(lat_ns),
                "is_supported": bool(is_bounded),
            }
            for level, lat_ns, is_bounded in zip(levels, found, bounded, strict=True)
        ]
    return pd.DataFrame(rows)


def place_of_round(number: Any, place: int) -> int:
    """Return the number of a round, or the position of a step without one."""
    return place + 1 if pd.isna(number) else int(number)
