"""The figure of a budget: what each source is of the variance of the result."""

from collections.abc import Mapping

import plotly.graph_objects as go

from ssdlab.plots.axes import named_axis
from ssdlab.plots.labels import axis, lay_out, new_figure
from ssdlab.plots.names import figure_text

_LONGEST_TITLE = 120
_NARROW_PERCENT = 80  # beyond it a text is written into the bar


def plot_budget(
    shares: Mapping[str, tuple[float, str]], *, title: str, subtitle: str
) -> go.Figure:
    """Draw the share of each source in the combined variance [%] with its text."""
    names = list(shares)
    figure = new_figure(
        figure_text(title, longest=_LONGEST_TITLE),
        subtitle=figure_text(subtitle, longest=200),
        height=150 + 34 * len(names),
    )
    percents, texts = zip(*shares.values(), strict=True)
    figure.add_bar(
        x=list(percents),
        y=list(range(len(names))),
        orientation="h",
        width=0.6,
        marker={"color": "#56B4E9"},
        text=[f"{text} %" for text in texts],
        textposition=[
            "inside" if one > _NARROW_PERCENT else "outside" for one in percents
        ],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
    lay_out(
        figure,
        xaxis=axis("Of the combined variance [%]", range=[0, 100], dtick=10),
        yaxis=named_axis("", names, range=[len(names) - 0.4, -0.6], showgrid=False),
    )
    return figure
