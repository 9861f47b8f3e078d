"""The measurement window of a cell: its line, all alternatives, all cells."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ssdlab.plots.labels import COLORS, axis, chosen_round_axis, lay_out, new_figure
from ssdlab.plots.lines import (
    Across,
    Line,
    add_band,
    add_lines,
    draw_lines,
    error_bars,
    finely,
    shade_window,
)
from ssdlab.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.text.numbers import number_text
from ssdlab.text.quantities import Quantity, scaled, suited_quantity

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.steadiness.series import RoundSeries

_LOOKS = (
    ("#0b3c5d", "circle"),
    ("#D55E00", "square"),
    ("#009E73", "diamond"),
    ("#CC79A7", "triangle-up"),
)
_BAND = (90.0, 110.0)  # as wide as the range that PTS 2.0.2, 2.1.24 a, allows
_MOST_MARKED = 24  # rounds; with more, only the window has markers
_SHARE = Quantity(name="Share of the average", unit="%", divisor=0.01, digits=".4~g")


def plot_tracked(
    frame: "pd.DataFrame", *, title: str = "All tracking variables"
) -> go.Figure:
    """Draw the tracking variables of a test, relative to the average of their window.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame ``tracked`` of `ssdlab.steady_state`.
    title : str, default "All tracking variables"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One line per variable over the rounds, large where it is part of the average of
        its window; shaded, 90 to 110 % of that.

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
    lines = []
    for place, name in enumerate(dict.fromkeys(frame["tracking"])):
        color, symbol = _LOOKS[place % len(_LOOKS)]
        rows = frame[frame["tracking"] == name]
        quantity = finely(str(rows["metric"].iloc[0]))
        value = f"%{{customdata:{quantity.digits}}} {quantity.unit_or_name}"
        small = 0 if len(rows) > _MOST_MARKED else 5
        line = Line(
            rows=[rows], column="share", of=_SHARE, name=f"{name}, {quantity.name}",
            color=color, symbol=symbol, width=1.5,
            size=[9 if inside else small for inside in rows["is_in_window"]],
            hover=f"{name}, round %{{x}} of {len(rows)}: {value}, ",
            after=" of its window's average",
            more={"customdata": scaled(rows["value"], quantity)},
        )  # fmt: skip
        lines.append(line)
    low, high = _BAND
    look = {"fillcolor": COLORS["window"], "line": {"width": 0}, "layer": "below"}
    figure.add_hrect(y0=low, y1=high, **look)
    share = axis("Of the window average [%]")
    draw_lines(figure, Across.rounds(frame), lines, yaxis=share, showlegend=True)
    return figure


def plot_window_fit(
    series: "RoundSeries", fit: "pd.DataFrame", *, rule: str = PTS_RULE
) -> go.Figure:
    """Draw all rounds, the measurement window, its line with its band, and residuals.

    Parameters
    ----------
    series : RoundSeries
        The rounds.
    fit : pandas.DataFrame
        The frame ``fit`` of `ssdlab.steady_state`.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule whose limits are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        At the top the rounds, with the window shaded; its average, the band of the
        allowed data excursion (dotted), that of the slope excursion (dashed), the fit,
        and around it the 95 % band of the true line. At the bottom the residuals.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, definition 2.1.24.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.steady_state("data/samples/virtual-b", test="iops")
    >>> plot_window_fit(found.series, found.fit).layout.title.text
    'RND 64 KiB 65/35: measurement window by PTS 2.0.2'
    """
    quantity = suited_quantity(series.metric, series.measured)
    rounds = list(series.rounds)
    across = Across.rounds({"round": rounds})
    title = f"{series.tracking}: measurement window by {find_steady_rule(rule).title}"
    figure = _two_panels(
        title, _window_words(fit, series.sample_every), upper_share=0.72
    )
    if len(fit):
        _add_fit(figure, fit, quantity, rule=rule)
        _add_residuals(figure, fit, quantity)
        shade_window(figure, (fit["round"].iloc[0], fit["round"].iloc[-1]), name="")
    samples = set(series.samples())
    measured = Line(
        rows=[{"round": rounds, "value": series.measured}], column="value",
        of=finely(quantity), name=series.tracking, color=COLORS["axis"], width=1,
        size=[9 if place in samples else 5 for place in range(len(rounds))],
        marker={"color": COLORS["measured"]}, hover=f"round %{{x}} of {len(rounds)}: ",
    )  # fmt: skip
    add_lines(figure, across, [measured], row=1, col=1)
    figure.update_xaxes(across.axis)
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_yaxes(axis(quantity.title, tickformat=",~r"), row=1, col=1)
    unit = f" [{quantity.unit}]" if quantity.unit else ""
    figure.update_yaxes(axis(f"Residual{unit}", tickformat=",~r"), row=2, col=1)
    return figure


