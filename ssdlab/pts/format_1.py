"""Conversion of ``run.json`` from format 1 to format 2.

Format 1 kept each departure as a sentence. Departures of a run follow from the rest of
its record, so these sentences are dropped; those of an import cannot be derived and are
parsed here, the one place that reads such sentences. An unknown one is kept as a
departure of the run.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from ssdlab.model.asked import Suite
from ssdlab.model.departure import Departure
from ssdlab.model.errors import UserError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.records import TargetIdentity
from ssdlab.model.spec import PtsTest
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profiles import PROFILES, profile_of, suite_of_format_1

_CACHE = re.compile(r"write cache: left as it was found instead of [^:]+: (?P<why>.+)")
_DERIVED = re.compile(
    r"the target is a (virtual SSD|file|loop device)\b|no purge\b|write cache: |"
    r"segments of the active range: |cells below the sector of |composite blocks of |"
    r"active range AR\S+: left out|test \S+: not known |.*: a procedure of its own\b",
    re.DOTALL,
)
_UNKNOWN = "unknown"  # a group of values
_OF_PROCEDURES = ("name", "notes", "max_idle_s", "given")
_VALUES = {place.value.words for place in PROFILES["demo"].places.values()} | {
    "rounds at most"  # the words of max_rounds in format 1
}
_OF_IMPORTS = (  # the beginning of the words, and their code
    (r"imported: ", "imported"),
    (r"test: these workloads ", "import-cells"),
    (
        r"(order|cells|access|rounds|tracking variables) of (?P<test>[^\s:]+): ",
        "import-cells",
    ),
    (r"missing rounds of (?P<test>[^\s:]+): ", "import-rounds-missing"),
    (r"rounds: ", "import-rounds-missing"),
    (r"threads and queue depth of (?P<test>[^\s:]+): ", "profile-value"),
    (r"write cache: ", "write-cache"),
    (r"time of a cell of (?P<test>[^\s:]+): ", "time-scaled"),
    (r"times: ", "import-times"),
    (r"gaps: ", "idle-gap"),
    (r"(devices|hosts): ", "import-mixed"),
    (r"left out: ", "import-left-out"),
    (
        r"(versions of fio|percentiles|numbers|values|mixed latencies|raw output): ",
        "import-numbers",
    ),
    (r"(capacity|serial number|IOPS of the report)\b", "import-numbers"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tests:
    names: tuple[str, ...]


def renew_record(data: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the values of a record of format 1 to format 2."""
    words = data.get("departures")
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        msg = "its departures are not texts"
        raise ValueError(msg)
    target = data.get("target")
    kind = target.get("kind") if isinstance(target, Mapping) else None
    is_imported = kind == "imported"
    tests = data.get("tests")
    known = [str(test) for test in tests] if isinstance(tests, list) else []
    found = [
        _of_import(one, known) if is_imported else _unknown(one)
        for one in words
        if is_imported or not _is_derived(one)
    ]
    whys = [match["why"] for match in map(_CACHE.fullmatch, words) if match]
    return {
        **{key: data[key] for key in data.keys() - {"profile", "tests", "planned"}},
        "format_version": 2,
        "asked": _asked(data, is_imported=is_imported),
        "departures": [asdict(one) for one in found],
        "write_cache_fault": "" if is_imported else "".join(whys[:1]),
        "purge_choice": data.get("purge_choice") or _purge_choice(data, kind),
    }


def _is_derived(words: str) -> bool:
    return words.partition(": ")[0] in _VALUES or _DERIVED.match(words) is not None


def _unknown(words: str) -> Departure:
    return Departure(code="departure", subject="", done=words)


def _of_import(words: str, tests: list[str]) -> Departure:
    for shape, code in _OF_IMPORTS:
        if match := re.match(shape, words, re.DOTALL):
            named = match.groupdict().get("test", "").lower()
            concerned = (named,) if named in tests else ()
            return Departure(code=code, subject="", done=words, tests=concerned)
    return _unknown(words)


def _purge_choice(data: Mapping[str, Any], kind: object) -> dict[str, str] | None:
    """Return how a model or a file was purged, where only the words record it."""
    if kind not in {"virtual", "file"}:
        return None
    words = str(data.get("purge_method", ""))
    method = "none" if kind == "file" or words.startswith("none") else "discard"
    return {"method": method, "words": words, "why": ""}


def _asked(data: Mapping[str, Any], *, is_imported: bool) -> dict[str, Any]:
    """Return the request with its tests, which format 1 kept in three ways."""
    profile = from_plain(dict[str, Any], data.get("profile"))
    if "name" not in profile:
        msg = "its profile has no name"
        raise ValueError(msg)
    tests = profile.get("tests", ())
    if not is_imported and not any(isinstance(test, Mapping) for test in tests):
        return {"type": "Suite", **to_plain(_suite(data, profile))}
    kept: dict[str, Any] = {
        key: profile[key] for key in ("title", "tests") if key in profile
    }
    if is_imported:
        kept |= {key: profile.get(key) for key in ("spec_version", "write_cache")}
        return {"type": "Import", "tool": profile.get("tool", "fio"), **kept}
    kept |= {key: profile[key] for key in _OF_PROCEDURES if key in profile}
    return {"type": "Procedure", "source": profile.get("spec_version"), **kept}


def _suite(data: Mapping[str, Any], profile: dict[str, Any]) -> Suite:
    """Return the tests of a profile as they were planned; the record lacks them.

    If this version does not have the profile, the tests have no phases, and the run
    cannot be shown to conform.
    """
    names = from_plain(_Tests, {"names": data.get("tests")}).names
    target = from_plain(TargetIdentity, data.get("target"))
    bare = tuple(
        PtsTest(
            test_id=name, title=name, pts_section="", phases=(), settings=(_UNKNOWN,)
        )
        for name in names
    )
    try:
        known = suite_of_format_1(profile)
        fitted = fit_suite(
            profile_of(known),
            names,
            capacity_bytes=target.capacity_bytes,
            sector_bytes=target.sector_bytes,
        )
    except (ValueError, UserError):
        return Suite(
            name=str(profile["name"]),
            title=str(profile.get("title", "")),
            spec_version=str(profile.get("spec_version", "")),
            nominal="",
            write_cache="as found",
            active_range_percent=math.nan,
            uses_random_map=False,
            max_idle_s=0,
            settings={_UNKNOWN: profile},
            tests=bare,
        )
    return replace(known, tests=fitted.tests)
