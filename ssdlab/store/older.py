"""Tables that an older version wrote, read as this version would have made them.

Version 1 named percentiles by the middle of their bin, which may lie above the recorded
maximum, and called a level supported from one IO expected beyond it. Both follow from
tables that lie beside: ``measurements`` has the extremes, ``bins`` the counts. Before
version 4 ``windows`` did not tell the cell of a tracking variable: ``steps`` does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ssdlab.analysis.latency import hold_within, is_supported

if TYPE_CHECKING:
    import pandas as pd

OLDER_VERSIONS = ("1", "2", "3")
# The columns that a version added, and what they are in tables of the ones before.
_ADDED: Mapping[str, Mapping[str, Mapping[str, str | None]]] = {
    "3": {"findings": {"clause": ""}, "runs": {"is_steady": None, "doubts": None}},
    "4": {"windows": {"cell": None}},
}

_SIDE = ["run_id", "step_id", "direction"]
_ENDS = ["lat_min_ns", "lat_max_ns", "clat_min_ns", "clat_max_ns", "total_ios"]
_SAME = ("test", "phase", "access", "block_size_bytes", "read_percent")
_IF_TOLD = ("threads", "queue_depth")


def added_since(version: str, table: str) -> Mapping[str, str | None]:
    """Return the columns that a table of a version lacks, with what they are then."""
    return {
        column: value
        for added, tables in _ADDED.items()
        if version < added
        for column, value in tables.get(table, {}).items()
    }


def renew_percentiles(
    percentiles: "pd.DataFrame", measurements: "pd.DataFrame", bins: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return the table ``percentiles`` of version 1 as version 2 makes it.

    Parameters
    ----------
    percentiles, measurements, bins : pandas.DataFrame
        Whole tables of one run.

    Returns
    -------
    pandas.DataFrame
        The same rows. A percentile whose bin is known is held within the extremes; one
        that was printed in a rounded form stays. Whether a level is supported is told
        anew wherever it was told.
    """
    held = bins.groupby(_SIDE, as_index=False).agg(
        counted=("count", "sum"), end_ns=("lat_upper_ns", "max")
    )
    known = percentiles[_SIDE].merge(
        measurements[[*_SIDE, *_ENDS]], on=_SIDE, how="left"
    )
    known = known.merge(held, on=_SIDE, how="left").astype(
        dict.fromkeys([*_ENDS, "counted", "end_ns"], "float64")
    )
    # bins of clat end beyond its maximum, and before that of lat
    is_clat = known["end_ns"].between(known["clat_max_ns"], known["lat_max_ns"])
    least, greatest = (
        np.where(is_clat, known[f"clat_{end}_ns"], known[f"lat_{end}_ns"])
        for end in ("min", "max")
    )
    values = hold_within(percentiles["lat_ns"], (least, greatest))
    is_of_bin = percentiles["lat_lower_ns"].notna().to_numpy()
    counts = known["counted"].fillna(known["total_ios"])
    was_told = percentiles["is_supported"].notna().to_numpy() & counts.notna()
    told = [
        bool(is_supported([level], int(count))[0]) if is_told else None
        for level, count, is_told in zip(
            percentiles["percentile"], counts, was_told, strict=True
        )
    ]
    return percentiles.assign(
        lat_ns=np.where(is_of_bin, values, percentiles["lat_ns"]),
        is_supported=np.array(told, dtype=object),
    ).astype({"is_supported": "boolean"})


def place_windows(windows: "pd.DataFrame", steps: "pd.DataFrame") -> "pd.DataFrame":
    """Return the table ``windows`` with the cells of its tracking variables.

    Parameters
    ----------
    windows, steps : pandas.DataFrame
        Whole tables of one run.

    Returns
    -------
    pandas.DataFrame
        The same rows. A missing block size is that of a composite; threads or queue
        depth that are missing are any. Of a cell that no step has, nothing is told.
    """
    names = [*_SAME, *_IF_TOLD]
    cells = steps[steps["kind"] == "cell"].drop_duplicates([*names, "cell"])
    placed = windows.copy()
    for _, variable in windows.drop_duplicates(names).iterrows():
        found = cells[_are_alike(cells, variable)]["cell"]
        if len(found):
            placed.loc[_are_alike(windows, variable), "cell"] = int(found.iloc[0])
    return placed


def _are_alike(frame: "pd.DataFrame", variable: "pd.Series[Any]") -> "pd.Series[bool]":
    """Tell which rows are of a tracking variable; what is missing equals the same."""
    is_told = variable.notna()
    same: pd.Series[bool] = frame["test"] == variable["test"]
    for name in (*_SAME, *(name for name in _IF_TOLD if is_told[name])):
        equal = (frame[name] == variable[name]).fillna(value=False)
        same &= equal.astype(bool) if is_told[name] else frame[name].isna()
    return same


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewal:
    """How a table of older versions is made anew from those that lie beside."""

    versions: tuple[str, ...]
    beside: tuple[str, ...]
    renew: "Callable[..., pd.DataFrame]"


RENEWALS = {
    "percentiles": Renewal(
        versions=("1",), beside=("measurements", "bins"), renew=renew_percentiles
    ),
    "windows": Renewal(versions=OLDER_VERSIONS, beside=("steps",), renew=place_windows),
}
