"""How steady the rounds of one cell are: window, fit, windows before it, phases."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ssdlab.analysis.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.figures.labels import (
    COLORS,
    PHASE_COLORS,
    QUANTITIES,
    axis,
    new_figure,
    number_text,
    round_axis,
    scaled,
)

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.analysis.steadiness.series import RoundSeries

_PAD = 0.3  # of a round, so that a shade holds the points at its ends
_PERCENT = "%{y:.3~g} %"


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
        fit, and the 95 % band of the true line. Below the residuals.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, definition 2.1.24.
    """
    quantity = QUANTITIES[series.metric]
    title = f"{series.tracking}: measurement window by {find_steady_rule(rule).title}"
    figure = _two_rows(title, _window_words(fit, series.sample_every), heights=(0.72,))
    if len(fit):
        _add_band(figure, fit, series.metric)
        _add_window_lines(figure, fit, series.metric, rule=rule)
        _add_residuals(figure, fit, series.metric)
        first, last = float(fit["round"].iloc[0]), float(fit["round"].iloc[-1])
        figure.add_vrect(
            x0=first - _PAD,
            x1=last + _PAD,
            fillcolor=COLORS["window"],
            line_width=0,
            layer="below",
        )
    _add_rounds(figure, series)
    figure.update_xaxes(round_axis([*series.rounds]))
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_yaxes(axis(quantity.title, tickformat=",~r"), row=1, col=1)
    unit = f" [{quantity.unit}]" if quantity.unit else ""
    figure.update_yaxes(axis(f"Residual{unit}", tickformat=",~r"), row=2, col=1)
    return figure


def _two_rows(title: str, subtitle: str, *, heights: tuple[float]) -> go.Figure:
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.06,
        row_heights=[heights[0], 1 - heights[0]],
        figure=new_figure(title, subtitle=subtitle, height=560),
    )
    figure.update_layout(margin={"b": 110})
    return figure


