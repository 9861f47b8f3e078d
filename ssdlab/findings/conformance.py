"""Where a run departs from the standard, from its frames and plain facts.

Each function gives the findings of one kind: pure, and empty where all is well. The
limits and what they mean stand in decision record 30. Times and gaps are in
`ssdlab.findings.timing`, what may make the numbers wrong in
`ssdlab.findings.doubts`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ssdlab.model.drive import PurgeMethod
from ssdlab.model.finding import Finding, make_finding
from ssdlab.model.records import RunStatus
from ssdlab.model.spec import (
    OperatingPoint,
    Phase,
    Precondition,
    PtsTest,
    Rounds,
    Stimulus,
    is_saturation,
)
from ssdlab.model.units import active_range_bytes, capacity_label
from ssdlab.pts.demand.summary import MAX_LAT_NS, summarise_points
from ssdlab.store.manifest import UNCHANGED, Changes

if TYPE_CHECKING:
    import pandas as pd

# What the block layer or plain writes do: none of them leaves a drive as if never used.
_UNPROVEN_PURGES: frozenset[PurgeMethod] = frozenset({
    "discard-secure",
    "discard",
    "overwrite",
})
_NUMBER = re.compile(r"(\d{5,9})-")
_UNFINISHED: Mapping[RunStatus, str] = {
    "running": "the run has not finished",
    "failed": "the run ended with an error",
    "interrupted": "the run was interrupted",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspend:
    """A suspend of the machine in a step, or in the gap before it, and how long [s]."""

    test: str
    step_id: str
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFacts:
    """What a run was asked for, besides its frames.

    ``tests`` are those that were planned, ``purge`` is the method of the purge where it
    is known and ``purge_words`` what the report says of it, ``is_model`` whether a
    model in memory was measured, ``sessions`` start and end of each time it
    was worked on (Unix time [s], the end ``None`` where it was killed),
    ``host_changes`` what had changed on the host when it was resumed,
    ``suspends`` those of the machine, in order, ``lacks_end`` whether it finished and
    its steps do not reach the end of its plan, ``changes`` what was changed since.
    """

    tests: tuple[PtsTest, ...]
    capacity_bytes: int
    active_range_percent: float
    purge: PurgeMethod | None
    purge_words: str
    status: RunStatus
    sessions: tuple[tuple[float, float | None], ...] = ()
    host_changes: tuple[str, ...] = ()
    suspends: tuple[Suspend, ...] = ()
    lacks_end: bool = False
    is_model: bool = False
    changes: Changes = UNCHANGED


def find_changed_files(facts: RunFacts) -> tuple[Finding, ...]:
    """Say what of a run has changed since it was written.

    ``record-changed``, ``raw-changed``, and ``not-sealed`` of a run that is over.
    """
    found = []
    for code, names in (
        ("record-changed", facts.changes.record),
        ("raw-changed", facts.changes.raw),
    ):
        if names:
            noun = "file is" if len(names) == 1 else "files are"
            words = f"{len(names)} {noun} not as written, such as {names[0]}"
            found.append(make_finding(code, f"{code.partition('-')[0]}: {words}"))
    if not facts.changes.is_sealed and facts.status == "finished":
        words = "manifest: missing, so changes of the record cannot be detected"
        found.append(make_finding("not-sealed", words))
    return tuple(found)


def find_host_changes(facts: RunFacts) -> tuple[Finding, ...]:
    """Say what had changed on the host when a run was resumed."""
    return tuple(
        make_finding("host-changed", f"host, when the run was resumed: {words}")
        for words in facts.host_changes
    )


def missing_numbers(step_ids: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers of steps that are missing before the last one that is there.

    >>> missing_numbers(["00001-iops-purge", "00004-iops-wipc"])
    (2, 3)
    """
    matches = map(_NUMBER.match, step_ids)
    numbers = {int(match[1]) for match in matches if match}
    return tuple(sorted(set(range(1, max(numbers, default=0))) - numbers))


