"""The rounds of a cell in the colours of their phases."""

import math
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    PHASE_COLORS,
    QUANTITIES,
    axis,
    lay_out,
    new_figure,
    number_text,
    round_axis,
    scaled,
)
from ssdlab.figures.lines import WINDOW_PAD

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.analysis.steadiness.series import RoundSeries


def plot_phases(series: "RoundSeries", phases: "pd.DataFrame") -> go.Figure:
    """Draw the rounds in the colours of their phases, and the level of each part.

    Parameters
    ----------
    series : RoundSeries
        The rounds.
    phases : pandas.DataFrame
        What `ssdlab.analysis.summarise_phases` returns of them.

    Returns
    -------
    plotly.graph_objects.Figure
        Points and levels, one colour a phase; the interval of a steady level as a band.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> phases = ssdlab.analysis.summarise_phases(series)
    >>> plot_phases(series, phases).layout.title.text
    'RND 64 KiB 65/35: phases found by change points'
    """
    quantity = QUANTITIES[series.metric]
    figure = new_figure(
        f"{series.tracking}: phases found by change points",
        subtitle="line: level; shade: 95 %, if alike by first order; advice only",
    )
    shown: set[str] = set()
    for _, part in phases.iterrows():
        color, phase = PHASE_COLORS[part["phase"]], str(part["phase"])
        first, last = int(part["first_round"]), int(part["last_round"])
        inside = [
            (number, value)
            for number, value in zip(series.rounds, series.measured, strict=True)
            if first <= number <= last
        ]
        figure.add_scatter(
            x=[number for number, _ in inside],
            y=scaled([value for _, value in inside], series.metric),
            mode="markers",
            marker={"color": color, "size": 7},
            name=phase,
            legendgroup=phase,
            showlegend=phase not in shown,
            hovertemplate=f"{phase}, round %{{x}}: %{{y:,.5~g}} {quantity.unit}"
            "<extra></extra>",
        )
        shown.add(phase)
        _add_level(figure, part, metric=series.metric, color=color)
    lay_out(
        figure,
        xaxis=round_axis([*series.rounds]),
        yaxis=axis(
            quantity.title, tickformat=",~r", range=_value_range(series, phases)
        ),
    )
    return figure


def _value_range(series: "RoundSeries", phases: "pd.DataFrame") -> list[float] | None:
    """Keep 10 % about the last level in sight: noise must not look like steps."""
    if phases.empty:
        return None
    last = float(phases["level"].iloc[-1])
    values = [*series.measured, 0.9 * last, 1.1 * last]
    low, high = (
        end or 0.0 for end in scaled([min(values), max(values)], series.metric)
    )
    pad = 0.04 * (high - low)
    return [low - pad, high + pad]


def _add_level(
    figure: go.Figure, part: "pd.Series[Any]", *, metric: str, color: str
) -> None:
    ends = [int(part["first_round"]) - WINDOW_PAD, int(part["last_round"]) + WINDOW_PAD]
    level, low, high = scaled(part[["level", "level_low", "level_high"]], metric)
    words = f"{part['phase']}, {part['rounds']} rounds, level {number_text(level or 0)}"
    has_ends = low is not None and high is not None and math.isfinite(high - low)
    if has_ends and part["phase"] == "steady":
        figure.add_scatter(
            x=[*ends, *reversed(ends)],
            y=[low, low, high, high],
            mode="lines",
            fill="toself",
            fillcolor=color,
            opacity=0.18,
            line={"width": 0},
            showlegend=False,
            legendgroup=str(part["phase"]),
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=ends,
        y=[level, level],
        mode="lines",
        line={"color": color, "width": 3},
        showlegend=False,
        legendgroup=str(part["phase"]),
        hovertemplate=f"{words} {QUANTITIES[metric].unit}<br>95 %: "
        f"{number_text(low or 0)} to {number_text(high or 0)}<extra></extra>",
    )
