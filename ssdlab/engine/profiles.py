"""Profiles by name or from a user's file, and what each would take."""

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ssdlab.model.errors import ProfileError
from ssdlab.model.report_fields import ReportFields
from ssdlab.model.spec import Precondition, PtsTest
from ssdlab.plan.context import PlanContext
from ssdlab.plan.estimate import estimate_phases
from ssdlab.pts.profile import Profile
from ssdlab.pts.profile_file import parse_profile, parse_report
from ssdlab.pts.profiles import PROFILES, find_profile
from ssdlab.pts.shared.settings import Flow
from ssdlab.pts.suite import build_tests

_SUFFIX = ".toml"
_LARGEST_FILE_BYTES = 100_000
_ENDLESS_BYTES = 2**60  # large enough that the capacity ends no test


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """A profile in outline.

    All its tests take between ``seconds_min`` and ``seconds_max``, without the fills of
    the preconditioning, which write ``fill_capacities`` user capacities at the speed of
    the drive, and unless a limit of written capacities ends a test earlier.
    """

    profile: Profile
    seconds_min: float
    seconds_max: float
    fill_capacities: float


def open_profile(name: str) -> Profile:
    """Return the profile of a name, or the one in a file: ``mine.toml``."""
    if not name.lower().endswith(_SUFFIX):
        return find_profile(name)
    path = Path(name)
    return parse_profile(_read_text(path), source=name, name=path.stem)


def open_report_fields(name: str) -> ReportFields:
    """Return the report fields of a file; a profile of ssdlab has none."""
    if not name.lower().endswith(_SUFFIX):
        return ReportFields()
    return parse_report(_read_text(Path(name)), source=name)


def outline_profiles() -> tuple[Outline, ...]:
    """Return every profile of ssdlab in outline."""
    return tuple(map(outline_profile, PROFILES.values()))


def outline_profile(profile: Profile) -> Outline:
    """Return a profile in outline."""
    context = PlanContext(
        capacity_bytes=_ENDLESS_BYTES,
        sector_bytes=512,
        active_range_percent=profile[Flow].active_range_percent,
        seed=0,
    )
    tests = build_tests(profile, profile.tests)
    timed = [_time(test, context) for test in tests]
    return Outline(
        profile=profile,
        seconds_min=sum(least for least, _ in timed),
        seconds_max=sum(most for _, most in timed),
        fill_capacities=sum(
            phase.written_capacities
            for test in tests
            for phase in test.phases
            if isinstance(phase, Precondition)
        ),
    )


def _time(test: PtsTest, context: PlanContext) -> tuple[float, float]:
    """Return how long all but the fills take, at least and at most [s]."""
    costs = estimate_phases(test, context, write_bytes_per_s=1.0)
    timed = [
        costs[phase.phase_id]
        for phase in test.phases
        if not isinstance(phase, Precondition)
    ]
    return sum(c.seconds_min for c in timed), sum(c.seconds_max for c in timed)


def _read_text(path: Path) -> str:
    if not path.is_file():
        _refuse(path, "file not found")
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE_BYTES + 1)
        if len(content) > _LARGEST_FILE_BYTES:
            _refuse(path, "it is too large for a profile")
        return content.decode("utf-8")
    except OSError as error:
        _refuse(path, f"it cannot be read ({error.strerror})")
    except UnicodeDecodeError:
        _refuse(path, "it is not UTF-8 text")


def _refuse(path: Path, reason: str) -> NoReturn:
    raise ProfileError(
        source=str(path),
        key="",
        reason=reason,
        remedy="Create one: ssdlab profiles show pts-2.0-enterprise > mine.toml.",
    )
