"""Demand: IOPS and response time over TC and QD, their intensity, the host's CPU."""

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.plots.columns import ColumnRow, draw_columns
from ssdlab.plots.heat import FROM_LITTLE_TO_MUCH, add_heat
from ssdlab.plots.labels import (
    COLORS,
    DIRECTION_COLORS,
    axis,
    decades_axis,
    lay_out,
    new_figure,
    quantity_axis,
)
from ssdlab.plots.lines import (
    Across,
    Line,
    add_points,
    draw_lines,
    shade,
    shade_window,
)
from ssdlab.text.numbers import number_text, rounded_text, time_text
from ssdlab.text.quantities import QUANTITIES, scaled

if TYPE_CHECKING:
    import pandas as pd

Second = Literal["lat_mean_ns", "bw_bytes_per_s"]

_OVER_WINDOW = "mean over the measurement window"
_SYSTEM_CPU = "host_system_cpu_percent"
_LEAST_CPU_PERCENT = 0.01  # with a colour of its own on the logarithmic scale
# Okabe and Ito, as for block sizes: one look for each value of TC, or of QD.
_LOADS = MappingProxyType({
    1: ("#CC79A7", "circle"),
    2: ("#D55E00", "square"),
    4: ("#E69F00", "diamond"),
    6: ("#009E73", "triangle-up"),
    8: ("#56B4E9", "triangle-down"),
    16: ("#0072B2", "x"),
    32: ("#222222", "cross"),
})
_OTHER_LOADS = ("#7A5195", "#8C564B", "#607D8B", "#AA4466")
_BAR_WIDTH = 0.85  # of the distance between two points
_ART = "Average response time [ms]"
_POINTS = MappingProxyType({
    "max": ("Max", "star-open"),
    "mid": ("Mid", "hexagon-open"),
    "min": ("Min", "square-open"),
})


def load_style(value: int) -> tuple[str, str]:
    """Return colour and marker of a thread count or queue depth, always the same."""
    return _LOADS.get(value, (_OTHER_LOADS[value % len(_OTHER_LOADS)], "pentagon"))


def distinct(column: "pd.Series[Any]") -> list[int]:
    """Return the values of a column of whole numbers, ascending."""
    return sorted({int(value) for value in column})


def load_name(row: Any) -> str:
    """Return TC and QD of a row, such as ``T8/Q4``."""
    return f"T{int(row.threads)}/Q{int(row.queue_depth)}"


def plot_pre_writes(frame: "pd.DataFrame", *, title: str) -> go.Figure:
    """Draw IOPS of pre-writes over the time that they took, one point a round.

    One line, over minutes, or over seconds where all of it is short.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.

    >>> import pandas as pd
    >>> writes = pd.DataFrame({"round": [1], "time_s": [1800.0], "iops": [900.0]})
    >>> plot_pre_writes(writes, title="Pre-writes").data[0].x
    (30.0,)
    """
    figure = new_figure(title)
    line = Line(
        rows=[frame], column="iops", name="IOPS", color=DIRECTION_COLORS["write"],
        width=2, size=7, hover="%{text}: ",
        text=[f"round {int(number)}" for number in frame["round"]],
    )  # fmt: skip
    draw_lines(figure, Across.time(frame), [line])
    return figure


def plot_demand_rounds(
    frame: "pd.DataFrame", *, window: tuple[int, int] | None = None
) -> go.Figure:
    """Draw IOPS over the rounds of a demand variation at the most threads.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.

    >>> import pandas as pd
    >>> rounds = pd.DataFrame({"round": [1, 2], "iops": [900.0, 880.0]})
    >>> plot_demand_rounds(rounds.assign(threads=32, queue_depth=16)).data[0].name
    'Q16'
    """
    most = int(frame["threads"].max())
    rows = frame[frame["threads"] == most]
    figure = new_figure(f"Demand variation IOPS by round, T{most}")
    lines = [
        _line(rows, "queue_depth", depth, by="round", hover=f"Q{depth}, round %{{x}}: ")
        for depth in distinct(rows["queue_depth"])[::-1]
    ]
    draw_lines(figure, Across.rounds(rows), lines, showlegend=True)
    shade_window(figure, window)
    return figure


