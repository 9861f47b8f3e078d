"""Frames as people read them: units in the head, numbers scaled and short."""

import math
from typing import TYPE_CHECKING, Any, Literal

from ssdlab.text.numbers import number_text
from ssdlab.text.quantities import QUANTITIES
from ssdlab.text.table import Table

if TYPE_CHECKING:
    import pandas as pd

_WORDS = {
    "tracking": "Cell",
    "is_tracked": "Tracking variable",
    "window_first_round": "Rounds",
    "title": "Rule",
    "is_normative": "Normative",
    "range_ratio": "Range",
    "slope_ratio": "Slope excursion",
    "is_round_steady": "All steady at once",
    "is_reported": "Reported",
    "first_round": "Steady from",
    "decided_after": "Known after",
    "difference_ratio": "Differs by",
    "drift_ratio": "Drift over it",
    "after_round": "Rounds known",
    "more_rounds": "Rounds still needed",
    "waits_for": "Longest wait for",
    "came_after": "Came after round",
    "is_supported": "Reliable",
    "is_differing": "Rules differ",
    "pts-2.0.2": "PTS 2.0.2",
    "tkperf": "TKperf",
    "each-value": "Each value within 10 %",
}
# Two ends of one interval, and what it is called.
_ENDS = {
    "window_first_round": ("window_last_round", "Rounds"),
    "mean_low": ("mean_high", "Average, 95 %"),
    "level_low": ("level_high", "Level, 95 %"),
    "first_low": ("first_high", "From, 95 %"),
    "drift_low": ("drift_high", "Drift, 95 %"),
    "low": ("high", "95 %"),
    "more_low": ("more_high", "Needed, 95 %"),
}
_OF_METRIC = (
    "average",
    "mean_low",
    "level",
    "level_low",
    "value",
    "fit",
    "residual",
)
_PERCENTAGES = (
    "range_ratio",
    "slope_ratio",
    "difference_ratio",
    "drift_ratio",
    "drift_low",
    "chance_within_5",
)
_BY_UNIT = ("estimate", "low")

Layout = Literal["rows", "columns"]


def readable_table(
    frame: "pd.DataFrame",
    *,
    metric: str = "",
    sample_every: int = 1,
    caption: str = "",
    layout: Layout = "rows",
    is_folded: bool = False,
) -> Table:
    """Return a frame as a table with units in its head and numbers as people read them.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns named as everywhere in ssdlab; ratios become percent, what is measured
        is scaled to the unit of its axis, and the two ends of an interval become one
        column. A column ``unit`` says what the estimates of its row are in, ``value``
        being the metric's unit. The texts of ``note`` go below the table.
    metric : str, default ""
        What was measured, such as ``bw_bytes_per_s``; a column ``metric`` goes before.
    sample_every : int, default 1
        How many rounds apart the rounds are that count for the verdict.
    caption : str, default ""
        What the table shows.
    layout : {"rows", "columns"}, default "rows"
        Whether a row of the frame becomes a row of the table, or a column of it.
    is_folded : bool, default False
        Whether the table stands behind its caption until a reader opens it.

    Returns
    -------
    Table
        Text; a missing number is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"average": [5.5e8], "range_ratio": [0.0674]})
    >>> table = readable_table(frame, metric="bw_bytes_per_s")
    >>> table.head, table.rows
    (('Average [MB/s]', 'Range [%]'), (('550', '6.74'),))
    """
    if "metric" in frame and len(frame):
        metric = str(frame["metric"].iloc[0])
    frame = frame.drop(columns="metric", errors="ignore")
    heads = {name: _head(name, metric, sample_every) for name in map(str, frame)}
    rows = [row for _, row in frame.iterrows()]
    notes = _distinct_notes(frame)
    columns = {
        heads[name]: [_cell(row, name, metric=metric) for row in rows]
        for name in map(str, frame.columns)
        if name not in {"note", "unit", *(end for end, _ in _ENDS.values())}
    }
    if "unit" in frame:
        columns["Unit"] = [_unit(str(unit), metric) for unit in frame["unit"]]
    if notes:
        columns["Note"] = [notes.get(_note(row), "") for row in rows]
    said = {"Unit", "Note"} | {
        heads[str(name)]
        for name in frame.columns
        if any(_is_words(value) for value in frame[name])
    }
    head, cells = tuple(columns), list(zip(*columns.values(), strict=True))
    words = tuple(place for place, name in enumerate(head) if name in said)
    if layout == "columns":
        turned = list(zip(head, *cells, strict=True))
        head, cells, words = turned[0], turned[1:], (0,)
    return Table(
        caption=caption,
        head=head,
        rows=tuple(tuple(row) for row in cells),
        words=words,
        note="\n".join(f"{mark}: {said_there}" for said_there, mark in notes.items()),
        is_folded=is_folded,
    )


