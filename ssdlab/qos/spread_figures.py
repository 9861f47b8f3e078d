"""The distribution of response times: the nines of a load, and a map over time."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.plots.axes import name_times
from ssdlab.plots.labels import (
    COLORS,
    DIRECTION_COLORS,
    axis,
    decades_axis,
    lay_out,
    new_figure,
    round_axis,
)
from ssdlab.plots.lines import TARGET, add_points, add_time_mark, say
from ssdlab.plots.names import figure_text
from ssdlab.text.quantities import scaled

if TYPE_CHECKING:
    import pandas as pd

_LOADS = (
    *("#0B3C78", "#E69F00", "#009E73", "#CC79A7"),
    *("#56B4E9", "#D55E00", "#222222"),
)
_LEGEND_ROW_PX = 20  # in a narrow window each load has a row of its own
_NAMES = {"read": "Reads", "write": "Writes", "total": "All IOs"}
_DECIMALS = 9  # of times: adjacent columns must share one edge
_LEAST_SHARE = 1e-3  # percent: paler colours cannot be distinguished
_SCALE = [
    [0.0, "#f2f6fa"],
    [0.25, "#b7d4ea"],
    [0.5, "#56B4E9"],
    [0.75, "#0B3C78"],
    [1.0, "#1b1030"],
]


def plot_exceedance(
    frame: "pd.DataFrame",
    *,
    limit_ns: float | None = None,
    title: str = "How many IOs are slower",
    colors: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the share of IOs that took longer, on logarithmic axes: the nines.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.summarise_curve` returns, of one load or of several.
    limit_ns : float, optional
        The limit of a target [ns].
    title : str, default "How many IOs are slower"
        Title of the figure.
    colors : mapping of str to str, optional
        The colour of each load, such as it has in other figures of the page.

    Returns
    -------
    plotly.graph_objects.Figure
        One line per load; thin and dotted where too few IOs support it, as the subtitle
        says; an arrow where a histogram ends before its IOs do.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = {"load": "a", "direction": "read", "lat_upper_ns": [1e6, 2e6]}
    >>> bins |= {"exceedance_ratio": [0.1, 0.0], "is_supported": [True, False]}
    >>> bins |= {"total_ios": 1000, "is_censored": False}
    >>> figure = plot_exceedance(pd.DataFrame(bins))
    >>> figure.data[0].name, figure.data[0].y
    ('Reads, n = 1,000', (0.1,))
    """
    is_short = not frame["is_supported"].astype(bool).all()
    words = "dotted: too few IOs to support it" if is_short else ""
    figure = new_figure(title, subtitle=words)
    drawn = scaled(frame["lat_upper_ns"], "lat_ns")
    least, named = 0.1, 0
    loads = frame["load"].unique()
    several = frame["direction"].nunique() < len(loads)
    for place, load in enumerate(loads):
        rows = frame[frame["load"] == load]
        total, direction = (
            int(rows["total_ios"].iloc[0]),
            str(rows["direction"].iloc[0]),
        )
        name, color = _NAMES[direction], DIRECTION_COLORS[direction]
        if several:
            name = figure_text(str(load), longest=60)
            color = _LOADS[place % len(_LOADS)]
        color = (colors or {}).get(str(load), color)
        least = min(least, 1 / total)
        words = f"{name}, n = {total:,}"
        named += _add_curve(figure, rows, name=words, color=color)
    if limit_ns is not None:
        drawn.append(limit_ns / 1e6)
    powers = range(math.floor(math.log10(least)), 1)
    nines = axis(
        "Share of IOs that are slower", type="log", range=[powers[0], 0.05],
        tickvals=[10.0**power for power in powers], ticktext=list(map(_nines, powers)),
    )  # fmt: skip
    times = name_times(decades_axis("Response time [ms]", drawn))
    height = 460 + _LEGEND_ROW_PX * max(2, named)
    lay_out(
        figure, xaxis=times, yaxis=nines, showlegend=True, height=height,
        legend={"tracegroupgap": 0},
    )  # fmt: skip
    if limit_ns is not None:
        low, high = times["range"]
        at = math.log10(limit_ns / 1e6)
        side = "left" if at - low < high - at else "right"  # where there is more space
        add_time_mark(
            figure, limit_ns, words=TARGET, color=COLORS["temperature_limit"],
            along="x", y=0, xanchor=side, yanchor="bottom",
        )  # fmt: skip
    return figure


