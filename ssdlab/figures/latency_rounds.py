"""Least, mean and greatest latency round by round, as TKperf draws its saturation."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.figures.labels import COLORS, new_figure
from ssdlab.figures.lines import Across, Line, draw_lines

if TYPE_CHECKING:
    import pandas as pd

_LINES = (
    ("lat_max_ns", "Maximum", "maximum_latency", "triangle-up"),
    ("lat_mean_ns", "Average", "average_latency", "circle"),
    ("lat_min_ns", "Minimum", "measured", "triangle-down"),
)


def plot_latency_rounds(
    frame: "pd.DataFrame", *, title: str = "Write saturation: latency by round"
) -> go.Figure:
    """Draw the least, mean and greatest latency of each round of one workload.

    A line each, on a logarithmic axis [ms]: they are decades apart.

    >>> import pandas as pd
    >>> rounds = {"round": [1, 2], "lat_mean_ns": [1.0e6, 2.0e6]}
    >>> rounds |= {"lat_min_ns": [4.0e4, 5.0e4], "lat_max_ns": [9.0e6, 8.0e6]}
    >>> [line.name for line in plot_latency_rounds(pd.DataFrame(rounds)).data]
    ['Maximum', 'Average', 'Minimum']
    """
    figure = new_figure(title)
    lines = [
        Line(
            rows=[frame], column=column, of="lat_ns", name=name, symbol=symbol,
            color=COLORS[color], width=1.5, size=5, hover=f"{name}, round %{{x}}: ",
        )
        for column, name, color, symbol in _LINES
        if frame[column].notna().any()
    ]  # fmt: skip
    titles = ("Latency [ms]", "")
    draw_lines(figure, Across.rounds(frame), lines, titles=titles, showlegend=True)
    return figure
