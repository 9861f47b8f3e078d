"""The same drive on two hosts: both curves over each other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import QUANTITIES, Quantity, new_figure
from ssdlab.figures.lines import Across, Line, draw_lines
from ssdlab.figures.names import figure_text
from ssdlab.figures.single_stimulus import Rate

if TYPE_CHECKING:
    import pandas as pd

HostProgress = Literal["time_s", "stimulus_fills"]

# Okabe and Ito (2008); the marker tells the hosts apart as well.
_LOOKS = (("#D55E00", "circle"), ("#0072B2", "diamond"))
_LONGEST_NAME = 44
_FILLS = Quantity(
    name="Drive fills by this stimulus (bytes written / user capacity)",
    unit="",
    divisor=1.0,
    counted="drive fills",
)
_NAMES = {"time_s": "time", "stimulus_fills": "drive fills"}


def plot_hosts(
    curves: "Mapping[str, pd.DataFrame]",
    *,
    metric: Rate = "iops",
    x: HostProgress = "time_s",
    title: str = "The same drive on two hosts",
) -> go.Figure:
    """Draw the rates of a drive on two hosts over each other.

    >>> import pandas as pd
    >>> curve = pd.DataFrame({"time_s": [60.0, 120.0], "iops": [9e4, 2e4]})
    >>> [line.name for line in plot_hosts({"A": curve, "B": curve}).data]
    ['A', 'B']
    """
    figure = new_figure(f"{title}: {QUANTITIES[metric].name} vs {_NAMES[x]}")
    across = Across.time(*curves.values()) if x == "time_s" else Across.of(x, _FILLS)
    lines = [
        Line(
            rows=[rounds], column=metric, color=color, symbol=symbol, size=6,
            name=(own := figure_text(name, longest=_LONGEST_NAME)),
            hover=f"{own}, {across.hover}: ",
        )
        for (name, rounds), (color, symbol) in zip(curves.items(), _LOOKS, strict=True)
    ]  # fmt: skip
    draw_lines(figure, across, lines, showlegend=True)
    return figure
