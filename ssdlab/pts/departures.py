"""What a profile asks for otherwise than the standard."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from ssdlab.model.departure import Departure
from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.model.units import block_size_label, duration_label, mix_label
from ssdlab.pts.profile_values import VALUES
from ssdlab.pts.profiles import PROFILES, Profile
from ssdlab.pts.suite import LOOPED_TESTS, SATURATIONS, SUITE, optional_tests

_OURS = {"name", "title", "spec_version", "nominal", "tests"}
# Operator choices of the standard: reported, and no departure (pts.md 6, 9).
_OPERATOR_CHOICE = {
    "threads",
    "queue_depth",
    "cbw_alignment_bytes",
    "dirth_block_size_bytes",
    "dirth_read_percent",
}
_TEST_NAMES = {"iops", "tp", "lat", "wsat", "hir", "xsr", "cbw", "dirth"}
_TESTS_OF = {  # of the names that begin otherwise than a test, or than their one test
    "active_ranges": tuple(LOOPED_TESTS),
    "wipc": ("iops", "lat"),
    "wsat": SATURATIONS,
    "histogram": ("lat", *SATURATIONS),
    "cell": ("iops", "tp", "lat", "cbw", "dirth"),
    "max": ("iops", "tp", "lat", "cbw", "dirth"),
    "wdpc": ("hir", "cbw", "dirth"),
    "demand": ("cbw", "dirth"),
    "point": ("cbw", "dirth"),
}
_CODES = {  # of the values that weigh otherwise than the rest
    "max_rounds": "rounds-allowed",
    "wdpc_max_samples": "rounds-allowed",
    "write_cache": "write-cache",
    "wipc_threads": "wipc-threads",
}
_FILLS = {"wipc_capacity_multiple", "tp_has_wipc"}
# Values that make a test shorter or longer, besides those in seconds.
_LENGTHS = {
    "hir_cycles",
    "hir_baseline_cycles",
    "wsat_capacity_multiple",
    "demand_pre_write_capacity_multiple",
    "wsat_sample_every_rounds",
    "wdpc_sample_every_rounds",
}
_ALL = tuple(SUITE)
_LONGEST_S = {  # pts.md 23, row 6, and 12.2, step 3a
    "wsat_time_limit_s": 24 * 3600,
    "demand_pre_write_s": 30 * 60,
}
_PRECONDITIONING, _FLOW = "3.3", "4"
_SECTIONS = {  # of PTS 2.0.2
    "iops": "7",
    "tp": "8",
    "lat": "9",
    "wsat": "10",
    "hir": "11",
    "xsr": "12",
    "cbw": "13",
    "dirth": "14",
}


def find_departures(
    profile: Profile, test_ids: tuple[str, ...]
) -> tuple[Departure, ...]:
    """Return each value of a profile that is not its nominal one.

    Parameters
    ----------
    profile : Profile
        The profile.
    test_ids : tuple of str
        The tests asked for; values of others do not count.

    Returns
    -------
    tuple of Departure
        None where the profile asks for what its edition does, or leaves to the
        operator.
    """
    nominal = PROFILES[profile.nominal]
    names = [
        field.name
        for field in fields(Profile)
        if field.name not in _OURS | _OPERATOR_CHOICE
        and getattr(profile, field.name) != getattr(nominal, field.name)
        and not _is_allowed(field.name, profile, test_ids)
        and _concerns(field.name, profile, test_ids)
    ]
    return (
        *(_departure(name, profile, test_ids) for name in names),
        *_other_tests(nominal, test_ids),
        *_segments(profile, test_ids),
    )


def clause_of(test_ids: Iterable[str]) -> str:
    """Return where the standard describes tests, such as ``PTS 2.0.2, section 7``."""
    return _clause(*(_SECTIONS[_prefix(test)] for test in test_ids))


def _clause(*sections: str) -> str:
    known = list(dict.fromkeys(sections))
    noun = "section" if len(known) == 1 else "sections"
    return f"PTS 2.0.2, {noun} {', '.join(known)}"


def _is_allowed(name: str, profile: Profile, test_ids: tuple[str, ...]) -> bool:
    """Tell whether a value is another one that the edition allows as well."""
    nominal = PROFILES[profile.nominal]
    match name:
        case "max_idle_s":  # ours, and stricter
            return profile.max_idle_s < nominal.max_idle_s
        case "max_rounds":  # after round 25 the operator may go on: pts.md 3.1, SS-4
            return profile.max_rounds > nominal.max_rounds
        case "wsat_time_limit_s" | "demand_pre_write_s":
            least_s, limit_s = getattr(nominal, name), getattr(profile, name)
            return bool(least_s <= limit_s <= _LONGEST_S[name])
        case "active_ranges":
            return _has_ranges_of(profile, nominal)
        case "wipc_threads":  # those of the loop, as its number: pts.md 4.3, WIPC-3
            return _loop_threads(profile, test_ids) == {profile.wipc_threads}
        case _:
            return False


def _loop_threads(profile: Profile, test_ids: tuple[str, ...]) -> set[int]:
    """Return the threads that preconditioning should have in the tests asked for."""
    random = {profile.threads} if {"iops", "lat"} & set(test_ids) else set()
    has_fill = profile.tp_has_wipc and "tp" in test_ids
    return random | ({profile.tp_threads} if has_fill else set())


def _departure(name: str, profile: Profile, test_ids: tuple[str, ...]) -> Departure:
    value = getattr(profile, name)
    wanted = getattr(PROFILES[profile.nominal], name)
    texts = _text(name, value), _text(name, wanted)
    if texts[0] == texts[1]:  # too near to each other for words
        texts = str(value), str(wanted)
    concerned = concerned_tests(name, test_ids, tp_has_wipc=profile.tp_has_wipc)
    is_of_all = concerned_tests(name, _ALL, tp_has_wipc=profile.tp_has_wipc) == _ALL
    clause = _clause(_FLOW) if is_of_all else clause_of(concerned)
    return Departure(
        code=_code(name, value, wanted),
        subject=VALUES[name].words,
        done=texts[0],
        asked=texts[1],
        clause=_clause(_PRECONDITIONING) if _prefix(name) == "wipc" else clause,
        tests=() if is_of_all else concerned,
    )


def _code(name: str, value: Any, wanted: Any) -> str:
    if name in _FILLS and value < wanted:
        return "fill-short"
    is_length = VALUES[name].kind == "seconds" or name in _LENGTHS
    return _CODES.get(name, "time-scaled" if is_length else "profile-value")


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
    wholes = [active.percent for active in profile.active_ranges]
    has_amounts = any(active.amount_bytes for active in profile.active_ranges)
    is_named = nominal.spec_version.startswith("PTS-E 1")
    return is_named and 100 in wholes and not has_amounts


def _without_segments(profile: Profile) -> tuple[ActiveRange, ...]:
    return tuple(replace(active, segments=1) for active in profile.active_ranges)


def _segments(profile: Profile, test_ids: tuple[str, ...]) -> tuple[Departure, ...]:
    """Name the segments of amounts: sequential tests have one, as fio has no more."""
    counts = [each.segments for each in profile.active_ranges if each.amount_bytes]
    if not counts:
        return ()
    tests: dict[int, tuple[str, ...]] = {}
    for test in test_ids:
        if test in LOOPED_TESTS:
            count = 1 if test == "tp" else min(counts)
            tests[count] = (*tests.get(count, ()), test)
    return tuple(
        Departure(
            code="segments",
            subject="segments of the active range",
            done=f"{count} at places by chance"
            if count > 1
            else "one of the whole amount",
            asked="2048 at places by chance",
            clause=clause_of(looped),
            tests=looped,
        )
        for count, looped in tests.items()
    )


def concerned_tests(
    name: str, test_ids: tuple[str, ...], *, tp_has_wipc: bool
) -> tuple[str, ...]:
    """Return which of the tests asked for a value of a profile is about, by its name.

    Preconditioning as in IOPS is that of TP too where a profile has it.
    """
    prefix = _prefix(name)
    own = (prefix,) if prefix in _TEST_NAMES else test_ids
    concerned = set(_TESTS_OF.get(name) or _TESTS_OF.get(prefix, own))
    if prefix == "wipc" and tp_has_wipc:
        concerned.add("tp")
    return tuple(test_id for test_id in test_ids if test_id in concerned)


def _prefix(name: str) -> str:
    """Return what a value, or an optional workload of WSAT, is named after."""
    return name.replace("-", "_").split("_", maxsplit=1)[0]


def _concerns(name: str, profile: Profile, test_ids: tuple[str, ...]) -> bool:
    has_wipc = profile.tp_has_wipc
    return bool(concerned_tests(name, test_ids, tp_has_wipc=has_wipc))


def _text(name: str, value: object) -> str:
    if value is None or value == ():
        return VALUES[name].absent or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(_item(name, item) for item in value)
    return _item(name, value)


def _item(name: str, value: object) -> str:
    kind = VALUES[name].kind
    if isinstance(value, Tracking):
        return f"({value.label})"
    if isinstance(value, ActiveRange):
        return value.name
    if isinstance(value, int | float):
        return _number(kind, value)
    return str(value)


def _number(kind: str, value: float) -> str:
    match kind:
        case "seconds":
            is_whole = float(value).is_integer() or value >= 60
            return duration_label(value) if is_whole else f"{value:g} s"
        case "size":
            return block_size_label(round(value)).replace(" ", "")
        case "mix":
            return mix_label(round(value))
        case "percent":
            return f"{value:g} %"
        case _:
            return f"{value:g}"
