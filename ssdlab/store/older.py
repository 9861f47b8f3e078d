"""Tables that an older version wrote, read as this version would have made them.

Version 1 named percentiles by the middle of their bin, which may lie above the recorded
maximum, and called a level supported from one IO expected beyond it. Both follow from
tables that lie beside: ``measurements`` has the extremes, ``bins`` the counts.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ssdlab.analysis.latency import hold_within, is_supported

if TYPE_CHECKING:
    import pandas as pd

OLDER_VERSIONS = ("1", "2")
RENEWED = "1"  # the version whose percentiles are made anew
ADDED: Mapping[str, Mapping[str, str | None]] = {  # by version 3, as older ones have it
    "findings": {"clause": ""},
    "runs": {"is_steady": None, "doubts": None},
}

_SIDE = ["run_id", "step_id", "direction"]
_ENDS = ["lat_min_ns", "lat_max_ns", "clat_min_ns", "clat_max_ns", "total_ios"]


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
