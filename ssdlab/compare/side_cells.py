"""One cell of one side: its runs and rounds, its level, and what bars it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from ssdlab.compare.cells import CELL, rows_of
from ssdlab.compare.conditions import GRAVE_FINDINGS, NOT_STEADY, workers_text
from ssdlab.stats.autocorrelation import (
    GREATEST_DEPENDENCE,
    bound_dependence,
)
from ssdlab.stats.levels import (
    LevelEstimate,
    RunScatter,
    estimate_level,
    estimate_log_level,
    join_levels,
    level_reaches,
    pool_scatter,
)

_OF_STEPS = "doubts"  # the finding that the table of steps gives in more detail

Values = tuple[float, ...]
Unit = Literal["runs", "rounds"]


@dataclass(frozen=True, kw_only=True)
class SideCell:
    """One cell of one side: the rounds of each run, and what bars them.

    ``dependences`` are those of the rounds of each run, as found or assumed.
    ``merged`` are percentiles of
    runs, each of the merged bins of its rounds, and ``open_ends`` say why an end of one
    is not bounded; ``printed`` are means of others without rounds. ``scatter`` is how
    its runs scatter over all cells of the metric.
    """

    side: str
    run_ids: tuple[str, ...]
    rounds: tuple[Values, ...]
    dependences: Values
    printed: Values
    workers: frozenset[str]
    doubts: tuple[str, ...]
    merged: tuple[LevelEstimate, ...] = ()
    open_ends: tuple[str, ...] = ()
    scatter: RunScatter | None = None

    @cached_property
    def means(self) -> Values:
        """The mean or percentile of each run, then those that others printed."""
        measured = (math.exp(one.log_mean) for one in self.run_levels)
        return (*measured, *self.printed)

    @property
    def value(self) -> float:
        """The mean or percentile of one run, or the geometric mean over runs."""
        means = self.means
        return math.exp(math.fsum(math.log(one) for one in means) / len(means))

    @property
    def n_runs(self) -> int:
        """How many runs measured it."""
        return len(self.means)

    @property
    def unit(self) -> Unit:
        """What is repeated: its runs, or the rounds of its single run."""
        return "runs" if self.n_runs > 1 or self.printed else "rounds"

    @cached_property
    def level(self) -> LevelEstimate | None:
        """The level by its unit; none for a single mean that others printed."""
        if self.unit == "runs":
            by_runs = estimate_log_level(self.means, scatter=self.scatter)
            return by_runs if self.n_runs > 1 else None
        return self.run_levels[0]

    @cached_property
    def run_levels(self) -> tuple[LevelEstimate, ...]:
        """The level of each run by its rounds; none for means that others printed."""
        of_rounds = (
            estimate_level(one, dependence=known)
            for one, known in zip(self.rounds, self.dependences, strict=True)
        )
        return (*of_rounds, *self.merged)

    @property
    def n_rounds(self) -> int:
        """The number of rounds of its first run; none for a printed mean."""
        return self.run_levels[0].n_values if self.run_levels else 0

    def reaches(self, confidence_percent: float = 95.0) -> tuple[float, float]:
        """Return how far the interval of the logarithm reaches down and up, or NaN.

        That of several runs is never narrower than their rounds imply: two runs may
        agree by chance.
        """
        own = level_reaches(self.level, confidence_percent=confidence_percent)
        if self.unit == "rounds" or self.printed:
            return own
        rounds = join_levels(self.run_levels)
        of_rounds = level_reaches(rounds, confidence_percent=confidence_percent)
        below, above = (
            mine if theirs < mine or math.isnan(theirs) else theirs
            for mine, theirs in zip(own, of_rounds, strict=True)
        )
        return below, above

    def is_open_towards(self, value: float) -> bool:
        """Whether a run of it is unbounded on the side of another value."""
        side = 0 if value < self.value else 1
        return any(math.isnan(one.variances[side]) for one in self.run_levels)


def find_cells(
    cells: pd.DataFrame, sides: pd.DataFrame, *, findings: pd.DataFrame
) -> dict[tuple[str, str, str], dict[str, SideCell]]:
    """Return every cell of every side, with what bars it.

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
    return pool_runs({
        place: {
            side: _side_cell(own[side], side=side, dependences=dependences, grave=grave)
            for side in order
            if side in own
        }
        for place, own in table.items()
    })


def pool_runs(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
) -> dict[tuple[str, str, str], dict[str, SideCell]]:
    """Add to each cell how the runs of its side scatter over all cells of its metric.

    Return the same cells. Without a repeated run in a metric there is no scatter.
    """
    means: dict[tuple[str, str, str], list[Values]] = {}
    for (test, metric, _), own in found.items():
        for side, one in own.items():
            means.setdefault((test, metric, side), []).append(one.means)
    pooled = {place: pool_scatter(groups) for place, groups in means.items()}
    return {
        place: {
            side: replace(one, scatter=pooled[place[0], place[1], side])
            for side, one in own.items()
        }
        for place, own in found.items()
    }


