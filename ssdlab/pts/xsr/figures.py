"""Recovery from another stimulus: throughput and response times over time."""

from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.model.spec import stimulus_label
from ssdlab.plots.labels import COLORS, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines, response_times
from ssdlab.pts.xsr.summary import recovery_headline

if TYPE_CHECKING:
    import pandas as pd

GroupMetric = Literal["bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"]

# Okabe and Ito (2008); the marker tells the groups apart as well.
_GROUPS = (("#0072B2", "circle"), ("#D55E00", "square"), ("#009E73", "diamond"))


def plot_cross_stimulus(
    rounds: "pd.DataFrame",
    *,
    metric: GroupMetric = "bw_bytes_per_s",
    groups: "pd.DataFrame | None" = None,
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
    groups : pandas.DataFrame, optional
        The frame of `summarise_access_groups`: draws the mean throughput of group 1,
        and says in the subtitle how far group 3 recovered.
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
    subtitle = "" if groups is None else recovery_headline(groups).capitalize()
    figure = new_figure(title, subtitle=subtitle)
    across = Across.time(rounds)
    lines = []
    for group, rows in rounds.groupby("group"):
        color, symbol = _GROUPS[(int(str(group)) - 1) % len(_GROUPS)]
        line = Line(
            rows=[rows], column=metric, name=group_label(rows.iloc[0]), color=color,
            symbol=symbol, width=1.5, size=4, hover=f"group {group}, {across.hover}: ",
        )  # fmt: skip
        lines.append(line)
    if groups is not None:
        lines += _former_means(rounds, groups)
    draw_lines(figure, across, lines, showlegend=True)
    return figure


def _former_means(rounds: "pd.DataFrame", groups: "pd.DataFrame") -> list[Line]:
    """Return the mean throughput of group 1 as a line over all rounds."""
    ends = [float(rounds["time_s"].min()), float(rounds["time_s"].max())]
    return [
        Line(
            rows=[{"time_s": ends, "bw_bytes_per_s": [mean, mean]}],
            column="bw_bytes_per_s", name="Mean of group 1", hover="mean of group 1: ",
            color=COLORS["range_limit"], dash="dash", width=1.5,
        )
        for mean in groups[groups["group"] == 1]["bw_mean_bytes_per_s"]
    ]  # fmt: skip


def group_label(row: "pd.Series[Any]") -> str:
    """Return an access group as a legend and a table name it."""
    stimulus = stimulus_label(
        str(row["access"]), int(row["block_size_bytes"]), int(row["read_percent"])
    )
    return f"Group {row['group']}: {stimulus}"


def plot_cross_stimulus_latency(rounds: "pd.DataFrame") -> go.Figure:
    """Draw throughput, and response times on a second axis, over time.

    Throughput on the first axis; average and maximum response time on a
    logarithmic second one; lines are broken where the group changes.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.

    >>> import pandas as pd
    >>> row = {"group": [1], "time_s": [60.0], "bw_bytes_per_s": [5.0e8]}
    >>> figure = plot_cross_stimulus_latency(
    ...     pd.DataFrame(row | {"lat_mean_ns": [2.0e6], "lat_max_ns": [9.0e6]})
    ... )
    >>> [line.name for line in figure.data]
    ['Throughput [MB/s]', 'Average [ms] (right axis)', 'Maximum [ms] (right axis)']
    """
    figure = new_figure("Throughput, average and maximum latency vs time", height=460)
    groups = [rows for _, rows in rounds.groupby("group")]
    throughput = Line(
        rows=groups, column="bw_bytes_per_s", name="Throughput [MB/s]", hover="",
        color=COLORS["average"], width=2,
    )  # fmt: skip
    draw_lines(
        figure, Across.time(rounds), [throughput],
        right=response_times(groups, width=1.5),
        titles=("", "Response time [ms]"), hovermode="x unified",
    )  # fmt: skip
    return figure
