"""A matrix of cells as a heat map, with one of them marked."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    axis,
    metric_quantity,
    new_figure,
    short_number,
)
from ssdlab.figures.scales import CELL_INK, FROM_LITTLE_TO_MUCH
from ssdlab.model.units import block_size_label, mix_label

if TYPE_CHECKING:
    import pandas as pd

_AXIS_TITLES = {
    "block_size_bytes": "Block size [KiB]",
    "read_percent": "R/W mix [%]",
    "threads": "Threads",
    "queue_depth": "Queue depth",
}
_MOST_WIDE = 6  # columns whose numbers have room at the usual size


def axis_label(column: str, value: int) -> str:
    """Return a place on an axis of the matrix in the words of the PTS.

    >>> axis_label("block_size_bytes", 4096), axis_label("read_percent", 65)
    ('4 KiB', '65/35')
    """
    if column == "block_size_bytes":
        return block_size_label(value)
    return mix_label(value) if column == "read_percent" else str(value)


def _tick_label(column: str, value: int) -> str:
    """Return a place on an axis that has its unit in its title."""
    if column == "block_size_bytes":
        return f"{value / 1024:g}"
    return axis_label(column, value)


def new_cell_figure(title: str, subtitle: str) -> go.Figure:
    """Return an empty figure of a cell, with room for the lines of its subtitle."""
    figure = new_figure(title, subtitle=subtitle, height=400)
    figure.layout.margin.t = 64 + 38 * subtitle.count("<br>")
    return figure


def plot_cell_map(
    frame: "pd.DataFrame",
    metric: str,
    *,
    axes: Sequence[str],
    marked: Mapping[str, int] | None = None,
    title: str = "",
    subtitle: str = "",
) -> go.Figure:
    """Draw a matrix of cells, its colours on a logarithmic scale.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a cell, as `ssdlab.analysis.summarise_cells` returns them.
    metric : str
        The column that is drawn, as stored.
    axes : sequence of str
        The columns that are rows and columns of the matrix.
    marked : mapping of str to int, optional
        The cell that gets a frame.
    title : str, optional
        Title of the figure; without it the name of the metric.
    subtitle : str, optional
        What stands below it, in lines with ``<br>`` between them.

    Returns
    -------
    plotly.graph_objects.Figure
        One heat map; a cell that was not measured is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> cell = {"read_percent": [0], "block_size_bytes": [4096], "iops": [51234.0]}
    >>> frame = pd.DataFrame(cell | {"n_rounds": [5], "total_ios": [1000]})
    >>> axes = ["read_percent", "block_size_bytes"]
    >>> plot_cell_map(frame, "iops", axes=axes).data[0].text[0][0]
    '51.2k'
    """
    quantity = metric_quantity(metric)
    figure = new_cell_figure(title or quantity.title, subtitle)
    downs, acrosses = ([*sorted({int(v) for v in frame[name]})] for name in axes)
    cells = {
        (int(row[0]), int(row[1])): row[2:]
        for row in zip(
            *(frame[name] for name in [*axes, metric, "n_rounds", "total_ios"]),
            strict=True,
        )
    }
    rows = [[cells.get((down, across)) for across in acrosses] for down in downs]
    scaled = [[c and float(c[0]) / quantity.divisor for c in row] for row in rows]
    colors = [[math.log10(v) if v else None for v in row] for row in scaled]
    figure.add_heatmap(
        x=[_tick_label(axes[1], value) for value in acrosses],
        y=[_tick_label(axes[0], value) for value in downs],
        z=colors,
        text=[[short_number(v) if v else "" for v in row] for row in scaled],
        customdata=[[_hover(c, quantity.divisor) for c in row] for row in rows],
        texttemplate="%{text}",
        textfont={
            "size": 12 if len(acrosses) <= _MOST_WIDE else 10,
            "color": CELL_INK,
        },
        colorscale=FROM_LITTLE_TO_MUCH,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertemplate=f"{_AXIS_TITLES[axes[1]]} %{{x}}, {_AXIS_TITLES[axes[0]]} %{{y}}"
        f"<br>{quantity.name}: %{{customdata[0]}} {quantity.unit}"
        "<br>%{customdata[1]}<extra></extra>",
        showscale=False,  # each cell tells its value
    )
    flat = {"type": "category", "showgrid": False}
    figure.layout.xaxis = axis(_AXIS_TITLES[axes[1]], **flat)
    figure.layout.yaxis = axis(_AXIS_TITLES[axes[0]], **flat)
    if marked and marked.get(axes[0]) in downs and marked.get(axes[1]) in acrosses:
        across, down = acrosses.index(marked[axes[1]]), downs.index(marked[axes[0]])
        figure.layout.shapes = _frame(across, down)
    return figure


def _hover(cell: "tuple[object, ...] | None", divisor: float) -> tuple[str, str]:
    if cell is None:
        return "", ""
    value, rounds, ios = cell
    words = "mean that others printed" if str(rounds) == "<NA>" else f"{rounds} rounds"
    count = f", {int(str(ios)):,} IOs" if str(ios) not in {"<NA>", "0"} else ""
    return f"{float(str(value)) / divisor:,.5g}", words + count


def _frame(across: int, down: int) -> list[dict[str, object]]:
    corners = {"x0": across - 0.5, "x1": across + 0.5}
    corners |= {"y0": down - 0.5, "y1": down + 0.5}
    return [
        {"type": "rect", **corners, "line": {"color": color, "width": width}}
        for color, width in (("white", 5), (COLORS["fit"], 2.5))
    ]
