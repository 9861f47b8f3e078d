"""Horizontal bars of what several parts are of a whole, a row each."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from ssdlab.plots.axes import named_axis
from ssdlab.plots.labels import axis, lay_out, new_figure
from ssdlab.plots.names import figure_text

_LONGEST_TITLE: Final = 120


def plot_shares(
    percents: Mapping[Any, float],
    *,
    title: str,
    subtitle: str,
    along: str,
    most: float,
    text: Sequence[str],
    **bar: Any,
) -> go.Figure:
    """Draw the share of each part [%], by its words; ``bar`` is passed to its trace."""
    names = list(percents)
    figure = new_figure(
        figure_text(title, longest=_LONGEST_TITLE),
        subtitle=subtitle,
        height=150 + 34 * len(names),
    )
    figure.add_bar(
        x=list(percents.values()),
        y=list(range(len(names))),
        orientation="h",
        width=0.6,
        marker={"color": "#56B4E9"},
        text=list(text),
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
        **bar,
    )
    lay_out(
        figure,
        xaxis=axis(along, range=[0, most], dtick=10),
        yaxis=named_axis("", names, range=[len(names) - 0.4, -0.6], showgrid=False),
    )
    return figure
