"""In how many cells each side is better, and in how many nothing can be said."""

from typing import Any

import pandas as pd

from ssdlab.analysis.comparison.verdicts import MISSING, NO_DIFFERENCE, TOO_SMALL

_COUNTS = ["a_beats", "b_beats", "same", "a_ahead", "b_ahead", "same_in_runs"]
_COUNTS += ["no_difference", "no_verdict", "missing"]
TALLY_COLUMNS = ["n_cells", *_COUNTS]


def tally_verdicts(differences: pd.DataFrame) -> dict[str, int]:
    """Count the verdicts of some cells.

    ``n_cells``; ``a_beats``, ``b_beats`` and ``same``, shown of the drives;
    ``a_ahead``, ``b_ahead`` and ``same_in_runs``, shown of these runs alone;
    ``no_difference`` that was shown or that matters; ``no_verdict`` (other
    conditions, or not comparable) and ``missing``.

    >>> rows = {"a": "A", "better": ["A", ""], "claim": ["drives", ""]}
    >>> rows |= {"same": ""}
    >>> rows |= {"verdict": ["A beats B", "missing"]}
    >>> found = tally_verdicts(pd.DataFrame(rows))
    >>> found["n_cells"], found["a_beats"], found["missing"], found["a_ahead"]
    (2, 1, 1, 0)
    """
    kinds = [_kind(row) for row in differences.itertuples(index=False)]
    return {"n_cells": len(kinds)} | {name: kinds.count(name) for name in _COUNTS}


def _kind(row: Any) -> str:
    if row.same:
        return "same" if row.same == "drives" else "same_in_runs"
    if row.better:
        side = "a" if row.better == row.a else "b"
        return f"{side}_{'beats' if row.claim == 'drives' else 'ahead'}"
    if row.verdict in {NO_DIFFERENCE, TOO_SMALL}:
        return "no_difference"
    return "missing" if row.verdict == MISSING else "no_verdict"
