"""Write saturation of several runs next to the levels of nine storage classes."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.plots.axes import level_axis, named_axis
from ssdlab.plots.labels import lay_out, linear_axis, new_figure
from ssdlab.plots.lines import Across, add_points, add_tie, draw_lines
from ssdlab.plots.looks import RunLook, group_look, run_line
from ssdlab.text.numbers import number_text, short_number
from ssdlab.text.quantities import QUANTITIES, scaled

if TYPE_CHECKING:
    import pandas as pd

_SPREAD = 10.0  # of what the runs reach; beyond it a linear axis hides the shorter
_HEIGHT = 520
_INSET = 0.06  # of the axis, from its end to an arrow that points beyond it


def plot_class_saturation(
    rounds: "pd.DataFrame",
    classes: "pd.DataFrame",
    *,
    looks: Sequence[RunLook],
    reach: Literal["all", "runs"] = "all",
) -> go.Figure:
    """Draw IOPS over time of several write saturations, next to the classes.

    On the left one line a run; on the right, on the same logarithmic axis, FOB
    and steady state of each class, tied by a line. Without any round the classes
    alone.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    is_alone = not rounds["run_id"].isin([look.run_id for look in looks]).any()
    title = "WSAT: FOB and steady state by class" if is_alone else "WSAT IOPS vs time"
    figure = new_figure(title, height=_HEIGHT)
    _add_runs(figure, rounds, looks, x="time_s")
    drawn = [value for trace in figure.data for value in trace.y]
    levels = classes[["fob_iops", "write_iops"]].astype(float)
    is_stretched = is_alone or reach == "all"
    beside = levels.to_numpy().ravel() if is_stretched else ()
    iops = level_axis("IOPS", [*drawn, *beside])
    low, high = (10**end for end in iops["range"])
    classes = classes[(levels.max(axis=1) >= low) & (levels.min(axis=1) <= high)]
    _add_levels(figure, classes, ends=(low, high))
    runs_end = 0.46 if len(classes) else 1
    lay_out(
        figure,
        xaxis=_run_axis(rounds, "time_s", domain=[0, runs_end], visible=not is_alone),
        xaxis2=named_axis(
            "",
            [str(name).replace(" ", "<br>", 1) for name in classes["storage_class"]],
            pad=0.7,
            autotickangles=[0, 90],
            showgrid=False,
            domain=[0, 1] if is_alone else [0.52, 1],
            visible=len(classes) > 0,
        ),
        yaxis=iops,
    )
    return figure


def plot_class_written(
    rounds: "pd.DataFrame", *, looks: Sequence[RunLook]
) -> go.Figure:
    """Draw IOPS of several write saturations over TGBW and over drive fills.

    Two panels with the same logarithmic IOPS axis. The published table has no
    curves, so no class is in them.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    figure = new_figure("WSAT IOPS vs TGBW and drive fills", height=460)
    _add_runs(figure, rounds, looks, x="total_written_bytes")
    drawn = [value for trace in figure.data for value in trace.y]
    _add_runs(figure, rounds, looks, x="drive_fills", panel="x2")
    lay_out(
        figure,
        xaxis=_run_axis(rounds, "total_written_bytes", domain=[0, 0.47]),
        xaxis2=_run_axis(rounds, "drive_fills", domain=[0.53, 1], visible=True),
        yaxis=level_axis("IOPS", drawn),
    )
    return figure


def _run_axis(rounds: "pd.DataFrame", column: str, **more: Any) -> dict[str, Any]:
    """Return an axis for all runs: logarithmic where they reach far apart."""
    quantity = QUANTITIES[column]
    title = "TGBW [GB]" if column == "total_written_bytes" else quantity.title
    if column == "drive_fills":
        title = "Drive fills (TGBW / capacity)"
    values = rounds[column].astype("Float64") / quantity.divisor
    reached = values.groupby(rounds["run_id"]).max().dropna()
    if len(reached) and float(reached.max()) > _SPREAD * float(reached.min()):
        return level_axis(title, [float(value) for value in values.dropna()]) | more
    return linear_axis(title, **more)


def _add_runs(
    figure: go.Figure,
    rounds: "pd.DataFrame",
    looks: Sequence[RunLook],
    *,
    x: str,
    panel: str = "x",
) -> None:
    unit = QUANTITIES[x].unit_or_name
    lines = []
    for look in looks:
        rows = rounds[rounds["run_id"] == look.run_id].dropna(subset=[x, "iops"])
        text = [
            f"{look.full}<br>{number_text(place or 0.0)} {unit}: {iops:,.0f} IOPS"
            for place, iops in zip(scaled(rows[x], x), rows["iops"], strict=True)
        ]
        shown = {"legendgroup": look.run_id, "showlegend": panel == "x", "xaxis": panel}
        if len(rows):
            lines.append(run_line(rows, "iops", look, text=text, size=4, more=shown))
    draw_lines(figure, Across.of(x), lines, yaxis={})


def _add_levels(
    figure: go.Figure, classes: "pd.DataFrame", *, ends: tuple[float, float]
) -> None:
    """Add FOB and steady state of each class as two marks and the fall between.

    What lies beyond the axis is an arrow at its end, with the number.
    """
    if classes.empty:
        return
    names = [
        f"{row['storage_class']}, {row['group']}".replace("&", "&amp;")
        for _, row in classes.iterrows()
    ]
    colors = [group_look(str(group))[0] for group in classes["group"]]
    fob = [float(value) for value in classes["fob_iops"]]
    steady = [float(value) for value in classes["write_iops"]]
    low, high = (math.log10(end) for end in ends)
    inset = _INSET * (high - low)
    least, most = 10 ** (low + inset), 10 ** (high - inset)

    def drawn(value: float) -> float:
        if value > ends[1]:
            return most
        return least if value < ends[0] else value

    for place, color in enumerate(colors):
        both = [drawn(fob[place]), drawn(steady[place])]
        line = {"color": color, "width": 2}
        add_tie(figure, [place, place], both, xaxis="x2", line=line)
    looks = (("FOB", fob, "circle-open"), ("steady state", steady, "circle"))
    edge = {"width": 2, "color": colors}
    for word, values, symbol in looks:
        symbols = [_symbol(value, ends, inside=symbol) for value in values]
        add_points(
            figure, list(range(len(names))),
            list(map(drawn, values)), xaxis="x2",
            name=f"storage classes, {word}",
            text=[
                f"{name}<br>{word}: {value:,.0f} IOPS"
                for name, value in zip(names, values, strict=True)
            ],
            marker={"symbol": symbols, "color": colors, "size": 9, "line": edge},
        )  # fmt: skip
        for place, value in enumerate(values):
            if not ends[0] <= value <= ends[1]:
                figure.add_annotation(
                    text=short_number(value), x=place, xref="x2",
                    y=math.log10(most if value > ends[1] else least), yref="y",
                    xanchor="center", yanchor="bottom" if value > ends[1] else "top",
                    yshift=4 if value > ends[1] else -4, showarrow=False,
                    font={"size": 11},
                )  # fmt: skip


def _symbol(value: float, ends: tuple[float, float], *, inside: str) -> str:
    """Return the marker of a level: an arrow where it lies beyond the axis."""
    if value > ends[1]:
        return "triangle-up"
    return "triangle-down" if value < ends[0] else inside
