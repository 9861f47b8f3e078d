"""Two panels over the same rounds."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ssdlab.figures.labels import lay_out, new_figure


def two_panels(title: str, subtitle: str, *, upper_share: float) -> go.Figure:
    """Return an empty figure of two panels, one above the other."""
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.06,
        row_heights=[upper_share, 1 - upper_share],
        figure=new_figure(title, subtitle=subtitle, height=560),
    )
    lay_out(figure, margin={"b": 110})
    return figure
