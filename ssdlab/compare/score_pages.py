"""The page of a score: by the reader's weights, and never without its parts."""

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.row_figures import plot_score
from ssdlab.compare.verdicts import OTHER_CONDITIONS
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.text.numbers import NOT_MEASURED
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import Table


def score_page(comparison: Comparison) -> Page:
    """Return the score with its parts; nothing if none was requested."""
    if not comparison.terms:
        return Page(title="Score", blocks=())
    names = [str(name) for name in dict.fromkeys(comparison.scored_sides["side"])]
    left_out = [name for name in comparison.side_names if name not in names]
    blocks: list[Block] = []
    if left_out:
        words = f"Excluded, because they are not drives: {', '.join(left_out)}."
        blocks.append(Note(text=words, tone="warning"))
    if len(names) < 2:
        words = "Fewer than two drives remain for a score."
        blocks.append(Note(text=words, tone="warning"))
        return Page(title="Score", blocks=tuple(blocks))
    differences = comparison.differences
    if (differences["verdict"] == OTHER_CONDITIONS).any():
        words = "Conditions differ: the score compares the numbers, not the drives."
        blocks.append(Note(text=words, tone="warning"))
    scores = comparison.scores
    if scores["ratio"].notna().any():
        figure = plot_score(scores, looks=comparison.side_looks)
        blocks.append(Plot(figure=figure))
    blocks.append(score_table(scores, names))
    return Page(title="Score", blocks=tuple(blocks))


def score_table(scores: pd.DataFrame, names: Iterable[str]) -> Table:
    """Return a score with its parts, the best first."""
    totals = scores[scores["term"] == ""].set_index("side")["ratio"]
    ordered = sorted(names, key=lambda name: -_or_least(totals.get(name)))
    terms = [str(term) for term in dict.fromkeys(scores["term"]) if term]
    by_place = {(str(r.side), str(r.term)): r for r in rows_of(scores)}
    lines = tuple(
        (name, *(_part(by_place[name, term]) for term in ["", *terms]))
        for name in ordered
    )
    weights = dict(zip(scores["term"], scores["weight"], strict=True))
    return Table(
        caption="Score and its parts",
        head=(
            "Drive",
            "Score",
            *(f"{term} (weight {weights[term]:g})" for term in terms),
        ),
        rows=lines,
        words=(0,),
        note="Each part: how many times as good as the geometric mean of the drives, "
        "over the cells that all of them measured. The score is their weighted "
        "geometric mean. In brackets the widest interval that those of the cells "
        "allow.",
    )


def _or_least(value: Any) -> float:
    return -math.inf if value is None or is_missing(value) else float(value)


def _part(row: Any) -> str:
    if is_missing(row.ratio):
        return NOT_MEASURED
    if is_missing(row.low):
        return f"{row.ratio:.3f} (no interval)"
    return f"{row.ratio:.3f} ({row.low:.3f} to {row.high:.3f})"
