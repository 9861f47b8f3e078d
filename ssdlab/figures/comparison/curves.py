"""Several drives in one figure: curves of demand, recovery, and a score."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.labels import (
    COLORS,
    axis,
    linear_axis,
    new_figure,
    number_text,
    scaled,
    time_text,
)
from ssdlab.figures.recovery import span_s, time_quantity, times_of

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
    times: list[float | None] = []
    rates: list[float | None] = []
    for run_id, look in looks.items():
        own = points[points["run_id"] == run_id].sort_values("toio")
        if own.empty:
            continue
        x, y = scaled(own["lat_mean_ns"], "lat_ns"), scaled(own["iops"], "iops")
        times, rates = [*times, *x], [*rates, *y]
        figure.add_scatter(
            x=x,
            y=y,
            text=[_point_text(look, row) for row in rows_of(own)],
            name=look.text,
            mode="markers",
            marker={"symbol": look.symbol, "size": 8, "color": look.color},
            hovertemplate="%{text}<extra></extra>",
        )
    figure.update_layout(
        xaxis=level_axis("Mean response time [ms]", times),
        yaxis=level_axis("IOPS", rates),
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
    loads: list[float | None] = []
    rates: list[float | None] = []
    for run_id, look in looks.items():
        own = points[points["run_id"] == run_id].sort_values(["toio", "iops"])
        best = own.drop_duplicates("toio", keep="last")
        if best.empty:
            continue
        x, y = [float(value) for value in best["toio"]], scaled(best["iops"], "iops")
        loads, rates = [*loads, *x], [*rates, *y]
        figure.add_scatter(
            x=x,
            y=y,
            text=[_point_text(look, row) for row in rows_of(best)],
            name=look.text,
            mode="lines+markers",
            line={"color": look.color, "width": 1.8, "dash": look.dash},
            marker={"symbol": look.symbol, "size": 8, "color": look.color},
            hovertemplate="%{text}<extra></extra>",
        )
    figure.update_layout(
        xaxis=level_axis("Outstanding IOs: TC x QD", loads),
        yaxis=linear_axis("IOPS"),
        showlegend=True,
    )
    return figure


def _point_text(look: RunLook, row: Any) -> str:
    return (
        f"{look.text}<br>T{row.threads}/Q{row.queue_depth}: {row.iops:,.0f} IOPS"
        f"<br>{time_text(float(row.lat_mean_ns))}<br>n = {row.n_rounds} rounds"
    )


def plot_compared_idle_recovery(
    states: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw what rest gains, of several drives: accesses after it by those without.

    Parameters
    ----------
    states : pandas.DataFrame
        What `ssdlab.analysis.summarise_wait_states` returned, of all runs.
    looks : mapping of str to RunLook
        By run its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One line a run over the rest; 1 is no gain.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.
    """
    figure = new_figure(
        "HIR: IOPS after rest by IOPS without",
        subtitle="each wait state by its own baseline; 1: rest gains nothing",
        height=_HEIGHT,
    )
    for run_id, look in looks.items():
        own = states[(states["run_id"] == run_id) & states["iops_ratio"].notna()]
        if own.empty:
            continue
        own = own.sort_values("wait_s")
        figure.add_scatter(
            x=[float(value) for value in own["wait_s"]],
            y=[float(value) for value in own["iops_ratio"]],
            text=[
                f"{look.text}<br>rest {number_text(float(row.wait_s))} s: "
                f"{row.iops_ratio:.3f}<br>{row.iops:,.0f} IOPS by "
                f"{row.iops_baseline:,.0f} IOPS"
                f"<br>n = {row.n_accesses} and {row.n_baseline} accesses"
                for row in rows_of(own)
            ],
            name=look.text,
            mode="lines+markers",
            line={"color": look.color, "width": 1.8, "dash": look.dash},
            marker={"symbol": look.symbol, "size": 8, "color": look.color},
            hovertemplate="%{text}<extra></extra>",
        )
    figure.add_hline(y=1, line={"color": COLORS["axis"], "width": 1, "dash": "dot"})
    figure.update_layout(
        xaxis=linear_axis("Rest before each access [s]"),
        yaxis=axis("IOPS after rest / IOPS without"),
        showlegend=True,
    )
    return figure


