"""By how much one drive leads another, cell by cell."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.labels import COLORS, axis, lay_out, new_figure
from ssdlab.figures.names import brief_texts, distinct_texts, full_text

if TYPE_CHECKING:
    import pandas as pd

_HEAD_PX = 170
_ROW_PX = 20
_OUT_OF_SIGHT = 1e9  # where an interval without an end is drawn to
_LEAST_REACH = 1.05  # of the axis: noise must not look like a difference
_SHOWN_REACH = 1.6  # of the axis, by the greatest ratio: an interval may be endless
_LEVEL_WORDS = {
    "lat_mean_ns": " mean",
    "lat_three_nines_ns": " 99.9 %",
    "lat_four_nines_ns": " 99.99 %",
    "lat_five_nines_ns": " 99.999 %",
}
_LONGEST_SIDE = 24  # letters of a drive's name beside the axis
_LONGEST_IN_TITLE = 28  # of capitals, two of these fit on a page of 800 px
_SYMBOLS = {"drives": "circle", "runs": "diamond", "same": "square", "": "circle-open"}
_CLAIMS = {
    "drives": "shown of the drives",
    "runs": "shown of these runs alone",
    "same": "shown to be the same",
    "": "not shown, or not judged",
}


def plot_differences(
    differences: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw by how much one drive leads another in each cell, with the interval.

    One row a cell, on a logarithmic axis: to the right of 1 the first drive is
    better, to the left the second. Circles in the colour of who is better are
    differences that are shown of the drives, diamonds of these runs alone; grey
    squares are the same, and of open grey circles nothing is shown. A diamond's
    interval is grey where it is that of measuring again, which the claim is not of.
    An interval that is far wider than the differences runs out of the axis.
    """
    rows = differences[differences["high"] > 0]
    names = [f"{str(row.test).upper()} {_cell_words(row)}" for row in rows_of(rows)]
    labels = distinct_texts(names, longest=44)
    sides = [str(rows[side].iloc[0]) if len(rows) else "" for side in ("a", "b")]
    first, second = _brief_sides(looks, sides, longest=_LONGEST_IN_TITLE)
    figure = new_figure(
        f"{first} vs. {second}",
        subtitle="times as good; 95 % interval of each cell by itself, grey if not "
        "that of the claim",
        height=_HEAD_PX + _ROW_PX * max(4, len(rows)),
    )
    for claim in _CLAIMS:
        _add_claim(figure, rows, claim=claim, looks=looks)
    figure.add_vline(x=1, line={"color": COLORS["axis"], "width": 1})
    greatest = max([_LEAST_REACH, *(max(r, 1 / r) for r in rows["ratio"])])
    reach = greatest**_SHOWN_REACH
    lay_out(
        figure,
        xaxis=level_axis(_axis_title(looks, sides), [1 / reach, reach]),
        yaxis=axis(
            "",
            tickvals=list(range(len(names))),
            ticktext=[escape(labels[name], quote=False) for name in names[::-1]],
            range=[-0.7, len(names) - 0.3],
        ),
        showlegend=True,
    )
    return figure


def _axis_title(looks: Mapping[str, RunLook], sides: Sequence[str]) -> str:
    """Say by name which way is whose: names, as letters change from pair to pair."""
    if not all(sides):
        return ""
    first, second = _brief_sides(looks, sides, longest=_LONGEST_SIDE)
    return f"← {second} faster<br>{first} faster →"


def _brief_sides(
    looks: Mapping[str, RunLook], sides: Sequence[str], *, longest: int
) -> list[str]:
    """Return the names of two drives in so many letters; of all they stay distinct."""
    brief = brief_texts((look.name for look in looks.values()), longest=longest)
    return [
        escape(brief[looks[side].name], quote=False) if side else "" for side in sides
    ]


def _cell_words(row: Any) -> str:
    return f"{row.cell}{_LEVEL_WORDS.get(str(row.metric), '')}"


def _add_claim(
    figure: go.Figure, rows: "pd.DataFrame", *, claim: str, looks: Mapping[str, RunLook]
) -> None:
    """Draw the cells of which the same is claimed."""
    places = range(len(rows) - 1, -1, -1)
    own = [
        (place, row)
        for place, row in zip(places, rows_of(rows), strict=True)
        if (row.claim or "same" * bool(row.same)) == claim
    ]
    if not own:
        return
    leads = [_lead(row) for _, row in own]
    colors = [
        looks[str(row.better)].color if row.better else COLORS["axis"] for _, row in own
    ]
    figure.add_scatter(
        x=[value for value, _, _ in leads],
        y=[place for place, _ in own],
        name=_CLAIMS[claim],
        text=[_difference_text(row) for _, row in own],
        mode="markers",
        marker={"symbol": _SYMBOLS[claim], "size": 9, "color": colors},
        hovertemplate="%{text}<extra></extra>",
    )
    for (_, low, high), (place, row), color in zip(leads, own, colors, strict=True):
        is_of_claim = claim != "runs" or row.unit == "rounds"
        figure.add_scatter(
            x=[low, high],
            y=[place, place],
            mode="lines",
            line={"color": color if is_of_claim else COLORS["axis"], "width": 1.5},
            hoverinfo="skip",
            showlegend=False,
        )


def _lead(row: Any) -> tuple[float, float, float]:
    """Return how many times as good the first side is, with the interval."""
    value = float(row.ratio)
    low, high = max(row.low, 1 / _OUT_OF_SIGHT), min(row.high, _OUT_OF_SIGHT)
    if str(row.metric).startswith("lat_"):
        return 1 / value, 1 / high, 1 / low
    return value, low, high


def _difference_text(row: Any) -> str:
    verdict = full_text(str(row.verdict))
    reason = full_text(str(row.reason)) if row.reason else ""
    return (
        f"{str(row.test).upper()} {full_text(_cell_words(row))}"
        f"<br>{verdict}{'<br>' + reason if reason else ''}<br>ratio {row.ratio:.4g} "
        f"({_interval_text(row)})<br>n = {row.n_a} and {row.n_b} {row.unit}"
    )


def _interval_text(row: Any) -> str:
    if not row.low > 0:
        return f"at most {row.high:.4g}"
    if math.isinf(row.high):
        return f"at least {row.low:.4g}"
    return f"{row.low:.4g} to {row.high:.4g}"
