"""Demand variations of several drives: IOPS over response time, and over the load."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis, run_line
from ssdlab.figures.labels import (
    QUANTITIES,
    linear_axis,
    new_figure,
    scaled,
    time_text,
)
from ssdlab.figures.lines import Across, Line, draw_lines

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 460


def plot_iops_response(
    points: "pd.DataFrame", *, looks: Mapping[str, RunLook], title: str
) -> go.Figure:
    """Draw IOPS over mean response time of a demand variation, of several drives.

    One mark a TC and QD, on two logarithmic axes; nothing is joined.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.
    """
    figure = new_figure(title, subtitle="one mark a TC/QD", height=_HEIGHT)
    known = points[points["run_id"].isin(list(looks))]
    times, rates = scaled(known["lat_mean_ns"], "lat_ns"), scaled(known["iops"], "iops")
    across = Across(
        column="lat_mean_ns", axis=level_axis("Mean response time [ms]", times),
        hover="", quantity=QUANTITIES["lat_ns"],
    )  # fmt: skip
    lines = [
        _line(own, looks[run], mode="markers")
        for run, own in _points_of_runs(points, looks)
    ]
    draw_lines(figure, across, lines, yaxis=level_axis("IOPS", rates), showlegend=True)
    return figure


def plot_compared_demand(
    points: "pd.DataFrame", *, looks: Mapping[str, RunLook], title: str
) -> go.Figure:
    """Draw the demand intensity of several drives: IOPS over outstanding IOs.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.
    """
    figure = new_figure(title, subtitle="the best TC/QD of each load", height=_HEIGHT)
    lines = [
        _line(own.drop_duplicates("toio", keep="last"), looks[run])
        for run, own in _points_of_runs(points, looks)
    ]
    loads = [float(load) for line in lines for load in line.rows[0]["toio"]]
    axis = level_axis("Outstanding IOs: TC x QD", loads)
    across = Across(column="toio", axis=axis, hover="")
    draw_lines(figure, across, lines, yaxis=linear_axis("IOPS"), showlegend=True)
    return figure


def _points_of_runs(
    points: "pd.DataFrame", looks: Mapping[str, RunLook]
) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the points of each run that has any, by load and within it by IOPS."""
    for run_id in looks:
        own = points[points["run_id"] == run_id]
        if len(own):
            yield run_id, own.sort_values(["toio", "iops"])


def _line(own: "pd.DataFrame", look: RunLook, **more: Any) -> Line:
    text = [_point_text(look, row) for row in rows_of(own)]
    return run_line(own, "iops", look, text=text, size=8, more=more)


def _point_text(look: RunLook, row: Any) -> str:
    return (
        f"{look.full}<br>T{row.threads}/Q{row.queue_depth}: {row.iops:,.0f} IOPS"
        f"<br>{time_text(float(row.lat_mean_ns))}<br>n = {row.n_rounds} rounds"
    )
