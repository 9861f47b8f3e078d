"""The jobs of a stimulus, round by round."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.model.spec import Metric
from ssdlab.plots.labels import new_figure
from ssdlab.plots.lines import Across, Line, draw_lines, shade_window
from ssdlab.plots.looks import RunLook, make_run_looks
from ssdlab.text.quantities import QUANTITIES

if TYPE_CHECKING:
    import pandas as pd

_DECADE = 10.0  # jobs that differ by more are drawn on a logarithmic axis


def job_looks(jobs: Iterable[str]) -> tuple[RunLook, ...]:
    """Return how the jobs of a stimulus look, in their order."""
    names = dict.fromkeys(map(str, jobs))
    return make_run_looks((name, name) for name in names)


def plot_job_rounds(
    jobs: "pd.DataFrame",
    *,
    metric: Metric = "iops",
    window: tuple[int, int] | None = None,
    title: str = "Jobs by round",
) -> go.Figure:
    """Draw a metric of each job over the rounds, and shade the measurement window.

    >>> import pandas as pd
    >>> rounds = pd.DataFrame({"job": ["a", "a", "b"], "round": [1, 2, 1]})
    >>> figure = plot_job_rounds(rounds.assign(iops=[9.0, 8.0, 2.0]))
    >>> [(line.name, line.y) for line in figure.data]
    [('a', (9.0, 8.0)), ('b', (2.0,))]
    """
    figure = new_figure(title, height=440)
    lines = []
    for look in job_looks(jobs["job"]):
        rows = jobs[jobs["job"] == look.run_id].sort_values("round")
        line = Line(
            rows=[rows], column=metric, name=look.text, color=look.color,
            symbol=look.symbol, size=7, hover=f"{look.text}, round %{{x}}: ",
        )  # fmt: skip
        lines.append(line)
    values = jobs[metric].astype(float).dropna()
    spread = values.max() / values.min() if len(values) and values.min() > 0 else 1.0
    draw_lines(
        figure, Across.rounds(jobs.sort_values("round")), lines, showlegend=True,
        is_log=bool(spread > _DECADE), titles=(QUANTITIES[metric].title, ""),
    )  # fmt: skip
    if window:
        shade_window(figure, window)
    return figure
