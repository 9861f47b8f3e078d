"""A gate over a store: is a population of drives within limits of another one.

That a candidate is worse than a limit somewhere is claimed by Holm's procedure over all
cells and metrics with a limit; that it is within all limits only if every one of them
shows it (an intersection-union test). So either claim about the whole table is wrong in
at most one of 20 checks, and what is neither is not shown.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd

from ssdlab.fleet.conditions import Unfit, find_unfit, find_unlike
from ssdlab.fleet.contrast import (
    METRICS,
    NAMES,
    Contrast,
    drive_names,
    find_contrasts,
)
from ssdlab.fleet.limits import LossLimit, limit_of
from ssdlab.fleet.selection import Condition, select_runs
from ssdlab.fleet.store import Store
from ssdlab.model.errors import StoreError, UserFileError
from ssdlab.stats.differences import Difference, Limits
from ssdlab.stats.holm import adjust_by_holm
from ssdlab.stats.states import SIGNIFICANCE
from ssdlab.text.terminal import printable

Outcome = Literal["within", "regression", "not shown"]
Side = Literal["baseline", "candidate"]
SIDES: Final[tuple[Side, Side]] = ("baseline", "candidate")
CONFIDENCE_PERCENT: Final = 90.0  # each end is a one-sided bound of 95 %
_WIDE = "the interval is too wide"
_STIMULUS = ["access", "block_size_bytes", "read_percent", "threads", "queue_depth"]
_UNFIT: Final[Mapping[Unfit, str]] = {
    "not-steady": "not steady",
    "not-judged": "steady state unknown",
    "neighbours": "shared the host",
}
_KEPT = ["run_id", "ingest_id", "basis", "is_steady", "neighbours"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckAsked:
    """What is asked: two populations by their conditions, and limits of a file."""

    baseline: tuple[Condition, ...]
    candidate: tuple[Condition, ...]
    limits: tuple[LossLimit, ...]
    source: str
    accepted: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedCell:
    """A cell and metric with its limit, and what is shown of it.

    ``reason`` is why nothing is shown. ``p_regression`` is adjusted over all cells of
    the check, ``p_within`` of this cell alone.
    """

    names: Mapping[str, str]
    limit: LossLimit
    outcome: Outcome
    reason: str = ""
    contrast: Contrast | None = None
    difference: Difference | None = None
    p_regression: float = 1.0
    p_within: float = 1.0

    @property
    def drives_needed(self) -> int | None:
        """How many more drives would show an equal candidate to be within the limit.

        None where that is not known, or the outcome is shown.
        """
        if self.contrast is None or self.outcome != "not shown":
            return None
        return self.contrast.drives_needed(self.limit.worst_ratio, tail=SIGNIFICANCE)


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A run of one side that is left out of a test, and why."""

    side: Side
    run_id: str
    test: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedSide:
    """A population that was checked: how it was chosen, and what is left of it."""

    conditions: tuple[str, ...]
    drives: int
    runs: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """What is shown of a candidate against a baseline, in all cells with a limit."""

    store: str
    baseline: CheckedSide
    candidate: CheckedSide
    cells: tuple[CheckedCell, ...]
    left_out: tuple[LeftOut, ...]
    accepted: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        """A regression if any cell shows one; within only if every cell shows that."""
        counts = self.counts
        if counts["regression"]:
            return "regression"
        return "not shown" if counts["not shown"] or not self.cells else "within"

    @property
    def counts(self) -> dict[Outcome, int]:
        """How many cells have each outcome."""
        found = Counter(one.outcome for one in self.cells)
        return {name: found[name] for name in ("within", "regression", "not shown")}


def judge_cells(
    limited: Sequence[tuple[Contrast, LossLimit]],
) -> tuple[CheckedCell, ...]:
    """Judge contrasts by their limits, as one table.

    Notes
    -----
    A cell of which nothing can be claimed still counts among the comparisons. Besides
    its p-value, a claim needs its interval, which rests on the drives of the cell
    alone, to be on the same side of the limit.
    """
    tests = [_test(contrast, limit) for contrast, limit in limited]
    adjusted = adjust_by_holm([worse for _, worse, _ in tests]).tolist()
    return tuple(
        _judged(pair, test, p_regression)
        for pair, test, p_regression in zip(limited, tests, adjusted, strict=True)
    )


