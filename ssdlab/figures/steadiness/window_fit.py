"""All rounds of a cell, the measurement window in them, its line and residuals."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.analysis.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.figures.labels import COLORS, QUANTITIES, axis, round_axis, scaled
from ssdlab.figures.lines import WINDOW_PAD, shade
from ssdlab.figures.steadiness.panels import two_panels

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.analysis.steadiness.series import RoundSeries


def plot_window_fit(
    series: "RoundSeries", fit: "pd.DataFrame", *, rule: str = PTS_RULE
) -> go.Figure:
    """Draw all rounds, the measurement window, its line with its band, and residuals.

    Parameters
    ----------
    series : RoundSeries
        The rounds.
    fit : pandas.DataFrame
        What `ssdlab.analysis.summarise_fit` returns of them.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule whose limits are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        Above the rounds, the window shaded; its average, the band as wide as the
        allowed data excursion (dotted), that of the slope excursion (dashed), the
        fit, and about it the 95 % band of the true line. Below the residuals.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, definition 2.1.24.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> fit = ssdlab.analysis.summarise_fit(series)
    >>> plot_window_fit(series, fit).layout.title.text
    'RND 64 KiB 65/35: measurement window by PTS 2.0.2'
    """
    quantity = QUANTITIES[series.metric]
    title = f"{series.tracking}: measurement window by {find_steady_rule(rule).title}"
    figure = two_panels(
        title, _window_words(fit, series.sample_every), upper_share=0.72
    )
    if len(fit):
        _add_band(figure, fit, series.metric)
        _add_window_lines(figure, fit, series.metric, rule=rule)
        _add_residuals(figure, fit, series.metric)
        first, last = float(fit["round"].iloc[0]), float(fit["round"].iloc[-1])
        shade(figure, first - WINDOW_PAD, last + WINDOW_PAD)
    _add_rounds(figure, series)
    figure.update_xaxes(round_axis([*series.rounds]))
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_yaxes(axis(quantity.title, tickformat=",~r"), row=1, col=1)
    unit = f" [{quantity.unit}]" if quantity.unit else ""
    figure.update_yaxes(axis(f"Residual{unit}", tickformat=",~r"), row=2, col=1)
    return figure


def _window_words(fit: "pd.DataFrame", every: int) -> str:
    if not len(fit):
        return "no window by this rule"
    words = f"rounds {fit['round'].iloc[0]} - {fit['round'].iloc[-1]}"
    return f"{words}, samples {every} rounds apart" if every > 1 else words


def _add_band(figure: go.Figure, fit: "pd.DataFrame", metric: str) -> None:
    rounds = [int(number) for number in fit["round"]]
    figure.add_scatter(
        x=[*rounds, *reversed(rounds)],
        y=[*scaled(fit["fit_high"], metric), *scaled(fit["fit_low"][::-1], metric)],
        mode="lines",
        fill="toself",
        fillcolor=COLORS["fit_band"],
        line={"width": 0},
        name="95 % band of the fit",
        hoverinfo="skip",
        row=1,
        col=1,
    )


def _add_window_lines(
    figure: go.Figure, fit: "pd.DataFrame", metric: str, *, rule: str
) -> None:
    """Add average, fit and the limits that the rule asks for."""
    ends = fit.iloc[[0, -1]]
    average = float(fit["average"].iloc[0])
    criteria = find_steady_rule(rule).criteria
    lines = [("average", "average", "solid", [average, average], "average")]
    bands = (
        (criteria.max_range_ratio, 2, "range_limit", "dot", "data excursion limit"),
        (criteria.max_value_deviation_ratio, 1, "range_limit", "dot", "value limit"),
        (criteria.max_slope_ratio, 2, "slope_limit", "dash", "slope excursion limit"),
        (criteria.max_fit_deviation_ratio, 1, "slope_limit", "dash", "fit limit"),
    )
    for ratio, share, color, dash, words in bands:
        for sign in (1, -1) if ratio else ():
            level = average * (1 + sign * (ratio or 0) / share)
            name = f"{words}, {100 * level / average:.0f} % of average"
            both = (
                f"{words}, average ± {100 * abs(level / average - 1):.0f} %"
                if sign > 0
                else ""
            )
            lines.append((name, color, dash, [level, level], both))
    name = "least-squares fit"
    lines.append((name, "fit", "solid", [*ends["fit"]], name))
    unit = QUANTITIES[metric].unit
    for name, color, dash, values, in_legend in lines:
        figure.add_scatter(
            x=[int(number) for number in ends["round"]],
            y=scaled(values, metric),
            mode="lines",
            line={"color": COLORS[color], "dash": dash, "width": 2},
            name=in_legend or name,
            showlegend=bool(in_legend),
            hovertemplate=f"{name}: %{{y:,.5~g}} {unit}<extra></extra>",
            row=1,
            col=1,
        )


def _add_residuals(figure: go.Figure, fit: "pd.DataFrame", metric: str) -> None:
    share = 100 * fit["residual"] / fit["average"]
    figure.add_bar(
        x=[int(number) for number in fit["round"]],
        y=scaled(fit["residual"], metric),
        width=0.4,
        marker_color=COLORS["measured"],
        name="residual",
        showlegend=False,
        customdata=list(share),
        hovertemplate=f"round %{{x}}: %{{y:,.4~g}} {QUANTITIES[metric].unit}, "
        "%{customdata:.3~g} % of the average<extra></extra>",
        row=2,
        col=1,
    )


def _add_rounds(figure: go.Figure, series: "RoundSeries") -> None:
    quantity = QUANTITIES[series.metric]
    is_sample = [False] * len(series.rounds)
    for place in series.samples():
        is_sample[place] = True
    total = len(series.rounds)
    figure.add_scatter(
        x=list(series.rounds),
        y=scaled(series.measured, series.metric),
        mode="lines+markers",
        name=series.tracking,
        line={"color": COLORS["axis"], "width": 1},
        marker={
            "color": COLORS["measured"],
            "size": [9 if sample else 5 for sample in is_sample],
        },
        hovertemplate=f"round %{{x}} of {total}: %{{y:,.5~g}} {quantity.unit}"
        "<extra></extra>",
        row=1,
        col=1,
    )
