"""Convergence over rounds, and the steady-state measurement window."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria
from ssdlab.model.units import block_size_label, mix_label
from ssdlab.plots.labels import (
    COLORS,
    DIRECTION_COLORS,
    axis,
    block_size_style,
    lay_out,
    new_figure,
)
from ssdlab.plots.lines import (
    Across,
    Line,
    add_lines,
    add_points,
    add_tie,
    draw_lines,
    finely,
    shade_window,
)
from ssdlab.stats.judged import JudgedWindow
from ssdlab.text.numbers import number_text
from ssdlab.text.quantities import suited_quantity

if TYPE_CHECKING:
    import pandas as pd

RoundMetric = Literal["iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"]
Window = tuple[int, int]

_SPREAD = 20.0  # of the values; beyond it a linear axis flattens the least on zero


def plot_convergence(
    frame: "pd.DataFrame",
    *,
    metric: RoundMetric = "iops",
    window: Window | None = None,
    title: str = "Steady state convergence",
) -> go.Figure:
    """Draw a metric over the rounds, one line per block size.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per round and block size: ``round``, ``block_size_bytes``,
        ``read_percent`` and the metric as stored; one R/W mix.
    metric : {"iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"}, default "iops"
        The column that is drawn, in [1/s], [B/s] or [ns] as stored.
    window : tuple of int, optional
        First and last round of the measurement window, which is shaded.
    title : str, default "Steady state convergence"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Lines named by block size, the smallest first; on a logarithmic axis where the
        greatest value is more than 20 times the least.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 7 to 9.

    Examples
    --------
    >>> import pandas as pd
    >>> rounds = pd.DataFrame({"round": [1, 2], "iops": [900.0, 500.0]})
    >>> rounds = rounds.assign(block_size_bytes=4096, read_percent=0)
    >>> plot_convergence(rounds).data[0].name
    '4 KiB'
    """
    mixes = sorted({int(mix) for mix in frame["read_percent"]}, reverse=True)
    words = "R/W " + ", ".join(mix_label(mix) for mix in mixes) if mixes else ""
    figure = new_figure(title, subtitle=words)
    drawn = [float(value) for value in frame[metric].dropna()]
    quantity = suited_quantity(metric, drawn)
    sizes = sorted(int(size) for size in frame["block_size_bytes"].unique())
    lines = []
    for size in sizes:
        rows = frame[frame["block_size_bytes"] == size].sort_values("round")
        name = block_size_label(size)
        color, symbol = block_size_style(size)
        if len(sizes) == 1:
            direction = {100: "read", 0: "write"}.get(mixes[-1], "total")
            color, symbol = DIRECTION_COLORS[direction], "circle"
        line = Line(
            rows=[rows], column=metric, of=quantity, name=name, color=color,
            symbol=symbol, width=2, size=7, hover=f"{name}, round %{{x}}: ",
        )  # fmt: skip
        lines.append(line)
    least, most = min(drawn, default=0.0), max(drawn, default=0.0)
    is_log = 0 < _SPREAD * least < most
    draw_lines(figure, Across.rounds(frame), lines, is_log=is_log, showlegend=True)
    shade_window(figure, window)
    return figure


def plot_steady_state_window(
    frame: "pd.DataFrame",
    window: JudgedWindow,
    *,
    criteria: SteadyStateCriteria = PTS_CRITERIA,
) -> go.Figure:
    """Draw the measurement window of one tracking variable and its limits.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per round: ``round`` and the metric of the window as stored. Rounds
        outside it are omitted.
    window : JudgedWindow
        A row of the table ``windows``, as `ssdlab.analysis.read_windows` returns it.
    criteria : SteadyStateCriteria, default PTS_CRITERIA
        The limits that are drawn, except those that are None.

    Returns
    -------
    plotly.graph_objects.Figure
        The points, first in the legend; the best linear fit, solid red; the average;
        dashed, 5 % above and below it, the band of the allowed slope excursion, which
        the fit must not leave; dotted, 10 % above and below, that of the allowed data
        excursion.

    Notes
    -----
    The rule limits the difference of maximum and minimum, so a point may lie outside
    the dotted band in a steady window. The fit passes through the average in the middle
    of the window, so the dashed band is exact.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, definition 2.1.24.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-all")
    >>> window = ssdlab.analysis.read_windows(run.windows)[-1]
    >>> rounds = window.rounds_of(run.measurements)
    >>> rounds = rounds[rounds["direction"] == "total"]
    >>> [trace.name for trace in plot_steady_state_window(rounds, window).data][:3]
    ['±10 % range', '±5 % slope', 'Average 5,749']
    """
    metric, average = window.metric, window.average
    first, last = window.window_first_round, window.window_last_round
    rows = frame[frame["round"].between(first, last)].sort_values("round")
    outcome = "steady state" if window.is_steady else "NOT steady"
    figure = new_figure(
        f"Steady state measurement window, {window.tracking}",
        subtitle=f"Rounds {first} - {last}: {outcome}",
    )
    ends = {"round": [first, last]}
    across = Across.rounds(ends)
    quantity = suited_quantity(metric, [window.maximum])
    lines: list[tuple[str, str, str, Sequence[Sequence[float]]]] = []
    bands = (
        (criteria.max_range_ratio, "range_limit", "dot", "range"),
        (criteria.max_slope_ratio, "slope_limit", "dash", "slope"),
    )
    for ratio, color, dash, words in bands:
        if ratio is not None:
            both = [[average * (1 + part)] * 2 for part in (ratio / 2, -ratio / 2)]
            lines.append((f"±{50 * ratio:g} % {words}", color, dash, both))
    value = number_text(average / quantity.divisor)
    name = f"Average {value} {quantity.unit}".rstrip()
    lines.append((name, "average", "solid", [[average] * 2]))
    fit = [window.slope_per_round * end + window.intercept for end in ends["round"]]
    lines.append(("Best linear fit", "fit", "solid", [fit]))
    fine = finely(quantity)
    drawn = [
        Line(
            rows=[ends | {metric: values} for values in parts], column=metric, of=fine,
            name=name, hover=f"{name}: ", color=COLORS[color], dash=dash, width=2,
        )
        for name, color, dash, parts in lines
    ]  # fmt: skip
    points = Line(
        rows=[rows], column=metric, of=fine, name=window.tracking,
        color=COLORS["measured"], width=0, size=10,
    )  # fmt: skip
    add_lines(figure, across, [*drawn, points])
    yaxis = axis(quantity.title, tickformat=",~r")
    # The points are drawn last, on top of all lines, and come first in the legend.
    order = {"traceorder": "reversed"}
    lay_out(figure, xaxis=across.axis, yaxis=yaxis, legend=order)
    return figure


def plot_sparkline(
    values: "pd.Series[float]", *, name: str, window: Window | None = None
) -> go.Figure:
    """Draw a series by round as a small line without axes, its last value marked.

    The rounds of the window are shaded.

    >>> import pandas as pd
    >>> rounds = pd.Series([9.0, 4.0, 3.0], index=[1, 2, 3])
    >>> plot_sparkline(rounds, name="IOPS").data[1].y
    (3.0,)
    """
    figure = new_figure(name, height=44)
    known = values.dropna()
    numbers = [float(value) for value in known]
    rounds = [int(number) for number in known.index]
    line = {"color": COLORS["measured"], "width": 1.6}
    add_tie(figure, rounds, numbers, name=name, line=line, showlegend=None)
    last = {"color": COLORS["fit"], "size": 6}
    add_points(
        figure,
        rounds[-1:],
        numbers[-1:],
        name="last round",
        marker=last,
        cliponaxis=False,
    )
    lay_out(
        figure,
        xaxis={"visible": False, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True, "range": _spark_range(numbers)},
        margin={"l": 4, "r": 8, "t": 5, "b": 5},
        showlegend=False,
    )
    shade_window(figure, window)
    return figure


def _spark_range(values: Sequence[float]) -> list[float]:
    """Return the ends of the axis: those of the values, but never under 20 % apart."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    half = max((high - low) / 2, 0.1 * abs(high + low) / 2) * 1.15
    middle = (high + low) / 2
    return [middle - half, middle + half]
