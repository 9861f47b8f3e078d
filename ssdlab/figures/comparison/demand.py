"""Demand variations of several drives: IOPS over response time, and over the load."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.labels import lay_out, linear_axis, new_figure, scaled, time_text

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 460


def plot_iops_response(
    points: "pd.DataFrame", *, looks: Mapping[str, RunLook], title: str
) -> go.Figure:
    """Draw IOPS over mean response time of a demand variation, of several drives.

    Parameters
    ----------
    points : pandas.DataFrame
        What `ssdlab.analysis.summarise_demand` returned, of all runs.
    looks : mapping of str to RunLook
        By run its look.
    title : str
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One mark a TC and QD, on two logarithmic axes; nothing is joined.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.
    """
    figure = new_figure(title, subtitle="one mark a TC/QD", height=_HEIGHT)
    there = dict(_points_of_runs(points, looks))
    times = {run: scaled(own["lat_mean_ns"], "lat_ns") for run, own in there.items()}
    for run_id, own in there.items():
        _add_points(figure, own, looks[run_id], x=times[run_id], mode="markers")
    lay_out(
        figure,
        xaxis=level_axis("Mean response time [ms]", chain(*times.values())),
        yaxis=level_axis("IOPS", _rates_of(figure)),
        showlegend=True,
    )
    return figure


def plot_compared_demand(
    points: "pd.DataFrame", *, looks: Mapping[str, RunLook], title: str
) -> go.Figure:
    """Draw the demand intensity of several drives: IOPS over outstanding IOs.

    Parameters
    ----------
    points : pandas.DataFrame
        What `ssdlab.analysis.summarise_demand` returned, of all runs.
    looks : mapping of str to RunLook
        By run its look.
    title : str
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One line a run through the best TC and QD of each TOIO.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.
    """
    figure = new_figure(title, subtitle="the best TC/QD of each load", height=_HEIGHT)
    best = {
        run_id: own.drop_duplicates("toio", keep="last")
        for run_id, own in _points_of_runs(points, looks)
    }
    loads = {run: [float(load) for load in own["toio"]] for run, own in best.items()}
    for run_id, own in best.items():
        mode = "lines+markers"
        _add_points(figure, own, looks[run_id], x=loads[run_id], mode=mode)
    lay_out(
        figure,
        xaxis=level_axis("Outstanding IOs: TC x QD", chain(*loads.values())),
        yaxis=linear_axis("IOPS"),
        showlegend=True,
    )
    return figure


def _points_of_runs(
    points: "pd.DataFrame", looks: Mapping[str, RunLook]
) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the points of each run that has any, by load and within it by IOPS."""
    for run_id in looks:
        own = points[points["run_id"] == run_id]
        if len(own):
            yield run_id, own.sort_values(["toio", "iops"])


def _add_points(
    figure: go.Figure,
    own: "pd.DataFrame",
    look: RunLook,
    *,
    x: Sequence[float | None],
    mode: str,
) -> None:
    figure.add_scatter(
        x=list(x),
        y=scaled(own["iops"], "iops"),
        text=[_point_text(look, row) for row in rows_of(own)],
        name=look.text,
        mode=mode,
        line={"color": look.color, "width": 1.8, "dash": look.dash},
        marker={"symbol": look.symbol, "size": 8, "color": look.color},
        hovertemplate="%{text}<extra></extra>",
    )


def _rates_of(figure: go.Figure) -> list[float | None]:
    return [rate for trace in figure.data for rate in trace.y]


def _point_text(look: RunLook, row: Any) -> str:
    return (
        f"{look.full}<br>T{row.threads}/Q{row.queue_depth}: {row.iops:,.0f} IOPS"
        f"<br>{time_text(float(row.lat_mean_ns))}<br>n = {row.n_rounds} rounds"
    )
