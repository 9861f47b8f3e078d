"""A request for a run, found to be in order before anything is touched."""

from collections.abc import Mapping
from dataclasses import dataclass

from ssdlab.campaign.conformance import find_run_departures
from ssdlab.campaign.imported import tests_as_data
from ssdlab.campaign.profiles import open_profile
from ssdlab.fio.runner import require_fio
from ssdlab.model.errors import UserError
from ssdlab.model.spec import Procedure
from ssdlab.pts.block_checks import require_blocks_in_range, require_whole_sectors
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profiles import Profile, profile_as_dict
from ssdlab.pts.suite import choose_tests
from ssdlab.targets.opening import Shape, read_shape, require_room

ACTIVE_RANGE_PERCENT = 100.0  # of a procedure
_LONGEST_TEXT = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What to measure, and by which profile or procedure.

    ``values`` are what ``run.json`` keeps of either.
    """

    target: str
    name: str
    values: dict[str, object]
    tests: tuple[str, ...]
    source: Profile | Procedure


def check_request(
    target: str, profile: str, tests: str, *, texts: Mapping[str, str]
) -> Request:
    """Return the request, or raise the `UserError` that says what is wrong with it.

    ``texts`` are the other words of the user's, by name.
    """
    _require_texts({"target": target, "profile": profile, **texts})
    chosen, shape = open_profile(profile), read_shape(target)
    asked = Request(
        target=target,
        name=chosen.name,
        values=profile_as_dict(chosen),
        tests=choose_tests(chosen, tests),
        source=chosen,
    )
    require_room(target, shape.capacity_bytes)
    fit_suite(
        chosen,
        asked.tests,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
    )
    require_fio()
    return asked


def check_procedure(
    target: str, procedure: Procedure, *, texts: Mapping[str, str]
) -> Request:
    """Return the request for a procedure, or raise what is wrong with it."""
    _require_texts({"target": target, **texts})
    shape = read_shape(target)
    require_room(target, shape.capacity_bytes)
    _require_blocks(procedure, shape)
    require_fio()
    return Request(
        target=target,
        name=procedure.name,
        values=procedure_as_dict(procedure),
        tests=tuple(test.test_id for test in procedure.tests),
        source=procedure,
    )


def _require_blocks(procedure: Procedure, shape: Shape) -> None:
    """Require blocks of whole sectors that the active range has room for.

    Raises
    ------
    ProfileError
        If there are others.
    """
    remedy = "Take another stimulus where it takes one, or another device."
    if "capture" in procedure.given:
        remedy = "Edit the capture or lower --share."
    for test in procedure.tests:
        require_whole_sectors(procedure.title, test, shape.sector_bytes, remedy=remedy)
        require_blocks_in_range(
            procedure.title,
            test,
            shape.capacity_bytes,
            active_range_percent=ACTIVE_RANGE_PERCENT,
            remedy=remedy,
        )


def procedure_as_dict(procedure: Procedure) -> dict[str, object]:
    """Return what ``run.json`` keeps of a procedure: its tests, and what it is."""
    return {
        "name": procedure.name,
        "title": procedure.title,
        "spec_version": procedure.source,
        "write_cache": "as found",
        "active_range_percent": ACTIVE_RANGE_PERCENT,
        "uses_random_map": False,
        "max_idle_s": procedure.max_idle_s,
        "notes": list(procedure.notes),
        "tests": tests_as_data(procedure.tests),
        "given": procedure.given,
    }


def find_request_departures(
    asked: Request,
    *,
    target_departures: tuple[str, ...],
    capacity_bytes: int,
    sector_bytes: int,
) -> tuple[str, ...]:
    """Return what departs from the PTS in a request; see `find_run_departures`."""
    if isinstance(asked.source, Procedure):
        words = f"{asked.source.title}: a procedure of its own and no test of the PTS"
        return (words, *target_departures)
    return find_run_departures(
        asked.source,
        asked.tests,
        target_departures=target_departures,
        capacity_bytes=capacity_bytes,
        sector_bytes=sector_bytes,
    )


def _require_texts(texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        _require_plain(name, text)


def _require_plain(name: str, text: str) -> None:
    """Require text that JSON, a terminal and a report can show as it is.

    Raises
    ------
    UserError
        If it has control characters, broken UTF-8 or no end.
    """
    if text.isprintable() and len(text) <= _LONGEST_TEXT:
        return
    shown = repr(text if len(text) <= 80 else f"{text[:80]}…")
    msg = (
        f"The {name} {shown} cannot be recorded. Use at most {_LONGEST_TEXT} printable "
        "characters."
    )
    raise UserError(msg)
