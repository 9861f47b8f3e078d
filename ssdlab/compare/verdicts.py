"""The verdict on two sides in a cell: which is better, by how much, and its scope.

A verdict is about the drives if run-to-run scatter is known and the difference exceeds
it. Rounds of one run each only show something about these runs.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from ssdlab.compare.cell_choice import CellChoice
from ssdlab.pts.compared import METRICS
from ssdlab.stats.differences import Limits
from ssdlab.stats.states import SIGNIFICANCE

SAME_PERCENT = 3.0
NO_DIFFERENCE = "no difference shown"
NOT_COMPARABLE = "not comparable"
OTHER_CONDITIONS = "not the same conditions"
MISSING = "missing"
TOO_SMALL = "less than what matters"

# The error rate of each kind of claim over the whole table, and what it takes, by
# simulation: decisions 76, 77.
CONTROLS = {
    "fwer": "5 % family-wise error rate (Holm)",
    "fdr": "5 % false discovery rate (Benjamini-Hochberg)",
}
ASSUMED = (
    "The error rate holds for each kind of claim over the whole table, as long as "
    "neighbouring rounds correlate by at most 0.8, and a run that finds its drive in "
    "another state does so in all tests."
)

# What is found in 80 % of simulated tables of drives that scatter by 1 % from run to
# run, in one cell of so many, by runs per side [%].
FOUND_CELLS = 68
FOUND_PERCENT = {3: 8.0, 4: 5.6, 5: 4.8}

Claim = Literal["drives", "runs", ""]
_COUNTS = ["a_beats", "b_beats", "same", "a_ahead", "b_ahead", "same_in_runs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """How a table of comparisons is judged.

    ``least_percent`` is what a difference must be shown to exceed to matter, and
    what is shown to be within ``same_percent`` is the same. ``control`` is the error
    rate that is controlled over the whole table: that of any false verdict (Holm), or
    the share of false ones (Benjamini-Hochberg). ``primary`` are the cells declared
    beforehand as primary: together they may use half of the error. ``accepted`` are the
    conditions that are accepted as equal though they differ.
    """

    confidence_percent: float = 95.0
    least_percent: float = 0.0
    same_percent: float = SAME_PERCENT
    control: str = "fwer"
    primary: tuple[CellChoice, ...] = ()
    accepted: tuple[str, ...] = ()

    @property
    def limits(self) -> Limits:
        """The limits for a single difference."""
        return Limits(
            confidence_percent=self.confidence_percent,
            least_ratio=1 + self.least_percent / 100,
            same_ratio=1 + self.same_percent / 100,
        )

    def is_primary(self, place: tuple[str, str, str]) -> bool:
        """Whether a cell, by test, metric and words, was declared primary."""
        return any(one.holds(place) for one in self.primary)


def judge_row(row: Mapping[Any, Any], rules: Rules) -> dict[str, Any]:
    """Return which is better in a row, by how much, and the scope of that claim.

    ``better`` (the better side, or empty), ``claim`` (for the drives, for these runs,
    or empty), ``same`` (likewise), ``percent`` with ``percent_low`` and
    ``percent_high``, and ``verdict`` in words. At most one of ``claim`` and ``same`` is
    set: what is shown for the drives rather than for these runs, and within either a
    difference.
    """
    nan = math.nan
    found = {"better": "", "claim": "", "same": "", "percent": nan}
    found |= {"percent_low": nan, "percent_high": nan}
    ratio, low, high = row["ratio"], row["low"], row["high"]
    if not ratio > 0:
        return found | {"verdict": row["verdict"]}
    is_more_better = METRICS[row["metric"]].is_more_better
    a_leads = (ratio >= 1) == is_more_better
    gains = _gains(ratio, low, high, a_leads=a_leads, is_more_better=is_more_better)
    found |= dict(zip(("percent", "percent_low", "percent_high"), gains, strict=True))
    if row["verdict"]:
        return found | {"verdict": row["verdict"]}
    claim, same = _claims(row)
    found |= {"claim": claim, "same": same}
    if same:
        return found | {"verdict": same_words(same, rules.same_percent)}
    if not claim:
        is_small = rules.least_percent > 0 and not low <= 1 <= high
        return found | {"verdict": TOO_SMALL if is_small else NO_DIFFERENCE}
    a, b = str(row["a"]), str(row["b"])
    winner, loser = (a, b) if a_leads else (b, a)
    words = claim_words(row["unit"], claim, gains, sides=(winner, loser))
    return found | {"better": winner, "verdict": words}


def _claims(row: Mapping[Any, Any]) -> tuple[Claim, Claim]:
    """Return the scope in which a difference is shown, and that in which equality is.

    A winner among drives needs an interval that excludes 1, too: it has the degrees of
    freedom of its own runs, whereas the test has those of all cells.
    """
    if row["p_drives_adjusted"] < SIGNIFICANCE and not row["low"] <= 1 <= row["high"]:
        return "drives", ""
    if row["p_same_drives_adjusted"] < SIGNIFICANCE:
        return "", "drives"
    if row["p_runs_adjusted"] < SIGNIFICANCE:
        return "runs", ""
    return "", "runs" if row["p_same_runs_adjusted"] < SIGNIFICANCE else ""


def same_words(claim: Claim, percent: float) -> str:
    """Return that two sides are the same, and the scope of that claim.

    >>> same_words("drives", 3.0), same_words("runs", 2.5)
    ('the same within 3 %', 'the same within 2.5 % in these runs')
    """
    return f"the same within {percent:g} %{'' if claim == 'drives' else _IN_THESE_RUNS}"


_IN_THESE_RUNS = " in these runs"


def claim_words(
    unit: str,
    claim: Claim,
    gains: tuple[float, float, float],
    *,
    sides: tuple[str, str],
) -> str:
    """Return that one side is better, and no more than was shown.

    >>> claim_words("runs", "drives", (25.0, 20.0, 30.0), sides=("A", "B"))
    'A beats B by 25.0 % (20.0 to 30.0 %)'
    >>> claim_words("rounds", "runs", (25.0, 20.0, 30.0), sides=("A", "B"))
    'A ahead of B in these runs by 25.0 % (20.0 to 30.0 %)'
    >>> claim_words("runs", "runs", (25.0, -40.0, 160.0), sides=("A", "B"))
    'A ahead of B in every run, by 25.0 %; not shown for the drives'
    """
    winner, loser = sides
    if claim == "drives":
        return f"{winner} beats {loser} by {percent_text(*gains)}"
    if unit == "rounds":
        return f"{winner} ahead of {loser} in these runs by {percent_text(*gains)}"
    return f"{winner} ahead of {loser} in every run, by {gains[0]:.1f} %; {_OF_DRIVES}"


_OF_DRIVES = "not shown for the drives"


def _gains(
    ratio: float, low: float, high: float, *, a_leads: bool, is_more_better: bool
) -> tuple[float, float, float]:
    """Return by how many percent the better side leads, with its interval.

    For a rate it is how much more it has, for a time how much less; its upper end is
    infinite if the ratio has no end.
    """
    if not a_leads:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low if low else math.inf
    if is_more_better:
        return 100 * (ratio - 1), 100 * (low - 1), 100 * (high - 1)
    return 100 * (1 - ratio), 100 * (1 - high), 100 * (1 - low) if low else math.inf


def percent_text(percent: float, low: float, high: float) -> str:
    """Return a gain with its interval, in the precision of that.

    >>> percent_text(25.04, 20.3, 30.1), percent_text(1.2341, 1.2, 1.27)
    ('25.0 % (20.3 to 30.1 %)', '1.234 % (1.200 to 1.270 %)')
    >>> percent_text(56.54, 44.35, math.inf)
    '56.5 % (at least 44.4 %)'
    """
    if math.isinf(high):
        return f"{percent:.1f} % (at least {low:.1f} %)"
    width = (high - low) / 2
    exact = 1 - math.floor(math.log10(width)) if width > 0 else 1
    digits = min(max(exact, 1), 3)
    return f"{percent:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f} %)"


_COUNTS += ["no_difference", "no_verdict", "missing"]
TALLY_COLUMNS = ["n_cells", *_COUNTS]


def tally_verdicts(differences: pd.DataFrame) -> dict[str, int]:
    """Count the verdicts of some cells.

    ``n_cells``; ``a_beats``, ``b_beats`` and ``same``, shown for the drives;
    ``a_ahead``, ``b_ahead`` and ``same_in_runs``, shown only for these runs;
    ``no_difference`` shown, or none that matters; ``no_verdict`` (other conditions, or
    not comparable) and ``missing``.

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
