"""Nines of a load: percentiles with their intervals, and how many IOs are slower."""

import math
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    DIRECTION_COLORS,
    axis,
    decades_axis,
    new_figure,
    number_text,
    scaled,
    time_text,
)
from ssdlab.figures.names import figure_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

_CLAIMED = "#0B3C78"
_ALONE = "#E69F00"
_TARGET = "#A1260D"
_LOADS = (_CLAIMED, _ALONE, "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#222222")
_ASIDE = 0.12  # of a place on the axis: between the two intervals of a level
_NAMES = {"read": "Reads", "write": "Writes", "total": "All IOs"}


def plot_qos_levels(
    frame: "pd.DataFrame",
    *,
    rates: "Mapping[str, float] | None" = None,
    limit_ns: float | None = None,
    title: str = "Percentiles and their 95 % intervals",
) -> go.Figure:
    """Draw percentiles with the interval that is claimed and that of independent IOs.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.summarise_qos` returns.
    rates : mapping, optional
        As `ssdlab.analysis.summarise_load` returns, for the line below the title.
    limit_ns : float, optional
        The limit of a target [ns].
    title : str, default "Percentiles and their 95 % intervals"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A point a level on a logarithmic axis [ms]; an arrow where nothing bounds it
        from above; average and maximum as lines.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"marker": "99 %", "percentile": 99.0, "lat_ns": 2e6, "low_ns": 1e6}
    >>> row |= {"high_ns": 3e6, "claimed": "independent IOs", "is_supported": True}
    >>> row |= {"independent_low_ns": 1e6, "independent_high_ns": 3e6, "note": ""}
    >>> figure = plot_qos_levels(pd.DataFrame([row | {"total_ios": 9}]))
    >>> figure.data[0].name, figure.data[0].y
    ('Claimed: independent IOs', (2.0,))
    """
    figure = new_figure(title, subtitle=_rates_text(rates), height=500)
    levels = frame[frame["percentile"].notna()].reset_index(drop=True)
    claimed = str(levels["claimed"].iloc[0])
    drawn = [*scaled(frame["lat_ns"], "lat_ns"), *scaled(levels["low_ns"], "lat_ns")]
    _add_intervals(
        figure, levels, name=f"Claimed: {claimed}", ends=("low_ns", "high_ns")
    )
    if claimed != "independent IOs":
        ends = ("independent_low_ns", "independent_high_ns")
        _add_intervals(figure, levels, name="If IOs were independent", ends=ends)
    _add_open_ends(figure, levels)
    drawn += [trace_y for trace in figure.data for trace_y in trace.y]
    drawn += _finite(levels["high_ns"])
    for marker, color in (("average", "average"), ("max", "maximum_latency")):
        value = frame.loc[frame["marker"] == marker, "lat_ns"]
        if len(value):
            words = "Average" if marker == "average" else "Maximum"
            greatest = float(value.iloc[0])
            _add_marked_line(figure, "y", greatest, words=words, color=COLORS[color])
    if limit_ns is not None:
        _add_marked_line(figure, "y", limit_ns, words="Target", color=_TARGET)
        drawn.append(limit_ns / 1e6)
    figure.update_layout(
        xaxis=axis(
            "Percentile",
            tickvals=list(range(len(levels))),
            ticktext=levels["marker"].tolist(),
            range=[-1.5, len(levels) + 0.3],  # words of the lines at both ends
            showgrid=False,
        ),
        yaxis=decades_axis("Response time [ms]", drawn),
        showlegend=True,
    )
    return figure


def _rates_text(rates: "Mapping[str, float] | None") -> str:
    if rates is None:
        return ""
    return (
        f"{number_text(rates['iops'])} IOPS, "
        f"{number_text(rates['bw_bytes_per_s'] / 1e6)} MB/s, "
        f"MRT {time_text(rates['lat_max_ns'])}, {rates['total_ios']:,.0f} IOs"
    )


def _finite(values: "pd.Series[float]") -> list[float | None]:
    return [value / 1e6 for value in values if math.isfinite(value)]


