"""Runs against limits: met, not met, or it cannot be told.

Every run is judged by itself. A limit is met in a cell if the interval of the
confidence that it asks for is within its bounds. It is shown not to be met if an
interval is beyond them whose error is divided by the number of cells in the whole
table. So whether all limits are met, and whether any is not, is wrong in at most one of
20 tables at 95 %.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal

from ssdlab.compare.folders import open_runs
from ssdlab.fleet.conditions import NEIGHBOURS, STEADY_STATE
from ssdlab.fleet.measured import MeasuredCell, measured_cells
from ssdlab.limits.bounds import (
    AMPLIFICATION,
    DRIVE_READINGS,
    BoundLimit,
    BoundsFile,
    Kind,
    read_bounds,
)
from ssdlab.limits.estimates import Estimate, estimate_cell
from ssdlab.limits.fiosynth_targets import fiosynth_limits
from ssdlab.limits.needed import Needed, find_needed
from ssdlab.model.errors import RunFolderError, UserFileError
from ssdlab.procedures.jobs.fiosynth import PREFIX
from ssdlab.qos.halves import Verdict
from ssdlab.stats.interval import Interval
from ssdlab.store.run import Run
from ssdlab.system.toml_files import read_text
from ssdlab.telemetry.amplification import ALL_PHASES, summarise_amplification
from ssdlab.telemetry.summary import spans_of_tests, summarise_health

Reason = Literal[
    "", "not-measured", "no-value", "not-steady", "not-judged", "neighbours",
    "no-scatter", "not-bounded", "wide", "among-many", "not-read", "coarse",
]  # fmt: skip
VERDICTS: Final[tuple[Verdict, ...]] = ("met", "not met", "cannot be told")
# Which cell of a workload is judged: a mean of rounds, a percentile of the long run.
_PREFERRED: Final[Mapping[Kind, tuple[str, ...]]] = {
    "rate": ("cell", "mean", "histogram"),
    "mean": ("cell", "mean", "histogram"),
    "percentile": ("histogram", "cell", "mean"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A limit in a cell of a run, or in a test if it is of a reading: what is shown.

    ``names`` are those of the cell, only the test for a reading, and nothing where the
    limit is for no cell of the run. ``interval`` is of the confidence asked, or the
    range of a reading, and ``count`` what it rests on. ``reason`` is why it cannot be
    told.
    """

    run_id: str
    limit: BoundLimit
    verdict: Verdict
    reason: Reason = ""
    names: Mapping[str, str]
    interval: Interval | None = None
    count: int = 0
    counted: str = ""
    needed: Needed | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedRun:
    """A run that was checked; ``doubts`` are those about its numbers, in words."""

    run_id: str
    device: str
    is_drive: bool
    doubts: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitCheck:
    """What is shown of runs against the limits of a file.

    Attributes
    ----------
    file : BoundsFile
        The limits, with their title and source.
    runs : tuple of CheckedRun
        The runs.
    cases : tuple of Case
        Every limit in every cell that it is for, run by run.
    """

    file: BoundsFile
    runs: tuple[CheckedRun, ...]
    cases: tuple[Case, ...]

    @property
    def verdict(self) -> Verdict:
        """Not met if any case is shown not to be; met only if every case is."""
        counts = self.counts
        if counts["not met"]:
            return "not met"
        return "cannot be told" if counts["cannot be told"] else "met"

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many cases have each verdict."""
        found = Counter(one.verdict for one in self.cases)
        return {name: found[name] for name in VERDICTS}


def check_limits(
    runs: Run | str | Path | Sequence[Run | str | Path],
    limits: BoundsFile | str | Path,
) -> LimitCheck:
    """Check runs against limits: met, not met, or it cannot be told.

    Parameters
    ----------
    runs : Run, str, Path, or a sequence of them
        Runs, or what `ssdlab.compare_runs` takes.
    limits : BoundsFile, str or Path
        A file of limits in TOML, ``reference:NAME``, ``fiosynth:FILE`` for the
        targets of a suite of FioSynth, or what a file says.

    Returns
    -------
    LimitCheck
        The verdict of each limit in each run, and of all together.

    Raises
    ------
    UserFileError
        If the file of limits is not valid.
    RunFolderError
        If a run cannot be read.
    RepeatedNameError
        If a run is there twice.

    Examples
    --------
    >>> import ssdlab
    >>> sheet = "reference:intel-s3510"
    >>> found = ssdlab.check_limits("data/samples/virtual-b", sheet)
    >>> found.verdict, found.counts["not met"]
    ('not met', 7)
    """
    file = _read_limits(limits)
    opened = _open(runs)
    if file is None:
        file = _read_targets(limits, opened)
    return LimitCheck(
        file=file,
        runs=tuple(map(_checked_run, opened)),
        cases=tuple(
            judge_places([
                place for run in opened for place in _find_places(run, file.limit)
            ])
        ),
    )


def _read_limits(limits: BoundsFile | str | Path) -> BoundsFile | None:
    """Return limits; ``None`` for targets, which depend on the capacity of the runs."""
    if isinstance(limits, BoundsFile):
        return limits
    return None if str(limits).startswith(PREFIX) else read_bounds(Path(limits))


def _read_targets(limits: BoundsFile | str | Path, runs: Sequence[Run]) -> BoundsFile:
    """Return the targets of a suite of FioSynth, for runs of one capacity."""
    place = Path(str(limits).removeprefix(PREFIX))
    capacities = {run.record.target.capacity_bytes for run in runs}
    if len(capacities) > 1 or not all(capacities):
        raise UserFileError(
            source=str(place),
            reason="its targets are per TB, and the runs have several capacities",
            remedy="Check them one by one.",
        )
    return fiosynth_limits(
        read_text(place), source=place.name, capacity_bytes=capacities.pop()
    )


def _open(runs: Run | str | Path | Sequence[Run | str | Path]) -> Sequence[Run]:
    if isinstance(runs, Run):
        return (runs,)
    several = [runs] if isinstance(runs, str | Path) else list(runs)
    opened = [one for one in several if isinstance(one, Run)]
    named = [one for one in several if not isinstance(one, Run)]
    if named:
        found = open_runs(named, fewest=1)
        if found.left_out:
            raise RunFolderError(
                folder=", ".join(map(str, named)),
                reason=f"not every run can be read: {', '.join(found.left_out)}",
                remedy="Name those that can be read, or repair the others.",
            )
        opened += found.runs
    return opened


def _checked_run(run: Run) -> CheckedRun:
    target = run.record.target
    return CheckedRun(
        run_id=run.record.run_id,
        device=f"{target.model} {target.serial}".strip(),
        is_drive=target.kind in {"block", "imported"},
        doubts=run.answers.doubts_words if run.answers.found("numbers") else "",
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Place:
    """Where a limit is to be judged; ``estimate`` is None where there is nothing."""

    run_id: str
    limit: BoundLimit
    names: Mapping[str, str]
    reason: Reason = ""
    estimate: Estimate | None = None
    reading: Case | None = None


def judge_places(places: Sequence[Place]) -> Iterator[Case]:
    """Yield the verdict of every place, as one table.

    Notes
    -----
    A cell of which nothing is known still counts among the comparisons. A reading has
    no sampling error, and does not.
    """
    comparisons = sum(one.reading is None for one in places)
    for one in places:
        yield one.reading or _judge_place(one, comparisons)


def _judge_place(place: Place, comparisons: int) -> Case:
    limit, estimate = place.limit, place.estimate
    case = Case(
        run_id=place.run_id,
        limit=limit,
        verdict="cannot be told",
        reason=place.reason,
        names=place.names,
    )
    if estimate is None or estimate.reason == "no-value":
        return replace(case, reason=place.reason or "no-value")
    own = limit.confidence_percent
    whole = 100 - (100 - own) / comparisons
    interval = estimate.interval(own)
    case = replace(
        case, interval=interval, count=estimate.count, counted=estimate.basis
    )
    reason = place.reason or estimate.reason
    if reason:
        return replace(case, reason=reason)
    verdict = compare_bounds(limit.range, interval, estimate.interval(whole))
    if verdict != "cannot be told":
        return replace(case, verdict=verdict)
    low, high = limit.range
    asked = own if low <= estimate.value <= high else whole
    return replace(
        case,
        reason=_open_reason(limit, interval),
        needed=find_needed(estimate, limit, confidence_percent=asked),
    )


def _open_reason(limit: BoundLimit, interval: Interval) -> Reason:
    if compare_bounds(limit.range, interval, interval) == "not met":
        return "among-many"
    is_bounded = math.isfinite(interval.high) or math.isinf(limit.range[1])
    return "wide" if is_bounded else "not-bounded"


def compare_bounds(
    bounds: tuple[float, float], interval: Interval, whole: Interval
) -> Verdict:
    """Compare an interval with bounds, and that which holds for the whole table.

    >>> inside = Interval(estimate=10.0, low=9.0, high=11.0)
    >>> compare_bounds((8.0, float("inf")), inside, inside)
    'met'
    """
    low, high = bounds
    if low <= interval.low and interval.high <= high:
        return "met"
    return "not met" if whole.high < low or whole.low > high else "cannot be told"


def _find_places(run: Run, limits: Sequence[BoundLimit]) -> Iterator[Place]:
    """Yield each limit with the cells of a run that it is for, or with none."""
    cells = tuple(measured_cells(run))
    for limit in limits:
        if limit.kind == "reading":
            yield from _readings(run, limit)
            continue
        chosen = [
            one
            for _, own in groupby(
                sorted(filter(lambda one: limit.matches(one.names), cells), key=_key),
                key=_key,
            )
            for one in _preferred(tuple(own), limit.kind)
        ]
        for one in chosen:
            yield Place(
                run_id=run.record.run_id,
                limit=limit,
                names=one.names,
                reason=_unfit(one, cells, limit.accept),
                estimate=estimate_cell(one, limit, run),
            )
        if not chosen:
            yield Place(
                run_id=run.record.run_id, limit=limit, names={}, reason="not-measured"
            )


def _key(cell: MeasuredCell) -> tuple[str, str]:
    return cell.names["test"], cell.names["workload"]


def _preferred(cells: Sequence[MeasuredCell], kind: Kind) -> list[MeasuredCell]:
    """Return which cells of one workload are judged: those of one kind."""
    usable = [one for one in cells if kind != "percentile" or one.load] or cells
    kinds = {one.names["kind"] for one in usable}
    first = next(one for one in _PREFERRED[kind] if one in kinds)
    return [one for one in usable if one.names["kind"] == first]


def _unfit(
    cell: MeasuredCell, cells: Sequence[MeasuredCell], accepted: Sequence[str]
) -> Reason:
    """Return why a cell is no measure of its drive in steady state.

    A long run, which is not judged itself, is as steady as the rounds of its test.
    """
    is_steady = cell.is_steady
    if is_steady is None:
        judged = [
            one.is_steady
            for one in cells
            if one.names["test"] == cell.names["test"] and one.is_steady is not None
        ]
        is_steady = all(judged) if judged else None
    if STEADY_STATE not in accepted and not is_steady:
        return "not-judged" if is_steady is None else "not-steady"
    is_shared = bool((cell.neighbours or "").strip())
    return "neighbours" if is_shared and NEIGHBOURS not in accepted else ""


def _readings(run: Run, limit: BoundLimit) -> Iterator[Place]:
    """Yield a limit of a reading in each test that it is for."""
    tests = [
        test for test, _, _ in spans_of_tests(run.steps) if limit.matches_test(test)
    ]
    known = {str(row["test"]): row for row in _told(run, limit.metric)}
    is_read = not known.keys().isdisjoint(tests)
    for test in tests if is_read else [""]:
        names = {"test": test} if test else {}
        case = Case(
            run_id=run.record.run_id,
            limit=limit,
            verdict="cannot be told",
            reason="not-read",
            names=names,
        )
        if test in known:
            case = judge_reading(case, known[test])
        yield Place(run_id=case.run_id, limit=limit, names=names, reading=case)


def _told(run: Run, metric: str) -> list[dict[Any, Any]]:
    """Return what a drive told of each test, as rows of `summarise_health`.

    Write amplification is as far between its ends as the units of the counters allow.
    """
    if metric != AMPLIFICATION:
        health = summarise_health(run.telemetry, run.steps)
        return health[health["name"] == metric].to_dict("records")
    found = summarise_amplification(run.telemetry, run.steps)
    return [
        {
            "test": row["test"],
            "mean": row["amplification"],
            "minimum": row["amplification_low"],
            "maximum": row["amplification_high"],
            "n_readings": 2,
        }
        for row in found[found["phase"] == ALL_PHASES].to_dict("records")
    ]


def judge_reading(case: Case, row: Mapping[Any, Any]) -> Case:
    """Judge what a drive read in a test: a counter by its rise, a gauge by its ends.

    ``row`` is one of `summarise_health`. Write amplification that lies across a bound,
    as far as the units of its counters tell, cannot be told.
    """
    low, high = case.limit.range
    is_coarse = case.limit.metric == AMPLIFICATION
    is_counter = DRIVE_READINGS[case.limit.metric].kind == "counter"
    keys = ("rise",) * 3 if is_counter else ("mean", "minimum", "maximum")
    value, least, most = (float(row[key]) for key in keys)
    if math.isnan(value):
        return case
    is_met = low <= least and most <= high
    is_open = is_coarse and not is_met and least <= high and low <= most
    return replace(
        case,
        verdict="cannot be told" if is_open else "met" if is_met else "not met",
        reason="coarse" if is_open else "",
        interval=Interval(estimate=value, low=least, high=most),
        count=int(row["n_readings"]),
        counted="readings",
    )
