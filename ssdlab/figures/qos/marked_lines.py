"""A line across a figure at a time, with its words: an average, a limit."""

import math
from typing import Any, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import time_text

TARGET, TARGET_COLOR = "Target", "#A1260D"


Side = Literal["above", "below"]


def add_level_line(
    figure: go.Figure, value_ns: float, *, words: str, color: str, side: Side = "above"
) -> None:
    """Draw a line at a response time up the axis; a target's words are at the right."""
    value, is_target = value_ns / 1e6, words == TARGET
    figure.add_shape(
        type="line",
        xref="paper",
        x0=0,
        x1=1,
        y0=value,
        y1=value,
        line={"color": color, "width": 1.2, "dash": "dot"},
    )
    figure.add_annotation(
        text=f"{words} {time_text(value_ns)}",
        xref="paper",
        x=1 if is_target else 0,
        xanchor="right" if is_target else "left",
        y=math.log10(value),  # of a logarithmic axis
        yanchor="bottom" if side == "above" else "top",
        **_words_look(color),
    )


def add_time_line(
    figure: go.Figure, value_ns: float, *, words: str, color: str
) -> None:
    """Draw a line at a response time along the axis, with its words at its foot.

    They stand on that side of it where there is more room: the axis has its range.
    """
    value = value_ns / 1e6
    low, high = figure.layout.xaxis.range
    place = math.log10(value)
    figure.add_shape(
        type="line",
        yref="paper",
        y0=0,
        y1=1,
        x0=value,
        x1=value,
        line={"color": color, "width": 1.2, "dash": "dot"},
    )
    figure.add_annotation(
        text=f"{words} {time_text(value_ns)}",
        yref="paper",
        y=0,
        x=place,
        xanchor="left" if place - low < high - place else "right",
        yanchor="bottom",
        **_words_look(color),
    )


def _words_look(color: str) -> dict[str, Any]:
    return {
        "showarrow": False,
        "font": {"color": color, "size": 12},
        "bgcolor": "rgba(255,255,255,0.75)",
    }
