"""Where the values of a run rank among the nine storage classes."""

import math
from typing import Any, Literal

import pandas as pd

from ssdlab.classes.metrics import METRICS_BY_NAME, ClassMetric

_PLACE_TYPES = {"value": "float64", "rank": "Int64", "ratio": "float64"}


def summarise_class_places(values: pd.DataFrame, classes: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of each value of a run among the storage classes.

    Notes
    -----
    A printed value stands for all that would be printed the same: 0.01 ms for 0.005 to
    0.015 ms, and 480 MB/s for 479.5 MB/s to 480.5 MiB/s, as the source does not say
    which of the two it means. A class is better or worse only beyond that.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    measured = values[values["value"] > 0]
    rows = [
        _place(METRICS_BY_NAME[str(row.metric)], float(row.value), classes)  # type: ignore[arg-type] # a number
        for row in measured.itertuples()
    ]
    names = ["metric", "value", "rank", "n_compared", "better", "equal", "worse"]
    frame = pd.DataFrame(rows, columns=[*names, "nearest", "ratio"])
    return frame.astype(_PLACE_TYPES)


def summarise_class_distances(
    values: pd.DataFrame, classes: pd.DataFrame
) -> pd.DataFrame:
    """Return how far a run is from each storage class, value by value."""
    known = values.set_index("metric")["value"]
    rows = [
        (
            int(published["row"]),
            published["group"],
            published["storage_class"],
            name,
            *_difference(metric, known.get(name), _usable(published, name)),
        )
        for _, published in classes.iterrows()
        for name, metric in METRICS_BY_NAME.items()
    ]
    names = ["row", "group", "storage_class", "metric", "ratio", "factor"]
    return pd.DataFrame(rows, columns=names).astype({
        "ratio": "float64",
        "factor": "float64",
    })


def summarise_nearest_classes(distances: pd.DataFrame) -> pd.DataFrame:
    """Return the storage classes by their distance from a run over all its values.

    Notes
    -----
    The distance is the mean of the absolute logarithms of the ratios, each column with
    equal weight. It is not a score: see the parts for the column that decides.
    """
    common = distances.dropna(subset=["factor"])
    logs = common.assign(log=common["factor"].map(math.log))
    table = logs.groupby(["row", "group", "storage_class"], as_index=False).agg(
        log=("log", "mean"),
        greatest_factor=("factor", "max"),
        n_metrics=("factor", "size"),
    )
    table["mean_factor"] = table["log"].map(math.exp)
    columns = ["row", "group", "storage_class", "mean_factor", "greatest_factor"]
    ordered = table.sort_values(["log", "row"], ignore_index=True)
    return ordered[[*columns, "n_metrics"]]


def _usable(published: "pd.Series[Any]", name: str) -> float:
    """Return a published value; NaN where it cannot be right."""
    is_doubtful = name in str(published["doubtful"]).split()
    return math.nan if is_doubtful else float(published[name])


def _difference(
    metric: ClassMetric, value: float | None, printed: float
) -> tuple[float, float]:
    """Return the ratio to a printed value and the least factor between the two."""
    if value is None or not value > 0 or math.isnan(printed):
        return math.nan, math.nan
    low, high = metric.printed_bounds(printed)
    return value / printed, max(1.0, low / value, value / high)


def _place(metric: ClassMetric, value: float, classes: pd.DataFrame) -> list[object]:
    """Return one row of the places."""
    known = [
        (str(row["storage_class"]), printed, metric.printed_bounds(printed))
        for _, row in classes.iterrows()
        if not math.isnan(printed := _usable(row, metric.name))
    ]
    above = [(name, printed) for name, printed, (low, _) in known if low > value]
    below = [(name, printed) for name, printed, (_, high) in known if high < value]
    equal = [name for name, _, (low, high) in known if low <= value <= high]
    sides = _next(above, "least"), _next(below, "greatest")
    better, worse = sides if metric.is_more_better else sides[::-1]
    factors = {name: _difference(metric, value, printed) for name, printed, _ in known}
    least = min(factor for _, factor in factors.values())
    nearest = [name for name, (_, factor) in factors.items() if factor == least]
    ratios = [factors[name][0] for name in nearest]
    n_better = len(above if metric.is_more_better else below)
    return [
        metric.name,
        value,
        n_better + 1,
        len(known),
        better,
        ", ".join(equal),
        worse,
        ", ".join(nearest),
        min(ratios, key=lambda ratio: abs(math.log(ratio))),
    ]


def _next(found: list[tuple[str, float]], which: Literal["least", "greatest"]) -> str:
    """Return the names of those of the least or greatest value."""
    if not found:
        return ""
    values = [value for _, value in found]
    wanted = min(values) if which == "least" else max(values)
    return ", ".join(name for name, value in found if value == wanted)
