"""A score by the reader's weights, and its parts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.compare.cell_choice import (
    CellChoice,
    find_choice,
    no_metric_text,
)
from ssdlab.compare.side_cells import SideCell
from ssdlab.model.errors import SeriesError
from ssdlab.pts.compared import METRICS

_EXAMPLE = "Write it as 'iops 4 KiB 0/100: 2, lat mean: 1'"


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreTerm:
    """One part of a score: its cells and their weight."""

    cells: CellChoice
    weight: float


def parse_score(text: str) -> tuple[ScoreTerm, ...]:
    """Return the terms of a score."""
    return tuple(_parse_term(part, text) for part in text.split(",") if part.strip())


def _parse_term(part: str, text: str) -> ScoreTerm:
    words, _, weight_text = (piece.strip() for piece in part.rpartition(":"))
    cells = find_choice(words)
    try:
        weight = float(weight_text)
    except ValueError:
        weight = math.nan
    reason = ""
    if cells is None:
        reason = no_metric_text(part.strip())
    elif not (weight > 0 and math.isfinite(weight)):
        reason = f"the weight in {part.strip()!r} is not a number above zero"
    if cells is None or reason:
        raise SeriesError(
            source=f"score {text!r}", reason=reason, remedy=f"{_EXAMPLE}."
        )
    return ScoreTerm(cells=cells, weight=weight)


def score_sides(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    sides: pd.DataFrame,
    *,
    terms: Sequence[ScoreTerm],
) -> pd.DataFrame:
    """Return the parts of a score, and the score of each side.

    Notes
    -----
    The score is the weighted geometric mean of its terms, so the ranking does not
    depend on the reference of the ratios. Its interval is the widest that the intervals
    of its cells allow: as if all of them erred the same way.
    """
    names = list(dict.fromkeys(sides["side"]))
    rows = [row for term in terms for row in _term_rows(found, names, term)]
    table = pd.DataFrame(rows, columns=["side", "term", "weight", *_PARTS])
    total = math.fsum(term.weight for term in terms)
    totals = []
    for name in names:
        own = table[table["side"] == name]
        weights = own["weight"] / total
        totals.append({
            "side": name,
            "term": "",
            "weight": total,
            "n_cells": own["n_cells"].sum(),
            **{part: _weighted(own[part], weights) for part in _PARTS[1:]},
        })
    return pd.DataFrame([*rows, *totals], columns=table.columns)


_PARTS = ["n_cells", "ratio", "low", "high"]


def _weighted(values: "pd.Series[float]", weights: "pd.Series[float]") -> float:
    if values.isna().any() or values.empty:
        return math.nan
    return math.exp(float((values.map(math.log) * weights).sum()))


def _term_rows(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    names: Sequence[str],
    term: ScoreTerm,
) -> list[dict[str, Any]]:
    own = [
        cells
        for place, cells in found.items()
        if term.cells.holds(place) and all(name in cells for name in names)
    ]
    sign = 1.0 if METRICS[term.cells.metric].is_more_better else -1.0
    rows = []
    for name in names:
        parts = [_lead(cells, names, name) for cells in own]
        row = {"side": name, "term": term.cells.text, "weight": term.weight}
        row |= {"n_cells": len(own), "ratio": math.nan}
        row |= {"low": math.nan, "high": math.nan}
        if parts:
            lead = sign * math.fsum(part[0] for part in parts) / len(parts)
            reach = math.fsum(part[1] for part in parts) / len(parts)
            row |= {
                "ratio": math.exp(lead),
                "low": math.exp(lead - reach),
                "high": math.exp(lead + reach),
            }
        rows.append(row)
    return rows


def _lead(
    cells: Mapping[str, SideCell], names: Sequence[str], name: str
) -> tuple[float, float]:
    """Return the log ratio of a side to the mean of all, and its possible error."""
    logs = {side: math.log(cells[side].value) for side in names}
    reaches = {side: float(np.max(cells[side].reaches())) for side in names}
    share = 1 / len(names)
    lead = logs[name] - share * math.fsum(logs.values())
    others = math.fsum(reaches[side] for side in names if side != name)
    return lead, (1 - share) * reaches[name] + share * others