def _add_curve(
    figure: go.Figure, frame: "pd.DataFrame", *, name: str, color: str
) -> int:
    """Draw a load, thin where too few IOs support it, and where its histogram ends.

    Return by how many names the legend grows.
    """
    rows = frame[frame["exceedance_ratio"] > 0]
    count = int(rows["is_supported"].astype(bool).sum())
    parts = [(rows.iloc[:count], 2.2, "solid", name)]
    if count < len(rows):
        few = rows.iloc[max(0, count - 1) :]
        parts.append((few, 1.4, "dot", f"{name}: not supported"))
    for part, width, dash, words in parts:
        if part.empty:
            continue
        figure.add_scatter(
            x=scaled(part["lat_upper_ns"], "lat_ns"),
            y=[float(value) for value in part["exceedance_ratio"]],
            name=words,
            legendgroup=name,
            showlegend=dash == "solid" or not count,
            mode="lines" if len(part) > 1 else "markers",
            line={"color": color, "width": width, "dash": dash, "shape": "hv"},
            marker={"color": color, "size": 5},
            customdata=[100 * (1 - float(v)) for v in part["exceedance_ratio"]],
            hovertemplate="%{customdata:.7~g} % within %{x:,.4~g} ms<br>"
            f"{words}<extra></extra>",
        )
    last = frame.iloc[-1]
    if last["is_censored"]:
        words = f"{name}: {int(last['count']):,} IOs at least this slow"
        add_points(
            figure, scaled([last["lat_lower_ns"]], "lat_ns"),
            [float(last["count"]) / float(last["total_ios"])],
            name=f"{words}, not resolved (censored)",
            text=f"{words}: %{{x:,.4~g}} ms and more",
            marker={"color": color, "size": 13, "symbol": "triangle-right-open"},
        )  # fmt: skip
    return bool(len(rows)) + bool(last["is_censored"])


def _nines(power: int) -> str:
    level = 100 - 10.0 ** (power + 2)
    return f"1 in {10**-power:,} ({level:.10g} %)" if power else "all"


def plot_latency_map(
    frame: "pd.DataFrame", *, title: str = "Response times over time"
) -> go.Figure:
    """Draw the distribution of response times over time.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame ``latency_map`` of `ssdlab.latency_qos`.
    title : str, default "Response times over time"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A map: time or round across, response time up, and the share of a column's IOs
        as colour, the latter two logarithmic. Without rows a sentence instead.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = {"start": [0.5], "end": [1.5], "unit": "round", "lat_lower_ns": [1e6]}
    >>> cells |= {"lat_upper_ns": [1.1e6], "count": [9.0], "share_percent": [100.0]}
    >>> figure = plot_latency_map(pd.DataFrame(cells | {"origin": "rounds"}))
    >>> figure.layout.xaxis.title.text, figure.data[0].z[0]
    ('Round', [2.0])
    """
    figure = new_figure(title, height=460)
    if frame.empty:
        say(figure, "Response times over time were not recorded.")
        lay_out(figure, xaxis={"visible": False}, yaxis={"visible": False})
        return figure
    return _filled_map(figure, frame)


def _filled_map(figure: go.Figure, frame: "pd.DataFrame") -> go.Figure:
    import numpy as np  # noqa: PLC0415 - only the map is a matrix

    is_round = str(frame["unit"].iloc[0]) == "round"
    starts, ends = (
        frame[name].to_numpy(float).round(_DECIMALS) for name in ("start", "end")
    )
    moments = np.unique([starts, ends])  # there may be a gap between two columns
    octaves = np.log2(frame["lat_lower_ns"].to_numpy(float))
    step = float(np.log2(frame["lat_upper_ns"].iloc[0]) - octaves[0])
    rows = np.round((octaves - octaves.min()) / step).astype(int)
    columns = np.searchsorted(moments, starts)
    shares = np.full((rows.max() + 1, moments.size - 1), np.nan)
    counts = np.zeros(shares.shape)
    shares[rows, columns] = np.log10(
        np.maximum(frame["share_percent"].to_numpy(float), _LEAST_SHARE)
    )
    counts[rows, columns] = frame["count"].to_numpy(float)
    edges = 2.0 ** (octaves.min() + step * np.arange(rows.max() + 2)) / 1e6
    ticks = [2, 1, 0, -1, -2, -3]
    figure.add_heatmap(
        x=moments.tolist(),
        y=edges.tolist(),
        z=shares.tolist(),
        customdata=counts,
        colorscale=_SCALE,
        zmin=-3,
        zmax=2,
        colorbar={
            "title": {"text": "Share of IOs", "side": "right", "font": {"size": 13}},
            "tickvals": ticks,
            "ticktext": [f"{10.0**power:g} %" for power in ticks],
            "thickness": 14,
        },
        hovertemplate=("round " if is_round else "")
        + "%{x:.4~g}"
        + ("" if is_round else " s")
        + ", %{y:.4~g} ms<br>n = %{customdata:,.0f}<extra></extra>",
    )
    place = (
        round_axis([round(moments[0] + 0.5), round(moments[-1] - 0.5)])
        if is_round
        else axis("Time [s]", range=[float(moments[0]), float(moments[-1])])
    )
    lay_out(
        figure,
        xaxis=place,
        yaxis=name_times(decades_axis("Response time [ms]", edges.tolist())),
    )
    return figure
