"""Recovery from another stimulus: throughput and response times over time."""

from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    decades_axis,
    lay_out,
    linear_axis,
    new_figure,
    scaled,
)
from ssdlab.figures.recovery import RESPONSE_TIMES, span_s, time_quantity, times_of
from ssdlab.model.spec import stimulus_label

if TYPE_CHECKING:
    import pandas as pd

GroupMetric = Literal["bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"]

# Okabe and Ito (2008); the marker tells the groups apart as well.
_GROUPS = (("#0072B2", "circle"), ("#D55E00", "square"), ("#009E73", "diamond"))


def plot_cross_stimulus(
    rounds: "pd.DataFrame",
    *,
    metric: GroupMetric = "bw_bytes_per_s",
    title: str = "Throughput vs time, all access groups",
) -> go.Figure:
    """Draw a metric over time of a cross stimulus recovery test, one line a group.

    Parameters
    ----------
    rounds : pandas.DataFrame
        One row a round: ``group``, ``access``, ``block_size_bytes`` [B],
        ``read_percent`` [%], ``time_s`` [s] and the metric as stored.
    metric : {"bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"}, default "bw_bytes_per_s"
        The column that is drawn, in [B/s] or [ns] as stored. Latencies have a
        logarithmic axis.
    title : str, default "Throughput vs time, all access groups"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One line an access group, one point a round.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"group": [1], "access": ["seq"], "block_size_bytes": [1048576]}
    >>> row |= {"read_percent": [0], "time_s": [60.0], "bw_bytes_per_s": [5.0e8]}
    >>> line = plot_cross_stimulus(pd.DataFrame(row)).data[0]
    >>> line.name, line.y
    ('Group 1: SEQ 1024 KiB 0/100', (500.0,))
    """
    quantity = QUANTITIES[metric]
    figure = new_figure(title)
    unit = time_quantity(span_s(rounds))
    drawn: list[float | None] = []
    for group, rows in rounds.groupby("group"):
        color, symbol = _GROUPS[(int(str(group)) - 1) % len(_GROUPS)]
        values = scaled(rows[metric], metric)
        drawn += values
        figure.add_scatter(
            x=times_of(rows, unit),
            y=values,
            name=group_label(rows.iloc[0]),
            mode="lines+markers",
            line={"color": color, "width": 1.5},
            marker={"symbol": symbol, "size": 4},
            hovertemplate=f"group {group}, %{{x:,.4~g}} {unit.unit}: %{{y:,.4~g}} "
            f"{quantity.unit}<extra></extra>",
        )
    y_axis = linear_axis(quantity.title)
    if metric != "bw_bytes_per_s":
        y_axis = decades_axis(quantity.title, drawn)
    lay_out(figure, xaxis=linear_axis(unit.title), yaxis=y_axis, showlegend=True)
    return figure


def group_label(row: "pd.Series[Any]") -> str:
    """Return an access group as a legend and a table name it."""
    stimulus = stimulus_label(
        str(row["access"]), int(row["block_size_bytes"]), int(row["read_percent"])
    )
    return f"Group {row['group']}: {stimulus}"


def plot_cross_stimulus_latency(rounds: "pd.DataFrame") -> go.Figure:
    """Draw throughput, and response times on a second axis, over time.

    Parameters
    ----------
    rounds : pandas.DataFrame
        One row a round: ``group``, ``time_s`` [s], ``bw_bytes_per_s`` [B/s],
        ``lat_mean_ns`` and ``lat_max_ns`` [ns].

    Returns
    -------
    plotly.graph_objects.Figure
        Throughput on the first axis; average and maximum response time on a
        logarithmic second one; lines are broken where the group changes.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"group": [1], "time_s": [60.0], "bw_bytes_per_s": [5.0e8]}
    >>> figure = plot_cross_stimulus_latency(
    ...     pd.DataFrame(row | {"lat_mean_ns": [2.0e6], "lat_max_ns": [9.0e6]})
    ... )
    >>> [line.name for line in figure.data]
    ['Throughput [MB/s]', 'Average [ms] (right axis)', 'Maximum [ms] (right axis)']
    """
    figure = new_figure("Throughput, average and maximum latency vs time", height=460)
    unit = time_quantity(span_s(rounds))
    groups = [rows for _, rows in rounds.groupby("group")]
    times = [time for rows in groups for time in (*times_of(rows, unit), None)]
    throughput = ("bw_bytes_per_s", "average", "Throughput [MB/s]")
    latencies = tuple(
        (c, k, f"{name} [ms] (right axis)") for c, k, name in RESPONSE_TIMES
    )
    drawn: list[float | None] = []
    for column, color, name in (throughput, *latencies):
        values = [v for rows in groups for v in (*scaled(rows[column], column), None)]
        is_right = column != "bw_bytes_per_s"
        drawn += values if is_right else []
        figure.add_scatter(
            x=times,
            y=values,
            name=name,
            yaxis="y2" if is_right else "y",
            mode="lines",
            line={"color": COLORS[color], "width": 1.5 if is_right else 2},
            hovertemplate=f"{name}: %{{y:,.4~g}}<extra></extra>",
        )
    right = decades_axis("Response time [ms]", drawn)
    low, high = right["range"]
    right |= {"overlaying": "y", "side": "right", "showgrid": False}
    right["range"] = [low, high + 0.1 * (high - low)]  # its top label below the buttons
    lay_out(
        figure,
        xaxis=linear_axis(unit.title),
        yaxis=linear_axis("Throughput [MB/s]"),
        yaxis2=right,
        hovermode="x unified",
    )
    return figure
