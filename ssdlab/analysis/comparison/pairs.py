"""Which drive beats which, cell by cell: differences, their intervals, and verdicts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import pandas as pd

from ssdlab.analysis.comparison.cells import CELL, rows_of
from ssdlab.analysis.comparison.conditions import (
    GRAVE_FINDINGS,
    NOT_STEADY,
    WORKERS,
    find_differing,
)
from ssdlab.analysis.comparison.metrics import METRICS
from ssdlab.analysis.inference.differences import (
    Difference,
    LevelEstimate,
    adjust_by_holm,
    compare_levels,
    compare_runs_of_sides,
    estimate_dependence,
    estimate_level,
    estimate_log_level,
    level_reach,
)

SIGNIFICANCE = 0.05
NO_DIFFERENCE = "no difference shown"
NOT_COMPARABLE = "not comparable"
OTHER_CONDITIONS = "not the same conditions"
MISSING = "missing"
TOO_SMALL = "less than what matters"

Values = tuple[float, ...]
Unit = Literal["runs", "rounds"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """How a table of comparisons is judged.

    ``least_percent`` is what a difference must surely exceed to matter, and
    ``accepted`` the conditions that are taken as equal though they differ.
    """

    confidence_percent: float = 95.0
    least_percent: float = 0.0
    accepted: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SideCell:
    """One cell of one side: of each run its rounds, and what speaks against them.

    ``dependences`` are those of the rounds of each run; ``printed`` are means of others
    without rounds.
    """

    side: str
    run_ids: tuple[str, ...]
    rounds: tuple[Values, ...]
    dependences: Values
    printed: Values
    workers: frozenset[str]
    doubts: tuple[str, ...]

    @property
    def means(self) -> Values:
        """The mean of each run, and after them those that others printed."""
        return (*(math.fsum(one) / len(one) for one in self.rounds), *self.printed)

    @property
    def value(self) -> float:
        """The mean of one run, or the geometric mean over runs."""
        means = self.means
        return math.exp(math.fsum(math.log(one) for one in means) / len(means))

    @property
    def n_runs(self) -> int:
        """How many runs measured it."""
        return len(self.means)

    @property
    def unit(self) -> Unit:
        """What is repeated: its runs, or the rounds of its single run."""
        return "rounds" if self.n_runs == 1 and self.rounds else "runs"

    @property
    def level(self) -> LevelEstimate | None:
        """The level by its unit; nothing of one mean that others printed."""
        if self.unit == "runs":
            return estimate_log_level(self.means) if self.n_runs > 1 else None
        dependence = self.dependences[0]
        known = 0.0 if math.isnan(dependence) else dependence
        return estimate_level(self.rounds[0], dependence=known)

    @property
    def reach(self) -> float:
        """Half of the 95 % interval of the logarithm; NaN where none is known."""
        return level_reach(self.level)


def find_cells(
    cells: pd.DataFrame, sides: pd.DataFrame, *, findings: pd.DataFrame
) -> dict[tuple[str, str, str], dict[str, SideCell]]:
    """Return every cell of every side, with what speaks against it.

    Parameters
    ----------
    cells : pandas.DataFrame
        What `tabulate_window_cells` returned.
    sides : pandas.DataFrame
        What `tabulate_sides` returned.
    findings : pandas.DataFrame
        The table ``findings`` of all runs: grave ones speak against a test.

    Returns
    -------
    dict
        By test, metric and cell, in the order of the tables of the PTS, and then by
        side.
    """
    dependences, grave = _dependences(cells), _grave(findings)
    side_of = dict(zip(sides["run_id"], sides["side"], strict=True))
    order = list(dict.fromkeys(sides["side"]))
    table: dict[tuple[str, str, str], dict[str, list[Any]]] = {}
    for row in rows_of(cells):
        own = table.setdefault((row.test, row.metric, row.cell), {})
        own.setdefault(side_of[row.run_id], []).append(row)
    return {
        place: {
            side: _side_cell(own[side], side=side, dependences=dependences, grave=grave)
            for side in order
            if side in own
        }
        for place, own in table.items()
    }


def _dependences(cells: pd.DataFrame) -> dict[tuple[str, str, str], float]:
    """Return how much rounds depend on each other: once a run, test and metric."""
    rounds = cells[cells["round"].notna()]
    return {
        (str(run), str(test), str(metric)): estimate_dependence([
            one["value"].to_numpy() for _, one in group.groupby("cell")
        ])
        for (run, test, metric), group in rounds.groupby(["run_id", "test", "metric"])
    }


def _grave(findings: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return by run and test the codes of its grave findings; no test is all tests."""
    chosen = findings[findings["severity"] == "grave"]
    texts: dict[tuple[str, str], list[str]] = {}
    for row in rows_of(chosen):
        test = "" if pd.isna(row.test) else str(row.test)
        texts.setdefault((str(row.run_id), test), []).append(str(row.code))
    return {place: ", ".join(dict.fromkeys(codes)) for place, codes in texts.items()}


