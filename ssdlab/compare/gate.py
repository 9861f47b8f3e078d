"""Whether a drive is worse than the first one by more than so many percent."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from ssdlab.compare.answer import lead_of, times_text
from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.pairs import compare_cells, difference_of
from ssdlab.compare.side_cells import SideCell
from ssdlab.compare.texts import cell_name, first_of
from ssdlab.compare.verdicts import Rules
from ssdlab.model.spec import label_of_test
from ssdlab.pts.compared import METRICS
from ssdlab.stats.states import SIGNIFICANCE

Outcome = Literal["worse", "not worse", "unknown"]
_NAMED = 3  # cells or reasons
_FEW_RUNS = "too few runs for a claim about drives"
_WIDE = "the interval is too wide"


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What is shown of each drive against the first one, the baseline.

    ``worse`` are the cells in which a drive is shown to be worse by more than
    ``percent``, and ``unknown`` those in which it is not shown that it is not, with the
    reason; ``n_cells`` are all that the baseline measured, of each pair.
    """

    baseline: str
    percent: float
    n_cells: int
    worse: pd.DataFrame
    unknown: pd.DataFrame

    @property
    def outcome(self) -> Outcome:
        """Worse if any cell shows it; not worse only if every cell shows that."""
        if len(self.worse):
            return "worse"
        return "unknown" if len(self.unknown) or not self.n_cells else "not worse"


def judge_gate(comparison: Comparison, percent: float) -> Gate:
    """Judge whether a drive is worse than the first one by more than so many percent.

    Notes
    -----
    Worse means that the first drive is more than ``1 + percent / 100`` times as fast.
    That a drive is worse somewhere is a claim about drives like those of the table,
    adjusted by Holm's procedure over all of its cells and pairs: it is wrong in at most
    one of 20 comparisons. That no drive is worse anywhere is claimed only if a
    one-sided test shows it at 5 % in every cell, an intersection-union test: it is
    wrong in at most one of 20 as well [1]_.

    References
    ----------
    .. [1] R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling",
       Technometrics 24, 1982.
    """
    return find_gate(
        comparison.found,
        comparison.sides,
        conditions=comparison.conditions,
        rules=comparison.rules,
        percent=percent,
    )


def find_gate(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    sides: pd.DataFrame,
    *,
    conditions: pd.DataFrame,
    rules: Rules,
    percent: float,
) -> Gate:
    """Judge the cells of some sides; the first side is the baseline."""
    own_rules = replace(
        rules, least_percent=percent, same_percent=percent, control="fwer"
    )
    table = compare_cells(found, sides, conditions=conditions, rules=own_rules)
    baseline = str(sides["side"].iloc[0])
    own = table[(table["a"] == baseline) & table["value_a"].notna()]
    is_worse = (own["better"] == baseline) & (own["claim"] == "drives")
    reasons = [
        _why_unknown(row, found[row.test, row.metric, row.cell], own_rules)
        for row in rows_of(own)
    ]
    others = own.assign(reason=reasons)[~is_worse]
    return Gate(
        baseline=baseline,
        percent=percent,
        n_cells=len(own),
        worse=own[is_worse],
        unknown=others[others["reason"] != ""],
    )


def _why_unknown(row: Any, cells: Mapping[str, SideCell], rules: Rules) -> str:
    """Return why it is not shown that a drive is not worse; nothing if it is."""
    if row.reason:
        return str(row.reason)
    if math.isnan(row.p_drives):
        return _FEW_RUNS
    difference = difference_of(cells[row.a], cells[row.b], rules)[1]
    is_more_better = METRICS[row.metric].is_more_better
    p_value = difference.p_below if is_more_better else difference.p_above
    return "" if p_value < SIGNIFICANCE else _WIDE


def gate_lines(gate: Gate, names: dict[str, str]) -> Iterator[str]:
    """Yield the outcome in a sentence, and below it the cells or reasons."""
    limit, first = f"{gate.percent:g} %", names[gate.baseline]
    match gate.outcome:
        case "not worse":
            yield (
                f"PASS: no drive is worse than {first} by more than {limit} in any of "
                f"{gate.n_cells} cells."
            )
        case "worse":
            for side, rows in gate.worse.groupby("b", sort=False):
                shown = [f"{_name(row)} ({_times(row)})" for row in rows_of(rows)]
                yield (
                    f"FAIL: {names[str(side)]} is worse than {first} by more than "
                    f"{limit} in {len(rows)} cells: {first_of(shown, shown=_NAMED)}."
                )
        case "unknown":
            yield (
                f"UNKNOWN: no drive is shown to be worse than {first} by more than "
                f"{limit}, but in {len(gate.unknown)} of {gate.n_cells} cells the "
                "opposite is not shown either."
            )
            counts = Counter(str(why) for why in gate.unknown["reason"])
            whys = [f"{why} ({count})" for why, count in counts.most_common()]
            if whys:
                yield f"Why: {first_of(whys, shown=_NAMED)}."


def _name(row: Any) -> str:
    return f"{label_of_test(row.test)} {cell_name(row)}"


def _times(row: Any) -> str:
    return f"{times_text([lead_of(row)])} as slow"


def gate_as_dict(gate: Gate) -> dict[str, object]:
    """Return the outcome as plain data."""
    columns = ["test", "metric", "cell", "b"]
    names = {"b": "side"}
    worse = gate.worse[[*columns, "ratio"]].rename(columns=names)
    unknown = gate.unknown[[*columns, "reason"]].rename(columns=names)
    return {
        "baseline": gate.baseline,
        "percent": gate.percent,
        "outcome": gate.outcome,
        "n_cells": gate.n_cells,
        "worse": worse.to_dict("records"),
        "unknown": unknown.to_dict("records"),
    }
