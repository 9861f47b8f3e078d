"""Every window of a cell: its ratios, its mean and its drift."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    axis,
    chosen_round_axis,
    lay_out,
    new_figure,
    number_text,
    scaled,
)
from ssdlab.figures.lines import error_bars
from ssdlab.figures.steadiness.panels import two_panels

if TYPE_CHECKING:
    import pandas as pd


_PERCENT = "%{y:.3~g} %"


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

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> windows = ssdlab.analysis.summarise_windows(series)
    >>> plot_window_ratios(windows).layout.title.text
    'Every window'
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
                name=f"{words} limit {100 * ratio:.0f} %",
                showlegend=True,
            )
    lay_out(
        figure,
        xaxis=_last_round_axis(windows),
        yaxis=axis("Share of the average [%]", rangemode="tozero"),
    )
    figure.update_xaxes(title_text="Last round of the window")
    return figure


def _last_round_axis(windows: "pd.DataFrame") -> dict[str, Any]:
    last = [int(number) for number in windows["window_last_round"]]
    return chosen_round_axis(last)


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

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> windows = ssdlab.analysis.summarise_windows(series)
    >>> plot_window_means(windows, metric="iops").layout.title.text
    'If another window counted'
    """
    words = "95 % intervals if rounds are alike by first order; filled: steady"
    figure = two_panels(title, words, upper_share=0.6)
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
    figure.update_xaxes(_last_round_axis(windows))
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_xaxes(title_text="Last round of the window", row=2, col=1)
    title_above = axis(QUANTITIES[metric].title, tickformat=",~r")
    figure.update_yaxes(title_above, row=1, col=1)
    figure.update_yaxes(axis("Drift over a window [%]"), row=2, col=1)
    lay_out(figure, margin={"b": 60}, showlegend=False)
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
        error_y=error_bars(middle, low, high, thickness=1.5, color=COLORS["axis"]),
        customdata=hover,
        hovertemplate="%{customdata[0]}: %{customdata[2]}, 95 %: %{customdata[3]} to "
        "%{customdata[4]}<br>%{customdata[1]}<extra></extra>",
        row=row,
        col=1,
    )
