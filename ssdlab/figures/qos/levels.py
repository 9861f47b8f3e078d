"""The percentiles of a load with their intervals."""

import math
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.analysis.inference.unseen import unseen_text
from ssdlab.figures.labels import (
    COLORS,
    axis,
    lay_out,
    new_figure,
    number_text,
    scaled,
    time_text,
)
from ssdlab.figures.lines import error_bars
from ssdlab.figures.qos.marked_lines import (
    TARGET,
    TARGET_COLOR,
    Side,
    add_level_line,
)
from ssdlab.figures.qos.response_axis import response_axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

_CLAIMED = "#0B3C78"
_ALONE = "#E69F00"
_ASIDE = 0.12  # of a place on the axis: between the two intervals of a level


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
        from above; average and maximum as lines. Below the title what intervals
        between rounds cannot know.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"marker": "99 %", "percentile": 99.0, "lat_ns": 2e6, "low_ns": 1e6}
    >>> row |= {"high_ns": 3e6, "claimed": "independent IOs", "is_supported": True}
    >>> row |= {"independent_low_ns": 1e6, "independent_high_ns": 3e6, "note": ""}
    >>> row |= {"seen_rounds": math.nan}
    >>> figure = plot_qos_levels(pd.DataFrame([row | {"total_ios": 9}]))
    >>> figure.data[0].name, figure.data[0].y
    ('Claimed: independent IOs', (2.0,))
    """
    levels = frame[frame["percentile"].notna()].reset_index(drop=True)
    words = "; ".join(filter(None, [_rates_text(rates), _unseen_text(levels)]))
    figure = new_figure(title, subtitle=words, height=500)
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
    _add_lines(figure, frame, limit_ns)
    drawn += [] if limit_ns is None else [limit_ns / 1e6]
    lay_out(
        figure,
        xaxis=axis(
            "Percentile [%]",
            tickvals=list(range(len(levels))),
            ticktext=[f"{level:.10g}" for level in levels["percentile"]],
            tickangle=0,
            range=[-2.0, len(levels) + 0.9],  # words of the lines at both ends
            showgrid=False,
        ),
        yaxis=response_axis(drawn),
        showlegend=True,
    )
    return figure


def _add_lines(
    figure: go.Figure, frame: "pd.DataFrame", limit_ns: float | None
) -> None:
    """Draw average, maximum and target, the words of the last two away from both."""
    known = dict(zip(frame["marker"], frame["lat_ns"].astype(float), strict=True))
    greatest, limit = known.get("max", 0.0), limit_ns or math.inf
    is_within = greatest <= limit
    if "average" in known:
        color = COLORS["average"]
        add_level_line(figure, known["average"], words="Average", color=color)
    if greatest:
        side: Side = "below" if is_within and limit_ns else "above"
        color = COLORS["maximum_latency"]
        add_level_line(figure, greatest, words="Maximum", color=color, side=side)
    if limit_ns is not None:
        side = "above" if is_within else "below"
        add_level_line(figure, limit_ns, words=TARGET, color=TARGET_COLOR, side=side)


def _rates_text(rates: "Mapping[str, float] | None") -> str:
    if rates is None:
        return ""
    return (
        f"{number_text(rates['iops'])} IOPS, "
        f"{number_text(rates['bw_bytes_per_s'] / 1e6)} MB/s, "
        f"MRT {time_text(rates['lat_max_ns'])}, {rates['total_ios']:,.0f} IOs"
    )


def _unseen_text(levels: "pd.DataFrame") -> str:
    rounds = float(levels["seen_rounds"].iloc[0])
    return "" if math.isnan(rounds) else unseen_text(int(rounds))


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
    supported = levels["is_supported"].astype(bool)
    symbols = ["circle" if ok else "circle-open" for ok in supported]
    figure.add_scatter(
        x=[place if is_claim else place + _ASIDE for place in range(len(levels))],
        y=values,
        name=name,
        mode="markers",
        marker={"color": color, "size": 9 if is_claim else 6, "symbol": symbols},
        error_y=error_bars(
            values, lows, highs, color=color, thickness=2 if is_claim else 1.2, width=5
        ),
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