def _distinct_notes(frame: "pd.DataFrame") -> dict[str, str]:
    """Return each note once, and its letter."""
    if "note" not in frame:
        return {}
    notes = dict.fromkeys(words for words in frame["note"].dropna() if words)
    return {words: chr(ord("a") + place) for place, words in enumerate(notes)}


def _note(row: "pd.Series[Any]") -> str:
    return str(row.get("note", ""))


def _head(name: str, metric: str, sample_every: int) -> str:
    if name == "chance_within_5":
        return f"Chance within {5 * sample_every} rounds [%]"
    words = _ENDS[name][1] if name in _ENDS else _WORDS.get(name, "")
    if not words:
        words = name.removesuffix("_ratio").removeprefix("is_").replace("_", " ")
        words = words[:1].upper() + words[1:]
    if name in _PERCENTAGES:
        return f"{words} [%]"
    unit = _unit("value", metric) if metric else ""
    return f"{words} [{unit}]" if name in _OF_METRIC and unit else words


def _cell(row: "pd.Series[Any]", name: str, *, metric: str) -> str:
    divisor = _divisor(name, row, metric)
    is_percent = name in _PERCENTAGES or divisor == _PERCENT
    low = _text(row[name], divisor, is_percent=is_percent)
    if name not in _ENDS:
        return low
    high = _text(row[_ENDS[name][0]], divisor, is_percent=is_percent)
    # Broken, if at all, before its second end alone.
    return f"{low} to\N{NO-BREAK SPACE}{high}" if low and high else ""


def _is_words(value: object) -> bool:
    """Tell whether a value is words, not a number written as text."""
    return isinstance(value, str) and any(map(str.isalpha, value))


_PERCENT = 0.01


def _divisor(name: str, row: "pd.Series[Any]", metric: str) -> float:
    scale = QUANTITIES[metric].divisor if metric in QUANTITIES else 1.0
    if name in _PERCENTAGES:
        return _PERCENT
    if name in _OF_METRIC:
        return scale
    if name in _BY_UNIT and "unit" in row.index:
        unit = str(row["unit"])
        return (
            scale if unit.startswith("value") else _PERCENT if unit == "ratio" else 1.0
        )
    return 1.0


def _unit(unit: str, metric: str) -> str:
    if unit.startswith("value"):
        quantity = QUANTITIES[metric]
        return unit.replace("value", quantity.unit_or_name, 1)
    return "%" if unit == "ratio" else unit


def _text(value: Any, divisor: float, *, is_percent: bool) -> str:
    if isinstance(value, str):
        return value
    if str(value) in {"None", "nan", "<NA>"}:
        return ""
    if value is True or value is False or type(value).__name__ == "bool":
        return "yes" if value else "no"
    return _number(float(value) / divisor, is_percent=is_percent)


def _number(number: float, *, is_percent: bool) -> str:
    if math.isinf(number):
        return "no end" if number > 0 else "no start"
    if number == round(number):
        return f"{number:,.0f}"
    if is_percent:
        return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"
    return number_text(number)
