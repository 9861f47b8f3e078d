"""What is said of two sides in a cell: who is better, by how much, and of what.

A verdict speaks of the drives where run-to-run scatter is known and the difference
stands out from it. Rounds of one run each tell of these runs alone.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ssdlab.analysis.comparison.metrics import METRICS

SIGNIFICANCE = 0.05
NO_DIFFERENCE = "no difference shown"
NOT_COMPARABLE = "not comparable"
OTHER_CONDITIONS = "not the same conditions"
MISSING = "missing"
TOO_SMALL = "less than what matters"

# Where simulations of whole tables bound the errors: decision 76.
ERRS_WHERE = (
    "as long as neighbouring rounds correlate by at most 0.8 and no drive falls into "
    "one of several states"
)

Claim = Literal["drives", "runs", ""]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """How a table of comparisons is judged.

    ``least_percent`` is what a difference must surely exceed to matter, and
    ``accepted`` the conditions that are taken as equal though they differ.
    """

    confidence_percent: float = 95.0
    least_percent: float = 0.0
    accepted: tuple[str, ...] = ()


def judge_row(row: Mapping[Any, Any], rules: Rules) -> dict[str, Any]:
    """Return who is better in a row, by how much, and what that is claimed of.

    Parameters
    ----------
    row : mapping
        A row of `compare_cells` with its p-values after Holm.
    rules : Rules
        What matters.

    Returns
    -------
    dict
        ``better`` (the side that is, or nothing), ``claim`` (of the drives, of these
        runs, or nothing), ``percent`` with ``percent_low`` and ``percent_high``, and
        ``verdict`` in words.
    """
    nan = math.nan
    found = {"better": "", "claim": "", "percent": nan}
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
    claim = _claim(row)
    if not claim:
        is_small = rules.least_percent > 0 and not low <= 1 <= high
        return found | {"verdict": TOO_SMALL if is_small else NO_DIFFERENCE}
    a, b = str(row["a"]), str(row["b"])
    winner, loser = (a, b) if a_leads else (b, a)
    words = claim_words(row["unit"], claim, gains, sides=(winner, loser))
    return found | {"better": winner, "claim": claim, "verdict": words}


def _claim(row: Mapping[Any, Any]) -> Claim:
    if row["p_drives_holm"] < SIGNIFICANCE:
        return "drives"
    return "runs" if row["p_runs_holm"] < SIGNIFICANCE else ""


def claim_words(
    unit: str,
    claim: Claim,
    gains: tuple[float, float, float],
    *,
    sides: tuple[str, str],
) -> str:
    """Say that one side is better, and no more than was shown.

    >>> claim_words("runs", "drives", (25.0, 20.0, 30.0), sides=("A", "B"))
    'A beats B by 25.0 % (20.0 to 30.0 %)'
    >>> claim_words("rounds", "runs", (25.0, 20.0, 30.0), sides=("A", "B"))
    'A ahead of B in these runs by 25.0 % (20.0 to 30.0 %)'
    >>> claim_words("runs", "runs", (25.0, -40.0, 160.0), sides=("A", "B"))
    'A ahead of B in every run, by 25.0 %; not shown of the drives'
    """
    winner, loser = sides
    if claim == "drives":
        return f"{winner} beats {loser} by {percent_text(*gains)}"
    if unit == "rounds":
        return f"{winner} ahead of {loser} in these runs by {percent_text(*gains)}"
    return f"{winner} ahead of {loser} in every run, by {gains[0]:.1f} %; {_OF_DRIVES}"


_OF_DRIVES = "not shown of the drives"


def _gains(
    ratio: float, low: float, high: float, *, a_leads: bool, is_more_better: bool
) -> tuple[float, float, float]:
    """Return by how many percent the leading side leads, with its interval.

    Of a rate it is how much more it has, of a time how much less; its upper end is
    infinite where the ratio has no end.
    """
    if not a_leads:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low if low else math.inf
    if is_more_better:
        return 100 * (ratio - 1), 100 * (low - 1), 100 * (high - 1)
    return 100 * (1 - ratio), 100 * (1 - high), 100 * (1 - low) if low else math.inf


def percent_text(percent: float, low: float, high: float) -> str:
    """Return a gain with its interval, as exact as that is.

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
