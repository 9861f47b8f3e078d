"""The percentiles of each round by itself, over rounds and over time."""

from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    lay_out,
    linear_axis,
    new_figure,
    round_axis,
    scaled,
)
from ssdlab.figures.qos.response_axis import response_axis

if TYPE_CHECKING:
    import pandas as pd

# From the middle outwards; lightness tells them apart as well.
_BANDS = ("#0B3C78", "#2B7BBA", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#7A5195")
_SHORT_MIN = 3  # below it an axis has seconds
_MANY = 60  # points of a line beyond which markers only hide it

Place = Literal["round", "minutes"]


def plot_percentile_rounds(
    frame: "pd.DataFrame",
    *,
    x: Place = "round",
    title: str = "Percentiles of each round",
) -> go.Figure:
    """Draw the percentiles of each round by itself, over rounds or over time.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.summarise_percentile_rounds` returns.
    x : {"round", "minutes"}, default "round"
        Round, or time under IO up to its end [min], [s] where that is short.
    title : str, default "Percentiles of each round"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A line a level in the rounds whose IOs support it, the ground between the
        lowest and the highest that all rounds support shaded, and the maximum. A level
        that no round supports is not drawn; the subtitle names it.

    Examples
    --------
    >>> import pandas as pd
    >>> rounds = {"round": [1, 2], "minutes": [1.0, 2.0], "marker": "50 %"}
    >>> rounds |= {"percentile": 50.0, "lat_ns": [1e6, 2e6], "lat_max_ns": [3e6, 4e6]}
    >>> frame = pd.DataFrame(rounds | {"total_ios": 90, "is_supported": True})
    >>> [line.name for line in plot_percentile_rounds(frame).data]
    ['50 %', 'Maximum']
    """
    figure = new_figure(title, subtitle=_support_text(frame), height=460)
    frame, place_axis = _places(frame, x)
    known = frame[frame["is_supported"].astype(bool)]
    levels = list(dict.fromkeys(known["percentile"]))
    drawn: list[float | None] = []
    is_filled = False
    for place, level in enumerate(levels):
        rows = frame[frame["percentile"] == level]
        is_supported = rows["is_supported"].astype(bool)
        is_sound = bool(is_supported.all())
        values = rows["lat_ns"].where(is_supported)
        drawn += scaled(values, "lat_ns")
        style = {
            "color": _BANDS[place % len(_BANDS)],
            "name": str(rows["marker"].iloc[0]),
            "dash": "solid",
        }
        fill = {"fill": "tonexty", "fillcolor": "rgba(86,180,233,0.14)"}
        more: dict[str, Any] = fill if is_filled and is_sound else {}
        _add_line(
            figure,
            (rows["place"], values, rows["total_ios"]),
            style,
            **more,
        )
        is_filled = is_filled or is_sound
    first = frame[frame["percentile"] == frame["percentile"].iloc[0]]
    drawn += scaled(first["lat_max_ns"], "lat_ns")
    style = {"color": COLORS["range_limit"], "name": "Maximum", "dash": "dash"}
    _add_line(figure, (first["place"], first["lat_max_ns"], first["total_ios"]), style)
    lay_out(
        figure,
        xaxis=place_axis,
        yaxis=response_axis(drawn),
        showlegend=True,
    )
    return figure


def _support_text(frame: "pd.DataFrame") -> str:
    missing = frame[~frame["is_supported"].astype(bool)]
    if missing.empty:
        return ""
    markers = ", ".join(dict.fromkeys(missing["marker"]))
    least, most = (f"{int(end):,}" for end in missing["total_ios"].agg(["min", "max"]))
    many = least if least == most else f"{least} to {most}"
    return f"not drawn: {markers} where a round's {many} IOs do not support it"


def _places(frame: "pd.DataFrame", x: Place) -> "tuple[pd.DataFrame, dict[str, Any]]":
    """Return the rows with a column for where they stand, and its axis."""
    if x == "round":
        rounds = [int(number) for number in frame["round"]]
        return frame.assign(place=frame["round"]), round_axis(rounds)
    is_short = bool(frame["minutes"].max() < _SHORT_MIN)
    unit, factor = ("s", 60) if is_short else ("min", 1)
    axis = linear_axis(f"Time under IO [{unit}]")
    return frame.assign(place=frame["minutes"] * factor), axis


def _add_line(
    figure: go.Figure,
    columns: "tuple[pd.Series[Any], pd.Series[Any], pd.Series[Any]]",
    style: dict[str, str],
    **more: Any,
) -> None:
    places, values, counts = columns
    is_long = len(places) > _MANY
    figure.add_scatter(
        x=[float(place) for place in places],
        y=scaled(values, "lat_ns"),
        name=style["name"],
        mode="lines" if is_long else "lines+markers",
        line={"color": style["color"], "width": 1.6, "dash": style["dash"]},
        marker={"size": 5},
        customdata=[int(count) for count in counts],
        hovertemplate=f"{style['name']}<br>%{{x:.4~g}}: %{{y:,.4~g}} ms"
        "<br>n = %{customdata:,}<extra></extra>",
        **more,
    )
