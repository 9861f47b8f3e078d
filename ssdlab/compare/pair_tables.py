"""Which pairs of a comparison got a verdict, and why the others got none."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ssdlab.compare.texts import first_of
from ssdlab.compare.verdicts import (
    MISSING,
    NOT_COMPARABLE,
    OTHER_CONDITIONS,
)

_NO_VERDICT = (MISSING, OTHER_CONDITIONS, NOT_COMPARABLE)
_MOST_BARRED = 3
_NAMED = 3  # conditions or reasons of a pair
_NOTHING_SHARED = "they have no cell in common"
_SUMS = {
    OTHER_CONDITIONS: "their conditions differ or are not known for both",
    NOT_COMPARABLE: "no cell is comparable",
    MISSING: _NOTHING_SHARED,
}


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two sides with their rows of the differences."""

    a: str
    b: str
    rows: pd.DataFrame

    @property
    def title(self) -> str:
        """Both sides by name."""
        return f"{self.a} vs. {self.b}"

    @property
    def is_judged(self) -> bool:
        """Whether any cell got a verdict."""
        return not self.rows["verdict"].isin(_NO_VERDICT).all()

    @property
    def has_ratio(self) -> bool:
        """Whether any cell has an interval that can be drawn."""
        return bool((self.rows["high"] > 0).any())

    @property
    def hindrance(self) -> str:
        """Why most of the cells that both measured have no verdict."""
        there = self.rows[self.rows["verdict"] != MISSING]["verdict"]
        return str(there.mode().iloc[0]) if len(there) else MISSING


def find_pairs(differences: pd.DataFrame) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs that got a verdict in any cell, and those without."""
    pairs = [
        Pair(a=str(a), b=str(b), rows=rows)
        for (a, b), rows in differences.groupby(["a", "b"], sort=False)
    ]
    judged = [pair for pair in pairs if pair.is_judged]
    return judged, [pair for pair in pairs if not pair.is_judged]


def pairs_to_show(differences: pd.DataFrame) -> list[Pair]:
    """Return the pairs that got a verdict; if none did, the first of the others.

    Pairs without one are many if a folder holds runs of all kinds: each has a line.
    """
    judged, others = find_pairs(differences)
    return judged or [pair for pair in others if pair.has_ratio][:_MOST_BARRED]


def why_text(pair: Pair) -> str:
    """Return why a pair got no verdict."""
    there = pair.rows[pair.rows["verdict"] != MISSING]
    if there.empty:
        return _NOTHING_SHARED
    own = there[there["verdict"] == pair.hindrance]["reason"]
    if pair.hindrance == NOT_COMPARABLE:
        counts = Counter(part for text in own for part in str(text).split("; "))
        return first_of([name for name, _ in counts.most_common()], shown=_NAMED)
    names = [name for text in own for name in str(text).split("; ")[0].split(", ")]
    return f"conditions differ: {first_of(list(dict.fromkeys(names)), shown=_NAMED)}"


def sum_text(others: Sequence[Pair], count: int) -> str:
    """Return how many of all pairs have no verdict, and why."""
    counts = Counter(pair.hindrance for pair in others).most_common()
    if len(counts) == 1:
        why = _SUMS[counts[0][0]]
    else:
        why = ", ".join(f"{n} because {_SUMS[name]}" for name, n in counts)
    return f"{len(others)} of {count} pairs get no verdict: {why}."
