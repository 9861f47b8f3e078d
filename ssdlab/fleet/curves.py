"""The latencies of all drives of a group: their bins added, never their percentiles."""

import numpy as np
import pandas as pd

from ssdlab.fio.bins import BIN_COUNT, bin_edges, bin_value
from ssdlab.fleet.tables import LEVELS
from ssdlab.stats.latency import hold_within, is_supported, places_reached

_TAIL = 0.025  # of the 95 % by which a share of IOs is bounded from above


def merge_groups(kept: pd.DataFrame, histograms: pd.DataFrame) -> pd.DataFrame:
    """Return the added bins of each group, as `plot_exceedance` takes them.

    ``histograms`` are rows of one cell; runs that are not kept are left out. Each run
    weighs by its IOs.
    """
    frames = []
    for group, own in _joined(kept, histograms).groupby("group", sort=True):
        counts = _added(own)
        total = int(counts.sum())
        places = np.flatnonzero(counts)
        lower, upper = bin_edges(bin_value(places))
        reached = counts.cumsum()[places]
        frames.append(
            pd.DataFrame({
                "load": str(group),
                "direction": "total",
                "lat_lower_ns": lower,
                "lat_upper_ns": upper,
                "count": counts[places],
                "exceedance_ratio": (total - reached) / total,
                "total_ios": total,
                "is_censored": places == BIN_COUNT - 1,
                "is_supported": reached / total <= _TAIL ** (1 / total),
            })
        )
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def merged_percentiles(kept: pd.DataFrame, histograms: pd.DataFrame) -> pd.DataFrame:
    """Return percentiles of the added bins of each group, by fio's rule."""
    rows = []
    for group, own in _joined(kept, histograms).groupby("group", sort=True):
        reached = _added(own).cumsum()
        total = int(reached[-1])
        levels = list(LEVELS.values())
        ends = own["lat_min_ns"].min(), own["lat_max_ns"].max()
        found = hold_within(bin_value(places_reached(reached, levels)), ends)
        row = {"group": group, "drives": own["drive"].nunique(), "runs": len(own)}
        row |= {"total_ios": total}
        supported = is_supported(levels, total)
        for name, value, is_known in zip(LEVELS, found, supported, strict=True):
            row |= {f"lat_{name}_ns": float(value), f"is_{name}_supported": is_known}
        rows.append(row)
    return pd.DataFrame(rows)


def _joined(kept: pd.DataFrame, histograms: pd.DataFrame) -> pd.DataFrame:
    columns = ["ingest_id", "bin", "count", "lat_min_ns", "lat_max_ns"]
    return kept[["ingest_id", "drive", "group"]].merge(histograms[columns])


def _added(rows: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the sum of bins, in doubles, which are exact up to 9e15 IOs."""
    bins, counts = (np.concatenate(rows[name].to_list()) for name in ("bin", "count"))
    return np.bincount(bins, weights=counts, minlength=BIN_COUNT).astype(np.int64)