def _two_panels(title: str, subtitle: str, *, upper_share: float) -> go.Figure:
    """Return an empty figure of two panels over the same rounds."""
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.06,
        row_heights=[upper_share, 1 - upper_share],
        figure=new_figure(title, subtitle=subtitle, height=560),
    )
    lay_out(figure, margin={"b": 110})
    return figure


def _window_words(fit: "pd.DataFrame", every: int) -> str:
    if not len(fit):
        return "no window by this rule"
    words = f"rounds {fit['round'].iloc[0]} - {fit['round'].iloc[-1]}"
    return f"{words}, samples {every} rounds apart" if every > 1 else words


def _add_fit(
    figure: go.Figure, fit: "pd.DataFrame", quantity: Quantity, *, rule: str
) -> None:
    """Add average and fit with its band, and the limits of the rule."""
    across, of = Across.rounds(fit), finely(quantity)
    band = scaled(fit["fit_low"], of), scaled(fit["fit_high"], of)
    add_band(
        figure, across.places(fit), band, fillcolor=COLORS["fit_band"],
        name="95 % band of the fit", showlegend=None, row=1, col=1,
    )  # fmt: skip
    ends = fit.iloc[[0, -1]]
    criteria = find_steady_rule(rule).criteria
    average = ends["average"]
    lines = [("average", "average", "solid", [average])]
    bands = (
        (criteria.max_range_ratio, 2, "range_limit", "dot", "range"),
        (criteria.max_value_deviation_ratio, 1, "range_limit", "dot", "each value"),
        (criteria.max_slope_ratio, 2, "slope_limit", "dash", "slope"),
        (criteria.max_fit_deviation_ratio, 1, "slope_limit", "dash", "fit"),
    )
    for ratio, share, color, dash, words in bands:
        if ratio:
            aside = ratio / share
            both = [average * (1 + aside), average * (1 - aside)]
            lines.append((f"±{100 * aside:g} % {words}", color, dash, both))
    lines.append(("least-squares fit", "fit", "solid", [ends["fit"]]))
    drawn = [
        Line(
            rows=[ends.assign(value=values) for values in parts], column="value", of=of,
            name=name, hover=f"{name}: ", color=COLORS[color], dash=dash, width=2,
        )
        for name, color, dash, parts in lines
    ]  # fmt: skip
    add_lines(figure, across, drawn, row=1, col=1)


def _add_residuals(figure: go.Figure, fit: "pd.DataFrame", of: Quantity) -> None:
    figure.add_bar(
        x=[int(number) for number in fit["round"]],
        y=scaled(fit["residual"], of),
        width=0.4,
        marker={"color": COLORS["measured"]},
        name="residual",
        showlegend=False,
        customdata=list(100 * fit["residual"] / fit["average"]),
        hovertemplate=f"round %{{x}}: %{{y:,.4~g}} {of.unit_or_name}, "
        "%{customdata:.3~g} % of the average<extra></extra>",
        row=2,
        col=1,
    )


def plot_window_ratios(
    windows: "pd.DataFrame", *, rule: str = PTS_RULE, title: str = "Every window"
) -> go.Figure:
    """Draw range and slope excursion of every window against the rule's limits.

    Parameters
    ----------
    windows : pandas.DataFrame
        The frame ``windows`` of `ssdlab.steady_state`.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule whose limits are drawn.
    title : str, default "Every window"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Two lines over the last round of the window, filled where it is steady.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.steady_state("data/samples/virtual-b", test="iops")
    >>> plot_window_ratios(found.windows).layout.title.text
    'Every window'
    """
    criteria = find_steady_rule(rule).criteria
    figure = new_figure(title, subtitle="filled: steady; open: not steady", height=400)
    pairs = (
        ("range_ratio", "range, max - min", "range_limit", "square"),
        ("slope_ratio", "slope excursion of the fit", "slope_limit", "circle"),
    )
    lines = [
        Line(
            rows=[windows], column=column, of=_SHARE, name=name, color=COLORS[color],
            symbol=_filled(symbol, windows), width=1.5, size=9,
            hover=f"%{{customdata[0]}}, {name}: ",
            after=" of the average<br>%{customdata[1]}",
            more={"customdata": _judged_words(windows)},
        )
        for column, name, color, symbol in pairs
    ]  # fmt: skip
    share = axis(_SHARE.title, rangemode="tozero")
    draw_lines(figure, _last_rounds(windows), lines, yaxis=share)
    limits = (
        (criteria.max_range_ratio, "range_limit", "range"),
        (criteria.max_slope_ratio, "slope_limit", "slope"),
    )
    for ratio, color, words in limits:
        if ratio is not None:
            figure.add_hline(
                y=100 * ratio,
                line={"color": COLORS[color], "dash": "dash", "width": 1.5},
                name=f"{words} limit {100 * ratio:.0f} %",
                showlegend=True,
            )
    return figure