def _add_intervals(
    figure: go.Figure, levels: "pd.DataFrame", *, name: str, ends: tuple[str, str]
) -> None:
    is_claim = ends[0] == "low_ns"
    color = _CLAIMED if is_claim else _ALONE
    values = [float(value) / 1e6 for value in levels["lat_ns"]]
    lows = [float(value) / 1e6 for value in levels[ends[0]]]
    highs = [float(value) / 1e6 for value in levels[ends[1]]]
    above = [
        high - value if math.isfinite(high) else 0.0
        for value, high in zip(values, highs, strict=True)
    ]
    supported = levels["is_supported"].astype(bool)
    symbols = ["circle" if ok else "circle-open" for ok in supported]
    figure.add_scatter(
        x=[place if is_claim else place + _ASIDE for place in range(len(levels))],
        y=values,
        name=name,
        mode="markers",
        marker={"color": color, "size": 9 if is_claim else 6, "symbol": symbols},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": above,
            "arrayminus": [
                max(0.0, v - low) for v, low in zip(values, lows, strict=True)
            ],
            "color": color,
            "thickness": 2 if is_claim else 1.2,
            "width": 5,
        },
        customdata=_hover(levels, ends),
        hovertemplate="%{customdata}<extra></extra>",
    )


def _hover(levels: "pd.DataFrame", ends: tuple[str, str]) -> list[str]:
    low, high = ends
    return [
        f"{row['marker']}: {time_text(float(row['lat_ns']))}<br>"
        f"{time_text(float(row[low]))} to "
        + (
            time_text(float(row[high]))
            if math.isfinite(float(row[high]))
            else "no upper end"
        )
        + f"<br>n = {int(row['total_ios']):,}"
        + (f"<br>{row['note']}" if row["note"] else "")
        for _, row in levels.iterrows()
    ]


def _add_open_ends(figure: go.Figure, levels: "pd.DataFrame") -> None:
    is_open = ~levels["is_supported"].astype(bool)
    if not is_open.any():
        return
    places = [place for place, is_one in enumerate(is_open) if is_one]
    figure.add_scatter(
        x=places,
        y=[float(levels["lat_ns"].iloc[place]) / 1e6 * 1.25 for place in places],
        name="Not supported by the IOs: no upper end",
        mode="markers",
        marker={"symbol": "triangle-up-open", "size": 11, "color": _CLAIMED},
        hoverinfo="skip",
    )


def _add_marked_line(
    figure: go.Figure, letter: str, value_ns: float, *, words: str, color: str
) -> None:
    """Draw a line across at a time, with its words at the upper or left end."""
    other = "x" if letter == "y" else "y"
    is_level = letter == "y"
    at, across = f"{letter}0", f"{other}0"
    value = value_ns / 1e6
    figure.add_shape(
        type="line",
        **{f"{other}ref": "paper", across: 0, f"{other}1": 1},
        **{f"{letter}ref": letter, at: value, f"{letter}1": value},
        line={"color": color, "width": 1.2, "dash": "dot"},
    )
    figure.add_annotation(
        text=f"{words} {time_text(value_ns)}",
        **{f"{other}ref": "paper", other: 1 if words == "Target" and is_level else 0},
        **{f"{letter}ref": letter, letter: math.log10(value)},  # of a logarithmic axis
        xanchor="right" if words == "Target" and is_level else "left",
        yanchor="bottom",
        showarrow=False,
        font={"color": color, "size": 12},
        bgcolor="rgba(255,255,255,0.75)",
    )


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
        line below the title says.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = {"load": "a", "direction": "read", "lat_upper_ns": [1e6, 2e6]}
    >>> bins |= {"exceedance_ratio": [0.1, 0.0], "is_supported": [True, False]}
    >>> figure = plot_exceedance(pd.DataFrame(bins | {"total_ios": 1000}))
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
    if limit_ns is not None:
        drawn.append(limit_ns / 1e6)
        _add_marked_line(figure, "x", limit_ns, words="Target", color=_TARGET)
    figure.update_layout(
        xaxis=decades_axis("Response time [ms]", drawn),
        yaxis=_nines_axis(least),
        showlegend=True,
    )
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