def _side_cell(
    rows: Sequence[Any],
    *,
    side: str,
    dependences: Mapping[tuple[str, str, str], float],
    grave: Mapping[tuple[str, str], str],
) -> SideCell:
    test, metric = str(rows[0].test), str(rows[0].metric)
    rounds: dict[str, list[float]] = {}
    printed: dict[str, list[float]] = {}
    for row in rows:
        kept = printed if pd.isna(row.round) else rounds
        kept.setdefault(str(row.run_id), []).append(float(row.value))
    return SideCell(
        side=side,
        run_ids=tuple(dict.fromkeys(str(row.run_id) for row in rows)),
        rounds=tuple(tuple(values) for values in rounds.values()),
        dependences=tuple(dependences[run, test, metric] for run in rounds),
        printed=tuple(math.fsum(one) / len(one) for one in printed.values()),
        workers=frozenset(f"T{row.threads}/Q{row.queue_depth}" for row in rows),
        doubts=tuple(_doubts(rows, test, grave)),
    )


def _doubts(
    rows: Sequence[Any], test: str, grave: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    if any(not pd.isna(row.is_steady) and not row.is_steady for row in rows):
        yield NOT_STEADY
    if not all(row.is_supported for row in rows):
        yield "too few IOs stand behind the percentile"
    runs = {str(row.run_id) for row in rows}
    if any((run, place) in grave for run in runs for place in (test, "")):
        yield GRAVE_FINDINGS


def compare_cells(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    sides: pd.DataFrame,
    *,
    conditions: pd.DataFrame,
    rules: Rules = Rules(),
) -> pd.DataFrame:
    """Compare every pair of sides in every cell.

    Parameters
    ----------
    found : mapping
        What `find_cells` returned.
    sides : pandas.DataFrame
        What `tabulate_sides` returned.
    conditions : pandas.DataFrame
        What `tabulate_conditions` returned.
    rules : Rules, optional
        Confidence, what matters, and which conditions are taken as equal.

    Returns
    -------
    pandas.DataFrame
        One row a pair and cell: ``test``, ``metric``, ``cell``, ``a`` and ``b`` (the
        sides), ``value_a`` and ``value_b`` (as stored; missing where it was not
        measured), ``n_a`` and ``n_b`` (of the ``unit``: runs or rounds), ``ratio`` of
        a to b with ``low`` and ``high``, ``p_value`` and ``p_holm`` (over the whole
        table), ``better`` (the side that is, or nothing), ``percent`` with
        ``percent_low`` and ``percent_high`` (by how much: more of a rate, less of a
        time), ``verdict`` and ``reason``.

    Notes
    -----
    Where a side has several runs the unit is the run, and the interval holds what would
    be seen when both were measured again. Else it is the round, and the interval is of
    these two runs alone: how a drive differs from one run to the next is not in it.
    """
    names = list(dict.fromkeys(sides["side"]))
    barred = {
        (pair, test): find_differing(
            conditions, _runs_of(sides, pair), test=test, accepted=rules.accepted
        )
        for pair in combinations(names, 2)
        for test in {place[0] for place in found}
    }
    rows = []
    for pair in combinations(names, 2):
        for place, own in found.items():
            if any(name in own for name in pair):
                row = _compare(place, own, pair, rules=rules)
                rows.append(_barred(row, barred[pair, place[0]]))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table["p_holm"] = adjust_by_holm(table["p_value"].to_numpy(dtype=float))
    return _with_verdicts(table, rules)


_COLUMNS = [*CELL, "a", "b", "value_a", "value_b", "unit", "n_a", "n_b"]
_COLUMNS += ["ratio", "low", "high", "p_value", "p_holm", "verdict", "reason"]


def _runs_of(sides: pd.DataFrame, pair: Sequence[str]) -> list[str]:
    return [str(name) for name in sides[sides["side"].isin(list(pair))]["run_id"]]


def _barred(row: dict[str, Any], differing: Sequence[str]) -> dict[str, Any]:
    """Take back what a pair under other conditions seems to say; its ratio stays."""
    if not differing or row["verdict"] == MISSING:
        return row
    reason = "; ".join(filter(None, [", ".join(differing), row["reason"]]))
    return row | {"p_value": math.nan, "verdict": OTHER_CONDITIONS, "reason": reason}


def _compare(
    place: tuple[str, str, str],
    own: Mapping[str, SideCell],
    pair: tuple[str, str],
    *,
    rules: Rules,
) -> dict[str, Any]:
    row: dict[str, Any] = dict(zip(CELL, place, strict=True))
    row |= {"a": pair[0], "b": pair[1], "verdict": "", "reason": ""}
    sides = [own.get(name) for name in pair]
    for letter, side in zip("ab", sides, strict=True):
        row |= {f"value_{letter}": math.nan, f"n_{letter}": 0}
        row |= {f"value_{letter}": side.value} if side else {}
    first, second = sides
    if first is None or second is None:
        absent = pair[0] if first is None else pair[1]
        return row | {"verdict": MISSING, "reason": f"not measured: {absent}"}
    others = [one.means for name, one in own.items() if name not in pair]
    unit, difference = _difference(first, second, others=others, rules=rules)
    interval = difference.ratio
    row |= {"ratio": interval.estimate, "low": interval.low, "high": interval.high}
    by_runs = unit == "runs"
    n_a, n_b = (
        one.n_runs if by_runs else len(one.rounds[0]) for one in (first, second)
    )
    row |= {"unit": unit, "n_a": n_a, "n_b": n_b}
    reasons = [*_hindrances(first, second, test=place[0], rules=rules), interval.note]
    reason = "; ".join(filter(None, reasons))
    if reason:
        return row | {"verdict": NOT_COMPARABLE, "reason": reason, "p_value": math.nan}
    return row | {"p_value": difference.p_value}


def _difference(
    first: SideCell, second: SideCell, *, others: Sequence[Values], rules: Rules
) -> tuple[Unit, Difference]:
    """Return the unit and the difference: by runs where any side repeats them."""
    limits = {
        "confidence_percent": rules.confidence_percent,
        "least_ratio": 1 + rules.least_percent / 100,
    }
    levels = (first.level, second.level)
    if first.unit == second.unit == "rounds" and levels[0] and levels[1]:
        return "rounds", compare_levels(levels[0], levels[1], **limits)
    found = compare_runs_of_sides(first.means, second.means, others=others, **limits)
    return "runs", found


def _hindrances(
    first: SideCell, second: SideCell, *, test: str, rules: Rules
) -> Sequence[str]:
    found = []
    workers = first.workers | second.workers
    condition = f"{WORKERS}{test.upper()}"
    if len(workers) > 1 and condition not in rules.accepted:
        found.append(f"TC/QD differ: {', '.join(sorted(workers))}")
    for side in (first, second):
        doubts = [name for name in side.doubts if name not in rules.accepted]
        words = {NOT_STEADY: "not steady"}
        found += [f"{words.get(name, name)}: {side.side}" for name in doubts]
    return found


def _with_verdicts(table: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    rows = [_verdict(row, rules) for row in table.to_dict("records")]
    names = ["better", "percent", "percent_low", "percent_high", "verdict"]
    judged = pd.DataFrame(rows, columns=names, index=table.index)
    order = [*_COLUMNS[:-2], *names, "reason"]
    return table.drop(columns="verdict").join(judged)[order]


def _verdict(row: Mapping[Any, Any], rules: Rules) -> dict[str, Any]:
    nan = math.nan
    found = {"better": "", "percent": nan, "percent_low": nan, "percent_high": nan}
    ratio, low, high = row["ratio"], row["low"], row["high"]
    if not ratio > 0:
        return found | {"verdict": row["verdict"]}
    is_more_better = METRICS[row["metric"]].is_more_better
    a_leads = (ratio >= 1) == is_more_better
    gains = _gains(ratio, low, high, a_leads=a_leads, is_more_better=is_more_better)
    found |= dict(zip(("percent", "percent_low", "percent_high"), gains, strict=True))
    if row["verdict"]:
        return found | {"verdict": row["verdict"]}
    if not row["p_holm"] < SIGNIFICANCE:
        is_small = rules.least_percent > 0 and not low <= 1 <= high
        return found | {"verdict": TOO_SMALL if is_small else NO_DIFFERENCE}
    a, b = str(row["a"]), str(row["b"])
    winner, loser = (a, b) if a_leads else (b, a)
    words = f"{winner} beats {loser} by {percent_text(*gains)}"
    return found | {"better": winner, "verdict": words}


def _gains(
    ratio: float, low: float, high: float, *, a_leads: bool, is_more_better: bool
) -> tuple[float, float, float]:
    """Return by how many percent the leading side leads, with its interval.

    Of a rate it is how much more it has, of a time how much less.
    """
    if not a_leads:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    if is_more_better:
        return 100 * (ratio - 1), 100 * (low - 1), 100 * (high - 1)
    return 100 * (1 - ratio), 100 * (1 - high), 100 * (1 - low)


def percent_text(percent: float, low: float, high: float) -> str:
    """Return a gain with its interval, as exact as that is.

    >>> percent_text(25.04, 20.3, 30.1), percent_text(1.2341, 1.2, 1.27)
    ('25.0 % (20.3 to 30.1 %)', '1.234 % (1.200 to 1.270 %)')
    """
    width = (high - low) / 2
    exact = 1 - math.floor(math.log10(width)) if width > 0 else 1
    digits = min(max(exact, 1), 3)
    return f"{percent:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f} %)"


def summarise_sides(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    *,
    confidence_percent: float = 95.0,
) -> pd.DataFrame:
    """Return the value of every cell of every side, with its interval.

    Parameters
    ----------
    found : mapping
        What `find_cells` returned.
    confidence_percent : float, default 95
        Level of the intervals [%].

    Returns
    -------
    pandas.DataFrame
        One row a side and cell: ``test``, ``metric``, ``cell``, ``side``, ``value``
        (as stored: the mean of the rounds, over several runs the geometric mean of
        theirs), ``low`` and ``high`` (missing where nothing is repeated), ``unit``
        (runs or rounds), ``n`` of them, ``n_runs``, and ``dependence`` of the rounds
        (missing where it cannot be told).
    """
    rows = [
        {**dict(zip(CELL, place, strict=True)), **_summary(one, confidence_percent)}
        for place, own in found.items()
        for one in own.values()
    ]
    names = [*CELL, "side", "value", "low", "high", "unit", "n", "n_runs"]
    return pd.DataFrame(rows, columns=[*names, "dependence"])


def _summary(one: SideCell, confidence_percent: float) -> dict[str, Any]:
    reach = math.exp(level_reach(one.level, confidence_percent=confidence_percent))
    by_runs = one.unit == "runs"
    return {
        "side": one.side,
        "value": one.value,
        "low": one.value / reach,
        "high": one.value * reach,
        "unit": one.unit,
        "n": one.n_runs if by_runs else len(one.rounds[0]),
        "n_runs": one.n_runs,
        "dependence": math.nan if by_runs else one.dependences[0],
    }