def _test(contrast: Contrast, limit: LossLimit) -> tuple[Difference, float, float]:
    """Return the difference, and the p-values of a regression and of being within."""
    worst = limit.worst_ratio
    bound = max(worst, 1 / worst)
    limits = Limits(
        confidence_percent=CONFIDENCE_PERCENT, least_ratio=bound, same_ratio=bound
    )
    difference = contrast.difference(limits)
    if contrast.reason:
        return difference, 1.0, 1.0
    is_worse = (difference.ratio.estimate < 1) == limit.of.is_more_better
    within = difference.p_above if limit.of.is_more_better else difference.p_below
    return difference, difference.p_value / 2 if is_worse else 1.0, within


def _judged(
    pair: tuple[Contrast, LossLimit],
    test: tuple[Difference, float, float],
    p_regression: float,
) -> CheckedCell:
    contrast, limit = pair
    difference, _, p_within = test
    low, high, worst = difference.ratio.low, difference.ratio.high, limit.worst_ratio
    is_rate = limit.of.is_more_better
    is_beyond = high < worst if is_rate else low > worst
    is_inside = low >= worst if is_rate else high <= worst
    outcome: Outcome = "not shown"
    if not contrast.reason and p_regression < SIGNIFICANCE and is_beyond:
        outcome = "regression"
    elif not contrast.reason and p_within < SIGNIFICANCE and is_inside:
        outcome = "within"
    return CheckedCell(
        names=contrast.names,
        limit=limit,
        outcome=outcome,
        reason=(contrast.reason or _WIDE) if outcome == "not shown" else "",
        contrast=contrast,
        difference=difference,
        p_regression=p_regression,
        p_within=p_within,
    )


def check_rows(
    sides: tuple[pd.DataFrame, pd.DataFrame],
    asked: CheckAsked,
    *,
    cells: Sequence[Mapping[str, str]],
) -> tuple[CheckedCell, ...]:
    """Judge those of some cells that have a limit, by the rows of both sides.

    A cell of which a side has no row is not shown.

    Raises
    ------
    UserFileError
        If a limit is for no cell, or later limits are for all of its cells.
    """
    wanted = {
        (names["cell"], metric): (names, limit)
        for names in cells
        for metric in dict.fromkeys(limit.metric for limit in asked.limits)
        if (limit := limit_of(asked.limits, names, metric))
    }
    _require_used(asked, [limit for _, limit in wanted.values()], cells)
    metrics = [METRICS[one] for one in dict.fromkeys(metric for _, metric in wanted)]
    limited = [
        (one, wanted[place][1])
        for one in find_contrasts(*sides, metrics=metrics)
        if (place := (one.names["cell"], one.metric.name)) in wanted
    ]
    judged = {
        (one.names["cell"], one.limit.metric): one for one in judge_cells(limited)
    }
    for place, (names, limit) in wanted.items():
        if place not in judged:
            judged[place] = CheckedCell(
                names=names,
                limit=limit,
                outcome="not shown",
                reason=_missing_on(sides, place[0], limit),
            )
    return tuple(judged[place] for place in wanted)


def _cells_in(sides: Sequence[pd.DataFrame]) -> list[dict[str, str]]:
    """Return the names of every cell of either side, ordered by test."""
    known = pd.concat([rows[NAMES] for rows in sides]).drop_duplicates().astype(str)
    ordered = known.sort_values(["test", "cell"])
    return [
        dict(zip(NAMES, names, strict=True))
        for names in ordered.itertuples(index=False, name=None)
    ]


def _missing_on(sides: Sequence[pd.DataFrame], cell: str, limit: LossLimit) -> str:
    """Return which side has no value of a cell: not measured, or left out."""
    lacking = [
        name
        for name, rows in zip(SIDES, sides, strict=True)
        if not (rows.loc[rows["cell"] == cell, limit.of.column] > 0).any()
    ]
    return f"no value of the {' and the '.join(lacking)}"


def _require_used(
    asked: CheckAsked,
    used: Sequence[LossLimit],
    cells: Sequence[Mapping[str, str]],
) -> None:
    for number, limit in enumerate(asked.limits, 1):
        if any(limit is one for one in used):
            continue
        reason = "is for no cell of these runs"
        remedy = _known_text(cells, limit)
        if any(map(limit.matches, cells)):
            reason = "is never used, as later limits are for the same cells"
            remedy = "The last limit for a cell counts: write the general ones first."
        words = f"{limit.metric}, test {limit.test!r}, cell {limit.cell!r}, "
        raise UserFileError(
            source=asked.source,
            reason=f"limit {number} ({words}{limit.direction}) {reason}",
            remedy=remedy,
        )


