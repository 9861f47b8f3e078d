"""Average vs maximum latency of storage classes and runs, and confidence levels."""

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.plots.axes import level_axis, named_axis
from ssdlab.plots.label_places import Label, label_gap_px, place_labels
from ssdlab.plots.labels import lay_out, new_figure
from ssdlab.plots.lines import Across, Line, add_points, draw_lines
from ssdlab.plots.looks import GROUP_LOOKS, RunLook, group_look
from ssdlab.text.numbers import metric_text, number_text, time_text

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 560
_PLOT_HEIGHT_PX = 430.0  # what title, legend and axis leave of it
_PLOT_WIDTHS_PX = (590.0, 640.0, 760.0, 870.0, 940.0)
_NEAR_PX = 18.0
_LEVELS = ("average", "99 %", "99.9 %", "99.99 %", "99.999 %", "max")
_HEADS = ("ART", *_LEVELS[1:-1], "MRT")

_Point = tuple[float, float, str, str]


def plot_class_latency(
    classes: "pd.DataFrame", values: "pd.DataFrame", *, looks: Sequence[RunLook]
) -> go.Figure:
    """Draw average vs maximum latency of each storage class and run.

    One point a class or run on two logarithmic axes, each with its name.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    has_doubt = classes["doubtful"].str.contains("lat_").any()
    note = "; hollow: the printed average cannot be right" if has_doubt else ""
    figure = new_figure(
        "Average vs maximum latency",
        subtitle=f"RND 4 KiB 0/100, T1/Q1{note}",
        height=_HEIGHT,
    )
    points = _add_classes(figure, classes)
    points += _add_runs(figure, values, looks)
    across = level_axis("Average latency [ms]", [point[0] for point in points])
    up = level_axis("Maximum latency [ms]", [point[1] for point in points])
    lay_out(figure, xaxis=across, yaxis=up)
    _add_names(figure, points, (across["range"], up["range"]))
    return figure


def _add_classes(figure: go.Figure, classes: "pd.DataFrame") -> list[_Point]:
    points: list[_Point] = []
    for group in GROUP_LOOKS:
        color, symbol = group_look(group)
        members = classes[classes["group"] == group]
        found = [
            (float(row["lat_mean_ms"]), float(row["lat_max_ms"]), row)
            for _, row in members.iterrows()
        ]
        doubts = ["lat_mean_ms" in str(row["doubtful"]).split() for _, _, row in found]
        add_points(
            figure, [mean for mean, _, _ in found], [most for _, most, _ in found],
            name=group.replace("&", "&amp;"),
            text=[
                _hover(str(row["storage_class"]), mean, most)
                + ("<br>the average cannot be right" if doubt else "")
                for (mean, most, row), doubt in zip(found, doubts, strict=True)
            ],
            marker={
                "color": color, "size": 11, "line": {"width": 1.5, "color": color},
                "symbol": [f"{symbol}-open" if doubt else symbol for doubt in doubts],
            },
        )  # fmt: skip
        points += [
            (mean, most, str(row["storage_class"]), color) for mean, most, row in found
        ]
    return points


def _hover(name: str, mean_ms: float, most_ms: float) -> str:
    return (
        f"{name}<br>average {number_text(mean_ms)} ms"
        f"<br>maximum {number_text(most_ms)} ms"
    )


def _add_runs(
    figure: go.Figure, values: "pd.DataFrame", looks: Sequence[RunLook]
) -> list[_Point]:
    points: list[_Point] = []
    for look in looks:
        own = values[values["run_id"] == look.run_id].set_index("metric")["value"]
        mean, most = (float(own.get(name, math.nan)) for name in _AXES)
        if not (mean > 0 and most > 0):
            continue
        add_points(
            figure, [mean], [most], text=[_hover(look.full, mean, most)],
            name=look.text, showlegend=False,  # each has its name next to it
            marker={"color": look.color, "size": 13, "symbol": look.symbol},
        )  # fmt: skip
        points.append((mean, most, look.text, look.color))
    return points


_AXES = ("lat_mean_ms", "lat_max_ms")


def _add_names(
    figure: go.Figure,
    points: Sequence[_Point],
    ranges: tuple[Sequence[float], Sequence[float]],
) -> None:
    """Write each name next to its point, connected by a line where it is far away."""
    (left, right), (bottom, top) = ranges
    labels = [
        Label(
            x_ratio=(math.log10(x) - left) / (right - left),
            y_ratio=(top - math.log10(y)) / (top - bottom),
            text=name,
        )
        for x, y, name, _ in points
    ]
    places = place_labels(labels, widths_px=_PLOT_WIDTHS_PX, height_px=_PLOT_HEIGHT_PX)
    for (x, y, name, color), (right_px, down_px) in zip(points, places, strict=True):
        figure.add_annotation(
            x=math.log10(x), y=math.log10(y), text=name,
            ax=right_px, ay=down_px, xanchor="center", yanchor="middle",
            showarrow=True, arrowhead=0, arrowwidth=1, standoff=6, borderpad=1,
            arrowcolor=_line_color(name, right_px, down_px),
            font={"size": 12, "color": color},
        )  # fmt: skip


def _line_color(name: str, right_px: float, down_px: float) -> str:
    """Return no colour for a name right next to its point."""
    is_far = label_gap_px(name, right_px, down_px) > _NEAR_PX
    return "#b3bdc8" if is_far else "rgba(0,0,0,0)"


def plot_class_confidence(
    levels: "pd.DataFrame", *, looks: Sequence[RunLook], title: str
) -> go.Figure:
    """Draw the confidence levels of several runs.

    One line a run from its average response time (ART) over 99, 99.9, 99.99 and
    99.999 % to its maximum (MRT), named with its IOPS; a hollow marker where there are
    too few IOs for the percentile.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    weak = levels[levels["marker"].isin(_LEVELS)]["is_supported"].astype(bool)
    words = "" if weak.all() else "hollow: too few IOs for this percentile"
    figure = new_figure(title, subtitle=words, height=400)
    names = named_axis("Confidence level", _HEADS, pad=0.3)
    across = Across(column="place", axis=names, hover="")
    lines = []
    for look in looks:
        rows = levels[
            (levels["run_id"] == look.run_id) & levels["marker"].isin(_LEVELS)
        ]
        rows = rows.assign(place=rows["marker"].map(_LEVELS.index)).sort_values("place")
        if rows.empty:
            continue
        taken_with = escape(str(rows["taken_with"].iloc[0]), quote=False)
        iops = float(rows["iops"].iloc[0])
        rate = "" if math.isnan(iops) else f", {metric_text(iops, 'iops')}"
        supported = [bool(ok) for ok in rows["is_supported"]]
        line = Line(
            rows=[rows], column="lat_ns", name=look.text + rate, color=look.color,
            dash=look.dash, size=11,
            symbol=[look.symbol if ok else f"{look.symbol}-open" for ok in supported],
            marker={"color": look.color, "line": {"width": 2, "color": look.color}},
            text=[
                f"{look.full}<br>{_HEADS[place]}: {time_text(float(lat))}"
                f"<br>{taken_with}{rate}"
                + ("" if ok else "<br>not supported: too few IOs")
                for place, lat, ok in zip(
                    rows["place"], rows["lat_ns"], supported, strict=True
                )
            ],
        )  # fmt: skip
        lines.append(line)
    drawn = [value for line in lines for value in line.values()]
    times = level_axis("Response time [ms]", drawn)
    draw_lines(figure, across, lines, yaxis=times, showlegend=True)
    return figure
