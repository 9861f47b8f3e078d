"""Where a run departs from the standard, by its request and its target."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ssdlab.model.asked import Import, Procedure, Suite
from ssdlab.model.departure import Departure
from ssdlab.model.drive import PurgeMethod, WriteCacheState
from ssdlab.model.errors import UserError
from ssdlab.model.finding import WHOLE_RUN, Finding, make_finding
from ssdlab.model.records import RunRecord, TargetKind
from ssdlab.model.spec import PtsTest
from ssdlab.pts.departures import clause_of, find_departures
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profiles import profile_of

_PURGE, _CACHE = "PTS 2.0.2, section 3.2", "PTS 2.0.2, sections 4, 5"
_TARGETS = {
    "virtual": (
        "virtual-target",
        "the target is a virtual SSD",
        "a model in memory, not a drive",
    ),
    "file": ("file-target", "", "the target is a file, not a drive"),
    "loop": ("loop-target", "", "the target is a loop device, not a drive"),
}
_NO_CACHE = {
    "virtual": "the model has none that could be switched",
    "file": "a file has none of its own",
}
_IMPORTED = Departure(
    code="imported", subject="imported", done="how it was measured is unknown"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What is, or will be, measured, as far as the standard requires it.

    ``purge`` is how it is purged and ``write_cache`` how its write cache stands, each
    ``None`` where that is not known; ``write_cache_fault`` is why that cannot be set,
    or an empty text.
    """

    kind: TargetKind
    is_loop: bool
    capacity_bytes: int
    sector_bytes: int
    purge: PurgeMethod | None
    write_cache: WriteCacheState | None = None
    write_cache_fault: str = ""


def find_asked_departures(
    asked: Suite | Procedure, measured: Measured
) -> tuple[Departure, ...]:
    """Return the departures that follow from what a run is asked for."""
    if isinstance(asked, Procedure):
        done = "a separate procedure, not a test of the PTS"
        itself = Departure(code="procedure", subject=asked.title, done=done)
        return (itself, *_of_target(measured))
    try:
        profile, names = profile_of(asked), tuple(test.test_id for test in asked.tests)
        fitted = fit_suite(
            profile,
            names,
            capacity_bytes=measured.capacity_bytes,
            sector_bytes=measured.sector_bytes,
        )
    except (ValueError, UserError) as error:
        unknown = Departure(
            code="profile-unknown",
            subject="profile",
            done="the request cannot be read",
            why=str(error),
        )
        return (unknown, *_of_target(measured))
    return (
        *_of_target(measured),
        *find_departures(profile, names),
        *_of_write_cache(asked.write_cache, measured),
        *fitted.left_out,
        *_of_plan(asked.tests, fitted.tests),
    )


def _of_target(measured: Measured) -> Iterator[Departure]:
    """Yield what departs with any run on a target."""
    name = "loop" if measured.is_loop else measured.kind
    if name in _TARGETS:
        code, subject, done = _TARGETS[name]
        yield Departure(code=code, subject=subject, done=done)
    if measured.purge == "none":
        is_file = measured.kind == "file"
        why = "a file cannot be purged" if is_file else "none was requested"
        yield Departure(code="purge-none", subject="no purge", done=why, clause=_PURGE)


def _of_write_cache(
    asked: WriteCacheState, measured: Measured
) -> tuple[Departure, ...]:
    """Return that the write cache was not as requested, or that this is unknown."""
    stood, fault = measured.write_cache, measured.write_cache_fault
    fault = _NO_CACHE.get(measured.kind, fault)
    if asked == "as found" or (not fault and stood in {None, asked}):
        return ()
    is_left = bool(fault) or stood == "as found"
    return (
        Departure(
            code="write-cache",
            subject="write cache",
            done="left as it was found" if is_left else str(stood),
            asked=asked,
            why=fault,
            clause=_CACHE,
        ),
    )


def find_recorded_departures(record: RunRecord) -> tuple[Departure, ...]:
    """Return the departures of a run, derived anew from its record alone."""
    if isinstance(record.asked, Import):
        is_said = any(one.code == "imported" for one in record.departures)
        return record.departures if is_said else (_IMPORTED, *record.departures)
    target, choice = record.target, record.purge_choice
    measured = Measured(
        kind=target.kind,
        is_loop=record.drive is not None and record.drive.bus == "loop",
        capacity_bytes=target.capacity_bytes,
        sector_bytes=target.sector_bytes,
        purge=choice.method if choice else None,
        write_cache=record.write_cache,
        write_cache_fault=record.write_cache_fault,
    )
    return (*find_asked_departures(record.asked, measured), *record.departures)


def find_recorded_findings(record: RunRecord) -> tuple[Finding, ...]:
    """Return `find_recorded_departures` as findings of the run, or of each test."""
    return tuple(
        make_finding(one.code, one.words, test=test, clause=one.clause)
        for one in find_recorded_departures(record)
        for test in one.tests or (WHOLE_RUN,)
    )


def _of_plan(
    planned: Iterable[PtsTest], wanted: Iterable[PtsTest]
) -> Iterator[Departure]:
    """Yield the tests whose plan differs from what their profile asks for.

    Departures are derived from the profile, so the tests that were carried out must be
    those of the profile: editing it hides nothing.
    """
    for mine, test in zip(planned, wanted, strict=True):
        if mine.possible_phases != test.possible_phases:
            yield Departure(
                code="plan-unlike-profile",
                subject=f"plan of {test.test_id}",
                done="differs from the profile",
                clause=clause_of([test.test_id]),
                tests=(test.test_id,),
            )