def plot_demand_variation(frame: "pd.DataFrame") -> go.Figure:
    """Draw IOPS over queue depth, one line a thread count.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a TC and QD, as `ssdlab.analysis.summarise_demand` returns:
        ``threads``, ``queue_depth``, ``iops`` [1/s].

    Returns
    -------
    plotly.graph_objects.Figure
        Lines named by thread count, the fewest first; queue depths stand at their
        logarithm.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.

    Examples
    --------
    >>> import pandas as pd
    >>> points = pd.DataFrame({"queue_depth": [2, 1], "iops": [900.0, 500.0]})
    >>> plot_demand_variation(points.assign(threads=4)).data[0].y
    (500.0, 900.0)
    """
    figure = new_figure("Demand variation", subtitle=_OVER_WINDOW, height=460)
    depths = distinct(frame["queue_depth"])
    ends = [math.log10(min(depths) / 1.2), math.log10(max(depths) * 1.2)]
    names = {"tickvals": depths, "ticktext": [str(depth) for depth in depths]}
    places = axis("Queue depth", type="log", range=ends, **names)
    across = Across(column="queue_depth", axis=places, hover="Q%{x}")
    lines = [
        _line(
            frame, "threads", threads, by="queue_depth", hover=f"T{threads}/Q%{{x}}: "
        )
        for threads in distinct(frame["threads"])
    ]
    draw_lines(figure, across, lines, showlegend=True)
    return figure


def _line(
    frame: "pd.DataFrame", column: str, value: int, *, by: str, hover: str
) -> Line:
    """Return IOPS of one thread count or queue depth, ordered by the other axis."""
    rows = frame[frame[column] == value].sort_values(by)
    color, symbol = load_style(value)
    letter = {"threads": "T", "queue_depth": "Q"}[column]
    return Line(
        rows=[rows], column="iops", name=f"{letter}{value}", color=color,
        symbol=symbol, width=2, size=8, hover=hover,
    )  # fmt: skip


def plot_host_cpu(frame: "pd.DataFrame") -> go.Figure:
    """Draw the system CPU of the host as columns over queue depth and threads.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.

    >>> import pandas as pd
    >>> one = {"threads": [4], "queue_depth": [8], "host_system_cpu_percent": [12.5]}
    >>> plot_host_cpu(pd.DataFrame(one)).data[0].text[0]
    'T4/Q8: 12.50 %'
    """
    figure = new_figure(
        "System CPU utilisation of the host", subtitle=_OVER_WINDOW, height=560
    )
    rows = []
    for threads in distinct(frame["threads"]):
        known = frame[(frame["threads"] == threads) & frame[_SYSTEM_CPU].notna()]
        shares = dict(zip(known["queue_depth"], known[_SYSTEM_CPU], strict=True))
        columns = {
            int(depth): (
                float(share), f"T{threads}/Q{depth}: {number_text(float(share))} %"
            )
            for depth, share in shares.items()
        }  # fmt: skip
        name, color = f"T{threads}", load_style(threads)[0]
        rows.append(ColumnRow(name=name, color=color, columns=columns))
    depths = {depth: f"Q{depth}" for depth in distinct(frame["queue_depth"])}
    titles = ("Queue depth", "Threads", "System CPU [%]")
    draw_columns(figure, rows, depths, titles=titles)
    return figure


def plot_host_cpu_heat(frame: "pd.DataFrame") -> go.Figure:
    """Draw the system CPU of the host as a heat map over queue depth and threads.

    >>> import pandas as pd
    >>> one = {"threads": [4], "queue_depth": [8], "host_system_cpu_percent": [12.5]}
    >>> plot_host_cpu_heat(pd.DataFrame(one)).data[0].text[0][0]
    '12.5'
    """
    title = "System CPU utilisation of the host [%]"
    downs = {count: f"T{count}" for count in distinct(frame["threads"])[::-1]}
    height = 120 + 32 * len(downs)
    figure = new_figure(title, subtitle=_OVER_WINDOW, height=height)
    acrosses = {depth: f"Q{depth}" for depth in distinct(frame["queue_depth"])}
    cells = {}
    for row in frame[frame[_SYSTEM_CPU].notna()].to_dict("records"):
        threads, depth = int(row["threads"]), int(row["queue_depth"])
        share = float(row[_SYSTEM_CPU])
        words = f"T{threads}/Q{depth}: {number_text(share)} %"
        color = max(share, _LEAST_CPU_PERCENT)
        cells[threads, depth] = color, rounded_text(share), words
    add_heat(
        figure, cells, (downs, acrosses), letters=12, name="System CPU",
        colorscale=FROM_LITTLE_TO_MUCH,
    )  # fmt: skip
    flat = {"type": "category", "showgrid": False, "fixedrange": True}
    across, down = axis("Queue depth", **flat), axis("Threads", **flat)
    lay_out(figure, xaxis=across, yaxis=down)
    return figure


