"""The cells of several drives in one figure, with their intervals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import repetitions, rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.labels import (
    QUANTITIES,
    Quantity,
    axis,
    lay_out,
    new_figure,
    number_text,
)
from ssdlab.figures.lines import error_bars
from ssdlab.figures.names import distinct_texts, full_text

if TYPE_CHECKING:
    import pandas as pd

_ROW_PX = 26
_MARK_PX = 13  # of each drive in a row
_HEAD_PX = 150


def plot_compared_cells(
    summary: "pd.DataFrame",
    *,
    metric: str,
    looks: Mapping[str, RunLook],
    title: str,
    per_watt: bool = False,
) -> go.Figure:
    """Draw one metric of every cell of several drives, with its intervals.

    One row a cell, one mark a drive, on a logarithmic axis where the values span
    a decade.
    """
    rows = summary[summary["metric"] == metric]
    cells = list(dict.fromkeys(str(cell) for cell in rows["cell"]))[::-1]
    names = [name for name in looks if (rows["side"] == name).any()]
    labels = distinct_texts(cells, longest=34)
    row_px = max(_ROW_PX, _MARK_PX * len(names))
    height = _HEAD_PX + row_px * max(3, len(cells))
    subtitle = "mean, and where it lies with 95 % confidence"
    figure = new_figure(title, subtitle=subtitle, height=height)
    drawn: list[float | None] = []
    quantity = QUANTITIES.get(metric, QUANTITIES["lat_ns"])
    if per_watt:
        unit = f"{quantity.unit_or_name}/W"
        quantity = replace(quantity, name=f"{quantity.name} by watt", unit=unit)
    for place, name in enumerate(names):
        own = rows[rows["side"] == name]
        drawn += _add_side(
            figure,
            own,
            looks[name],
            place=(place, len(names), cells),
            quantity=quantity,
        )
    lay_out(
        figure,
        xaxis=_value_axis(quantity.title, drawn),
        yaxis=axis(
            "",
            tickvals=list(range(len(cells))),
            ticktext=[escape(labels[cell], quote=False) for cell in cells],
            range=[-0.6, len(cells) - 0.4],
        ),
        showlegend=True,
    )
    return figure


def _add_side(
    figure: go.Figure,
    own: "pd.DataFrame",
    look: RunLook,
    *,
    place: tuple[int, int, Sequence[str]],
    quantity: Quantity,
) -> list[float | None]:
    number, count, cells = place
    values, low, high = (
        [
            value if math.isfinite(value) else None
            for value in own[name] / quantity.divisor
        ]
        for name in ("value", "low", "high")
    )
    shift = (count - 1) / 2 - number
    figure.add_scatter(
        x=values,
        y=[cells.index(str(cell)) + shift * 0.7 / count for cell in own["cell"]],
        error_x=error_bars(values, low, high, thickness=1.5, width=3),
        text=[_cell_text(look, row, quantity) for row in rows_of(own)],
        name=look.text,
        mode="markers",
        marker={"symbol": look.symbol, "size": 9, "color": look.color},
        hovertemplate="%{text}<extra></extra>",
    )
    return [*values, *low, *high]


def _cell_text(look: RunLook, row: Any, quantity: Quantity) -> str:
    value, low, high = (number / quantity.divisor for number in _numbers(row))
    unit = quantity.unit_or_name
    interval = "no interval: nothing was repeated"
    if math.isfinite(low):
        interval = f"95 %: {number_text(low)} to {number_text(high)}"
    return (
        f"{look.full}<br>{full_text(str(row.cell))}<br>{number_text(value)} {unit}"
        f"<br>{interval}<br>n = {repetitions(row)}"
    )


def _numbers(row: Any) -> tuple[float, float, float]:
    return float(row.value), float(row.low), float(row.high)


def _value_axis(title: str, values: Iterable[float | None]) -> dict[str, Any]:
    known = [value for value in values if value is not None and value > 0]
    if known and max(known) > 10 * min(known):
        return level_axis(title, known)
    return axis(title, tickformat=",~r", rangemode="tozero")