def find_missing_steps(steps: "pd.DataFrame", facts: RunFacts) -> tuple[Finding, ...]:
    """Say how many of the executed steps are missing.

    The number of those after the last one present is unknown.
    """
    missing = missing_numbers(steps["step_id"])
    if missing:
        words = (
            f"steps: {len(missing)} of {len(steps) + len(missing)} steps are missing, "
            f"the first is number {missing[0]}"
        )
        return (make_finding("steps-missing", words),)
    if facts.lacks_end:
        words = (
            f"steps: those after number {len(steps)} are missing, though the run "
            "finished"
        )
        return (make_finding("steps-missing", words),)
    return ()


def find_unfinished(steps: "pd.DataFrame", facts: RunFacts) -> tuple[Finding, ...]:
    """Say that a run did not finish, and which tests were not started."""
    if facts.status == "finished":
        return ()
    words = _UNFINISHED[facts.status]
    begun = set(steps["test"])
    left = [test.test_id for test in facts.tests if test.test_id not in begun]
    if left:
        words += f"; not started: {', '.join(left)}"
    return (make_finding("unfinished", words),)


def find_purge_faults(steps: "pd.DataFrame", facts: RunFacts) -> tuple[Finding, ...]:
    """Say where there was no purge, or no proven one: PTS 2.0.2, 3.2.

    ``purge-none`` of the run or of tests, or ``purge-unverified``.
    """
    method = facts.purge_words
    proof = judge_purge(facts.purge, is_model=facts.is_model)
    if proof == "none":
        words = f"no purge: the method is {method or 'not recorded'!r}"
        return (make_finding("purge-none", words),)
    found = [
        make_finding(
            "purge-none", "no purge: it starts with another step", test=str(test)
        )
        for test, kind in steps.groupby("test", sort=False)["kind"].first().items()
        if kind != "purge"
    ]
    if proof == "unproven":
        words = f"purge: {method}; not proven to leave the device as if never used"
        found.append(make_finding("purge-unverified", words))
    return (*found, *_doubtful_purges(steps))


def _doubtful_purges(steps: "pd.DataFrame") -> Iterator[Finding]:
    """Yield why the purge of a test cannot be shown to have worked."""
    purges = steps[steps["kind"] == "purge"]
    for test, rows in purges.groupby("test", sort=False):
        for words in dict.fromkeys(rows["warnings"].fillna("")):
            if words:
                said = f"purge: {words}"
                yield make_finding("purge-unverified", said, test=str(test))


def judge_purge(
    method: PurgeMethod | None, *, is_model: bool = False
) -> Literal["none", "unproven", "proven"]:
    """Tell whether a method counts as a purge: PTS 2.0.2, 3.2.

    ``none``; ``unproven``, as for a discard of a device or a method that is not
    known; or ``proven``: secure erase, sanitize and format with erasure are
    purges by definition, and the trim of the virtual SSD is proven by its own
    counters.

    >>> judge_purge("discard", is_model=True), judge_purge("discard")
    ('proven', 'unproven')
    """
    if method == "none":
        return "none"
    if method == "discard" and is_model:
        return "proven"
    is_unproven = method is None or method in _UNPROVEN_PURGES
    return "unproven" if is_unproven else "proven"


def find_fill_faults(steps: "pd.DataFrame", facts: RunFacts) -> tuple[Finding, ...]:
    """Say where preconditioning wrote or covered less than requested: PTS 2.0.2, 3.3.

    A test without a fill has no finding, nor has one that did not get that far.
    """
    return tuple(
        make_finding("fill-short", words, test=test.test_id)
        for test in facts.tests
        for phase in test.possible_phases
        if isinstance(phase, Precondition)
        for words in _fill_faults(steps, test, phase, facts=facts)
    )


