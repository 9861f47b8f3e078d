"""Convergence over rounds, and the steady-state measurement window."""

from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.analysis.judged import JudgedWindow
from ssdlab.figures.labels import (
    COLORS,
    DIRECTION_COLORS,
    QUANTITIES,
    axis,
    block_size_style,
    lay_out,
    linear_axis,
    new_figure,
    number_text,
    round_axis,
    scaled,
)
from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria
from ssdlab.model.units import block_size_label, mix_label

if TYPE_CHECKING:
    import pandas as pd

RoundMetric = Literal["iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"]
Window = tuple[int, int]

_WINDOW_PAD = 0.3  # of a round, so that the shade holds the points at its ends


def plot_convergence(
    frame: "pd.DataFrame",
    *,
    metric: RoundMetric = "iops",
    window: Window | None = None,
    title: str = "Steady state convergence",
) -> go.Figure:
    """Draw a metric over the rounds, one line a block size.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a round and block size: ``round``, ``block_size_bytes``,
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
        Lines named by block size, the smallest first.

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
    quantity = QUANTITIES[metric]
    figure = new_figure(title, subtitle=_subtitle(frame))
    sizes = sorted(int(size) for size in frame["block_size_bytes"].unique())
    for size in sizes:
        rows = frame[frame["block_size_bytes"] == size].sort_values("round")
        color, symbol = _line_style(rows, size, alone=len(sizes) == 1)
        figure.add_scatter(
            x=[int(number) for number in rows["round"]],
            y=scaled(rows[metric], metric),
            name=block_size_label(size),
            mode="lines+markers",
            line={"color": color, "width": 2},
            marker={"symbol": symbol, "size": 7},
            hovertemplate=f"{block_size_label(size)}, round %{{x}}: %{{y:,.4~g}}"
            f" {quantity.unit}<extra></extra>",
        )
    lay_out(
        figure,
        xaxis=round_axis([int(number) for number in frame["round"]]),
        yaxis=linear_axis(quantity.title),
        showlegend=True,
    )
    if window:
        _shade(figure, window)
    return figure


def _subtitle(frame: "pd.DataFrame") -> str:
    mixes = sorted({int(mix) for mix in frame["read_percent"]}, reverse=True)
    return "R/W " + ", ".join(mix_label(mix) for mix in mixes) if mixes else ""


def _line_style(rows: "pd.DataFrame", size: int, *, alone: bool) -> tuple[str, str]:
    if not alone:
        return block_size_style(size)
    mix = int(rows["read_percent"].iloc[0])
    direction = {100: "read", 0: "write"}.get(mix, "total")
    return DIRECTION_COLORS[direction], "circle"


def _shade(figure: go.Figure, window: Window) -> None:
    first, last = window
    figure.add_vrect(
        x0=first - _WINDOW_PAD,
        x1=last + _WINDOW_PAD,
        fillcolor=COLORS["window"],
        line_width=0,
        layer="below",
        name="measurement window",
        showlegend=True,
    )


def plot_steady_state_window(
    frame: "pd.DataFrame",
    window: JudgedWindow,
    *,
    criteria: SteadyStateCriteria = PTS_CRITERIA,
) -> go.Figure:
    """Draw the measurement window of one tracking variable and what judges it.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a round: ``round`` and the metric of the window as stored. Rounds
        outside it are left out.
    window : JudgedWindow
        A row of the table ``windows``, as `ssdlab.analysis.read_windows` returns it.
    criteria : SteadyStateCriteria, default PTS_CRITERIA
        The limits that are drawn; one that is None is left out.

    Returns
    -------
    plotly.graph_objects.Figure
        The points; their average; dotted at 110 % and 90 % of it the band as wide as
        the allowed data excursion; the best linear fit, solid red; dashed the band as
        wide as the allowed slope excursion, which the fit must not leave.

    Notes
    -----
    The rule is about the difference of greatest and least value, so a point may lie
    outside the dotted band in a steady window. The fit passes through the average
    in the middle of the window, so the dashed band is exact.

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
    >>> plot_steady_state_window(rounds, window).data[4].name
    'Average 5,749'
    """
    metric = window.metric
    first, last = window.window_first_round, window.window_last_round
    rows = frame[frame["round"].between(first, last)].sort_values("round")
    quantity = QUANTITIES[metric]
    figure = new_figure(
        f"Steady state measurement window, {window.tracking}",
        subtitle=f"Rounds {first} - {last}: "
        + ("steady state" if window.is_steady else "NOT steady"),
    )
    ends = [first, last]
    _add_limits(figure, ends, window, criteria=criteria)
    fit = [window.slope_per_round * end + window.intercept for end in ends]
    fit_line = scaled(fit, metric)
    _add_line(figure, ends, fit_line, name="Best linear fit", color="fit")
    figure.add_scatter(
        x=[int(number) for number in rows["round"]],
        y=scaled(rows[metric], metric),
        name=window.tracking,
        mode="markers",
        marker={"color": COLORS["measured"], "size": 10},
        hovertemplate=f"round %{{x}}: %{{y:,.5~g}} {quantity.unit}<extra></extra>",
    )
    lay_out(figure, xaxis=round_axis(ends), yaxis=axis(quantity.title))
    figure.update_yaxes(tickformat=",~r")
    return figure


def _add_limits(
    figure: go.Figure,
    ends: list[int],
    window: JudgedWindow,
    *,
    criteria: SteadyStateCriteria,
) -> None:
    """Add the average and both bands, each as wide as what is allowed."""
    metric, average = window.metric, window.average
    bands = (
        (criteria.max_range_ratio, "range_limit", "dot", "data excursion"),
        (criteria.max_slope_ratio, "slope_limit", "dash", "slope excursion"),
    )
    for ratio, color, dash, words in bands:
        for share in () if ratio is None else (1 + ratio / 2, 1 - ratio / 2):
            name = f"{share * 100:g} % {words} limit"
            line = scaled([average * share] * 2, metric)
            _add_line(figure, ends, line, name=name, color=color, dash=dash)
    line = scaled([average] * 2, metric)
    name = f"Average {number_text(line[0] or 0.0)} {QUANTITIES[metric].unit}".rstrip()
    _add_line(figure, ends, line, name=name, color="average")


def _add_line(
    figure: go.Figure,
    x: list[int],
    y: list[float | None],
    *,
    name: str,
    color: str,
    dash: str = "solid",
) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"color": COLORS[color], "dash": dash, "width": 2},
        hovertemplate=f"{name}: %{{y:,.5~g}}<extra></extra>",
    )
