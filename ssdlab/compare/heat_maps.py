"""IOPS matrices of several drives as heat maps, and the ratio of each pair."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.compare.cells import rows_of
from ssdlab.model.units import block_size_label, mix_label
from ssdlab.plots.heat import FROM_LESS_TO_MORE, FROM_LITTLE_TO_MUCH, add_heat
from ssdlab.plots.labels import axis, lay_out, new_figure
from ssdlab.plots.looks import RunLook
from ssdlab.text.numbers import short_number

if TYPE_CHECKING:
    import pandas as pd

_PANEL_PX = 300
_MARKS = {"drives": "*", "runs": "°", "": ""}
_LEAST_RATIO = 1.05  # least span of a scale: noise must not look like a difference


def plot_iops_heat_maps(
    summary: "pd.DataFrame", cells: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the IOPS matrix of each drive as a heat map, all on one scale."""
    table = _with_axes(summary, cells)
    shown = [short_number(float(value)) for value in table["value"]]
    logs = [math.log10(float(value)) for value in table["value"]]
    table = table.assign(shown=shown)
    return _draw_panels(
        title="IOPS by block size and R/W mix",
        subtitle="mean over the measurement window; one colour scale for all",
        panels=[
            (look.text, table[table["side"] == name])
            for name, look in looks.items()
            if (table["side"] == name).any()
        ],
        colors={
            "colorscale": FROM_LITTLE_TO_MUCH,
            "zmin": min(logs),
            "zmax": max(logs),
        },
    )


def plot_ratio_heat_maps(
    differences: "pd.DataFrame", cells: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the ratio of two IOPS matrices, for each pair of drives.

    One panel per pair, the first over the second drive. A star marks a difference that
    is shown for the drives, a ring one that is shown only for these runs; a cell that
    one of them lacks is empty.
    """
    table = _with_axes(differences[differences["ratio"] > 0], cells)
    shown = [f"{row.ratio:.2f}{_MARKS[row.claim]}" for row in rows_of(table)]
    table = table.assign(value=table["ratio"], shown=shown)
    ends = [_LEAST_RATIO, *(float(max(r, 1 / r)) for r in table["ratio"])]
    reach = math.log10(max(ends))
    return _draw_panels(
        title="IOPS, ratio of two drives",
        subtitle="green: the first has more; * shown for the drives, ° for these runs",
        panels=[
            (f"{looks[str(a)].text} / {looks[str(b)].text}", own)
            for (a, b), own in table.groupby(["a", "b"], sort=False)
        ],
        colors={
            "colorscale": FROM_LESS_TO_MORE,
            "zmin": -reach,
            "zmax": reach,
        },
    )


def _with_axes(table: "pd.DataFrame", cells: "pd.DataFrame") -> "pd.DataFrame":
    names = ["test", "metric", "cell", "block_size_bytes", "read_percent"]
    places = cells[names].drop_duplicates(["test", "metric", "cell"]).dropna()
    return table.merge(places, on=["test", "metric", "cell"])


def _draw_panels(
    *,
    title: str,
    subtitle: str,
    panels: Sequence[tuple[str, "pd.DataFrame"]],
    colors: Mapping[str, Any],
) -> go.Figure:
    """Draw tables of ``value`` and ``shown``, stacked, on one colour scale."""
    down = max(1, len(panels))
    figure = new_figure(title, subtitle=subtitle, height=120 + _PANEL_PX * down)
    for place, (name, own) in enumerate(panels):
        number = str(place + 1) if place else ""
        top = 1 - place / down
        bottom, head = top - 1 / down + 0.14 / down, top - 0.12 / down
        flat = {"type": "category", "showgrid": False}
        last = "R/W mix" if place == down - 1 else ""
        lay_out(
            figure,
            **{
                f"xaxis{number}": axis(last, anchor=f"y{number}", tickangle=0, **flat),
                f"yaxis{number}": axis(
                    "Block size", anchor=f"x{number}", domain=[bottom, head], **flat
                ),
            },
        )
        figure.add_annotation(
            text=name, x=0, y=head, xref="paper", yref="paper",
            xanchor="left", yanchor="bottom", showarrow=False, font={"size": 13},
        )  # fmt: skip
        sizes = sorted({int(size) for size in own["block_size_bytes"]}, reverse=True)
        mixes = sorted({int(mix) for mix in own["read_percent"]}, reverse=True)
        axes = (
            {size: block_size_label(size) for size in sizes},
            {mix: mix_label(mix) for mix in mixes},
        )
        cells = {}
        for row in rows_of(own):
            size, mix = int(row.block_size_bytes), int(row.read_percent)
            where = f"{block_size_label(size)}, R/W {mix_label(mix)}"
            cells[size, mix] = (float(row.value), row.shown, f"{where}: {row.shown}")
        at = {"xaxis": f"x{number}", "yaxis": f"y{number}"} | dict(colors)
        add_heat(figure, cells, axes, **at)
    return figure