def _fill_faults(
    steps: "pd.DataFrame", test: PtsTest, phase: Precondition, *, facts: RunFacts
) -> Iterator[str]:
    own = steps[steps["test"] == test.test_id]
    fills = own[own["phase"] == phase.phase_id]
    if fills.empty:
        if set(own["phase"]) & _phases_after(test, phase):
            yield f"{phase.phase_id}: no preconditioning"
        return
    asked = phase.written_capacities * facts.capacity_bytes
    written = int(fills["written_bytes"].sum())
    if written < asked - phase.rounded_bytes:
        yield (
            f"{phase.phase_id}: {capacity_label(written)} written instead of "
            f"{capacity_label(round(asked))}"
        )
    span, wanted = int(fills["range_bytes"].min()), _range_bytes(phase, facts)
    if span < wanted:
        yield (
            f"{phase.phase_id}: it covers {capacity_label(span)} of the "
            f"{capacity_label(wanted)} of the active range"
        )


def _phases_after(test: PtsTest, phase: Phase) -> set[str]:
    """Return the phases whose steps show that the given one was passed."""
    names = [each.phase_id for each in test.possible_phases]
    place = test.possible_phases.index(phase)
    return set(names[place + 1 :]) - set(names[:place])


def _range_bytes(phase: Precondition, facts: RunFacts) -> int:
    """Return how many bytes a fill is to cover."""
    active = phase.active_range
    if active is None:
        return active_range_bytes(facts.capacity_bytes, facts.active_range_percent)
    return active_range_bytes(
        facts.capacity_bytes, active.percent, amount_bytes=active.amount_bytes
    )


def find_unsteady(
    windows: "pd.DataFrame", steps: "pd.DataFrame", facts: RunFacts
) -> tuple[Finding, ...]:
    """Say which phases did not become steady within their rounds.

    The writes of WSAT may end by amount or time: they have no finding. Of a test with
    a fallback, the last phase to be judged counts, of the fallback where it was
    carried out.
    """
    return tuple(
        make_finding("not-steady", words, test=test.test_id)
        for test in facts.tests
        if not is_saturation(test.test_id)
        for words in _unsteady(
            windows[windows["test"] == test.test_id],
            _phases_to_judge(
                test, set(steps.loc[steps["test"] == test.test_id, "phase"])
            ),
            is_finished=facts.status == "finished",
        )
    )


def _unsteady(
    windows: "pd.DataFrame", phases: Sequence[str], *, is_finished: bool
) -> Iterator[str]:
    finals = windows[windows["is_final"].fillna(value=False).astype(bool)]
    for phase in phases:
        rows = finals[finals["phase"] == phase]
        if not rows["is_round_steady"].all():
            rounds = int(rows["round"].max())
            yield f"{phase}: not steady after {rounds} rounds"
        if is_finished and phase not in set(windows["phase"]):
            yield f"{phase}: no full measurement window"


def _phases_to_judge(test: PtsTest, begun: set[str]) -> tuple[str, ...]:
    """Return which phases of a test are to be steady, by those that have steps."""
    first = tuple(filter(None, map(_judged_phase, test.phases)))
    if not test.fallback:
        return first
    again = tuple(filter(None, map(_judged_phase, test.fallback)))
    return (again if begun & set(again) else first)[-1:]


def _judged_phase(phase: Phase) -> str:
    """Return the name of a phase that is to be judged, or nothing."""
    is_judged = isinstance(phase, Rounds | Stimulus) and bool(phase.tracking)
    return phase.phase_id if is_judged else ""


def find_missing_points(
    measurements: "pd.DataFrame", tests: Sequence[PtsTest]
) -> tuple[Finding, ...]:
    """Say where no point of a demand variation was fast enough: PTS 13, step 4."""
    found = []
    for test in tests:
        limits = [p.max_lat_ns for p in test.phases if isinstance(p, OperatingPoint)]
        if not limits:
            continue
        limit_ns = min(limits, default=MAX_LAT_NS)
        points = summarise_points(measurements, test=test.test_id, max_lat_ns=limit_ns)
        if len(points) and not points["is_within_limit"].any():
            words = (
                "operating points: none had a mean response time below "
                f"{limit_ns / 1e6:g} ms; Max, Mid and Min were chosen from all"
            )
            found.append(make_finding("no-point-below-limit", words, test=test.test_id))
    return tuple(found)
