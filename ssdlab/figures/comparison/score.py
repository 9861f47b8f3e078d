"""A score, and the parts that it is made of."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.labels import COLORS, axis, lay_out, new_figure
from ssdlab.figures.lines import error_bars

if TYPE_CHECKING:
    import pandas as pd


def plot_score(scores: "pd.DataFrame", *, looks: Mapping[str, RunLook]) -> go.Figure:
    """Draw a score and the parts that it is made of.

    One row a part, and the score on top of them; 1 is the mean of all drives.
    """
    terms = list(dict.fromkeys(str(term) for term in scores["term"]))[::-1]
    figure = new_figure(
        "Score, and what it is made of",
        subtitle="times as good as the geometric mean of all; with the widest interval",
        height=170 + 44 * len(terms),
    )
    names = [name for name in looks if (scores["side"] == name).any()]
    drawn: list[float | None] = [0.99, 1.01]
    for place, name in enumerate(names):
        own = scores[(scores["side"] == name) & scores["ratio"].notna()]
        ratios = [float(value) for value in own["ratio"]]
        drawn += [*ratios, *own["low"].dropna(), *own["high"].dropna()]
        shift = (len(names) - 1) / 2 - place
        figure.add_scatter(
            x=ratios,
            y=[terms.index(str(t)) + shift * 0.7 / len(names) for t in own["term"]],
            error_x=error_bars(ratios, own["low"], own["high"], thickness=1.5, width=3),
            text=[
                f"{looks[name].full}<br>{row.term or 'score'}: {row.ratio:.3f}"
                f"<br>weight {row.weight:g}, {row.n_cells} cells"
                for row in rows_of(own)
            ],
            name=looks[name].text,
            mode="markers",
            marker={
                "symbol": looks[name].symbol,
                "size": 10,
                "color": looks[name].color,
            },
            hovertemplate="%{text}<extra></extra>",
        )
    weights = dict(zip(scores["term"], scores["weight"], strict=True))
    figure.add_vline(x=1, line={"color": COLORS["axis"], "width": 1, "dash": "dot"})
    lay_out(
        figure,
        xaxis=level_axis("Times as good as the mean of all", drawn),
        yaxis=axis(
            "",
            tickvals=list(range(len(terms))),
            ticktext=[
                f"{term} (weight {weights[term]:g})" if term else "<b>Score</b>"
                for term in terms
            ],
            range=[-0.6, len(terms) - 0.4],
        ),
        showlegend=True,
    )
    return figure