def plot_demand_intensity(
    frame: "pd.DataFrame", points: "pd.DataFrame", *, max_lat_ns: float | None = None
) -> go.Figure:
    """Draw mean response time over IOPS, one line a thread count, with the knee."""
    figure = new_figure("Demand intensity", subtitle=_OVER_WINDOW, height=520)
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
    efficient = Line(
        rows=[frame[frame["is_efficient"]].sort_values("lat_mean_ns")],
        column="lat_mean_ns", name="not beaten by any point", color=COLORS["fit"],
        width=1.6, dash="dot", more={"hoverinfo": "skip", "hovertemplate": None},
    )  # fmt: skip
    draw_lines(figure, across, [*lines, efficient], showlegend=True)
    for row in frame[frame["is_knee"]].itertuples():
        rate, time_ns = float(str(row.iops)), float(str(row.lat_mean_ns))
        name = f"Knee: {load_name(row)}"
        words = f"{name}, {number_text(rate)} IOPS, {time_text(time_ns)}"
        _add_mark(figure, row, name=name, symbol="circle-open", words=words)
    for chosen in points.itertuples():
        is_one = frame["threads"] == chosen.threads
        is_one &= frame["queue_depth"] == chosen.queue_depth
        name, symbol = _POINTS[str(chosen.point)]
        for row in frame[is_one].itertuples():
            words = f"{name}: {load_name(row)}"
            _add_mark(figure, row, name=words, symbol=symbol, words=words)
    times = scaled(frame["lat_mean_ns"], "lat_mean_ns")
    if max_lat_ns is not None:
        limit = scaled([max_lat_ns], "lat_mean_ns")
        times += limit
        figure.add_hline(
            y=limit[0],
            line={"color": COLORS["slope_limit"], "dash": "dash", "width": 1.4},
            name=f"limit of chosen points, {time_text(max_lat_ns)}",
            showlegend=True,
        )
    lay_out(figure, yaxis=decades_axis(_ART, times))
    return figure


def plot_toio(frame: "pd.DataFrame", *, second: Second = "lat_mean_ns") -> go.Figure:
    """Draw IOPS over total outstanding IOs, with a second value on its own axis.

    One bar and one mark a point, by TOIO. Points of equal TOIO are next to each other,
    fewest threads first, over one label; none hides another.

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
    ordered = ordered.assign(
        place=ordered.index, load=[load_name(row) for row in ordered.itertuples()]
    )
    groups = ordered.groupby("toio")["place"].agg(["min", "max"])
    title = _ART if second == "lat_mean_ns" else QUANTITIES[second].title
    figure = new_figure(
        f"IOPS and {title.split(' [')[0].lower()} vs total outstanding IOs",
        subtitle=f"{_OVER_WINDOW}; equal TOIO side by side",
        height=460,
    )
    for threads, rows in ordered.groupby("threads"):
        figure.add_bar(
            x=rows["place"].tolist(), y=scaled(rows["iops"], "iops"),
            text=rows["load"].tolist(), textposition="none", width=_BAR_WIDTH,
            name=f"T{threads}", marker={"color": load_style(int(str(threads)))[0]},
            hovertemplate=f"%{{text}}: {QUANTITIES['iops'].hover('y')}<extra></extra>",
        )  # fmt: skip
    places = axis(
        "Total outstanding IOs (TC x QD)",
        tickvals=groups.mean(axis="columns").tolist(),
        ticktext=[str(total) for total in groups.index],
        tickangle=-90,
        range=[-0.6, len(ordered) - 0.4],
        showgrid=False,
    )
    edge = {"color": COLORS["fit"], "width": 2}
    marks = Line(
        rows=[ordered], column=second, name=f"{title} (right axis)", color="#ffffff",
        symbol="diamond", width=0, size=8, marker={"line": edge},
        hover="%{text}: ", text=ordered["load"].tolist(),
    )  # fmt: skip
    rates = quantity_axis(QUANTITIES["iops"])
    across = Across(column="place", axis=places, hover="")
    draw_lines(
        figure, across, [], right=[marks], titles=("", title),
        yaxis=rates, barmode="overlay", showlegend=True,
    )  # fmt: skip
    for first, last in groups.to_numpy().tolist()[1::2]:
        shade(figure, first - 0.5, last + 0.5, color=COLORS["grid"], opacity=0.6)
    return figure


def _add_mark(
    figure: go.Figure, row: Any, *, name: str, symbol: str, words: str
) -> None:
    color = COLORS["fit"] if symbol == "circle-open" else COLORS["ink"]
    add_points(
        figure, scaled([row.iops], "iops"), scaled([row.lat_mean_ns], "lat_mean_ns"),
        name=name, text=words,
        marker={"symbol": symbol, "size": 17, "color": color, "line": {"width": 2.5}},
    )  # fmt: skip
