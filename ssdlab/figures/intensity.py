"""Demand intensity: response time against IOPS, and both over all outstanding IOs."""

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.figures.demand import OVER_WINDOW, distinct, load_name, load_style
from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    axis,
    decades_axis,
    lay_out,
    linear_axis,
    new_figure,
    number_text,
    right_axis,
    scaled,
    time_text,
)
from ssdlab.figures.lines import Across, Line, draw_lines, shade

if TYPE_CHECKING:
    import pandas as pd

Second = Literal["lat_mean_ns", "bw_bytes_per_s"]

_BAR_WIDTH = 0.85  # of the distance between two points
_ART = "Average response time [ms]"
_POINTS = MappingProxyType({
    "max": ("Max", "star-open"),
    "mid": ("Mid", "hexagon-open"),
    "min": ("Min", "square-open"),
})


def plot_demand_intensity(
    frame: "pd.DataFrame", points: "pd.DataFrame", *, max_lat_ns: float | None = None
) -> go.Figure:
    """Draw mean response time over IOPS, one line a thread count, with the knee.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a TC and QD, as `ssdlab.analysis.summarise_demand` returns:
        ``threads``, ``queue_depth``, ``iops`` [1/s], ``lat_mean_ns`` [ns],
        ``is_efficient``, ``is_knee``.
    points : pandas.DataFrame
        The points that were chosen, as `ssdlab.analysis.summarise_points` returns:
        ``point``, ``threads``, ``queue_depth``. Each is marked where it stands in
        `frame`.
    max_lat_ns : float, optional
        The response time that a chosen point must be below [ns].

    Returns
    -------
    plotly.graph_objects.Figure
        Lines named by thread count, whose points are the queue depths; dotted the
        curve of the points that no other beats; its knee and the chosen points.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.

    Examples
    --------
    >>> import pandas as pd
    >>> one = {"threads": [4], "queue_depth": [8], "iops": [9e4], "lat_mean_ns": [4e5]}
    >>> frame = pd.DataFrame(one).assign(is_efficient=True, is_knee=True)
    >>> chosen = pd.DataFrame({"point": ["max"], "threads": [4], "queue_depth": [8]})
    >>> plot_demand_intensity(frame, chosen).data[-1].name
    'Max: T4/Q8'
    """
    figure = new_figure("Demand intensity", subtitle=OVER_WINDOW, height=520)
    across = Across(
        column="iops", axis=axis("IOPS", tickformat=",~r"),
        hover="%{text}: %{x:,.0f} IOPS, ", quantity=QUANTITIES["iops"],
    )  # fmt: skip
    lines = []
    for threads in distinct(frame["threads"]):
        rows = frame[frame["threads"] == threads].sort_values("queue_depth")
        color, symbol = load_style(threads)
        line = Line(
            rows=[rows], column="lat_mean_ns", name=f"T{threads}", color=color,
            symbol=symbol, width=1.6, size=8, hover=across.hover,
            text=[load_name(row) for row in rows.itertuples()],
        )  # fmt: skip
        lines.append(line)
    draw_lines(figure, across, lines, showlegend=True)
    _add_efficient(figure, frame)
    _add_knee(figure, frame)
    _add_points(figure, frame, points)
    times = scaled(frame["lat_mean_ns"], "lat_mean_ns")
    if max_lat_ns is not None:
        _add_limit(figure, max_lat_ns)
        times += scaled([max_lat_ns], "lat_mean_ns")
    lay_out(figure, yaxis=decades_axis(_ART, times))
    return figure


def plot_toio(frame: "pd.DataFrame", *, second: Second = "lat_mean_ns") -> go.Figure:
    """Draw IOPS over the total of outstanding IOs, and a second value beside it.

    One bar and one mark a point, by TOIO. Points of equal TOIO stand beside each
    other, fewest threads first, over one label; none hides another.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"threads": [1, 2], "queue_depth": [2, 1], "toio": 2})
    >>> frame = frame.assign(iops=[90.0, 80.0], lat_mean_ns=2.0e6)
    >>> list(plot_toio(frame).layout.xaxis.ticktext)
    ['2']
    """
    ordered = frame.sort_values(["toio", "threads"]).reset_index(drop=True)
    quantity = QUANTITIES[second]
    title = _ART if second == "lat_mean_ns" else quantity.title
    figure = new_figure(
        f"IOPS and {title.split(' [')[0].lower()} vs total outstanding IOs",
        subtitle=f"{OVER_WINDOW}; points of equal TOIO side by side",
        height=460,
    )
    _add_bars(figure, ordered)
    values = scaled(ordered[second], second)
    figure.add_scatter(
        x=[int(place) for place in ordered.index],
        y=values,
        text=[load_name(row) for row in ordered.itertuples()],
        name=f"{title} (right axis)",
        yaxis="y2",
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 8,
            "color": "#ffffff",
            "line": {"color": COLORS["fit"], "width": 2},
        },
        hovertemplate=f"%{{text}}: %{{y:,.4~g}} {quantity.unit}<extra></extra>",
    )
    right = quantity.axis(values)
    right["title"]["text"] = title
    lay_out(
        figure,
        xaxis=_toio_axis(ordered["toio"]),
        yaxis=linear_axis("IOPS"),
        yaxis2=right_axis(right),
        barmode="overlay",
        showlegend=True,
    )
    _band_groups(figure, ordered["toio"])
    return figure


