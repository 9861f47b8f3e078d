"""The jobs of a stimulus, round by round, and its long run over time."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.model.spec import DIRECTIONS, Metric
from ssdlab.plots.labels import axis, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines, finely, shade_window
from ssdlab.plots.looks import RunLook, make_run_looks
from ssdlab.stats.downsample import reduce_series
from ssdlab.text.quantities import QUANTITIES, Quantity, metric_quantity

if TYPE_CHECKING:
    import pandas as pd

_LOADS = ("rate_iops", "iodepth", "numjobs")  # options that a line varies over
_DECADE = 10.0  # jobs that differ by more are drawn on a logarithmic axis


def job_looks(jobs: Iterable[str]) -> tuple[RunLook, ...]:
    """Return how the jobs of a stimulus look, in their order."""
    names = dict.fromkeys(map(str, jobs))
    return make_run_looks((name, name) for name in names)


def _spans_a_decade(column: "pd.Series[Any]") -> bool:
    values = column.astype(float).dropna()
    return bool(len(values) and values.max() > _DECADE * values.min() > 0)


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
    draw_lines(
        figure, Across.rounds(jobs.sort_values("round")), lines, showlegend=True,
        is_log=_spans_a_decade(jobs[metric]), titles=(QUANTITIES[metric].title, ""),
    )  # fmt: skip
    if window:
        shade_window(figure, window)
    return figure


def plot_job_series(
    series: "pd.DataFrame", *, metric: Metric = "iops", title: str = "Over time"
) -> go.Figure:
    """Draw a metric of a long run over time, a line for each direction.

    ``series`` has the columns ``direction``, ``time_s`` and the metric, as stored.

    >>> import pandas as pd
    >>> rows = {"direction": ["read"] * 2, "time_s": [1.0, 2.0], "iops": [9.0, 8.0]}
    >>> [line.name for line in plot_job_series(pd.DataFrame(rows)).data]
    ['read']
    """
    figure = new_figure(title, height=380)
    names = [one for one in DIRECTIONS if one in set(series["direction"])]
    lines = []
    for look in job_looks(names):
        rows = series[series["direction"] == look.run_id].sort_values("time_s")
        drawn = reduce_series(rows["time_s"], rows[metric])
        points = {"time_s": drawn.x.tolist(), "value": drawn.y.tolist()}
        lines.append(
            Line(
                rows=[points], column="value", of=finely(metric), name=look.text,
                color=look.color, width=1,
            )
        )  # fmt: skip
    time = Quantity(name="Time", unit="s", divisor=1.0, digits=",.5~g")
    across = replace(Across.of("time_s", time), axis=axis(time.title, tickformat=",~r"))
    draw_lines(figure, across, lines, showlegend=len(names) > 1, is_log=False)
    return figure


def plot_load(
    stimuli: "pd.DataFrame", *, level: str = "p99", title: str = ""
) -> go.Figure:
    """Draw a percentile over the IOPS: of open loops, and beside them of closed ones.

    ``stimuli`` has a row for each stimulus: ``stimulus``, ``matrix``, ``follows``,
    missing of a closed loop, ``iops``, the percentile as fio counts it, and from the
    due time, which is dashed.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"stimulus": ["a", "b"], "matrix": [{}] * 2})
    >>> rows = rows.assign(follows=["kept", None], iops=9.0, lat_p99_ns=2e6)
    >>> [line.name for line in plot_load(rows.assign(due_p99_ns=3e6)).data]
    ['a, open loop', 'a, from the due time, at most', 'b, closed loop']
    """
    column = f"lat_{level}_ns"
    names = [
        ", ".join((name, *(f"{k}={v}" for k, v in place.items() if k not in _LOADS)))
        for name, place in zip(stimuli["stimulus"], stimuli["matrix"], strict=True)
    ]
    own = stimuli.assign(line=names).sort_values("iops")
    figure = new_figure(
        title or f"{metric_quantity(column).name} over the load", height=440
    )
    lines = []
    for look in job_looks(names):
        mine = own[own["line"] == look.run_id]
        is_open = mine["follows"].notna()
        drawn = (
            (mine[is_open], column, "open loop", ""),
            (mine[is_open], f"due_{level}_ns", "from the due time, at most", "dash"),
            (mine[~is_open], column, "closed loop", "dot"),
        )
        lines += [
            Line(
                rows=[rows], column=shown, of=column, name=f"{look.text}, {words}",
                color=look.color, symbol=look.symbol, size=8, dash=dash,
            )
            for rows, shown, words, dash in drawn
            if shown in rows and rows[shown].notna().any()
        ]  # fmt: skip
    draw_lines(figure, Across.of("iops"), lines, showlegend=True, is_log=True)
    return figure


def plot_matrix(
    stimuli: "pd.DataFrame", option: str, *, metric: str = "iops", title: str = ""
) -> go.Figure:
    """Draw a result over the values of an option, a line for each of the other values.

    ``stimuli`` has a row for each stimulus: ``stimulus``, its name, ``matrix``, its
    values by option, and the metric, as stored.

    >>> import pandas as pd
    >>> places = [{"iodepth": "1"}, {"iodepth": "32"}]
    >>> rows = pd.DataFrame({"stimulus": "a", "matrix": places, "iops": [9.0, 99.0]})
    >>> figure = plot_matrix(rows, "iodepth")
    >>> [(line.name, line.x, line.y) for line in figure.data]
    [('a', ('1', '32'), (9.0, 99.0))]
    """
    own = stimuli[[option in values for values in stimuli["matrix"]]]
    values = [place[option] for place in own["matrix"]]
    others = [
        ", ".join((str(name), *(f"{k}={v}" for k, v in place.items() if k != option)))
        for name, place in zip(own["stimulus"], own["matrix"], strict=True)
    ]
    own = own.assign(value=values, line=others)
    quantity = metric_quantity(metric)
    figure = new_figure(title or f"{quantity.name} over {option}", height=400)
    lines = [
        Line(
            rows=[own[own["line"] == look.run_id]], column=metric, name=look.text,
            color=look.color, symbol=look.symbol, size=8,
            hover=f"{look.text}, {option} %{{x}}: ",
        )
        for look in job_looks(others)
    ]  # fmt: skip
    category = axis(option, type="category", categoryarray=list(dict.fromkeys(values)))
    across = Across(column="value", axis=category, hover=f"{option} %{{x}}")
    draw_lines(
        figure, across, lines, showlegend=len(lines) > 1,
        is_log=_spans_a_decade(own[metric]), titles=(quantity.title, ""),
    )  # fmt: skip
    return figure
