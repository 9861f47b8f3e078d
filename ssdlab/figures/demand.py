"""Demand variation: IOPS over TC, QD and rounds, its pre-writes, the host's CPU."""

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.columns import Column, SceneAxis, column_row, column_scene
from ssdlab.figures.labels import (
    DIRECTION_COLORS,
    axis,
    lay_out,
    new_figure,
    number_text,
)
from ssdlab.figures.lines import Across, Line, draw_lines, shade_window

if TYPE_CHECKING:
    import pandas as pd

OVER_WINDOW = "mean over the measurement window"
_SYSTEM_CPU = "host_system_cpu_percent"
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
    figure = new_figure("Demand variation", subtitle=OVER_WINDOW, height=460)
    depths = _depth_axis(distinct(frame["queue_depth"]))
    across = Across(column="queue_depth", axis=depths, hover="Q%{x}")
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
        "System CPU utilisation of the host", subtitle=OVER_WINDOW, height=560
    )
    depths, counts = distinct(frame["queue_depth"]), distinct(frame["threads"])
    for deep, threads in enumerate(counts):
        rows = frame[(frame["threads"] == threads) & frame[_SYSTEM_CPU].notna()]
        columns = [
            Column(
                place=depths.index(int(row["queue_depth"])),
                height=float(row[_SYSTEM_CPU]),
                text=f"T{threads}/Q{int(row['queue_depth'])}: "
                f"{number_text(float(row[_SYSTEM_CPU]))} %",
            )
            for _, row in rows.iterrows()
        ]
        color = load_style(threads)[0]
        figure.add_trace(column_row(columns, deep, name=f"T{threads}", color=color))
    lay_out(
        figure,
        scene=column_scene(
            SceneAxis(title="Queue depth", names=[f"Q{depth}" for depth in depths]),
            SceneAxis(title="Threads", names=[f"T{threads}" for threads in counts]),
            "System CPU [%]",
        ),
        margin={"l": 0, "r": 0, "t": 56, "b": 0},
    )
    return figure


def _depth_axis(depths: list[int]) -> dict[str, Any]:
    return axis(
        "Queue depth",
        type="log",
        tickvals=depths,
        ticktext=[str(depth) for depth in depths],
        range=[math.log10(min(depths) / 1.2), math.log10(max(depths) * 1.2)],
    )