def _known_text(cells: Sequence[Mapping[str, str]], limit: LossLimit) -> str:
    """Return the workloads of the tests of a limit; the tests if it has none."""
    own = [one["workload"] for one in cells if limit.matches_test(one["test"])]
    known = list(dict.fromkeys(own or [one["test"] for one in cells]))
    more = ", …" if len(known) > _SHOWN else ""
    kind = "Workloads" if own else "Tests"
    return f"{kind} of these runs: {printable(', '.join(known[:_SHOWN]))}{more}."


_SHOWN = 8


def check_store(store: Store, asked: CheckAsked) -> Check:
    """Check a candidate against a baseline, both of them runs of a store.

    Raises
    ------
    StoreError
        If a side has no run, a run is on both sides, or conditions differ that are not
        accepted.
    UserFileError
        If a limit is for no cell.
    """
    runs = store.runs()
    chosen = [
        select_runs(runs, conditions, store=store.url)
        for conditions in (asked.baseline, asked.candidate)
    ]
    both = set(chosen[0]["run_id"]) & set(chosen[1]["run_id"])
    if both:
        raise StoreError(
            store=store.url,
            reason=f"{len(both)} runs are of the baseline and of the candidate, "
            f"{printable(min(both))} among them",
            remedy="Narrow the conditions: each run must be of one side.",
        )
    columns = _columns(asked.limits)
    rows = [store.cells_of(own["ingest_id"], columns=columns) for own in chosen]
    cells = _cells_in(rows)
    tests = _tests(cells, asked.limits)
    rows = [own[own["test"].isin(tests)] for own in rows]
    left_out = tuple(
        one
        for side, own in zip(SIDES, rows, strict=True)
        for one in _left_out(own, side, asked.accepted)
    )
    kept = (_without(rows[0], left_out), _without(rows[1], left_out))
    _require_alike(store, pd.concat(chosen), kept, accepted=asked.accepted)
    return Check(
        store=store.url,
        baseline=_side(asked.baseline, kept[0]),
        candidate=_side(asked.candidate, kept[1]),
        cells=check_rows(kept, asked, cells=cells),
        left_out=left_out,
        accepted=tuple(sorted(asked.accepted)),
    )


def _columns(limits: Sequence[LossLimit]) -> list[str]:
    metrics = [limit.of for limit in limits]
    device = ["device_model", "device_serial"]
    own = [name for one in metrics for name in (one.column, one.supported) if name]
    return list(dict.fromkeys([*_KEPT, *NAMES, *_STIMULUS, *device, *own]))


def _tests(cells: Sequence[Mapping[str, str]], limits: Sequence[LossLimit]) -> set[str]:
    """Return the tests with a limit; all of them if there is none, to be named."""
    found = {
        names["test"]
        for names in cells
        if any(limit.matches(names) for limit in limits)
    }
    return found or {names["test"] for names in cells}


def _left_out(
    rows: pd.DataFrame, side: Side, accepted: frozenset[str]
) -> Iterator[LeftOut]:
    """Yield the runs that are no measure of their drive, by test."""
    seen: set[tuple[str, str]] = set()
    for reason, holds in find_unfit(rows, accepted).items():
        places = rows.loc[holds, ["run_id", "test"]].drop_duplicates()
        for run_id, test in places.itertuples(index=False, name=None):
            if (run_id, test) not in seen:
                seen.add((run_id, test))
                why = _UNFIT[reason]
                yield LeftOut(side=side, run_id=run_id, test=test, reason=why)


def _without(rows: pd.DataFrame, left_out: Sequence[LeftOut]) -> pd.DataFrame:
    gone = {(one.run_id, one.test) for one in left_out}
    places = zip(rows["run_id"], rows["test"], strict=True)
    return rows[np.array([place not in gone for place in places], dtype=bool)]


def _require_alike(
    store: Store,
    runs: pd.DataFrame,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    *,
    accepted: frozenset[str],
) -> None:
    kept = runs[runs["run_id"].isin(pd.concat(rows)["run_id"])]
    unlike = find_unlike(kept, rows, accepted=accepted)
    if unlike:
        raise StoreError(
            store=store.url,
            reason="the runs were measured under unlike conditions: "
            + "; ".join(one.text for one in unlike),
            remedy="Narrow --baseline and --candidate, or name what does not matter "
            "with --accept.",
        )


def _side(conditions: Sequence[Condition], rows: pd.DataFrame) -> CheckedSide:
    return CheckedSide(
        conditions=tuple(one.text for one in conditions),
        drives=int(drive_names(rows).nunique()),
        runs=int(rows["run_id"].nunique()),
    )
