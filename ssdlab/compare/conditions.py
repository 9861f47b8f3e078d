"""The conditions under which runs were measured, and which of them differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from ssdlab.model.asked import Suite
from ssdlab.model.errors import UnknownNameError
from ssdlab.model.records import RunRecord
from ssdlab.model.spec import label_of_test

Standing = Literal["same", "differs", "not known"]
SAME: Standing = "same"
DIFFERS: Standing = "differs"
UNKNOWN: Standing = "not known"
WORKERS = "TC/QD of "
PROFILE = "profile"
PROFILE_VALUE = "profile: "
ALL_TESTS = "all"
_NOT_KNOWN = "not known"
_UNKNOWN_TEXTS = frozenset({
    *("", _NOT_KNOWN, "not recorded"),
    *("not reported by the system", "not told by the system"),  # new, and older runs
})
_NONE = "none"  # a value of a profile that requires nothing
GRAVE_FINDINGS = "critical findings"
NOT_STEADY = "steady state"

# Shown, but not barring: they belong to the drive or its interface, or do not matter.
_OF_THE_DRIVE = ("capacity", "firmware", "interface", "purge method", "ssdlab version")


def find_facts(
    records: Sequence[RunRecord],
    *,
    jobs: Mapping[str, Mapping[str, str]],
    workers: pd.DataFrame,
) -> pd.DataFrame:
    """Return every condition of every run."""
    of_jobs, of_workers = _job_facts(records, jobs), _worker_facts(records, workers)
    facts = {
        record.run_id: dict(_facts(record))
        | of_jobs[record.run_id]
        | of_workers[record.run_id]
        | dict(_profile_facts(record, records))
        for record in records
    }
    names = dict.fromkeys(name for one in facts.values() for name in one)
    tests = _tests_by_condition(records)
    rows = [
        {
            "condition": name,
            "run_id": run_id,
            "value": _known(one.get(name, "")),
            "tests": ",".join(tests.get(name, (ALL_TESTS,))),
        }
        for name in names
        for run_id, one in facts.items()
    ]
    return pd.DataFrame(rows, columns=["condition", "run_id", "value", "tests"])


def _tests_by_condition(records: Sequence[RunRecord]) -> dict[str, tuple[str, ...]]:
    """Return the tests that values of profiles concern, where that is not all."""
    found: dict[str, tuple[str, ...]] = {}
    for asked in (record.asked for record in records):
        if isinstance(asked, Suite):
            for detail, tests in asked.tests_by_detail.items():
                name = _value_name(detail)
                found[name] = tuple(dict.fromkeys((*found.get(name, ()), *tests)))
    return found


def is_known(value: str) -> bool:
    """Return whether the value of a condition is known.

    False for ``not known``, and for a write cache that was left as it was found.
    """
    return not value.startswith(_NOT_KNOWN)


def find_standing(values: Iterable[str]) -> Standing:
    """Return whether a condition was the same everywhere.

    It is not known if it is known only for some, and these are the same.

    >>> find_standing(["a", "a"]), find_standing(["a", "not known"])
    ('same', 'not known')
    >>> find_standing(["a", "not known", "b"])
    'differs'
    """
    kinds = set(values)
    if len({value for value in kinds if is_known(value)}) > 1:
        return DIFFERS
    return SAME if all(map(is_known, kinds)) else UNKNOWN


def workers_text(threads: Any, queue_depth: Any) -> str:
    """Return TC and QD in words.

    >>> workers_text(4, 32), workers_text(None, 32)
    ('T4/Q32', 'not known')
    """
    is_whole = not (pd.isna(threads) or pd.isna(queue_depth))
    return f"T{threads}/Q{queue_depth}" if is_whole else _NOT_KNOWN


def _known(value: str) -> str:
    return _NOT_KNOWN if value.strip().lower() in _UNKNOWN_TEXTS else value


def _facts(record: RunRecord) -> Iterator[tuple[str, str]]:
    target, host = record.target, record.host
    yield PROFILE, record.asked.name
    yield "specification", record.asked.spec_version
    yield "target kind", target.kind
    yield "write cache", _write_cache(record)
    yield "fio version", host.fio_version
    yield "kernel", host.kernel
    yield "operating system", host.operating_system
    yield "host", host.platform
    yield "processor", host.cpu
    yield "memory", f"{host.dram_bytes / 2**30:.1f} GiB" if host.dram_bytes else ""
    yield "capacity", f"{target.capacity_bytes:,} B" if target.capacity_bytes else ""
    yield "firmware", target.firmware
    yield "interface", target.interface
    yield "purge method", record.purge_method
    yield "ssdlab version", host.ssdlab_version


def _write_cache(record: RunRecord) -> str:
    """Return the state of the write cache; left as found it may have been either."""
    if record.target.kind == "virtual":
        return "none that could be switched"
    if record.write_cache != "as found":
        return record.write_cache
    asked = record.asked.write_cache
    is_left = record.is_cache_left or asked == "as found"
    return f"{_NOT_KNOWN}: left as found" if is_left else asked


def _job_facts(
    records: Sequence[RunRecord], jobs: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    names = ("engine", "data pattern")
    return {
        record.run_id: {
            name: str(jobs.get(record.run_id, {}).get(name, "")) for name in names
        }
        for record in records
    }


def _worker_facts(
    records: Sequence[RunRecord], workers: pd.DataFrame
) -> dict[str, dict[str, str]]:
    """Return TC and QD of the tests that not all runs measured at the same."""
    facts: dict[str, dict[str, str]] = {record.run_id: {} for record in records}
    for test, rows in workers.groupby("test"):
        texts = {
            str(run_id): ", ".join(_worker_texts(pairs))
            for run_id, pairs in rows.groupby("run_id")
        }
        if find_standing(texts.values()) == SAME:
            continue
        for run_id, one in facts.items():
            one[f"{WORKERS}{label_of_test(str(test))}"] = texts.get(
                run_id, "not measured"
            )
    return facts


def _worker_texts(pairs: pd.DataFrame) -> Iterator[str]:
    known = pairs[["threads", "queue_depth"]].drop_duplicates()
    for row in known.sort_values(["threads", "queue_depth"]).itertuples():
        yield workers_text(row.threads, row.queue_depth)


def _profile_facts(
    record: RunRecord, records: Sequence[RunRecord]
) -> Iterator[tuple[str, str]]:
    """Yield the values of the profile that are not the same in all runs."""
    for key in dict.fromkeys(key for one in records for key in one.asked.details):
        if len({_profile_text(one, key) for one in records}) > 1:
            yield _value_name(key), _profile_text(record, key)


def _value_name(detail: str) -> str:
    return f"{PROFILE_VALUE}{detail.replace('_', ' ')}"


def _profile_text(record: RunRecord, key: str) -> str:
    """Return a value of a profile.

    A value missing in a profile of ssdlab is not required, as in an older version
    without it; one missing in an import is unknown.
    """
    nothing = _NOT_KNOWN if record.is_imported else _NONE
    return _value_text(record.asked.details.get(key)) or nothing


def _value_text(value: object) -> str:
    """Return a value of a profile; empty entries of a mapping are omitted."""
    if isinstance(value, Mapping):
        return ", ".join(f"{k}: {_value_text(one)}" for k, one in value.items() if one)
    if isinstance(value, list | tuple):
        return "; ".join(map(_value_text, value))
    return "" if value is None else str(value)


def tabulate_conditions(
    records: Sequence[RunRecord],
    *,
    jobs: Mapping[str, Mapping[str, str]],
    workers: pd.DataFrame,
) -> pd.DataFrame:
    """Return the conditions of each run, and in which of them the runs differ."""
    table = find_facts(records, jobs=jobs, workers=workers)
    standings = {
        name: find_standing(values)
        for name, values in table.groupby("condition")["value"]
    }
    is_worker = table["condition"].str.startswith(WORKERS)
    is_barring = ~table["condition"].isin(_OF_THE_DRIVE) & ~is_worker
    standing = table["condition"].map(standings)
    return table.assign(standing=standing, is_barring=is_barring)


def require_conditions(accepted: str, conditions: pd.DataFrame) -> tuple[str, ...]:
    """Return the conditions that a user accepts as equal.

    Return their names; accepting ``profile`` accepts all its values.
    """
    known = [*conditions["condition"].unique(), GRAVE_FINDINGS, NOT_STEADY]
    named = [name.strip() for name in accepted.split(",") if name.strip()]
    if "all" in named:
        return tuple(known)
    for name in named:
        if name not in known:
            raise UnknownNameError(kind="condition", name=name, known=[*known, "all"])
    if PROFILE in named:
        named += [name for name in known if is_profile_value(name)]
    return tuple(dict.fromkeys(named))


def is_profile_value(condition: str) -> bool:
    """Return whether a condition is a value of a profile, not its name."""
    return condition.startswith(PROFILE_VALUE)


def name_conditions(conditions: Iterable[str]) -> tuple[str, ...]:
    """Return conditions by name; profiles of different names stand for their values.

    Values of profiles are omitted if ``profile`` is among the conditions.

    >>> name_conditions(["profile", "kernel", "profile: iops max rounds"])
    ('profile', 'kernel')
    """
    names = tuple(dict.fromkeys(conditions))
    if PROFILE not in names:
        return names
    return tuple(name for name in names if not is_profile_value(name))


def barring_values(
    conditions: pd.DataFrame, *, accepted: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Return by run the conditions that must be the same, each with its value.

    Such as ``fio version: fio-3.33``; in the same order for all runs.
    """
    kept = conditions[
        conditions["is_barring"]
        & (conditions["standing"] != SAME)
        & ~conditions["condition"].isin(list(accepted))
    ]
    texts: dict[str, tuple[str, ...]] = dict.fromkeys(
        (str(name) for name in conditions["run_id"].unique()), ()
    )
    for row in kept.itertuples():
        texts[str(row.run_id)] += (f"{row.condition}: {row.value}",)
    return texts


def find_differing(
    conditions: pd.DataFrame,
    run_ids: Iterable[str],
    *,
    test: str,
    accepted: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the conditions that bar a comparison of some runs in a test.

    Return their names, marked if they are known for only some of the runs, as they may
    have differed. A condition that is known for none bars nothing.
    """
    own = conditions[
        conditions["run_id"].isin(list(run_ids))
        & conditions["is_barring"]
        & ~conditions["condition"].isin(list(accepted))
    ]
    is_of_test = own["tests"].map(
        lambda tests: tests == ALL_TESTS or test in tests.split(",")
    )
    own = own[is_of_test.astype(bool)]
    values = {
        str(name): set(group) for name, group in own.groupby("condition")["value"]
    }
    barring = [
        name
        for name in dict.fromkeys(map(str, own["condition"]))
        if len(values[name]) > 1
    ]
    return tuple(
        name if find_standing(values[name]) == DIFFERS else f"{name} (not known of all)"
        for name in name_conditions(barring)
    )
