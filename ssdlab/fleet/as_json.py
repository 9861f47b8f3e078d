"""A fleet as plain data."""

import pandas as pd

from ssdlab.fleet.curves import merged_percentiles
from ssdlab.fleet.fleet import Fleet
from ssdlab.stats.plain_rows import plain_rows


def fleet_as_dict(fleet: Fleet) -> dict[str, object]:
    """Return a fleet as plain data; missing values are ``None``."""
    choice = fleet.choice
    asked = {
        "cell": choice.cell,
        "metric": choice.metric.name,
        "by": fleet.by,
        "accepted": sorted(fleet.accepted),
        "others": list(choice.others),
    }
    frames = {
        "groups": fleet.groups,
        "drives": fleet.drives,
        "outliers": fleet.odd[fleet.odd["is_outlier"].astype(bool)],
        "odd_rounds": fleet.odd_rounds,
        "firmwares": fleet.firmwares,
        "ageing": fleet.ageing,
        "changes": fleet.changes,
        "latencies": merged_percentiles(fleet.kept, fleet.histograms),
        "runs": fleet.runs,
        "coverage": fleet.coverage,
    }
    return asked | {name: plain_rows(_dated(one)) for name, one in frames.items()}


def _dated(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose times are ISO 8601, missing ones None."""
    times = frame.select_dtypes("datetimetz").columns
    dated = frame.copy()
    for name in times:
        dated[name] = [None if pd.isna(one) else one.isoformat() for one in frame[name]]
    return dated