def plot_compared_cross_stimulus(
    rounds: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the throughput of several drives over a cross stimulus recovery.

    Parameters
    ----------
    rounds : pandas.DataFrame
        What `ssdlab.analysis.summarise_cross_stimulus` returned, of all runs.
    looks : mapping of str to RunLook
        By run its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One line a run over the time under IO, on a logarithmic axis.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.
    """
    unit = time_quantity(span_s(rounds))
    figure = new_figure(
        "XSR: throughput v time",
        subtitle="large sequential writes, small random ones, large ones again",
        height=_HEIGHT,
    )
    drawn: list[float | None] = []
    for run_id, look in looks.items():
        own = rounds[rounds["run_id"] == run_id]
        if own.empty:
            continue
        values = scaled(own["bw_bytes_per_s"], "bw_bytes_per_s")
        drawn += values
        figure.add_scatter(
            x=times_of(own, unit),
            y=values,
            text=[
                f"{look.text}<br>group {row.group}, round {row.round}: "
                f"{number_text(float(row.bw_bytes_per_s) / 1e6)} MB/s"
                for row in rows_of(own)
            ],
            name=look.text,
            mode="lines",
            line={"color": look.color, "width": 1.8, "dash": look.dash},
            hovertemplate="%{text}<extra></extra>",
        )
    figure.update_layout(
        xaxis=linear_axis(unit.title),
        yaxis=level_axis("Throughput [MB/s]", drawn),
        showlegend=True,
    )
    return figure


def plot_score(scores: "pd.DataFrame", *, looks: Mapping[str, RunLook]) -> go.Figure:
    """Draw a score and the parts that it is made of.

    Parameters
    ----------
    scores : pandas.DataFrame
        What `ssdlab.analysis.score_sides` returned.
    looks : mapping of str to RunLook
        By side its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One row a part, and the score on top of them; 1 is the mean of all drives.
    """
    terms = list(dict.fromkeys(str(term) for term in scores["term"]))[::-1]
    figure = new_figure(
        "Score, and what it is made of",
        subtitle="times as good as the geometric mean of all; with the widest interval",
        height=170 + 44 * len(terms),
    )
    names = [name for name in looks if (scores["side"] == name).any()]
    drawn: list[float | None] = [0.99, 1.01]
    for place, name in enumerate(names):
        own = scores[(scores["side"] == name) & scores["ratio"].notna()]
        ratios = [float(value) for value in own["ratio"]]
        reach = [
            value if math.isfinite(value) else 0.0
            for value in (own["high"] - own["ratio"]).tolist()
        ]
        less = [
            value if math.isfinite(value) else 0.0
            for value in (own["ratio"] - own["low"]).tolist()
        ]
        drawn += [*ratios, *own["low"].dropna(), *own["high"].dropna()]
        shift = (len(names) - 1) / 2 - place
        figure.add_scatter(
            x=ratios,
            y=[terms.index(str(t)) + shift * 0.7 / len(names) for t in own["term"]],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": reach,
                "arrayminus": less,
                "thickness": 1.5,
                "width": 3,
            },
            text=[
                f"{looks[name].text}<br>{row.term or 'score'}: {row.ratio:.3f}"
                f"<br>weight {row.weight:g}, {row.n_cells} cells"
                for row in rows_of(own)
            ],
            name=looks[name].text,
            mode="markers",
            marker={
                "symbol": looks[name].symbol,
                "size": 10,
                "color": looks[name].color,
            },
            hovertemplate="%{text}<extra></extra>",
        )
    weights = dict(zip(scores["term"], scores["weight"], strict=True))
    figure.add_vline(x=1, line={"color": COLORS["axis"], "width": 1, "dash": "dot"})
    figure.update_layout(
        xaxis=level_axis("Times as good as the mean of all", drawn),
        yaxis=axis(
            "",
            tickvals=list(range(len(terms))),
            ticktext=[
                f"{term} (weight {weights[term]:g})" if term else "<b>Score</b>"
                for term in terms
            ],
            range=[-0.6, len(terms) - 0.4],
        ),
        showlegend=True,
    )
    return figure
