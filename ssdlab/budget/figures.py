"""The figure of a budget: what each source is of the variance of the result."""

from collections.abc import Mapping

import plotly.graph_objects as go

from ssdlab.plots.names import figure_text
from ssdlab.plots.share_bars import plot_shares

_NARROW_PERCENT = 80  # beyond it a text is written into the bar


def plot_budget(
    shares: Mapping[str, tuple[float, str]], *, title: str, subtitle: str
) -> go.Figure:
    """Draw the share of each source in the combined variance [%] with its text."""
    return plot_shares(
        {name: percent for name, (percent, _) in shares.items()},
        title=title,
        subtitle=figure_text(subtitle, longest=200),
        along="Of the combined variance [%]",
        most=100,
        text=[f"{text} %" for _, text in shares.values()],
        textposition=[
            "inside" if percent > _NARROW_PERCENT else "outside"
            for percent, _ in shares.values()
        ],
    )