def _window_words(fit: "pd.DataFrame", every: int) -> str:
    if not len(fit):
        return "fewer rounds than a window has"
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
        name="95 % band of the line",
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
    lines = [("average", "average", "solid", [average, average])]
    bands = (
        (criteria.max_range_ratio, 2, "range_limit", "dot", "data excursion limit"),
        (criteria.max_value_deviation_ratio, 1, "range_limit", "dot", "value limit"),
        (criteria.max_slope_ratio, 2, "slope_limit", "dash", "slope excursion limit"),
        (criteria.max_fit_deviation_ratio, 1, "slope_limit", "dash", "fit limit"),
    )
    for ratio, share, color, dash, words in bands:
        for sign in (1, -1) if ratio else ():
            level = average * (1 + sign * (ratio or 0) / share)
            name = f"{words}, {level / average:.0%} of average"
            lines.append((name, color, dash, [level, level]))
    lines.append(("least-squares fit", "fit", "solid", [*ends["fit"]]))
    unit = QUANTITIES[metric].unit
    for name, color, dash, values in lines:
        figure.add_scatter(
            x=[int(number) for number in ends["round"]],
            y=scaled(values, metric),
            mode="lines",
            line={"color": COLORS[color], "dash": dash, "width": 2},
            name=name,
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


def plot_window_ratios(
    windows: "pd.DataFrame", *, rule: str = PTS_RULE, title: str = "Every window"
) -> go.Figure:
    """Draw range and slope excursion of every window against the rule's limits.

    Parameters
    ----------
    windows : pandas.DataFrame
        What `ssdlab.analysis.summarise_windows` returns.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule whose limits are drawn.
    title : str, default "Every window"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Two lines over the last round of the window, filled where it is steady.
    """
    criteria = find_steady_rule(rule).criteria
    figure = new_figure(title, subtitle="filled: steady; open: not steady", height=400)
    pairs = (
        ("range_ratio", "range, greatest - least", "range_limit", "square"),
        ("slope_ratio", "slope excursion of the fit", "slope_limit", "circle"),
    )
    for column, name, color, symbol in pairs:
        figure.add_scatter(
            x=[int(number) for number in windows["window_last_round"]],
            y=[100 * float(ratio) for ratio in windows[column]],
            mode="lines+markers",
            name=name,
            line={"color": COLORS[color], "width": 1.5},
            marker={"symbol": _filled(symbol, windows["is_steady"]), "size": 9},
            customdata=_window_hover(windows),
            hovertemplate=f"%{{customdata[0]}}, {name}: {_PERCENT} of the average"
            "<br>%{customdata[1]}<extra></extra>",
        )
    limits = (
        (criteria.max_range_ratio, "range_limit", "range"),
        (criteria.max_slope_ratio, "slope_limit", "slope"),
    )
    for ratio, color, words in limits:
        if ratio is not None:
            figure.add_hline(
                y=100 * ratio,
                line={"color": COLORS[color], "dash": "dash", "width": 1.5},
                annotation_text=f"{words} limit {ratio:.0%}",
                annotation_position="top right",
                annotation_font={"size": 11, "color": COLORS[color]},
            )
    figure.update_layout(
        xaxis=round_axis([int(number) for number in windows["window_last_round"]]),
        yaxis=axis("Share of the average [%]", rangemode="tozero"),
    )
    figure.update_xaxes(title_text="Last round of the window")
    return figure


def _filled(symbol: str, is_steady: "pd.Series[bool]") -> list[str]:
    return [symbol if steady else f"{symbol}-open" for steady in is_steady]


def _window_hover(windows: "pd.DataFrame") -> list[list[str]]:
    return [
        [
            f"rounds {row['window_first_round']} - {row['window_last_round']}",
            str(row["reason"]) or "steady",
        ]
        for _, row in windows.iterrows()
    ]


def plot_window_means(
    windows: "pd.DataFrame", *, metric: str, title: str = "If another window counted"
) -> go.Figure:
    """Draw what would be reported if another window counted, and how it drifts.

    Parameters
    ----------
    windows : pandas.DataFrame
        What `ssdlab.analysis.summarise_windows` returns.
    metric : str
        What was measured, such as ``iops``.
    title : str, default "If another window counted"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Above each window's average with the 95 % interval of the level, the reported
        one in the colour of the fit; below its drift, 0 if it were steady.
    """
    words = "95 % intervals, allowing for rounds that are alike; filled: steady"
    figure = _two_rows(title, words, heights=(0.6,))
    middle, low, high = (
        scaled(windows[name], metric) for name in ("average", "mean_low", "mean_high")
    )
    _add_errors(figure, windows, (middle, low, high), row=1)
    drift = [
        [None if value != value else 100 * float(value) for value in windows[name]]  # noqa: PLR0124 - NaN
        for name in ("drift_ratio", "drift_low", "drift_high")
    ]
    _add_errors(figure, windows, (drift[0], drift[1], drift[2]), row=2)
    figure.add_hline(y=0, row=2, line={"color": COLORS["axis"], "width": 1})
    figure.update_xaxes(
        round_axis([int(number) for number in windows["window_last_round"]])
    )
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_xaxes(title_text="Last round of the window", row=2, col=1)
    title_above = axis(QUANTITIES[metric].title, tickformat=",~r")
    figure.update_yaxes(title_above, row=1, col=1)
    figure.update_yaxes(axis("Drift over a window [%]"), row=2, col=1)
    figure.update_layout(margin={"b": 60}, showlegend=False)
    return figure


_Values = list[float | None]


def _add_errors(
    figure: go.Figure,
    windows: "pd.DataFrame",
    values: tuple[_Values, _Values, _Values],
    *,
    row: int,
) -> None:
    middle, low, high = values
    colors = [
        COLORS["fit" if is_one else "measured"] for is_one in windows["is_reported"]
    ]
    hover = [
        [*words, *(number_text(end) if end is not None else "open" for end in ends)]
        for words, *ends in zip(_window_hover(windows), middle, low, high, strict=True)
    ]
    figure.add_scatter(
        x=[int(number) for number in windows["window_last_round"]],
        y=middle,
        mode="markers",
        marker={
            "color": colors,
            "size": 9,
            "symbol": _filled("circle", windows["is_steady"]),
        },
        error_y=_errors(middle, low, high),
        customdata=hover,
        hovertemplate="%{customdata[0]}: %{customdata[2]}, 95 %: %{customdata[3]} to "
        "%{customdata[4]}<br>%{customdata[1]}<extra></extra>",
        row=row,
        col=1,
    )


def _errors(middle: _Values, low: _Values, high: _Values) -> dict[str, Any]:
    above = [(end or 0.0) - (m or 0.0) for m, end in zip(middle, high, strict=True)]
    below = [(m or 0.0) - (end or 0.0) for m, end in zip(middle, low, strict=True)]
    return {
        "type": "data",
        "symmetric": False,
        "array": above,
        "arrayminus": below,
        "thickness": 1.5,
        "color": COLORS["axis"],
    }


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
        Points and levels, one colour a phase; the interval of a steady level as a
        band.
    """
    quantity = QUANTITIES[series.metric]
    figure = new_figure(
        f"{series.tracking}: phases found by change points",
        subtitle="advice beside the verdict of the PTS",
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
    figure.update_layout(
        xaxis=round_axis([*series.rounds]), yaxis=axis(quantity.title, tickformat=",~r")
    )
    return figure


def _add_level(
    figure: go.Figure, part: "pd.Series[Any]", *, metric: str, color: str
) -> None:
    ends = [int(part["first_round"]) - _PAD, int(part["last_round"]) + _PAD]
    level, low, high = scaled(part[["level", "level_low", "level_high"]], metric)
    words = f"{part['phase']}, {part['rounds']} rounds, level {number_text(level or 0)}"
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


def plot_onsets(onsets: "pd.DataFrame", *, title: str = "Steady from") -> go.Figure:
    """Draw from which round each rule calls the drive steady.

    Parameters
    ----------
    onsets : pandas.DataFrame
        What `ssdlab.analysis.summarise_onsets` returns.
    title : str, default "Steady from"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row a rule, that of the PTS on top in its own colour; a tick where it
        could be told first. A rule that sees no steady state says so.
    """
    figure = new_figure(
        title,
        subtitle="dot: first steady round; tick: round after which it was told",
        height=320,
    )
    places = list(range(len(onsets), 0, -1))
    for place, (_, row) in zip(places, onsets.iterrows(), strict=True):
        color = COLORS["fit" if row["is_normative"] else "measured"]
        if row["is_steady"] is not True or row["first_round"] != row["first_round"]:
            figure.add_annotation(
                x=0.02,
                xref="x domain",
                y=place,
                text=f"{row['note']}",
                showarrow=False,
                xanchor="left",
                font={"size": 12, "color": COLORS["axis"]},
            )
            continue
        _add_onset(figure, row, place=place, color=color)
    last = onsets[["first_round", "first_high", "decided_after"]].max().max()
    figure.update_layout(
        xaxis=round_axis([1, int(last) if last == last else 5]),  # noqa: PLR0124 - NaN
        yaxis=axis(
            "",
            tickvals=places,
            ticktext=list(onsets["title"]),
            range=[0.4, len(onsets) + 0.6],
        ),
        showlegend=False,
    )
    return figure


def _add_onset(
    figure: go.Figure, row: "pd.Series[Any]", *, place: int, color: str
) -> None:
    first, told = float(row["first_round"]), float(row["decided_after"])
    low, high = float(row["first_low"]), float(row["first_high"])
    has_interval, has_told = low == low, told == told  # noqa: PLR0124 - NaN
    figure.add_scatter(
        x=[first, told] if has_told else [first],
        y=[place] * (2 if has_told else 1),
        mode="lines+markers",
        line={"color": color, "width": 1.5},
        marker={"symbol": ["circle", "line-ns-open"], "size": 11, "color": color},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - first if has_interval else 0],
            "arrayminus": [first - low if has_interval else 0],
            "color": color,
        },
        hovertemplate=f"{row['title']}: round %{{x}}<extra></extra>",
    )
