"""Where the values of a profile differ from the standard."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ssdlab.model.departure import Departure
from ssdlab.model.editions import PTS_E_1
from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.model.units import block_size_label, duration_label, mix_label
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.settings import Value
from ssdlab.pts.shared.settings import Flow, Load, Ranges, Wipc
from ssdlab.pts.suite import CATALOG, LOOPED_TESTS, optional_tests, tests_of
from ssdlab.pts.tp.spec import Tp

_FLOW = "4"


def find_departures(
    profile: Profile, test_ids: tuple[str, ...]
) -> tuple[Departure, ...]:
    """Return each value of a profile that is not its nominal one."""
    return (
        *_of_values(profile, test_ids),
        *_other_tests(PROFILES[profile.nominal], test_ids),
        *_segments(profile, test_ids),
    )


def _of_values(profile: Profile, test_ids: tuple[str, ...]) -> Iterator[Departure]:
    """Yield each value that is neither nominal, nor allowed, nor of other tests."""
    nominal = PROFILES[profile.nominal]
    for key, place in profile.places.items():
        if place.value.is_choice or profile.value(key) == nominal.value(key):
            continue
        using = tests_of(place.kind, profile)
        concerned = tuple(test for test in test_ids if test in using)
        if concerned and not _is_allowed(key, profile, concerned):
            yield _departure(key, profile, concerned)


def clause_of(test_ids: Iterable[str]) -> str:
    """Return where the standard describes tests, such as ``PTS 2.0.2, section 7``."""
    return _clause(*(CATALOG[test].section for test in test_ids))


def _clause(*sections: str) -> str:
    known = list(dict.fromkeys(sections))
    noun = "section" if len(known) == 1 else "sections"
    return f"PTS 2.0.2, {noun} {', '.join(known)}"


def _is_sequential(test: str) -> bool:
    return Tp in CATALOG[test].uses


def _is_allowed(key: str, profile: Profile, test_ids: tuple[str, ...]) -> bool:
    """Tell whether the edition also allows a value."""
    nominal, meant = PROFILES[profile.nominal], profile.places[key].value
    if key == "active_ranges":
        return _has_ranges_of(profile, nominal)
    if key == "wipc_threads":  # those of the loop, as its number: PTS 2.0.2, 3.3
        tp, load = profile[Tp].threads, profile[Load].threads
        loops = {tp if _is_sequential(test) else load for test in test_ids}
        return loops == {profile[Wipc].threads}
    least, value = nominal.value(key), profile.value(key)
    if not isinstance(least, int | float) or not isinstance(value, int | float):
        return False
    if value < least:
        return meant.may_be_less
    return meant.allowed_to is not None and value <= meant.allowed_to


def _departure(key: str, profile: Profile, concerned: tuple[str, ...]) -> Departure:
    place = profile.places[key]
    value, wanted = profile.value(key), PROFILES[profile.nominal].value(key)
    texts = _text(place.value, value), _text(place.value, wanted)
    if texts[0] == texts[1]:  # too close to differ when printed
        texts = str(value), str(wanted)
    is_of_all = place.kind is Flow
    clause = _clause(_FLOW) if is_of_all else clause_of(concerned)
    return Departure(
        code=_code(place.value, value, wanted),
        subject=place.value.words,
        done=texts[0],
        asked=texts[1],
        clause=_clause(place.kind.clause) if place.kind.clause else clause,
        tests=() if is_of_all else concerned,
    )


def _code(meant: Value, value: Any, wanted: Any) -> str:
    is_less = bool(meant.code_below) and value < wanted
    return meant.code_below if is_less else meant.code


def _other_tests(nominal: Profile, test_ids: tuple[str, ...]) -> tuple[Departure, ...]:
    known = {*nominal.tests, *optional_tests(nominal)}
    return tuple(
        Departure(
            code="test-of-another-edition",
            subject=f"test {test_id}",
            done=f"not known to be one of {nominal.spec_version}",
            clause=clause_of([test_id]),
            tests=(test_id,),
        )
        for test_id in test_ids
        if test_id not in known
    )


def _has_ranges_of(profile: Profile, nominal: Profile) -> bool:
    """Tell whether the ranges are those of an edition; segments depart by themselves.

    PTS-E 1.1 has an "optional ActiveRange(Test Operator Choice)" besides the whole one.
    """
    if _without_segments(profile) == _without_segments(nominal):
        return True
    wholes = [active.percent for active in profile[Ranges].active_ranges]
    has_amounts = any(active.amount_bytes for active in profile[Ranges].active_ranges)
    is_named = nominal.spec_version == PTS_E_1
    return is_named and 100 in wholes and not has_amounts


def _without_segments(profile: Profile) -> tuple[ActiveRange, ...]:
    return tuple(
        replace(active, segments=1) for active in profile[Ranges].active_ranges
    )


def _segments(profile: Profile, test_ids: tuple[str, ...]) -> tuple[Departure, ...]:
    """Name the segments of amounts: sequential tests have one, as fio has no more."""
    counts = [
        each.segments for each in profile[Ranges].active_ranges if each.amount_bytes
    ]
    if not counts:
        return ()
    tests: dict[int, tuple[str, ...]] = {}
    for test in test_ids:
        if test in LOOPED_TESTS:
            count = 1 if _is_sequential(test) else min(counts)
            tests[count] = (*tests.get(count, ()), test)
    return tuple(
        Departure(
            code="segments",
            subject="segments of the active range",
            done=f"{count} at random positions"
            if count > 1
            else "one of the whole amount",
            asked="2048 at random positions",
            clause=clause_of(looped),
            tests=looped,
        )
        for count, looped in tests.items()
    )


def _text(meant: Value, value: object) -> str:
    if value is None or value == ():
        return meant.absent or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(_item(meant, item) for item in value)
    return _item(meant, value)


def _item(meant: Value, value: object) -> str:
    if isinstance(value, Tracking):
        return f"({value.label})"
    if isinstance(value, ActiveRange):
        return value.name
    if isinstance(value, int | float):
        return _number(meant.kind, value)
    return str(value)


def _number(kind: str, value: float) -> str:
    match kind:
        case "seconds":
            is_whole = float(value).is_integer() or value >= 60
            return duration_label(value) if is_whole else f"{value:g} s"
        case "size":
            return block_size_label(round(value))
        case "mix":
            return mix_label(round(value))
        case "percent":
            return f"{value:g} %"
        case _:
            return f"{value:g}"