def _dependences(cells: pd.DataFrame) -> dict[tuple[str, str, str], float]:
    """Return the dependence of rounds: once per run, test and metric.

    It is an estimate plus one standard error. A test of few rounds has no estimate: it
    takes the greatest of the other tests of its run, and without any the greatest
    possible. What is unknown is never taken as 0: decision 76.
    """
    rounds = cells[cells["round"].notna()]
    found = {
        (str(run), str(test), str(metric)): bound_dependence([
            one["value"].to_numpy() for _, one in group.groupby("cell")
        ])
        for (run, test, metric), group in rounds.groupby(["run_id", "test", "metric"])
    }
    greatest: dict[str, float] = {}
    for (run, _, _), one in found.items():
        if not math.isnan(one):
            greatest[run] = max(one, greatest.get(run, 0.0))
    return {
        place: greatest.get(place[0], GREATEST_DEPENDENCE) if math.isnan(one) else one
        for place, one in found.items()
    }


def _grave(findings: pd.DataFrame) -> set[tuple[str, str]]:
    """Return runs and tests barred by grave findings; no test means all tests."""
    of_tests = (findings["severity"] == "grave") & (findings["code"] != _OF_STEPS)
    return {
        (str(row.run_id), "" if pd.isna(row.test) else str(row.test))
        for row in rows_of(findings[of_tests])
    }


def _side_cell(
    rows: Sequence[Any],
    *,
    side: str,
    dependences: Mapping[tuple[str, str, str], float],
    grave: AbstractSet[tuple[str, str]],
) -> SideCell:
    test, metric = str(rows[0].test), str(rows[0].metric)
    rounds: dict[str, list[float]] = {}
    printed: dict[str, list[float]] = {}
    merged = []
    for row in rows:
        if row.n_rounds:
            merged.append(_merged_level(row))
            continue
        kept = printed if pd.isna(row.round) else rounds
        kept.setdefault(str(row.run_id), []).append(float(row.value))
    return SideCell(
        side=side,
        run_ids=tuple(dict.fromkeys(str(row.run_id) for row in rows)),
        rounds=tuple(tuple(values) for values in rounds.values()),
        dependences=tuple(dependences[run, test, metric] for run in rounds),
        printed=tuple(math.fsum(one) / len(one) for one in printed.values()),
        workers=frozenset(workers_text(row.threads, row.queue_depth) for row in rows),
        doubts=tuple(_doubts(rows, test, grave)),
        merged=tuple(merged),
        open_ends=tuple(dict.fromkeys(row.open_end for row in rows if row.open_end)),
    )


def _merged_level(row: Any) -> LevelEstimate:
    return LevelEstimate(
        log_mean=math.log(row.value),
        variance=float(row.log_variance),
        variance_above=float(row.log_variance_above),
        freedom=float(row.freedom),
        n_values=int(row.n_rounds),
    )


def _doubts(
    rows: Sequence[Any], test: str, grave: AbstractSet[tuple[str, str]]
) -> Iterator[str]:
    if any(not pd.isna(row.is_steady) and not row.is_steady for row in rows):
        yield NOT_STEADY
    yield from dict.fromkeys(row.doubt for row in rows if row.doubt)
    runs = {str(row.run_id) for row in rows}
    is_barred = any((run, place) in grave for run in runs for place in (test, ""))
    if is_barred or any(row.is_doubted for row in rows):
        yield GRAVE_FINDINGS


def summarise_sides(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    *,
    confidence_percent: float = 95.0,
) -> pd.DataFrame:
    """Return the value of every cell of every side, with its interval."""
    rows = [
        {**dict(zip(CELL, place, strict=True)), **_summary(one, confidence_percent)}
        for place, own in found.items()
        for one in own.values()
    ]
    names = [*CELL, "side", "value", "low", "high", "unit", "n", "n_runs"]
    return pd.DataFrame(rows, columns=[*names, "dependence"])


def _summary(one: SideCell, confidence_percent: float) -> dict[str, Any]:
    below, above = one.reaches(confidence_percent)
    is_held = math.isfinite(below + above)
    by_runs = one.unit == "runs"
    return {
        "side": one.side,
        "value": one.value,
        "low": one.value / math.exp(below) if is_held else math.nan,
        "high": one.value * math.exp(above) if is_held else math.nan,
        "unit": one.unit,
        "n": one.n_runs if by_runs else one.n_rounds,
        "n_runs": one.n_runs,
        "dependence": math.nan if by_runs or one.merged else one.dependences[0],
    }
