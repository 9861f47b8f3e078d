"""All tracking variables of a test over the rounds, by their window averages."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    axis,
    lay_out,
    new_figure,
    round_axis,
    scaled,
)

if TYPE_CHECKING:
    import pandas as pd

_LOOKS = (
    ("#0b3c5d", "circle"),
    ("#D55E00", "square"),
    ("#009E73", "diamond"),
    ("#CC79A7", "triangle-up"),
)
_BAND = (90.0, 110.0)  # as wide as the range that PTS 2.0.2, 2.1.24 a, allows
_MOST_MARKED = 24  # rounds; of more, the window alone has markers


def plot_tracked(
    frame: "pd.DataFrame", *, title: str = "All tracking variables"
) -> go.Figure:
    """Draw the tracking variables of a test, each by the average of its window.

    Parameters
    ----------
    frame : pandas.DataFrame
        What `ssdlab.analysis.summarise_tracked` returns.
    title : str, default "All tracking variables"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One line a variable over the rounds, large where it made the average of its
        window; shaded 90 to 110 % of that.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> tracked = ssdlab.analysis.summarise_tracked(*frames, test="iops")
    >>> len(plot_tracked(tracked).data) > 0
    True
    """
    words = "large: the rounds of the window; shaded: its average ± 10 %"
    figure = new_figure(title, subtitle=words, height=380)
    names = list(dict.fromkeys(frame["tracking"]))
    for place, name in enumerate(names):
        color, symbol = _LOOKS[place % len(_LOOKS)]
        rows = frame[frame["tracking"] == name]
        quantity = QUANTITIES[str(rows["metric"].iloc[0])]
        small = 0 if len(rows) > _MOST_MARKED else 5
        unit = quantity.unit_or_name
        figure.add_scatter(
            x=[int(number) for number in rows["round"]],
            y=[100 * float(share) for share in rows["share"]],
            name=f"{name}, {quantity.name}",
            mode="lines+markers",
            line={"color": color, "width": 1.5},
            marker={
                "symbol": symbol,
                "size": [9 if inside else small for inside in rows["is_in_window"]],
            },
            customdata=scaled(rows["value"], str(rows["metric"].iloc[0])),
            hovertemplate=f"{name}, round %{{x}} of {len(rows)}: "
            f"%{{customdata:,.5~g}} {unit}, %{{y:.4~g}} % of its window's average"
            "<extra></extra>",
        )
    figure.add_hrect(
        y0=_BAND[0],
        y1=_BAND[1],
        fillcolor=COLORS["window"],
        line_width=0,
        layer="below",
    )
    lay_out(
        figure,
        xaxis=round_axis([int(number) for number in frame["round"]] or [1, 5]),
        yaxis=axis("Of the window average [%]"),
        showlegend=True,
    )
    return figure
