"""One stimulus from FOB to steady state: rate and response times over time."""

from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    decades_axis,
    lay_out,
    linear_axis,
    new_figure,
    scaled,
)
from ssdlab.figures.recovery import RESPONSE_TIMES, span_s, time_quantity, times_of

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

    Parameters
    ----------
    rounds : pandas.DataFrame
        One row a round, as `ssdlab.analysis.summarise_stimulus` returns: ``round``,
        ``time_s`` [s], the metric as stored, ``lat_mean_ns``, ``lat_max_ns`` [ns].
    metric : {"iops", "bw_bytes_per_s"}, default "iops"
        The rate that is drawn, in [1/s] or [B/s] as stored.
    window : tuple of int, optional
        First and last round of the measurement window, which is shaded.
    first_steady : int, optional
        The round after which the stimulus first was steady, which is marked.
    title : str, default "From FOB to steady state"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The rate on the first axis; average and maximum response time on a logarithmic
        second one. A point stands at the end of its round.

    Examples
    --------
    >>> import pandas as pd
    >>> fall = pd.DataFrame({"round": [1, 2], "time_s": [300.0, 600.0]})
    >>> fall = fall.assign(iops=[9e4, 2e4], lat_mean_ns=1e6, lat_max_ns=9e6)
    >>> [line.name for line in plot_single_stimulus(fall).data]
    ['IOPS', 'Average [ms] (right axis)', 'Maximum [ms] (right axis)']
    """
    quantity = QUANTITIES[metric]
    unit = time_quantity(span_s(rounds))
    figure = new_figure(title, height=460)
    times = times_of(rounds, unit)
    figure.add_scatter(
        x=times,
        y=scaled(rounds[metric], metric),
        name=quantity.title,
        mode="lines+markers",
        line={"color": COLORS["average"], "width": 2.2},
        marker={"size": 5},
        hovertemplate=f"%{{y:,.4~g}} {quantity.unit_or_name}<extra></extra>",
    )
    drawn = _add_response_times(figure, rounds, times)
    if first_steady is not None:
        at = rounds["round"].tolist().index(first_steady)
        figure.add_scatter(
            x=[times[at]],
            y=scaled(rounds[metric].iloc[at : at + 1], metric),
            name=f"first steady, round {first_steady}",
            mode="markers",
            marker={"color": COLORS["fit"], "symbol": "star", "size": 13},
            hovertemplate=f"first steady after round {first_steady}<extra></extra>",
        )
    if window:
        _shade(figure, rounds, times, window=window)
    right = decades_axis("Response time [ms]", drawn)
    low, high = right["range"]
    right |= {"overlaying": "y", "side": "right", "showgrid": False}
    right["range"] = [low, high + 0.1 * (high - low)]  # its top label below the buttons
    lay_out(
        figure,
        xaxis=linear_axis(unit.title),
        yaxis=linear_axis(quantity.title),
        yaxis2=right,
        hovermode="x unified",
        showlegend=True,
    )
    return figure


def _add_response_times(
    figure: go.Figure, rounds: "pd.DataFrame", times: list[float | None]
) -> list[float | None]:
    drawn: list[float | None] = []
    for column, color, name in RESPONSE_TIMES:
        values = scaled(rounds[column], column)
        drawn += values
        figure.add_scatter(
            x=times,
            y=values,
            name=f"{name} [ms] (right axis)",
            yaxis="y2",
            mode="lines",
            line={"color": COLORS[color], "width": 1.3},
            hovertemplate=f"{name}: %{{y:,.4~g}} ms<extra></extra>",
        )
    return drawn


def _shade(
    figure: go.Figure,
    rounds: "pd.DataFrame",
    times: list[float | None],
    *,
    window: tuple[int, int],
) -> None:
    """Shade from the begin of the first round of the window to the end of its last."""
    numbers = rounds["round"].tolist()
    first, last = numbers.index(window[0]), numbers.index(window[1])
    figure.add_vrect(
        x0=times[first - 1] if first else 0,
        x1=times[last],
        fillcolor=COLORS["window"],
        line_width=0,
        layer="below",
        name="measurement window",
        showlegend=True,
    )
