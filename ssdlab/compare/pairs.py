"""Every pair of sides in every cell: how much they differ, and how certainly."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.compare.cells import CELL
from ssdlab.compare.conditions import (
    DIFFERS,
    NOT_STEADY,
    WORKERS,
    find_differing,
    find_standing,
)
from ssdlab.compare.side_cells import SideCell, Unit
from ssdlab.compare.verdicts import (
    MISSING,
    NOT_COMPARABLE,
    OTHER_CONDITIONS,
    Rules,
    judge_row,
)
from ssdlab.model.spec import label_of_test
from ssdlab.pts.compared import METRICS
from ssdlab.stats.differences import (
    Difference,
    compare_levels,
    compare_runs_of_sides,
    widest_difference,
)
from ssdlab.stats.holm import (
    adjust_by_benjamini_hochberg,
    adjust_by_holm,
)
from ssdlab.stats.levels import join_levels
from ssdlab.stats.states import SIGNIFICANCE, more_runs_needed

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_PLAIN_RULES = Rules()
_REPEAT_COLUMNS = [
    "side",
    "n_runs",
    "n_cells",
    "n_differing",
    "median_percent",
    "max_percent",
]


def compare_cells(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    sides: pd.DataFrame,
    *,
    conditions: pd.DataFrame,
    rules: Rules = _PLAIN_RULES,
) -> pd.DataFrame:
    """Compare every pair of sides in every cell.

    Notes
    -----
    If a side of the pair has several runs of a cell, the unit is the run: the interval
    covers what measuring the drives again would give, and ``p_drives`` is its p-value;
    there is none with so few runs that two equal drives may separate (decision 77).
    Runs may agree by chance, so the interval is never narrower than the runs of the
    other cells of the metric and the rounds of all runs imply. Else the unit is the
    round, and the interval is only of these two runs: it does not include how a drive
    differs from one run to the next, whatever a third drive did. A percentile that is
    unbounded on the side of the other's is not comparable, but counts among the
    comparisons, with a p-value of 1: else being bounded by chance would earn a verdict.
    If only the far side is unbounded, the ratio ends at 0 or is infinite. ``p_runs``
    tests whether every run of one side is ahead of every run of the other, by their
    rounds: it is the greatest of their p-values, and says nothing about the drives.
    ``p_same_runs`` tests whether every run of one is the same as every run of the
    other.
    """
    names = list(dict.fromkeys(sides["side"]))
    tests = {place[0] for place in found}
    barred = {
        (pair, test): find_differing(
            conditions, _runs_of(sides, pair), test=test, accepted=rules.accepted
        )
        for pair in combinations(names, 2)
        for test in tests
    }
    pairs = sum(
        not all(barred[pair, test] for test in tests) for pair in combinations(names, 2)
    )
    rows = []
    for pair in combinations(names, 2):
        for place, own in found.items():
            if not any(name in own for name in pair):
                continue
            row = _compare(place, own, pair, rules=rules, pairs=max(pairs, 1))
            rows.append(_barred(row, barred[pair, place[0]]))
    return _with_verdicts(_adjusted(rows, rules), rules)


def _adjusted(rows: Sequence[dict[str, Any]], rules: Rules) -> pd.DataFrame:
    """Return rows with p-values adjusted over the whole table, each kind by itself."""
    table = pd.DataFrame(rows, columns=_COLUMNS)
    is_primary = table["is_primary"].to_numpy(dtype=bool)
    adjust = {"fwer": adjust_by_holm, "fdr": adjust_by_benjamini_hochberg}
    for name in _P_VALUES:
        p_values = table[name].to_numpy(dtype=float)
        weights = _weights(is_primary & np.isfinite(p_values), p_values)
        table[f"{name}_adjusted"] = adjust[rules.control](p_values, weights=weights)
    return table


def _weights(is_primary: BoolArray, p_values: FloatArray) -> FloatArray:
    """Give the primary cells half of the error, all others together the rest."""
    first = int(is_primary.sum())
    others = int(np.isfinite(p_values).sum()) - first
    if not (first and others):
        return np.ones(len(p_values))
    return np.where(is_primary, 1 / first, 1 / others)


_P_VALUES = ("p_drives", "p_same_drives", "p_runs", "p_same_runs")
_COLUMNS = [*CELL, "is_primary", "a", "b", "value_a", "value_b", "unit", "n_a", "n_b"]
_COLUMNS += ["more_runs_a", "more_runs_b", "ratio", "low", "high", *_P_VALUES]
_COLUMNS += ["verdict", "reason"]
_NO_P = dict.fromkeys(_P_VALUES, math.nan)


def _runs_of(sides: pd.DataFrame, pair: Sequence[str]) -> list[str]:
    return [str(name) for name in sides[sides["side"].isin(list(pair))]["run_id"]]


def _barred(row: dict[str, Any], differing: Sequence[str]) -> dict[str, Any]:
    """Withdraw the verdict of a pair whose conditions differ; its ratio stays."""
    if not differing or row["verdict"] == MISSING:
        return row
    reason = "; ".join(filter(None, [", ".join(differing), row["reason"]]))
    return row | _NO_P | {"verdict": OTHER_CONDITIONS, "reason": reason}


def _compare(
    place: tuple[str, str, str],
    own: Mapping[str, SideCell],
    pair: tuple[str, str],
    *,
    rules: Rules,
    pairs: int,
) -> dict[str, Any]:
    row: dict[str, Any] = dict(zip(CELL, place, strict=True))
    row |= {"a": pair[0], "b": pair[1], "verdict": "", "reason": ""}
    row |= {"is_primary": rules.is_primary(place), "more_runs_a": 0, "more_runs_b": 0}
    sides = [own.get(name) for name in pair]
    for letter, side in zip("ab", sides, strict=True):
        row |= {f"value_{letter}": math.nan, f"n_{letter}": 0}
        row |= {f"value_{letter}": side.value} if side else {}
    first, second = sides
    if first is None or second is None:
        absent = pair[0] if first is None else pair[1]
        kind = " with histograms" if METRICS[place[1]].level_percent else ""
        return row | {"verdict": MISSING, "reason": f"not measured{kind}: {absent}"}
    unit, difference = difference_of(first, second, rules)
    interval = difference.ratio
    row |= {"ratio": interval.estimate, "low": interval.low, "high": interval.high}
    by_runs = unit == "runs"
    n_a, n_b = (one.n_runs if by_runs else one.n_rounds for one in (first, second))
    row |= {"unit": unit, "n_a": n_a, "n_b": n_b}
    more = more_runs_needed(first.n_runs, second.n_runs, pairs=pairs)
    row |= {"more_runs_a": more[0], "more_runs_b": more[1]}
    hindrances = _hindrances(first, second, test=place[0], rules=rules)
    open_ends = _open_ends(first, second)
    reason = "; ".join(hindrances) or ("" if open_ends else interval.note)
    if reason:
        return row | _NO_P | {"verdict": NOT_COMPARABLE, "reason": reason}
    of_drives = (difference.p_value, difference.p_same)
    of_runs = _p_of_runs(first, second, rules)
    if open_ends:
        row |= {"verdict": NOT_COMPARABLE, "reason": "; ".join(open_ends)}
        of_drives = of_runs = (1.0, 1.0)
    if more != (0, 0):
        of_drives = (math.nan, math.nan)
    return row | dict(zip(_P_VALUES, (*of_drives, *of_runs), strict=True))


def difference_of(
    first: SideCell, second: SideCell, rules: Rules
) -> tuple[Unit, Difference]:
    """Return the unit and the difference: by runs if either side has repeated runs."""
    levels = (first.level, second.level)
    limits = rules.limits
    is_repeated = any(len(one) > 1 for one in (first.means, second.means))
    if levels[0] and levels[1] and not is_repeated:
        return "rounds", compare_levels(levels[0], levels[1], limits=limits)
    scatters = (first.scatter, second.scatter)
    by_runs = compare_runs_of_sides(
        first.means, second.means, scatters=scatters, limits=limits
    )
    if first.printed or second.printed:
        return "runs", by_runs
    of_rounds = [join_levels(one.run_levels) for one in (first, second)]
    by_rounds = compare_levels(of_rounds[0], of_rounds[1], limits=limits)
    return "runs", widest_difference(by_runs, by_rounds)


def _p_of_runs(first: SideCell, second: SideCell, rules: Rules) -> tuple[float, float]:
    """Return the p-value that every run of one side is ahead of every one of the other.

    And that every run of one is the same as every one of the other. All pairs of runs
    must differ the same way, so the greatest p-value counts. Both are NaN if others
    printed a mean without rounds.
    """
    if first.printed or second.printed:
        return math.nan, math.nan
    found = [
        compare_levels(a, b, limits=rules.limits)
        for a, b in product(first.run_levels, second.run_levels)
    ]
    ways = {one.ratio.estimate > 1 for one in found}
    ahead = float(np.max([one.p_value for one in found])) if len(ways) == 1 else 1.0
    return ahead, float(np.max([one.p_same for one in found]))


def _hindrances(
    first: SideCell, second: SideCell, *, test: str, rules: Rules
) -> Sequence[str]:
    found = []
    workers = first.workers | second.workers
    condition = f"{WORKERS}{label_of_test(test)}"
    if len(workers) > 1 and condition not in rules.accepted:
        what = "differ" if find_standing(workers) == DIFFERS else "not known of all"
        found.append(f"TC/QD {what}: {', '.join(sorted(workers))}")
    for side in (first, second):
        doubts = [name for name in side.doubts if name not in rules.accepted]
        words = {NOT_STEADY: "not steady"}
        found += [f"{words.get(name, name)}: {side.side}" for name in doubts]
    return found


def _open_ends(first: SideCell, second: SideCell) -> Sequence[str]:
    """Return why a percentile is not bounded on the side of the other one."""
    return [
        f"{reason}: {side.side}"
        for side, other in ((first, second), (second, first))
        if side.is_open_towards(other.value)
        for reason in side.open_ends
    ]


def _with_verdicts(table: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    rows = [judge_row(row, rules) for row in table.to_dict("records")]
    names = ["better", "claim", "same"]
    names += ["percent", "percent_low", "percent_high", "verdict"]
    judged = pd.DataFrame(rows, columns=names, index=table.index)
    adjusted = [f"{name}_adjusted" for name in _P_VALUES]
    order = [*_COLUMNS[:-2], *adjusted, *names, "reason"]
    return table.drop(columns="verdict").join(judged)[order]


def compare_repeats(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
) -> pd.DataFrame:
    """Compare the runs of each drive with each other, by their rounds.

    Notes
    -----
    The drive is the same, so in each such cell a verdict by rounds would have named a
    false winner.
    """
    rows = [
        {"side": side, "p": _p_of_any_pair(one), "spread": _spread_percent(one)}
        | {"n_runs": len(one.run_levels)}
        for own in found.values()
        for side, one in own.items()
        if len(one.run_levels) > 1
    ]
    table = pd.DataFrame(rows, columns=["side", "p", "spread", "n_runs"])
    table["differs"] = adjust_by_holm(table["p"].to_numpy(dtype=float)) < SIGNIFICANCE
    summary = table.groupby("side", as_index=False, sort=False).agg(
        n_runs=("n_runs", "max"),
        n_cells=("p", "size"),
        n_differing=("differs", "sum"),
        median_percent=("spread", "median"),
        max_percent=("spread", "max"),
    )
    return summary.reindex(columns=_REPEAT_COLUMNS)


def _p_of_any_pair(one: SideCell) -> float:
    """Return the p-value that any two runs differ, after Bonferroni."""
    pairs = list(combinations(one.run_levels, 2))
    least = np.nanmin([[compare_levels(a, b).p_value for a, b in pairs] + [1.0]])
    return float(min(1.0, len(pairs) * least))


def _spread_percent(one: SideCell) -> float:
    means = one.means[: len(one.run_levels)]
    return 100 * (max(means) / min(means) - 1)