def _last_rounds(windows: "pd.DataFrame") -> Across:
    column = "window_last_round"
    places = chosen_round_axis([int(number) for number in windows[column]])
    places["title"]["text"] = "Last round of the window"
    return Across(column=column, axis=places, hover="")


def _filled(symbol: str, windows: "pd.DataFrame") -> list[str]:
    return [symbol if steady else f"{symbol}-open" for steady in windows["is_steady"]]


def _judged_words(windows: "pd.DataFrame") -> list[list[str]]:
    """Return the rounds of each window, and the verdict of the rule."""
    return [
        [
            f"rounds {row['window_first_round']} - {row['window_last_round']}",
            str(row["reason"]) or "steady",
        ]
        for _, row in windows.iterrows()
    ]


def plot_window_means(
    windows: "pd.DataFrame", *, metric: str, title: str = "With a different window"
) -> go.Figure:
    """Draw what would be reported if another window counted, and how it drifts.

    Parameters
    ----------
    windows : pandas.DataFrame
        The frame ``windows`` of `ssdlab.steady_state`.
    metric : str
        What was measured, such as ``iops``.
    title : str, default "With a different window"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        At the top each window's average with the 95 % interval of the level, the
        reported one in the colour of the fit; at the bottom its drift, 0 if it were
        steady.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.steady_state("data/samples/virtual-b", test="iops")
    >>> plot_window_means(found.windows, metric="iops").layout.title.text
    'With a different window'
    """
    words = "95 % intervals, if noise is first-order; filled: steady"
    figure = _two_panels(title, words, upper_share=0.6)
    across = _last_rounds(windows)
    quantity = suited_quantity(metric, windows["average"])
    panels = (
        (finely(quantity), ("average", "mean_low", "mean_high")),
        (_SHARE, ("drift_ratio", "drift_low", "drift_high")),
    )
    for row, (of, columns) in enumerate(panels, start=1):
        add_lines(figure, across, [_means(windows, columns, of)], row=row, col=1)
    figure.add_hline(y=0, row=2, line={"color": COLORS["axis"], "width": 1})
    figure.update_xaxes(across.axis)
    figure.update_xaxes(title_text="", row=1, col=1)
    title_above = axis(quantity.title, tickformat=",~r")
    figure.update_yaxes(title_above, row=1, col=1)
    figure.update_yaxes(axis("Drift over a window [%]"), row=2, col=1)
    lay_out(figure, margin={"b": 60}, showlegend=False)
    return figure


def _means(windows: "pd.DataFrame", columns: Sequence[str], of: Quantity) -> Line:
    """Return a value of each window with its interval."""
    middle, low, high = (scaled(windows[name], of) for name in columns)
    told = [
        [*words, *("open" if end is None else number_text(end) for end in ends)]
        for words, *ends in zip(_judged_words(windows), low, high, strict=True)
    ]
    bars = error_bars(middle, low, high, thickness=1.5, color=COLORS["axis"])
    is_reported = windows["is_reported"]
    return Line(
        rows=[windows], column=columns[0], of=of, color="", width=0, size=9,
        symbol=_filled("circle", windows),
        marker={"color": [COLORS["fit" if one else "measured"] for one in is_reported]},
        hover="%{customdata[0]}: ",
        after=", 95 %: %{customdata[2]} to %{customdata[3]}<br>%{customdata[1]}",
        more={"error_y": bars, "customdata": told},
    )  # fmt: skip
