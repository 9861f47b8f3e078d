"""Profiles: every number of the suite, by edition of the standard.

The numbers stand with their tests, in the classes of `Settings`. Source: PTS 2.0.2,
sections 7 to 14, and the editions PTS-E 1.1 and PTS-C 1.1.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ssdlab.model.asked import Suite
from ssdlab.model.editions import PTS_2, PTS_C_1, PTS_E_1
from ssdlab.model.errors import UnknownNameError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import PtsTest
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import NEVER_MISSING, Settings, values_of
from ssdlab.pts.shared.settings import Flow
from ssdlab.pts.suite import CATALOG, GROUPS, SUITE

_BASIC = tuple(name for name in SUITE if CATALOG[name].is_basic)
_FORMER = {"pts-c-1.x": "pts-c-1.1"}  # of ssdlab 0.1.0, as runs and files name it


def _make(
    *chain: str,
    title: str,
    spec_version: str,
    nominal: str = "",
    tests: tuple[str, ...] = SUITE,
) -> Profile:
    """Return a profile with the changes of a chain, the last one its own."""
    settings: dict[type[Settings], Settings] = {}
    for kind in GROUPS.values():
        changes: dict[str, object] = {}
        for name in chain:
            changes |= kind.changes.get(name, {})
        settings[kind] = kind(**changes)
    return Profile(
        name=chain[-1],
        title=title,
        spec_version=spec_version,
        nominal=nominal or chain[-1],
        tests=tests,
        settings=settings,
    )


PROFILES = {
    profile.name: profile
    for profile in (
        _make(
            "pts-2.0-enterprise",
            title="SNIA SSS PTS 2.0, enterprise",
            spec_version=PTS_2,
        ),
        _make(
            "pts-2.0-client",
            title="SNIA SSS PTS 2.0, client",
            spec_version=PTS_2,
        ),
        _make("pts-e-1.1", title="SNIA SSS PTS-E 1.1", spec_version=PTS_E_1),
        _make(
            "pts-2.0-client",
            "pts-c-1.1",
            title="SNIA SSS PTS-C 1.1, client",
            spec_version=PTS_C_1,
            tests=_BASIC,
        ),
        _make(
            "pts-e-1.1",
            "tkperf",
            title="PTS-E 1.0 and 1.1 as TKperf reads them",
            spec_version=PTS_E_1,
            nominal="pts-e-1.1",
            tests=_BASIC,
        ),
        _make(
            "demo",
            title="the enterprise suite with scaled times, for trying out",
            spec_version=PTS_2,
            nominal="pts-2.0-enterprise",
        ),
    )
}


def find_profile(name: str) -> Profile:
    """Return the profile of that name."""
    now = _FORMER.get(name.lower(), name.lower())
    if now not in PROFILES:
        raise UnknownNameError(kind="profile", name=name, known=tuple(PROFILES))
    return PROFILES[now]


def suite_of(profile: Profile, tests: tuple[PtsTest, ...]) -> Suite:
    """Return a profile and tests of it, as ``run.json`` keeps them."""
    settings = {
        kind.group: to_plain(values)
        for kind, values in profile.settings.items()
        if kind is not Flow
    }
    return Suite(
        name=profile.name,
        title=profile.title,
        spec_version=profile.spec_version,
        nominal=profile.nominal,
        settings=settings,
        tests=tests,
        **{one.name: getattr(profile[Flow], one.name) for one in fields(Flow)},
    )


def profile_of(asked: Suite) -> Profile:
    """Return the profile that a run was asked for, of the tests that it was asked for.

    A group that none of its tests uses has the values of the profile that it was
    compared with, as an older version may not have had it.
    """
    if unknown := asked.settings.keys() - GROUPS:
        msg = f"unknown group of values {min(unknown)!r}"
        raise ValueError(msg)
    flow = {one.name: getattr(asked, one.name) for one in fields(Flow)}
    settings = asked.settings | {Flow.group: flow}
    names = tuple(test.test_id for test in asked.tests)
    used = {kind for name in names if name in CATALOG for kind in CATALOG[name].uses}
    held = PROFILES.get(asked.nominal, PROFILES["pts-2.0-enterprise"])
    return Profile(
        name=asked.name,
        title=asked.title,
        spec_version=asked.spec_version,
        nominal=asked.nominal,
        tests=names,
        settings={
            kind: _read(kind, settings.get(kind.group, {}))
            if kind.group in settings or kind in used
            else held[kind]
            for kind in GROUPS.values()
        },
    )


def _read(kind: type[Settings], stored: dict[str, object]) -> Settings:
    """Return the values of a group; a missing one is refused."""
    before = {
        name: value.before
        for name, value in values_of(kind).items()
        if value.before is not NEVER_MISSING
    }
    whole = before | stored
    if missing := values_of(kind).keys() - whole:
        msg = f"{kind.group}: {min(missing)!r} is missing"
        raise ValueError(msg)
    return from_plain(kind, whole)


def suite_of_format_1(values: dict[str, Any]) -> Suite:
    """Return what ``run.json`` of format 1 keeps of a profile, without any test."""
    named = str(values.get("nominal"))
    flow = {one.name for one in fields(Flow)} & values.keys()
    settings: dict[str, dict[str, object]] = {}
    for group, field, key in _keys():
        if key in values:
            settings.setdefault(group, {})[field] = values[key]
    names = {"name", "title", "spec_version", *flow} & values.keys()
    head = {name: values[name] for name in names}
    nominal = _FORMER.get(named, named)
    more = {"nominal": nominal, "settings": settings, "tests": []}
    return from_plain(Suite, head | more)


def _keys() -> Iterator[tuple[str, str, str]]:
    """Yield group, field and key of each value that is not of the flow."""
    for key, place in PROFILES["pts-2.0-enterprise"].places.items():
        if place.kind is not Flow:
            yield place.kind.group, place.field, key
