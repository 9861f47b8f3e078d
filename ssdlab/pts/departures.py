"""What departs from the standard, in words: a run is conformant when nothing does."""

from dataclasses import fields

from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.model.units import block_size_label, duration_label, mix_label
from ssdlab.pts.profile_values import VALUES
from ssdlab.pts.profiles import PROFILES, Profile
from ssdlab.pts.suite import LOOPED_TESTS, SATURATIONS, optional_tests

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
_LONGEST_WSAT_S = 24 * 3600
_SEGMENTS = (
    "segments of the active range: one of the whole amount instead of 2048 at places "
    "by chance"
)


def find_departures(profile: Profile, test_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return each value of the profile that is not its nominal one, in words.

    Values of tests that were not asked for do not count.
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
        *(_departure(name, profile, nominal) for name in names),
        *_other_tests(nominal, test_ids),
        *_segments(profile, test_ids),
    )


def _is_allowed(name: str, profile: Profile, test_ids: tuple[str, ...]) -> bool:
    """Tell whether a value is another one that the edition allows as well."""
    nominal = PROFILES[profile.nominal]
    match name:
        case "max_idle_s":  # ours, and stricter
            return profile.max_idle_s < nominal.max_idle_s
        case "max_rounds":  # after round 25 the operator may go on: pts.md 3.1, SS-4
            return profile.max_rounds > nominal.max_rounds
        case "wsat_time_limit_s":  # pts.md 23, row 6
            limit_s = profile.wsat_time_limit_s
            return nominal.wsat_time_limit_s <= limit_s <= _LONGEST_WSAT_S
        case "active_ranges":  # "optional ActiveRange(Test Operator Choice)" of E 1.1
            wholes = [active.percent for active in profile.active_ranges]
            has_amounts = any(active.amount_bytes for active in profile.active_ranges)
            is_named = nominal.spec_version.startswith("PTS-E 1")
            return is_named and 100 in wholes and not has_amounts
        case "wipc_threads":  # those of the loop, as its number: pts.md 4.3, WIPC-3
            return _loop_threads(profile, test_ids) == {profile.wipc_threads}
        case _:
            return False


def _loop_threads(profile: Profile, test_ids: tuple[str, ...]) -> set[int]:
    """Return the threads that preconditioning should have in the tests asked for."""
    random = {profile.threads} if {"iops", "lat"} & set(test_ids) else set()
    has_fill = profile.tp_has_wipc and "tp" in test_ids
    return random | ({profile.tp_threads} if has_fill else set())


def _departure(name: str, profile: Profile, nominal: Profile) -> str:
    value, wanted = getattr(profile, name), getattr(nominal, name)
    texts = _text(name, value), _text(name, wanted)
    if texts[0] == texts[1]:  # too near to each other for words
        texts = str(value), str(wanted)
    return f"{VALUES[name].words}: {texts[0]} instead of {texts[1]}"


def _other_tests(nominal: Profile, test_ids: tuple[str, ...]) -> tuple[str, ...]:
    known = {*nominal.tests, *optional_tests(nominal)}
    return tuple(
        f"test {test_id}: not known to be one of {nominal.spec_version}"
        for test_id in test_ids
        if test_id not in known
    )


def _segments(profile: Profile, test_ids: tuple[str, ...]) -> tuple[str, ...]:
    has_amounts = any(active.amount_bytes for active in profile.active_ranges)
    return (_SEGMENTS,) if has_amounts and LOOPED_TESTS & set(test_ids) else ()


def concerned_tests(
    name: str, test_ids: tuple[str, ...], *, tp_has_wipc: bool
) -> tuple[str, ...]:
    """Return which of the tests asked for a value of a profile is about, by its name.

    Preconditioning as in IOPS is that of TP too where a profile has it.
    """
    prefix = name.split("_", maxsplit=1)[0]
    own = (prefix,) if prefix in _TEST_NAMES else test_ids
    concerned = set(_TESTS_OF.get(name) or _TESTS_OF.get(prefix, own))
    if prefix == "wipc" and tp_has_wipc:
        concerned.add("tp")
    return tuple(test_id for test_id in test_ids if test_id in concerned)


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
