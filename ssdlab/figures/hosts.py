"""The same drive on two hosts: both curves over each other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import QUANTITIES, lay_out, linear_axis, new_figure, scaled
from ssdlab.figures.names import figure_text
from ssdlab.figures.recovery import span_s, time_quantity, times_of
from ssdlab.figures.single_stimulus import Rate

if TYPE_CHECKING:
    import pandas as pd

HostProgress = Literal["time_s", "stimulus_fills"]

# Okabe and Ito (2008); the marker tells the hosts apart as well.
_LOOKS = (("#D55E00", "circle"), ("#0072B2", "diamond"))
_LONGEST_NAME = 44
_FILLS = "Drive fills by this stimulus (bytes written / user capacity)"
_NAMES = {"time_s": "time", "stimulus_fills": "drive fills"}


def plot_hosts(
    curves: "Mapping[str, pd.DataFrame]",
    *,
    metric: Rate = "iops",
    x: HostProgress = "time_s",
    title: str = "The same drive on two hosts",
) -> go.Figure:
    """Draw the rates of a drive on two hosts over each other.

    Parameters
    ----------
    curves : mapping of str to pandas.DataFrame
        By the name of the host one row a round: the metric as stored, ``time_s`` [s]
        and ``stimulus_fills``, what was written up to then in user capacities.
    metric : {"iops", "bw_bytes_per_s"}, default "iops"
        The rate that is drawn, in [1/s] or [B/s] as stored.
    x : {"time_s", "stimulus_fills"}, default "time_s"
        What the horizontal axis shows.
    title : str, default "The same drive on two hosts"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One line a host, one point a round.

    Examples
    --------
    >>> import pandas as pd
    >>> curve = pd.DataFrame({"time_s": [60.0, 120.0], "iops": [9e4, 2e4]})
    >>> [line.name for line in plot_hosts({"A": curve, "B": curve}).data]
    ['A', 'B']
    """
    quantity = QUANTITIES[metric]
    figure = new_figure(f"{title}: {quantity.name} vs {_NAMES[x]}")
    unit = time_quantity(max(span_s(rounds) for rounds in curves.values()))
    for (name, rounds), (color, symbol) in zip(curves.items(), _LOOKS, strict=True):
        places = times_of(rounds, unit)
        if x == "stimulus_fills":
            places = scaled(rounds[x], "drive_fills")
        figure.add_scatter(
            x=places,
            y=scaled(rounds[metric], metric),
            name=figure_text(name, longest=_LONGEST_NAME),
            mode="lines+markers",
            line={"color": color, "width": 1.8},
            marker={"symbol": symbol, "size": 6},
            hovertemplate=f"%{{x:,.4~g}}: %{{y:,.4~g}} {quantity.unit_or_name}"
            "<extra>%{fullData.name}</extra>",
        )
    lay_out(
        figure,
        xaxis=linear_axis(unit.title if x == "time_s" else _FILLS),
        yaxis=linear_axis(quantity.title),
        showlegend=True,
    )
    return figure
