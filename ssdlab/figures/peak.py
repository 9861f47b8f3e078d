"""Rates and latencies of single jobs, side by side on logarithmic axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    DIRECTION_COLORS,
    QUANTITIES,
    axis,
    decades_axis,
    lay_out,
    new_figure,
    scaled,
)
from ssdlab.figures.names import figure_text
from ssdlab.model.units import block_size_label

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 440
_LONGEST_NAME = 60
_ASIDE = 0.14  # of the distance between two jobs, so that no mark hides another
_PANELS = (("iops", "", (0.0, 0.43)), ("bw_bytes_per_s", "2", (0.57, 1.0)))
_DIRECTIONS = (("write", "square"), ("read", "circle"))
_LEVELS = (
    ("lat_mean_ns", "mean", COLORS["average_latency"], "circle"),
    ("lat_two_nines_ns", "99 %", COLORS["ink"], "diamond"),
    ("lat_four_nines_ns", "99.99 %", COLORS["five_nines_latency"], "triangle-up"),
    ("lat_max_ns", "maximum", COLORS["maximum_latency"], "star"),
)


def plot_peak_rates(
    frame: "pd.DataFrame", *, title: str = "IOPS and throughput by job"
) -> go.Figure:
    """Draw IOPS at the left and throughput at the right, a dot a job.

    Both axes are logarithmic, so marks stand for values and no bars begin at 0.

    >>> import pandas as pd
    >>> job = {"job": ["01"], "access": ["rnd"], "block_size_bytes": [4096]}
    >>> job |= {"read_percent": [0], "threads": [1], "queue_depth": [1]}
    >>> figure = plot_peak_rates(pd.DataFrame(job).assign(iops=5e4, bw_bytes_per_s=2e8))
    >>> figure.data[0].x[0], figure.data[0].y[0], figure.data[1].y[0]
    (0, 50000.0, 200.0)
    """
    figure = new_figure(title, subtitle="MB/s are decimal", height=_HEIGHT)
    placed = frame.assign(place=range(len(frame)))
    for direction, symbol in _DIRECTIONS:
        rows = placed[(placed["read_percent"] > 0) == (direction == "read")]
        if len(rows):
            _add_rates(figure, rows, direction=direction, symbol=symbol)
    for metric, number, domain in _PANELS:
        values = scaled(frame[metric], metric)
        lay_out(
            figure,
            **{
                f"xaxis{number}": _job_axis(
                    list(frame["job"]), domain=list(domain), anchor=f"y{number}"
                ),
                f"yaxis{number}": decades_axis(QUANTITIES[metric].title, values)
                | {"anchor": f"x{number}"},
            },
        )
    lay_out(figure, showlegend=True)
    return figure


def plot_peak_latencies(
    frame: "pd.DataFrame", *, title: str = "Latency by job"
) -> go.Figure:
    """Draw mean, 99 %, 99.99 % and maximum of the latency of each job.

    One colour and mark a level; a level that too few IOs stand behind is hollow.

    >>> import pandas as pd
    >>> job = {"job": ["01"], "access": ["rnd"], "block_size_bytes": [4096]}
    >>> job |= {"read_percent": [0], "threads": [1], "queue_depth": [1]}
    >>> job |= {"lat_mean_ns": [2e4], "lat_two_nines_ns": [5e4], "lat_max_ns": [1e6]}
    >>> job |= {"is_two_nines_supported": [True], "is_four_nines_supported": [False]}
    >>> figure = plot_peak_latencies(pd.DataFrame(job).assign(lat_four_nines_ns=9e4))
    >>> [(line.name, line.y[0], line.marker.symbol[0]) for line in figure.data[1:3]]
    [('99 %', 0.05, 'diamond'), ('99.99 %', 0.09, 'triangle-up-open')]
    """
    figure = new_figure(
        title,
        subtitle="a hollow mark: fewer IOs than its level needs stand behind it",
        height=_HEIGHT,
    )
    drawn: list[float | None] = []
    for place, (column, name, color, symbol) in enumerate(_LEVELS):
        values = scaled(frame[column], "lat_ns")
        drawn += values
        figure.add_scatter(
            x=[at + _ASIDE * (place - 1.5) for at in range(len(frame))],
            y=values,
            name=name,
            mode="markers",
            cliponaxis=False,
            marker={
                "color": color,
                "symbol": _symbols(frame, column, symbol),
                "size": 10,
                "line": {"color": color, "width": 2},
            },
            customdata=_names(frame),
            hovertemplate=f"%{{customdata}}<br>{name} %{{y:,.4~g}} ms<extra></extra>",
        )
    lay_out(
        figure,
        xaxis=_job_axis(list(frame["job"]), showgrid=False),
        yaxis=decades_axis(QUANTITIES["lat_ns"].title, drawn),
        showlegend=True,
    )
    return figure


def _add_rates(
    figure: go.Figure, rows: "pd.DataFrame", *, direction: str, symbol: str
) -> None:
    for metric, number, _ in _PANELS:
        quantity = QUANTITIES[metric]
        figure.add_scatter(
            x=list(rows["place"]),
            y=scaled(rows[metric], metric),
            xaxis=f"x{number}",
            yaxis=f"y{number}",
            name=direction,
            legendgroup=direction,
            showlegend=not number,
            mode="markers",
            cliponaxis=False,
            marker={
                "color": DIRECTION_COLORS[direction],
                "symbol": symbol,
                "size": 12,
            },
            customdata=_names(rows),
            hovertemplate="%{customdata}<br>%{y:,.4~g} "
            f"{quantity.unit_or_name}<extra></extra>",
        )


def _job_axis(jobs: Sequence[str], **more: Any) -> dict[str, Any]:
    return axis(
        "Job",
        tickvals=list(range(len(jobs))),
        ticktext=list(jobs),
        range=[-0.5, len(jobs) - 0.5],
        **more,
    )


def _names(rows: "pd.DataFrame") -> list[str]:
    """Return what each job is, such as ``job 02, write RND 4 KiB, T4/Q128``."""
    return [_name(row) for row in rows.itertuples()]


def _name(row: Any) -> str:
    direction = "read" if row.read_percent else "write"
    stimulus = (
        f"{str(row.access).upper()} {block_size_label(int(row.block_size_bytes))}"
    )
    text = f"job {row.job}, {direction} {stimulus}, T{row.threads}/Q{row.queue_depth}"
    return figure_text(text, longest=_LONGEST_NAME)


def _symbols(frame: "pd.DataFrame", column: str, symbol: str) -> list[str]:
    known = column.replace("lat_", "is_").replace("_ns", "_supported")
    if known not in frame:
        return [symbol] * len(frame)
    supported = frame[known].fillna(value=False).astype(bool)
    return [symbol if is_it else f"{symbol}-open" for is_it in supported]
