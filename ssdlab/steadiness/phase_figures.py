"""When a cell became steady: its phases, the verdict of each rule, the forecasts."""

import math
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.plots.axes import named_axis
from ssdlab.plots.labels import (
    COLORS,
    PHASE_COLORS,
    axis,
    chosen_round_axis,
    lay_out,
    new_figure,
    round_axis,
)
from ssdlab.plots.lines import (
    WINDOW_PAD,
    Across,
    Line,
    add_band,
    add_lines,
    add_points,
    error_bars,
    finely,
    say,
)
from ssdlab.text.numbers import number_text
from ssdlab.text.quantities import Quantity, scaled, suited_quantity

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.steadiness.series import RoundSeries


def plot_phases(series: "RoundSeries", phases: "pd.DataFrame") -> go.Figure:
    """Draw the rounds in the colours of their phases, and the level of each segment.

    Parameters
    ----------
    series : RoundSeries
        The rounds.
    phases : pandas.DataFrame
        The frame ``phases`` of `ssdlab.steady_state`.

    Returns
    -------
    plotly.graph_objects.Figure
        Points and levels, one colour per phase; the interval of a steady level as a
        band.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.steady_state("data/samples/virtual-b", test="iops")
    >>> plot_phases(found.series, found.phases).layout.title.text
    'RND 64 KiB 65/35: phases found by change points'
    """
    figure = new_figure(
        f"{series.tracking}: phases found by change points",
        subtitle="line: level; shade: 95 %, if noise is first-order; advice only",
    )
    across = Across.rounds({"round": series.rounds})
    quantity = suited_quantity(series.metric, series.measured)
    shown: set[str] = set()
    for _, part in phases.iterrows():
        phase = str(part["phase"])
        first, last = int(part["first_round"]), int(part["last_round"])
        rounds = [number for number in series.rounds if first <= number <= last]
        known = dict(zip(series.rounds, series.measured, strict=True))
        values = [known[number] for number in rounds]
        points = Line(
            rows=[{"round": rounds, "value": values}], column="value",
            of=finely(quantity), name=phase, color=PHASE_COLORS[phase],
            width=0, size=7, hover=f"{phase}, round %{{x}}: ",
            more={"legendgroup": phase, "showlegend": phase not in shown},
        )  # fmt: skip
        add_lines(figure, across, [points])
        shown.add(phase)
        _add_level(figure, across, part, quantity=quantity)
    ends = _value_range(series, phases, quantity)
    level = axis(quantity.title, tickformat=",~r", range=ends)
    lay_out(figure, xaxis=across.axis, yaxis=level)
    return figure


def _value_range(
    series: "RoundSeries", phases: "pd.DataFrame", quantity: Quantity
) -> list[float] | None:
    """Show at least 10 % about the last level: noise must not look like steps."""
    if phases.empty:
        return None
    last = float(phases["level"].iloc[-1])
    values = [*series.measured, 0.9 * last, 1.1 * last]
    low, high = (end or 0.0 for end in scaled([min(values), max(values)], quantity))
    pad = 0.04 * (high - low)
    return [low - pad, high + pad]


def _add_level(
    figure: go.Figure, across: Across, part: "pd.Series[Any]", *, quantity: Quantity
) -> None:
    phase, color = str(part["phase"]), PHASE_COLORS[part["phase"]]
    ends = [int(part["first_round"]) - WINDOW_PAD, int(part["last_round"]) + WINDOW_PAD]
    low, high = scaled(part[["level_low", "level_high"]], quantity)
    has_ends = low is not None and high is not None and math.isfinite(high - low)
    if has_ends and phase == "steady":
        look = {"fillcolor": color, "opacity": 0.18, "legendgroup": phase}
        add_band(figure, ends, ([low, low], [high, high]), **look)
    level = Line(
        rows=[{"round": ends, "level": [part["level"]] * 2}], column="level",
        of=finely(quantity), color=color, width=3,
        hover=f"{phase}, {part['rounds']} rounds, level ",
        after=f"<br>95 %: {number_text(low or 0)} to {number_text(high or 0)}",
        more={"showlegend": False, "legendgroup": phase},
    )  # fmt: skip
    add_lines(figure, across, [level])


