"""One stimulus from FOB to steady state: rate and response times over time."""

from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.plots.labels import COLORS, new_figure
from ssdlab.plots.lines import (
    Across,
    Line,
    add_points,
    draw_lines,
    response_times,
    shade,
)
from ssdlab.text.quantities import QUANTITIES, scaled

if TYPE_CHECKING:
    import pandas as pd

Rate = Literal["iops", "bw_bytes_per_s"]


def plot_single_stimulus(
    rounds: "pd.DataFrame",
    *,
    metric: Rate = "iops",
    window: tuple[int, int] | None = None,
    first_steady: int | None = None,
    title: str = "From FOB to steady state",
) -> go.Figure:
    """Draw the rate of one stimulus, and its response times, over time.

    The rate on the first axis; average and maximum response time on a logarithmic
    second one. A point stands at the end of its round.

    >>> import pandas as pd
    >>> fall = pd.DataFrame({"round": [1, 2], "time_s": [300.0, 600.0]})
    >>> fall = fall.assign(iops=[9e4, 2e4], lat_mean_ns=1e6, lat_max_ns=9e6)
    >>> [line.name for line in plot_single_stimulus(fall).data]
    ['IOPS', 'Average [ms] (right axis)', 'Maximum [ms] (right axis)']
    """
    across = Across.time(rounds)
    figure = new_figure(title, height=460)
    rate = Line(
        rows=[rounds], column=metric, name=QUANTITIES[metric].title, hover="",
        color=COLORS["average"], width=2.2, size=5,
    )  # fmt: skip
    draw_lines(
        figure, across, [rate], right=response_times([rounds], width=1.3),
        titles=("", "Response time [ms]"), hovermode="x unified", showlegend=True,
    )  # fmt: skip
    ends = dict(zip(rounds["round"], across.places(rounds), strict=True))
    if first_steady is not None:
        steady = rounds[rounds["round"] == first_steady]
        add_points(
            figure, [ends[first_steady]], scaled(steady[metric], metric),
            name=f"first steady, round {first_steady}",
            text=f"first steady after round {first_steady}",
            marker={"color": COLORS["fit"], "symbol": "star", "size": 13},
        )  # fmt: skip
    if window:
        before = [end for number, end in ends.items() if number < window[0]]
        begin = before[-1] if before else 0
        shade(figure, begin, ends[window[1]], name="measurement window")
    return figure