def _add_efficient(figure: go.Figure, frame: "pd.DataFrame") -> None:
    rows = frame[frame["is_efficient"]].sort_values("lat_mean_ns")
    figure.add_scatter(
        x=scaled(rows["iops"], "iops"),
        y=scaled(rows["lat_mean_ns"], "lat_mean_ns"),
        name="no point beats these",
        mode="lines",
        line={"color": COLORS["fit"], "width": 1.6, "dash": "dot"},
        hoverinfo="skip",
    )


def _add_knee(figure: go.Figure, frame: "pd.DataFrame") -> None:
    for row in frame[frame["is_knee"]].itertuples():
        rate, time_ns = float(str(row.iops)), float(str(row.lat_mean_ns))
        name = f"Knee: {load_name(row)}"
        words = f"{name}, {number_text(rate)} IOPS, {time_text(time_ns)}"
        _add_mark(figure, row, name=name, symbol="circle-open", words=words)


def _add_points(
    figure: go.Figure, frame: "pd.DataFrame", points: "pd.DataFrame"
) -> None:
    """Mark the points that were chosen where their TC and QD stand in the frame."""
    for chosen in points.itertuples():
        same = (frame["threads"] == chosen.threads) & (
            frame["queue_depth"] == chosen.queue_depth
        )
        name, symbol = _POINTS[str(chosen.point)]
        for row in frame[same].itertuples():
            words = f"{name}: {load_name(row)}"
            _add_mark(figure, row, name=words, symbol=symbol, words=words)


def _add_mark(
    figure: go.Figure, row: Any, *, name: str, symbol: str, words: str
) -> None:
    color = COLORS["fit"] if symbol == "circle-open" else COLORS["ink"]
    figure.add_scatter(
        x=scaled([row.iops], "iops"),
        y=scaled([row.lat_mean_ns], "lat_mean_ns"),
        name=name,
        mode="markers",
        marker={"symbol": symbol, "size": 17, "color": color, "line": {"width": 2.5}},
        hovertemplate=f"{words}<extra></extra>",
    )


def _add_limit(figure: go.Figure, max_lat_ns: float) -> None:
    figure.add_hline(
        y=max_lat_ns / QUANTITIES["lat_mean_ns"].divisor,
        line={"color": COLORS["slope_limit"], "dash": "dash", "width": 1.4},
        name=f"limit of a chosen point, {time_text(max_lat_ns)}",
        showlegend=True,
    )


def _add_bars(figure: go.Figure, ordered: "pd.DataFrame") -> None:
    """Add one bar a point, at its place in the order; a colour a thread count."""
    for threads in distinct(ordered["threads"]):
        rows = ordered[ordered["threads"] == threads]
        figure.add_bar(
            x=[int(place) for place in rows.index],
            y=scaled(rows["iops"], "iops"),
            width=_BAR_WIDTH,
            text=[load_name(row) for row in rows.itertuples()],
            textposition="none",
            name=f"T{threads}",
            marker={"color": load_style(threads)[0]},
            hovertemplate="%{text}: %{y:,.0f} IOPS<extra></extra>",
        )


def _toio_groups(toio: "pd.Series[Any]") -> list[tuple[int, int, int]]:
    """Return each TOIO with the first and last place of its points."""
    groups: dict[int, list[int]] = {}
    for place, total in enumerate(toio):
        groups.setdefault(int(total), []).append(place)
    return [(total, min(places), max(places)) for total, places in groups.items()]


def _toio_axis(toio: "pd.Series[Any]") -> dict[str, Any]:
    groups = _toio_groups(toio)
    return axis(
        "Total outstanding IOs (TC x QD)",
        tickvals=[(first + last) / 2 for _, first, last in groups],
        ticktext=[str(total) for total, _, _ in groups],
        tickangle=-90,
        range=[-0.6, len(toio) - 0.4],
        showgrid=False,
    )


def _band_groups(figure: go.Figure, toio: "pd.Series[Any]") -> None:
    """Shade every other group of equal TOIO, so that it is seen what belongs."""
    for _, first, last in _toio_groups(toio)[1::2]:
        shade(figure, first - 0.5, last + 0.5, color=COLORS["grid"], opacity=0.6)
