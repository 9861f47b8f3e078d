"""A matrix of cells as a heat map, with one of them marked."""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.model.units import block_size_label, mix_label
from ssdlab.plots.heat import FROM_LITTLE_TO_MUCH, add_heat
from ssdlab.plots.labels import COLORS, axis, new_figure
from ssdlab.text.numbers import short_number, short_time
from ssdlab.text.quantities import metric_quantity

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
    downs, acrosses = (
        {
            value: _tick_label(name, value)
            for value in sorted(map(int, set(frame[name])))
        }
        for name in axes
    )
    down_title, across_title = (_AXIS_TITLES[name] for name in axes)
    cells = {}
    columns = (frame[name] for name in [*axes, metric, "n_rounds", "total_ios"])
    for down, across, stored, rounds, ios in zip(*columns, strict=True):
        value = float(stored) / quantity.divisor
        is_printed = str(rounds) == "<NA>"
        words = "mean that others printed" if is_printed else f"{rounds} rounds"
        words += f", {int(ios):,} IOs" if str(ios) not in {"<NA>", "0"} else ""
        where = f"{across_title} {acrosses[across]}, {down_title} {downs[down]}"
        told = f"{quantity.name}: {value:,.5g} {quantity.unit}".rstrip()
        shown = _shown(float(stored), metric, value)
        cells[int(down), int(across)] = (value, shown, f"{where}<br>{told}<br>{words}")
    letters = 12 if len(acrosses) <= _MOST_WIDE else 10
    axes_names = (downs, acrosses)
    add_heat(figure, cells, axes_names, letters=letters, colorscale=FROM_LITTLE_TO_MUCH)
    flat = {"type": "category", "showgrid": False}
    figure.layout.xaxis = axis(across_title, **flat)
    figure.layout.yaxis = axis(down_title, **flat)
    if marked and marked.get(axes[0]) in downs and marked.get(axes[1]) in acrosses:
        x = list(acrosses).index(marked[axes[1]])
        y = list(downs).index(marked[axes[0]])
        corners = {"x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5}
        for color, width in (("white", 5), (COLORS["fit"], 2.5)):
            figure.add_shape(**corners, line={"color": color, "width": width})
    return figure


def _shown(stored: float, metric: str, value: float) -> str:
    """Return a value as its cell shows it, a latency with the unit that suits it."""
    if not value:
        return ""
    return short_time(stored) if metric.startswith("lat_") else short_number(value)


def matrix_html(frame: "pd.DataFrame", metric: str, *, axes: Sequence[str]) -> str:
    """Return a matrix of cells as an HTML table whose cells are coloured.

    It is what a saved notebook shows without a kernel: no script draws it.
    """
    quantity = metric_quantity(metric)
    down, across = axes
    known = frame[frame[metric].notna() & (frame[metric] > 0)]
    if known.empty:
        return ""
    cells = {
        (int(row[down]), int(row[across])): float(row[metric]) / quantity.divisor
        for row in known.to_dict("records")
    }
    least, most = log10(min(cells.values())), log10(max(cells.values()))
    acrosses = sorted({place for _, place in cells})

    def cell(place: tuple[int, int]) -> str:
        if place not in cells:
            return "<td></td>"
        value = cells[place]
        share = (log10(value) - least) / (most - least) if most > least else 0.5
        look = f"background: rgba(0,114,178,{0.08 + 0.5 * share:.2f}); color: #1b2733"
        stored = value * quantity.divisor
        shown = _shown(stored, metric, value)
        return f'<td style="{look}; padding: 4px 10px">{shown}</td>'

    heads = "".join(f"<th>{axis_label(across, one)}</th>" for one in acrosses)
    rows = "".join(
        f"<tr><th>{axis_label(down, one)}</th>"
        + "".join(cell((one, other)) for other in acrosses)
        + "</tr>"
        for one in sorted({place for place, _ in cells})
    )
    return (
        f"<p>{escape(quantity.title)}</p><table><thead><tr><th></th>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
