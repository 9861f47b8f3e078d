"""Cells, differences and scores of several drives, row by row, with their intervals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.compare.cells import repetitions, rows_of
from ssdlab.model.spec import label_of_test
from ssdlab.plots.axes import add_right_names, level_axis, named_axis
from ssdlab.plots.labels import COLORS, axis, lay_out, new_figure
from ssdlab.plots.lines import add_points, add_tie, error_bars
from ssdlab.plots.looks import RunLook
from ssdlab.plots.names import brief_texts, distinct_texts, full_text
from ssdlab.text.numbers import number_text, rounded_text
from ssdlab.text.quantities import QUANTITIES, Quantity, scaled

if TYPE_CHECKING:
    import pandas as pd

_RATIO = Quantity(name="Times as good as the mean of all", unit="", divisor=1.0)
_LEAST_REACH = 1.05  # least span of the axis: noise must not look like a difference
_SHOWN_REACH = 1.6  # of the axis, by the greatest ratio: an interval may be infinite
_OUT_OF_SIGHT = 1e9  # up to here an interval without an end is drawn
_LONGEST_SIDE = 24  # letters of a drive's name at the axis
_LONGEST_IN_TITLE = 28  # of capitals, two of these fit on a page of 800 px
_LEVEL_WORDS = {
    "lat_mean_ns": " mean",
    "lat_three_nines_ns": " 99.9 %",
    "lat_four_nines_ns": " 99.99 %",
    "lat_five_nines_ns": " 99.999 %",
}
_CLAIMS = {
    "drives": ("shown for the drives", "circle"),
    "runs": ("shown only for these runs", "diamond"),
    "same": ("shown to be the same", "square"),
    "": ("not shown, or not judged", "circle-open"),
}


def plot_compared_cells(
    summary: "pd.DataFrame",
    *,
    metric: str,
    looks: Mapping[str, RunLook],
    title: str,
    per_watt: bool = False,
) -> go.Figure:
    """Draw one metric of every cell of several drives, with its intervals.

    One row per cell, one mark per drive, on a logarithmic axis if the values span a
    decade.
    """
    rows = summary[summary["metric"] == metric]
    cells = list(dict.fromkeys(str(cell) for cell in rows["cell"]))[::-1]
    sides = [name for name in looks if (rows["side"] == name).any()]
    quantity = QUANTITIES.get(metric, QUANTITIES["lat_ns"])
    if per_watt:
        unit = f"{quantity.unit_or_name}/W"
        quantity = replace(quantity, name=f"{quantity.name} per watt", unit=unit)
    figure = new_figure(
        title,
        subtitle="mean, with its 95 % interval",
        height=150 + max(26, 13 * len(sides)) * max(3, len(cells)),
    )
    drawn: list[float | None] = []
    for place, name in enumerate(sides):
        own, look = rows[rows["side"] == name], looks[name]
        aside = _aside(place, len(sides))
        own = own.assign(
            place=[cells.index(str(cell)) + aside for cell in own["cell"]],
            text=[_cell_text(look, row, quantity) for row in rows_of(own)],
        )
        drawn += _add_side(figure, own, look, of=quantity, column="value", size=9)
    known = [value for value in drawn if value is not None and value > 0]
    values = axis(quantity.title, tickformat=",~r", rangemode="tozero")
    if known and max(known) > 10 * min(known):
        values = level_axis(quantity.title, known)
    labels = distinct_texts(cells, longest=34)
    names = named_axis("", [escape(labels[cell], quote=False) for cell in cells])
    lay_out(figure, xaxis=values, yaxis=names, showlegend=True)
    return figure


def _aside(place: int, count: int) -> float:
    """Return how far above the middle of its row the mark of a side is [rows]."""
    return ((count - 1) / 2 - place) * 0.7 / count


def _add_side(
    figure: go.Figure,
    own: "pd.DataFrame",
    look: RunLook,
    *,
    of: Quantity,
    column: str,
    size: int,
) -> list[float | None]:
    """Add the values of a side with their intervals; return all that is drawn."""
    values, low, high = (
        [value if value and math.isfinite(value) else None for value in known]
        for known in (scaled(own[name], of) for name in (column, "low", "high"))
    )
    add_points(
        figure, values, list(own["place"]), name=look.text, text=list(own["text"]),
        marker={"symbol": look.symbol, "size": size, "color": look.color},
        error_x=error_bars(values, low, high, thickness=1.5, width=3),
    )  # fmt: skip
    return [*values, *low, *high]


def _cell_text(look: RunLook, row: Any, quantity: Quantity) -> str:
    value, low, high = (
        number_text(float(number) / quantity.divisor)
        for number in (row.value, row.low, row.high)
    )
    interval = "no interval: not repeated"
    if math.isfinite(row.low):
        interval = f"95 %: {low} to {high}"
    return (
        f"{look.full}<br>{full_text(str(row.cell))}<br>{value} {quantity.unit_or_name}"
        f"<br>{interval}<br>n = {repetitions(row)}"
    )


def plot_differences(
    differences: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw by how much one drive leads another in each cell, with the interval.

    One row per cell, those of a test from right to left, with the values of both at
    the right edge, on a logarithmic axis: to the right of 1 the first drive is better,
    to the left the second. Circles in the colour of the better one are
    differences that are shown for the drives, diamonds only for these runs; grey
    squares are the same, and for open grey circles nothing is shown. A diamond's
    interval is grey if it is that of measuring again, which the claim does not cover.
    An interval that is far wider than the differences runs off the axis.
    """
    rows = _by_lead(differences[differences["high"] > 0])
    names = [f"{label_of_test(row.test)} {_cell_words(row)}" for row in rows_of(rows)]
    sides = [str(rows[side].iloc[0]) if len(rows) else "" for side in ("a", "b")]
    first, second = _brief_sides(looks, sides, longest=_LONGEST_IN_TITLE)
    figure = new_figure(
        f"{first} vs. {second}",
        subtitle="times as good; 95 % interval of each single cell, grey if not that "
        "of the claim",
        height=170 + 20 * max(4, len(rows)),
    )
    for claim in _CLAIMS:
        _add_claim(figure, rows, claim=claim, looks=looks)
    figure.add_vline(x=1, line={"color": COLORS["axis"], "width": 1})
    greatest = max([_LEAST_REACH, *(max(r, 1 / r) for r in rows["ratio"])])
    reach = greatest**_SHOWN_REACH
    # Names say which direction is whose, as letters change from pair to pair.
    first, second = _brief_sides(looks, sides, longest=_LONGEST_SIDE)
    title = f"← {second} faster<br>{first} faster →" if all(sides) else ""
    labels = distinct_texts(names, longest=44)
    shown = [escape(labels[name], quote=False) for name in names[::-1]]
    values = [_values_text(row) for row in rows_of(rows)][::-1]
    add_right_names(figure, values, pad=0.7)
    lay_out(
        figure,
        xaxis=level_axis(title, [1 / reach, reach]),
        yaxis=named_axis("", shown, pad=0.7),
        showlegend=True,
    )
    return figure


