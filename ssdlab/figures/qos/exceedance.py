"""How many IOs of a load are slower than a time: the nines."""

import math
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    DIRECTION_COLORS,
    axis,
    decades_axis,
    lay_out,
    new_figure,
    scaled,
)
from ssdlab.figures.names import figure_text
from ssdlab.figures.qos.marked_lines import TARGET, TARGET_COLOR, add_time_line

if TYPE_CHECKING:
    import pandas as pd

_LOADS = (
    "#0B3C78",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#222222",
)
_NAMES = {"read": "Reads", "write": "Writes", "total": "All IOs"}


def plot_exceedance(
    frame: "pd.DataFrame",
    *,
    limit_ns: float | None = None,
    title: str = "How many IOs are slower",
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

    Returns
    -------
    plotly.graph_objects.Figure
        A line a load; thin and dotted where too few IOs stand behind it, which the
        line below the title says; an arrow where a histogram ends before its IOs do.

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
    words = "dotted: not supported by so few IOs" if is_short else ""
    figure = new_figure(title, subtitle=words, height=500)
    drawn: list[float | None] = []
    least = 0.1
    loads = frame["load"].unique()
    several = frame["direction"].nunique() < len(loads)
    for place, load in enumerate(loads):
        rows = frame[(frame["load"] == load) & (frame["exceedance_ratio"] > 0)]
        total = int(frame.loc[frame["load"] == load, "total_ios"].iloc[0])
        direction = str(frame.loc[frame["load"] == load, "direction"].iloc[0])
        name = figure_text(str(load), longest=60) if several else _NAMES[direction]
        color = DIRECTION_COLORS[direction]
        if several:
            color = _LOADS[place % len(_LOADS)]
        style = {"color": color, "name": f"{name}, n = {total:,}"}
        drawn += scaled(frame.loc[frame["load"] == load, "lat_upper_ns"], "lat_ns")
        least = min(least, 1 / total)
        _add_curve(figure, rows, style)
        _add_censored_end(figure, frame[frame["load"] == load], style)
    if limit_ns is not None:
        drawn.append(limit_ns / 1e6)
    lay_out(
        figure,
        xaxis=decades_axis("Response time [ms]", drawn),
        yaxis=_nines_axis(least),
        showlegend=True,
    )
    if limit_ns is not None:
        add_time_line(figure, limit_ns, words=TARGET, color=TARGET_COLOR)
    return figure


def _add_curve(figure: go.Figure, rows: "pd.DataFrame", style: dict[str, str]) -> None:
    is_supported = rows["is_supported"].astype(bool).to_numpy()
    count = int(is_supported.sum())
    parts = [(rows.iloc[:count], 2.2, "solid", style["name"])]
    if count < len(rows):
        few = rows.iloc[max(0, count - 1) :]
        parts.append((few, 1.4, "dot", f"{style['name']}: not supported"))
    for part, width, dash, name in parts:
        if part.empty:
            continue
        figure.add_scatter(
            x=scaled(part["lat_upper_ns"], "lat_ns"),
            y=[float(value) for value in part["exceedance_ratio"]],
            name=name,
            legendgroup=style["name"],
            showlegend=dash == "solid" or not count,
            mode="lines" if len(part) > 1 else "markers",
            line={"color": style["color"], "width": width, "dash": dash, "shape": "hv"},
            marker={"color": style["color"], "size": 5},
            customdata=[100 * (1 - float(v)) for v in part["exceedance_ratio"]],
            hovertemplate="%{customdata:.7~g} % within %{x:,.4~g} ms<br>"
            f"{name}<extra></extra>",
        )


def _add_censored_end(
    figure: go.Figure, rows: "pd.DataFrame", style: dict[str, str]
) -> None:
    """Mark where a histogram ends before its IOs do."""
    last = rows.iloc[-1]
    if not last["is_censored"]:
        return
    share = float(last["count"]) / float(last["total_ios"])
    name = f"{style['name']}: {int(last['count']):,} IOs at least so slow"
    figure.add_scatter(
        x=scaled([last["lat_lower_ns"]], "lat_ns"),
        y=[share],
        name=f"{name}, not told apart (censored)",
        mode="markers",
        marker={"color": style["color"], "size": 13, "symbol": "triangle-right-open"},
        hovertemplate=f"{name}: %{{x:,.4~g}} ms and more<extra></extra>",
    )


def _nines_axis(least: float) -> dict[str, Any]:
    low = math.floor(math.log10(least))
    powers = range(low, 1)
    return axis(
        "Share of IOs that are slower",
        type="log",
        tickvals=[10.0**power for power in powers],
        ticktext=[_nines_text(power) for power in powers],
        range=[low, 0.05],
    )


def _nines_text(power: int) -> str:
    if power == 0:
        return "all"
    level = 100 - 10.0 ** (power + 2)
    return f"1 in {10**-power:,} ({level:.10g} %)"
