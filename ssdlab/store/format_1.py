"""``run.json`` of format 1 as format 2 keeps it.

Format 1 kept each departure as a sentence. What a run departs in follows from the rest
of its record, so that its sentences are left; those of an import cannot be derived and
become facts here, the one place that reads such a sentence. One that is not known is
kept as a departure of the run.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from ssdlab.model.departure import Departure
from ssdlab.model.errors import UserError
from ssdlab.model.records import RunRecord
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profile_values import VALUES
from ssdlab.pts.profiles import profile_from_dict

_CACHE = re.compile(r"write cache: left as it was found instead of [^:]+: (?P<why>.+)")
_DERIVED = re.compile(
    r"the target is a (virtual SSD|file|loop device)\b|no purge\b|write cache: |"
    r"segments of the active range: |cells below the sector of |composite blocks of |"
    r"active range AR\S+: left out|test \S+: not known |.*: a procedure of its own\b",
    re.DOTALL,
)
_VALUES = {value.words for value in VALUES.values()}
_OF_IMPORTS = (  # how words begin, and their code
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


def renew_record(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a record of format 1 as those of format 2.

    Parameters
    ----------
    data : mapping of str to object
        What ``run.json`` holds.

    Returns
    -------
    dict
        The same with departures as facts, the purge by its method, and why the write
        cache could not be set.

    Raises
    ------
    ValueError
        If the departures are no texts.
    """
    words = data.get("departures")
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        msg = "its departures are no texts"
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
        **data,
        "format_version": 2,
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
    """Return how a model or a file was purged, where only words say it."""
    if kind not in {"virtual", "file"}:
        return None
    words = str(data.get("purge_method", ""))
    method = "none" if kind == "file" or words.startswith("none") else "discard"
    return {"method": method, "words": words, "why": ""}


def plan_again(record: RunRecord) -> RunRecord:
    """Return a record with the tests that it was planned from, which are not in it.

    An import and a procedure have theirs. Where the profile is none of this version
    there are none, and the run cannot be said to conform.

    Parameters
    ----------
    record : RunRecord
        The record of a run of format 1.

    Returns
    -------
    RunRecord
        The same with its tests as they fit the target.
    """
    if record.is_imported or record.is_procedure:
        return record
    try:
        fitted = fit_suite(
            profile_from_dict(record.profile),
            record.tests,
            capacity_bytes=record.target.capacity_bytes,
            sector_bytes=record.target.sector_bytes,
        )
    except (ValueError, UserError):
        return record
    return replace(record, planned=fitted.tests)