def plot_onsets(onsets: "pd.DataFrame", *, title: str = "Steady from") -> go.Figure:
    """Draw from which round the drive is steady by each rule.

    Parameters
    ----------
    onsets : pandas.DataFrame
        The frame ``onsets`` of `ssdlab.steady_state`.
    title : str, default "Steady from"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per rule, that of the PTS on top in its own colour; a tick where it was
        first known. A rule without a steady state says so.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.steady_state("data/samples/virtual-b", test="iops")
    >>> plot_onsets(found.onsets).layout.title.text
    'Steady from'
    """
    figure = new_figure(
        title,
        subtitle="dot: first steady round; tick: round after which it was known",
        height=320,
    )
    places = range(len(onsets) - 1, -1, -1)
    for place, (_, row) in zip(places, onsets.iterrows(), strict=True):
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
        color = COLORS["fit" if row["is_normative"] else "measured"]
        ends = [row[name] for name in ("first_round", "decided_after")]
        known = [float(end) for end in ends if end == end]  # noqa: PLR0124 - NaN
        low, high = (
            None if row[name] != row[name] else float(row[name])
            for name in ("first_low", "first_high")
        )
        figure.add_scatter(
            x=known,
            y=[place] * len(known),
            mode="lines+markers",
            line={"color": color, "width": 1.5},
            marker={"symbol": ["circle", "line-ns-open"], "size": 11, "color": color},
            error_x=error_bars(known[:1], [low], [high], color=color),
            hovertemplate=f"{row['title']}: round %{{x}}<extra></extra>",
        )
    last = onsets[["first_round", "first_high", "decided_after"]].max().max()
    rounds = round_axis([1, int(last) if last == last else 5])  # noqa: PLR0124 - NaN
    rules = named_axis("", list(onsets["title"]), tickvals=list(places))
    lay_out(figure, xaxis=rounds, yaxis=rules, showlegend=False)
    return figure


def plot_forecast(
    forecast: "pd.DataFrame",
    *,
    sample_every: int = 1,
    title: str = "Forecast of rounds until steady",
) -> go.Figure:
    """Draw after which round the series was forecast to be steady, and when it was.

    Parameters
    ----------
    forecast : pandas.DataFrame
        The frame ``forecast`` of `ssdlab.steady_state`.
    sample_every : int, default 1
        The distance in rounds of those that count.
    title : str, default "Forecast of rounds until steady"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The forecast round over the rounds known, with its 95 % interval; a line where
        the series did become steady. A triangle has no upper end, and an open one, at
        the top, no end at all.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.steady_state("data/samples/virtual-b", test="iops")
    >>> plot_forecast(found.forecast).layout.title.text
    'Forecast of rounds until steady'
    """
    words = (
        "by number of known rounds; 95 % intervals; triangle: no upper end within "
        "the horizon, open: no end"
    )
    figure = new_figure(title, subtitle=words, height=380)
    rows = [row for _, row in forecast.iterrows()]
    known = [int(row["after_round"]) for row in rows]
    ends = [_end(row, "more_rounds") for row in rows]
    highs = [_end(row, "more_high") for row in rows]
    lows = [_end(row, "more_low") for row in rows]
    shown = [end for end in (*ends, *highs, *known) if end is not None]
    top = 1.1 * max(shown, default=10)
    middle = [top if end is None else end for end in ends]
    bars = error_bars(
        middle, [low or top for low in lows],
        [top if high is None else high for high in highs], color=COLORS["axis"],
    )  # fmt: skip
    symbols = [
        "circle" if high is not None
        else "triangle-up-open" if end is None else "triangle-up"
        for end, high in zip(ends, highs, strict=True)
    ]  # fmt: skip
    add_points(
        figure, known, middle, name="forecast", error_y=bars,
        text=[_forecast_text(row, 5 * sample_every) for row in rows],
        marker={"color": COLORS["measured"], "size": 9, "symbol": symbols},
    )  # fmt: skip
    came = [row["came_after"] for row in rows if row["came_after"] == row["came_after"]]
    if came and came[0] is not None:
        figure.add_hline(
            y=float(came[0]),
            line={"color": COLORS["fit"], "width": 1.5},
            annotation_text=f"steady after round {float(came[0]):.0f}",
            annotation_position="bottom right",
            annotation_yshift=-8,
            annotation_font={"size": 12, "color": COLORS["fit"]},
        )
    if not rows:
        say(figure, "steady before a forecast could be made, or fewer than four rounds")
    rounds = chosen_round_axis(known)
    rounds["title"]["text"] = "Rounds known"
    until = axis("Steady after round", rangemode="tozero")
    lay_out(figure, xaxis=rounds, yaxis=until, showlegend=False)
    return figure


def _end(row: "pd.Series[Any]", name: str) -> float | None:
    """Return the round that is so many after the known ones; None if infinite."""
    more = float(row[name])
    return None if more == float("inf") else float(row["after_round"]) + more


def _forecast_text(row: "pd.Series[Any]", soon: int) -> str:
    more, low, high = (
        "beyond the horizon"
        if float(row[name]) == float("inf")
        else number_text(float(row[name]))
        for name in ("more_rounds", "more_low", "more_high")
    )
    return (
        f"after round {row['after_round']}: {more} more rounds "
        f"(95 %: {low} to {high}); "
        f"{100 * float(row['chance_within_5']):.0f} % within {soon} rounds"
    )
