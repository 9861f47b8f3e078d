"""From which round each rule calls a cell steady."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import COLORS, axis, lay_out, new_figure, round_axis

if TYPE_CHECKING:
    import pandas as pd


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

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> onsets = ssdlab.analysis.summarise_onsets(series)
    >>> plot_onsets(onsets).layout.title.text
    'Steady from'
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
    lay_out(
        figure,
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
