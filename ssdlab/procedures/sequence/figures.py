"""A sequence of stimuli over time: one axis a stimulus, one band a stage."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.plots.labels import COLORS, lay_out, linear_axis, new_figure, right_axis
from ssdlab.plots.lines import Across, Line, add_lines, shade
from ssdlab.plots.names import figure_text
from ssdlab.text.quantities import QUANTITIES

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito (2008); the marker tells the stimuli apart as well.
_LOOKS = (("#D55E00", "circle", "y"), ("#0072B2", "square", "y2"))
_LONGEST_NAME = 44
_MEAN = "mean of the last rounds"
_BANDS = ("rgba(213,94,0,0.07)", "rgba(0,114,178,0.07)")


def plot_sequence(
    stages: "pd.DataFrame", *, title: str = "Stimulus sequence", last_rounds: int = 5
) -> go.Figure:
    """Draw two alternating stimuli, each on its own axis.

    A line a stage: the stimulus of the first on the left axis, the other on the
    right one; a band a stage.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"phase": ["stage1", "stage2"], "stimulus": ["A", "B"]})
    >>> rows = rows.assign(metric=["iops", "bw_bytes_per_s"], value=[2e4, 5e8])
    >>> figure = plot_sequence(rows.assign(time_s=[60.0, 120.0]))
    >>> [line.name for line in figure.data if line.showlegend]
    ['A', 'B']
    """
    words = f"thick: mean of the last {last_rounds} rounds of a stage"
    figure = new_figure(title, subtitle=words, height=440)
    across = Across.time(stages)
    axes: dict[str, dict[str, Any]] = {}
    begin: float | None = 0.0
    for place, (_, rows) in enumerate(stages.groupby("phase", sort=False), start=1):
        label = figure_text(str(rows["stimulus"].iloc[0]), longest=_LONGEST_NAME)
        metric = str(rows["metric"].iloc[0])
        is_new = label not in axes
        axes.setdefault(label, linear_axis(f"{label}: {QUANTITIES[metric].title}"))
        look = list(axes).index(label)
        color, symbol, axis_name = _LOOKS[look]
        stage = Line(
            rows=[rows], column="value", of=metric, name=label, color=color,
            symbol=symbol, width=1.6, size=5,
            more={"legendgroup": label, "showlegend": is_new},
        )  # fmt: skip
        last = rows.tail(last_rounds)
        level = float(last["value"].astype("Float64").mean())
        mean = Line(
            rows=[last.iloc[[0, -1]].assign(value=level)], column="value", of=metric,
            name=_MEAN, color=COLORS["ink"], width=4, hover=f"{_MEAN}: ",
            more={"showlegend": False},
        )  # fmt: skip
        add_lines(figure, across, [stage, mean], yaxis=axis_name)
        end = across.places(rows)[-1]
        shade(
            figure, begin, end, color=_BANDS[look], annotation_text=f"stage {place}",
            annotation_position="top", annotation_font_size=12,
        )  # fmt: skip
        begin = end
    left, right = [*axes.values(), {}, {}][:2]
    lay_out(figure, xaxis=across.axis, yaxis=left, showlegend=True)
    if right:
        lay_out(figure, yaxis2=right_axis(right))
    return figure
