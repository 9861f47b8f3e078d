"""A profile as TOML text: written with the meaning of each value, and validated."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn

from ssdlab.model.errors import ProfileError, UnknownNameError
from ssdlab.model.report_fields import NAMES, ReportFields
from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.pts.profile import Place, Profile
from ssdlab.pts.profile_entries import Entry, active_range_text, size_text
from ssdlab.pts.profiles import PROFILES, find_profile
from ssdlab.pts.settings import Fault, Value, describe, values_of
from ssdlab.pts.shared.settings import HistogramRun, Ranges
from ssdlab.pts.suite import optional_tests

_BASE = "based_on"
_REPORT = "report"
_FREE = ("name", "title")  # a user's own words
_TESTS = describe("tests of the profile", "", "test", is_list=True)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LONGEST_TITLE = 200
_HEAD = """\
# {title} ({spec_version})
#
# Your own file needs only {base} and what differs:
#     ssdlab profiles show {name} > mine.toml
#     ssdlab run virtual --profile mine.toml
# What differs from the nominal values is reported as a departure from the standard.
"""


def render_profile(profile: Profile) -> str:
    """Return a profile as TOML, each value with meaning, unit and section."""
    is_ours = PROFILES.get(profile.name) == profile
    base = profile.name if is_ours else profile.nominal
    head = _HEAD.format(
        title=profile.title,
        spec_version=profile.spec_version,
        base=_BASE,
        name=profile.name if is_ours else f"{profile.name}.toml",
    )
    lines = [f"{_BASE} = {_text(base)}"]
    if not is_ours:
        lines += [f"{key} = {_text(getattr(profile, key))}" for key in _FREE]
    lines += _render_groups(profile)
    return "\n".join((head, *lines, ""))


def _render_groups(profile: Profile) -> Iterator[str]:
    """Yield the values that stand by themselves, then each table."""
    yield _render_tests(profile)
    for kind in sorted(profile.settings, key=lambda kind: bool(kind.prefix)):
        if kind.prefix:
            yield f"\n[{kind.group}]"
        for field, value in values_of(kind).items():
            yield _render_value(Place(kind, field, value), profile)


def _text(value: str) -> str:
    """Return a TOML string, which has no surrogate pairs."""
    return json.dumps(value, ensure_ascii=False)


def parse_profile(text: str, *, source: str, name: str) -> Profile:
    """Return the profile that a TOML text describes."""
    given = _load(text, source)
    given.pop(_REPORT, None)
    base = _find_base(given.pop(_BASE, None), source)
    words = {"name": name} | {key: given.pop(key) for key in _FREE if key in given}
    changes: dict[str, Any] = {
        key: _entry(key, written, source=source, base=base).read(value)
        for key, written, value in _flat(given, source=source, base=base)
    }
    profile = check_whole(base.having(**changes), source=source)
    return _named(profile, words, source=source)


def parse_report(text: str, *, source: str) -> ReportFields:
    """Return what the table ``[report]`` of a TOML text says for the report."""
    table = _load(text, source).get(_REPORT, {})
    if not isinstance(table, dict):
        _refuse_report(source, _REPORT, "it is not a table")
    for key, value in table.items():
        if key not in NAMES:
            _refuse_report(source, key, "a report has no such field")
        if not isinstance(value, str) or not value.isprintable():
            _refuse_report(source, key, "this is not one line of text")
        if len(value) > _LONGEST_TITLE:
            _refuse_report(source, key, f"it has more than {_LONGEST_TITLE} characters")
    return ReportFields(**table)


def _refuse_report(source: str, key: str, reason: str) -> NoReturn:
    raise ProfileError(
        source=source,
        key=key,
        reason=reason,
        remedy=f"The fields of [report] are {', '.join(NAMES)}.",
    )


def _load(text: str, source: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProfileError(
            source=source,
            key="",
            reason=f"this is not TOML ({error})",
            remedy="Begin with what `ssdlab profiles show NAME` prints.",
        ) from None


def _find_base(base: object, source: str) -> Profile:
    with suppress(UnknownNameError):
        if isinstance(base, str):
            return find_profile(base)
    reason = "it is missing" if base is None else f"unknown profile {base!r}"
    raise ProfileError(
        source=source,
        key=_BASE,
        reason=reason,
        remedy=f"Write {_BASE} with one of: {', '.join(map(json.dumps, PROFILES))}.",
    )


def _flat(
    given: Mapping[str, object], *, source: str, base: Profile
) -> Iterator[tuple[str, str, object]]:
    """Yield each value with its key, and as that is written: in a table or not."""
    tables = {kind.group: kind for kind in base.settings if kind.prefix}
    known = {"tests", *base.places}
    seen: set[str] = set()
    for name, value in given.items():
        pairs = {name: (name, value)}
        if name in tables and isinstance(value, dict):
            pairs = {
                f"{tables[name].prefix}{field}": (f"{name}.{field}", item)
                for field, item in value.items()
            }
        for key, (written, item) in pairs.items():
            if key not in known:
                _refuse_key(written, known, source=source, base=base)
            if key in seen:
                _refuse_twice(key, written, source=source)
            seen.add(key)
            yield key, written, item


def _refuse_key(
    key: str, known: Iterable[str], *, source: str, base: Profile
) -> NoReturn:
    near = difflib.get_close_matches(key, (*known, _BASE, *_FREE), n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise ProfileError(
        source=source,
        key=key if key.isprintable() else repr(key),
        reason="a profile has no such value",
        remedy=f"{hint}See them all: ssdlab profiles show {base.name}.",
    )


def _refuse_twice(key: str, written: str, *, source: str) -> NoReturn:
    raise ProfileError(
        source=source,
        key=written,
        reason=f"it appears twice, also as {key}",
        remedy="Leave one out.",
    )


def _entry(key: str, written: str, *, source: str, base: Profile) -> Entry:
    value = _TESTS if key == "tests" else base.places[key].value
    held = base.tests if key == "tests" else base.value(key)
    example = f"{base.name} has {written} = {_value_text(value, held)}"
    return Entry(source=source, key=written, value=value, example=example)


def _named(profile: Profile, words: Mapping[str, object], *, source: str) -> Profile:
    """Give a profile its name, which becomes a part of file names, and its title."""
    name = words["name"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ProfileError(
            source=source,
            key="name",
            reason=f"{name!r} is not a valid profile name",
            remedy='Write one of letters, digits, ".", "_" and "-": name = "mine".',
        )
    ours = PROFILES.get(name.lower())
    title = words.get("title", ours.title if ours else f"changed {profile.title}")
    if not isinstance(title, str) or not _is_plain(title):
        raise ProfileError(
            source=source,
            key="title",
            reason="this is not a valid title",
            remedy=f"Write at most {_LONGEST_TITLE} printable characters.",
        )
    named = replace(profile, name=name, title=title)
    if ours is not None and ours != named:
        raise ProfileError(
            source=source,
            key="name",
            reason=f"{name!r} names a profile of ssdlab that has other values",
            remedy='Choose another name: name = "mine", or rename the file.',
        )
    return named


def _is_plain(text: str) -> bool:
    return text.isprintable() and 0 < len(text) <= _LONGEST_TITLE


def _render_tests(profile: Profile) -> str:
    lines = f"\n# {_TESTS.words}"
    nominal = PROFILES[profile.nominal]
    if profile.tests != nominal.tests:
        wanted = _value_text(_TESTS, nominal.tests)
        lines += f"\n# nominal, as in {nominal.name}: {wanted}"
    if more := optional_tests(profile):
        lines += f"\n# by name only, not in `--tests all`: {', '.join(more)}"
    return f"{lines}\ntests = {_value_text(_TESTS, profile.tests)}"


def _clause(section: str) -> str:
    noun = "sections" if "," in section else "section"
    return f"; PTS 2.0.2, {noun} {section}" if section else ""


def _render_value(place: Place, profile: Profile) -> str:
    value, nominal = place.value, PROFILES[profile.nominal]
    unit = f" [{value.unit}]" if value.unit and "[" not in value.words else ""
    lines = f"\n# {value.words}{unit}{_clause(value.section)}"
    text, wanted = (
        _value_text(value, getattr(one[place.kind], place.field))
        for one in (profile, nominal)
    )
    if text != wanted:
        lines += f"\n# nominal, as in {nominal.name}: {wanted}"
    return f"{lines}\n{place.field} = {text}"


def _value_text(value: Value, held: object) -> str:
    """Return a value as TOML."""
    if held is None or held == ():
        return json.dumps(value.absent)
    if isinstance(held, tuple):
        return f"[{', '.join(_item_text(value, item) for item in held)}]"
    return _item_text(value, held)


def _item_text(value: Value, item: object) -> str:
    match item:
        case Tracking():
            return json.dumps(item.label)
        case ActiveRange():
            return json.dumps(active_range_text(item))
        case int() if value.kind == "size" and item:
            return json.dumps(size_text(item))
        case _:
            return json.dumps(item)


def check_whole(profile: Profile, *, source: str) -> Profile:
    """Return the profile if its values fit together."""
    for key, reason, remedy in _find_faults(profile):
        raise ProfileError(source=source, key=key, reason=reason, remedy=remedy)
    return profile


def _find_faults(profile: Profile) -> Iterator[Fault]:
    """Yield the faults of each group by its keys, then those between groups."""
    for kind, values in profile.settings.items():
        for field, reason, remedy in values.faults():
            yield f"{kind.prefix}{field}", reason, remedy
    has_histogram = profile[HistogramRun].histogram_s is not None
    if len(profile[Ranges].active_ranges) > 1 and has_histogram:
        yield (
            "histogram_s",
            "a histogram run cannot cover several active ranges",
            'Write histogram_s = "none", or name one active range.',
        )
