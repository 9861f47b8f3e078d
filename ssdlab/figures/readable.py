"""Frames as people read them: units in the head, numbers scaled and short."""

import math
from typing import TYPE_CHECKING, Any

from ssdlab.figures.labels import QUANTITIES, number_text

if TYPE_CHECKING:
    import pandas as pd

_OF_METRIC = (
    "average",
    "minimum",
    "maximum",
    "mean_low",
    "mean_high",
    "level",
    "level_low",
    "level_high",
    "value",
    "fit",
    "fit_low",
    "fit_high",
    "residual",
    "allowed_low",
    "allowed_high",
    "slope_per_round",
    "intercept",
)
_RATIOS = ("range_ratio", "slope_ratio", "difference_ratio", "drift_ratio")
_ALSO_RATIOS = ("drift_low", "drift_high")
_BY_UNIT = ("estimate", "low", "high")


def readable_table(frame: "pd.DataFrame", *, metric: str = "") -> "pd.DataFrame":
    """Return a frame with units in its head and numbers as people read them.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns named as everywhere in ssdlab; ratios become percent, what is measured
        is scaled to the unit of its axis. A column ``unit`` says what the estimates
        of its row are in, ``value`` being the metric's unit.
    metric : str, default ""
        What was measured, such as ``bw_bytes_per_s``.

    Returns
    -------
    pandas.DataFrame
        Text; a number that there is not is empty, an open end is infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"average": [5.5e8], "range_ratio": [0.0674]})
    >>> readable_table(frame, metric="bw_bytes_per_s").iloc[0].to_dict()
    {'average [MB/s]': '550', 'range [%]': '6.740'}
    """
    import pandas as pd  # noqa: PLC0415 - slow, and figures do without it

    columns = {
        _head(name, metric): [
            _text(value, _divisor(name, row, metric))
            for value, (_, row) in zip(frame[name], frame.iterrows(), strict=True)
        ]
        for name in frame.columns
        if name != "unit"
    }
    if "unit" in frame:
        columns["unit"] = [_unit(str(unit), metric) for unit in frame["unit"]]
    return pd.DataFrame(columns)


def _head(name: str, metric: str) -> str:
    unit = QUANTITIES[metric].unit if metric in QUANTITIES else ""
    words = name.removesuffix("_ratio").removeprefix("is_").replace("_", " ")
    if name in _RATIOS or name in _ALSO_RATIOS:
        return f"{words} [%]"
    return f"{words} [{unit}]" if name in _OF_METRIC and unit else words


def _divisor(name: str, row: "pd.Series[Any]", metric: str) -> float:
    scale = QUANTITIES[metric].divisor if metric in QUANTITIES else 1.0
    if name in _RATIOS or name in _ALSO_RATIOS:
        return 0.01
    if name in _OF_METRIC:
        return scale
    if name in _BY_UNIT and "unit" in row.index:
        unit = str(row["unit"])
        return scale if unit.startswith("value") else 0.01 if unit == "ratio" else 1.0
    return 1.0


def _unit(unit: str, metric: str) -> str:
    shown = QUANTITIES[metric].unit if metric in QUANTITIES else ""
    if unit.startswith("value"):
        return unit.replace("value", shown or QUANTITIES[metric].name, 1)
    return "%" if unit == "ratio" else unit


def _text(value: Any, divisor: float) -> str:
    if isinstance(value, str):
        return value
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return ""
    if value is True or value is False or type(value).__name__ == "bool":
        return "yes" if value else "no"
    number = float(value) / divisor
    if math.isinf(number):
        return "open" if number > 0 else "-open"
    return f"{number:.0f}" if number == int(number) else number_text(number)