def _by_lead(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return rows in the order of their tests, in each the greatest lead first."""
    keys = list(zip(rows["test"], rows["metric"], strict=True))
    groups = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    leads = [_lead(row)[0] for row in rows_of(rows)]
    order = sorted(range(len(rows)), key=lambda at: (groups[keys[at]], -leads[at]))
    return rows.iloc[order]


def _values_text(row: Any) -> str:
    """Return the values of both sides, the first first, with their unit."""
    quantity = QUANTITIES.get(str(row.metric), QUANTITIES["lat_ns"])
    values = (float(value) / quantity.divisor for value in (row.value_a, row.value_b))
    return f"{' | '.join(map(rounded_text, values))} {quantity.unit_or_name}"


def _brief_sides(
    looks: Mapping[str, RunLook], sides: Sequence[str], *, longest: int
) -> list[str]:
    """Return the names of two drives in so many letters, still distinct among all."""
    brief = brief_texts((look.name for look in looks.values()), longest=longest)
    return [
        escape(brief[looks[side].name], quote=False) if side else "" for side in sides
    ]


def _cell_words(row: Any) -> str:
    return f"{row.cell}{_LEVEL_WORDS.get(str(row.metric), '')}"


def _add_claim(
    figure: go.Figure, rows: "pd.DataFrame", *, claim: str, looks: Mapping[str, RunLook]
) -> None:
    """Draw the cells with the same claim."""
    places = range(len(rows) - 1, -1, -1)
    own = [
        (place, row)
        for place, row in zip(places, rows_of(rows), strict=True)
        if (row.claim or "same" * bool(row.same)) == claim
    ]
    if not own:
        return
    leads = [_lead(row) for _, row in own]
    grey = COLORS["axis"]
    colors = [looks[str(row.better)].color if row.better else grey for _, row in own]
    name, symbol = _CLAIMS[claim]
    add_points(
        figure, [value for value, _, _ in leads], [place for place, _ in own],
        name=name, text=[_difference_text(row) for _, row in own],
        marker={"symbol": symbol, "size": 9, "color": colors},
    )  # fmt: skip
    for (_, low, high), (place, row), color in zip(leads, own, colors, strict=True):
        is_of_claim = claim != "runs" or row.unit == "rounds"
        line = {"color": color if is_of_claim else grey, "width": 1.5}
        add_tie(figure, [low, high], [place, place], line=line)


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
        f"{label_of_test(row.test)} {full_text(_cell_words(row))}"
        f"<br>{verdict}{'<br>' + reason if reason else ''}<br>ratio {row.ratio:.4g} "
        f"({_interval_text(row)})<br>n = {row.n_a} and {row.n_b} {row.unit}"
    )


def _interval_text(row: Any) -> str:
    if not row.low > 0:
        return f"at most {row.high:.4g}"
    if math.isinf(row.high):
        return f"at least {row.low:.4g}"
    return f"{row.low:.4g} to {row.high:.4g}"


def plot_score(scores: "pd.DataFrame", *, looks: Mapping[str, RunLook]) -> go.Figure:
    """Draw a score and its parts.

    One row per part, and the score on top; 1 is the mean of all drives.
    """
    terms = list(dict.fromkeys(str(term) for term in scores["term"]))[::-1]
    figure = new_figure(
        "Score and its parts",
        subtitle="times as good as the geometric mean of all; with the widest interval",
        height=170 + 44 * len(terms),
    )
    sides = [name for name in looks if (scores["side"] == name).any()]
    drawn: list[float | None] = [0.99, 1.01]
    for place, name in enumerate(sides):
        own = scores[(scores["side"] == name) & scores["ratio"].notna()]
        aside, look = _aside(place, len(sides)), looks[name]
        own = own.assign(
            place=[terms.index(str(term)) + aside for term in own["term"]],
            text=[
                f"{look.full}<br>{row.term or 'score'}: {row.ratio:.3f}"
                f"<br>weight {row.weight:g}, {row.n_cells} cells"
                for row in rows_of(own)
            ],
        )
        drawn += _add_side(figure, own, look, of=_RATIO, column="ratio", size=10)
    figure.add_vline(x=1, line={"color": COLORS["axis"], "width": 1, "dash": "dot"})
    weights = dict(zip(scores["term"], scores["weight"], strict=True))
    names = [
        f"{term} (weight {weights[term]:g})" if term else "<b>Score</b>"
        for term in terms
    ]
    lay_out(
        figure,
        xaxis=level_axis(_RATIO.title, drawn),
        yaxis=named_axis("", names),
        showlegend=True,
    )
    return figure
