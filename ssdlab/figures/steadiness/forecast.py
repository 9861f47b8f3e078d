"""What was foretold of the rounds still needed, round by round."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    axis,
    chosen_round_axis,
    lay_out,
    new_figure,
    number_text,
)
from ssdlab.figures.lines import say

if TYPE_CHECKING:
    import pandas as pd


def plot_forecast(
    forecast: "pd.DataFrame",
    *,
    sample_every: int = 1,
    title: str = "Rounds until steady, as foretold",
) -> go.Figure:
    """Draw after which round the series was foretold to be steady, and what came.

    Parameters
    ----------
    forecast : pandas.DataFrame
        What `ssdlab.analysis.forecast_steady_state` returns.
    sample_every : int, default 1
        How many rounds apart the rounds are that count.
    title : str, default "Rounds until steady, as foretold"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The foretold round over the rounds that were known, with its 95 % interval; a
        line where the series was steady in the end. A triangle has no upper end, and an
        open one, at the top, no end at all.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> forecast = ssdlab.analysis.forecast_steady_state(series)
    >>> plot_forecast(forecast).layout.title.text
    'Rounds until steady, as foretold'
    """
    words = (
        "after as many rounds; 95 % intervals; triangle: no upper end in sight, open: "
        "no end at all"
    )
    figure = new_figure(title, subtitle=words, height=380)
    rows = [row for _, row in forecast.iterrows()]
    known = [int(row["after_round"]) for row in rows]
    ends = [_end(row, "more_rounds") for row in rows]
    highs = [_end(row, "more_high") for row in rows]
    shown = [end for end in (*ends, *highs, *known) if end is not None]
    top = 1.1 * max(shown, default=10)
    figure.add_scatter(
        x=known,
        y=[top if end is None else end for end in ends],
        mode="markers",
        marker={
            "color": COLORS["measured"],
            "size": 9,
            "symbol": list(map(_symbol, ends, highs)),
        },
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [
                (top if high is None else high) - (top if end is None else end)
                for end, high in zip(ends, highs, strict=True)
            ],
            "arrayminus": [
                (top if end is None else end) - (_end(row, "more_low") or top)
                for end, row in zip(ends, rows, strict=True)
            ],
            "color": COLORS["axis"],
        },
        name="foretold",
        customdata=[_hover(row, 5 * sample_every) for row in rows],
        hovertemplate="after round %{x}: %{customdata}<extra></extra>",
    )
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
    lay_out(
        figure,
        xaxis=chosen_round_axis(known),
        yaxis=axis("Steady after round", rangemode="tozero"),
        showlegend=False,
    )
    figure.update_xaxes(title_text="Rounds known")
    return figure


def _symbol(end: float | None, high: float | None) -> str:
    if high is not None:
        return "circle"
    return "triangle-up-open" if end is None else "triangle-up"


def _end(row: "pd.Series[Any]", name: str) -> float | None:
    """Return the round that is so many after the known ones; None if there is none."""
    more = float(row[name])
    return None if more == float("inf") else float(row["after_round"]) + more


def _hover(row: "pd.Series[Any]", soon: int) -> str:
    more, low, high = (
        "more than foreseen"
        if float(row[name]) == float("inf")
        else number_text(float(row[name]))
        for name in ("more_rounds", "more_low", "more_high")
    )
    return (
        f"{more} more rounds (95 %: {low} to {high}); "
        f"{100 * float(row['chance_within_5']):.0f} % within {soon} rounds"
    )
