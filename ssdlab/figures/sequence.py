"""A sequence of stimuli over time: one axis a stimulus, one band a stage."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    lay_out,
    linear_axis,
    new_figure,
    right_axis,
    scaled,
)
from ssdlab.figures.lines import Across, shade
from ssdlab.figures.names import figure_text

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito (2008); the marker tells the stimuli apart as well.
_LOOKS = (("#D55E00", "circle", "y"), ("#0072B2", "square", "y2"))
_LONGEST_NAME = 44
_BANDS = ("rgba(213,94,0,0.07)", "rgba(0,114,178,0.07)")


def plot_sequence(
    stages: "pd.DataFrame", *, title: str = "Stimulus sequence", last_rounds: int = 5
) -> go.Figure:
    """Draw two stimuli that take turns, each on its own axis.

    A line a stage: the stimulus of the first on the left axis, the other on the
    right one; a band a stage.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"phase": ["stage1", "stage2"], "stimulus": ["A", "B"]})
    >>> rows = rows.assign(metric=["iops", "bw_bytes_per_s"], value=[2e4, 5e8])
    >>> figure = plot_sequence(rows.assign(time_s=[60.0, 120.0]))
    >>> [line.name for line in figure.data if line.showlegend]
    ['A', 'B']
    """
    mean = f"thick: mean of the last {last_rounds} rounds of a stage"
    figure = new_figure(title, subtitle=mean, height=440)
    across = Across.time(stages)
    labels: list[str] = []
    axes: list[dict[str, Any]] = []
    begin: float | None = 0.0
    for place, (_, rows) in enumerate(stages.groupby("phase", sort=False)):
        label, is_new = _label(rows), False
        if label not in labels:
            quantity = QUANTITIES[str(rows["metric"].iloc[0])]
            axes.append(linear_axis(f"{label}: {quantity.title}"))
            labels.append(label)
            is_new = True
        look = labels.index(label)
        times = across.places(rows)
        _add_stage(figure, rows, times, look=look, is_new=is_new)
        _add_mean(figure, rows.tail(last_rounds), times[-last_rounds:], look=look)
        _add_band(figure, (begin, times[-1]), number=place + 1, look=look)
        begin = times[-1]
    lay_out(
        figure,
        xaxis=across.axis,
        yaxis=axes[0] if axes else {},
        showlegend=True,
    )
    if len(axes) > 1:
        lay_out(figure, yaxis2=right_axis(axes[1]))
    return figure


def _label(rows: "pd.DataFrame") -> str:
    return figure_text(str(rows["stimulus"].iloc[0]), longest=_LONGEST_NAME)


def _add_stage(
    figure: go.Figure,
    rows: "pd.DataFrame",
    times: list[float | None],
    *,
    look: int,
    is_new: bool,
) -> None:
    color, symbol, axis_name = _LOOKS[look]
    metric = str(rows["metric"].iloc[0])
    quantity = QUANTITIES[metric]
    label = _label(rows)
    figure.add_scatter(
        x=times,
        y=scaled(rows["value"], metric),
        name=label,
        yaxis=axis_name,
        mode="lines+markers",
        line={"color": color, "width": 1.6},
        marker={"symbol": symbol, "size": 5},
        legendgroup=label,
        showlegend=is_new,
        hovertemplate=f"%{{x:,.4~g}}: %{{y:,.4~g}} {quantity.unit_or_name}"
        "<extra></extra>",
    )


def _add_mean(
    figure: go.Figure, last: "pd.DataFrame", times: list[float | None], *, look: int
) -> None:
    """Draw the mean of the last rounds of a stage as a thick line under them."""
    metric = str(last["metric"].iloc[0])
    mean = last["value"].astype("Float64").astype(float).mean()
    figure.add_scatter(
        x=[times[0], times[-1]],
        y=scaled([mean, mean], metric),
        yaxis=_LOOKS[look][2],
        name="mean of the last rounds",
        mode="lines",
        line={"color": COLORS["ink"], "width": 4},
        showlegend=False,
        hovertemplate="mean of the last rounds: %{y:,.4~g}<extra></extra>",
    )


def _add_band(
    figure: go.Figure,
    ends: tuple[float | None, float | None],
    *,
    number: int,
    look: int,
) -> None:
    shade(
        figure,
        *ends,
        color=_BANDS[look],
        annotation_text=f"stage {number}",
        annotation_position="top",
        annotation_font_size=12,
    )
