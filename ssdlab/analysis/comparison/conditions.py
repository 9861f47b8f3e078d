"""Under which conditions runs were measured, and which of them differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from ssdlab.model.errors import UnknownNameError
from ssdlab.model.records import RunRecord

GRAVE_FINDINGS = "grave findings"
NOT_STEADY = "steady state"
WORKERS = "TC/QD of "
PROFILE = "profile"
_PROFILE_VALUE = "profile: "
_NOT_KNOWN = "not known"

# What the values of a profile, by the first word of their name, are asked of.
_TESTS_OF = {
    "iops": ("iops",),
    "tp": ("tp",),
    "lat": ("lat",),
    "wsat": ("wsat",),
    "histogram": (),
    "hir": ("hir",),
    "xsr": ("xsr",),
    "wdpc": ("hir",),
    "demand": ("cbw", "dirth"),
    "point": (),
    "cbw": ("cbw",),
    "dirth": ("dirth",),
}
# Shown, and no hindrance: they are of the drive, of its interface, or of no weight.
_OF_THE_DRIVE = ("capacity", "firmware", "interface", "purge method", "ssdlab version")


def tabulate_conditions(
    records: Sequence[RunRecord],
    *,
    jobs: Mapping[str, Mapping[str, str]],
    workers: pd.DataFrame,
) -> pd.DataFrame:
    """Return what each run was measured under, and in what the runs differ.

    Parameters
    ----------
    records : sequence of RunRecord
        What each run says of itself.
    jobs : mapping of str to mapping of str to str
        By run the facts of its fio jobs: ``engine`` and ``data pattern``.
    workers : pandas.DataFrame
        One row a run, test and pair of TC and QD: ``run_id``, ``test``, ``threads``,
        ``queue_depth``.

    Returns
    -------
    pandas.DataFrame
        One row a condition and run: ``condition``, ``run_id``, ``value`` in words,
        ``is_same`` in all runs, and ``is_barring``: runs that differ in it are not
        compared. TC and QD bar the cells that they differ in, and no others.
    """
    of_jobs, of_workers = _job_facts(records, jobs), _worker_facts(records, workers)
    facts = {
        record.run_id: dict(_facts(record))
        | of_jobs[record.run_id]
        | of_workers[record.run_id]
        | dict(_profile_facts(record, records))
        for record in records
    }
    names = dict.fromkeys(name for one in facts.values() for name in one)
    rows = [
        {"condition": name, "run_id": run_id, "value": one.get(name) or _NOT_KNOWN}
        for name in names
        for run_id, one in facts.items()
    ]
    table = pd.DataFrame(rows, columns=["condition", "run_id", "value"])
    kinds = table.groupby("condition")["value"].transform("nunique")
    is_worker = table["condition"].str.startswith(WORKERS)
    is_barring = ~table["condition"].isin(_OF_THE_DRIVE) & ~is_worker
    return table.assign(is_same=kinds <= 1, is_barring=is_barring)


def require_conditions(accepted: str, conditions: pd.DataFrame) -> tuple[str, ...]:
    """Return the conditions that a user takes as equal.

    Parameters
    ----------
    accepted : str
        Their names, separated by commas; ``all`` takes every one as equal.
    conditions : pandas.DataFrame
        What `tabulate_conditions` returned.

    Returns
    -------
    tuple of str
        Their names; who takes any ``profile`` takes all its values.

    Raises
    ------
    UnknownNameError
        If one is none of the conditions.
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
    """Tell whether a condition is one value of a profile, and not its name.

    Parameters
    ----------
    condition : str
        Its name.

    Returns
    -------
    bool
        True of ``profile: iops max rounds``.
    """
    return condition.startswith(_PROFILE_VALUE)


def name_conditions(conditions: Iterable[str]) -> tuple[str, ...]:
    """Return conditions by name; profiles of different names stand for their values.

    Parameters
    ----------
    conditions : iterable of str
        The names of conditions.

    Returns
    -------
    tuple of str
        The same without the values of profiles, where ``profile`` is among them.

    Examples
    --------
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

    Parameters
    ----------
    conditions : pandas.DataFrame
        What `tabulate_conditions` returned.
    accepted : sequence of str, optional
        Conditions that are taken as equal.

    Returns
    -------
    dict of str to tuple of str
        Such as ``fio version: fio-3.33``; in the same order for all runs.
    """
    kept = conditions[
        conditions["is_barring"]
        & ~conditions["is_same"]
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

    Parameters
    ----------
    conditions : pandas.DataFrame
        What `tabulate_conditions` returned.
    run_ids : iterable of str
        The runs to be compared.
    test : str
        The test: what a profile says of other tests is no hindrance.
    accepted : sequence of str, optional
        Conditions that are taken as equal.

    Returns
    -------
    tuple of str
        Their names.
    """
    own = conditions[
        conditions["run_id"].isin(list(run_ids))
        & conditions["is_barring"]
        & ~conditions["condition"].isin(list(accepted))
    ]
    counts = own.groupby("condition", sort=False)["value"].nunique()
    names = (str(name) for name in counts.index[counts > 1])
    return name_conditions(name for name in names if _concerns(name, test))


def _concerns(condition: str, test: str) -> bool:
    """Tell whether a condition is one of a test."""
    if not is_profile_value(condition):
        return True
    first = condition.removeprefix(_PROFILE_VALUE).split(maxsplit=1)[0]
    return first not in _TESTS_OF or test.split("-", maxsplit=1)[0] in _TESTS_OF[first]


def _facts(record: RunRecord) -> Iterator[tuple[str, str]]:
    target, host = record.target, record.host
    yield PROFILE, str(record.profile.get("name", ""))
    yield "specification", str(record.profile.get("spec_version", ""))
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
    asked = str(record.profile.get("write_cache", ""))
    is_found = "write cache: left as it was found" in "\n".join(record.departures)
    return f"left as found ({asked} asked for)" if is_found else asked


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
    """Return TC and QD of the tests that runs measured at several."""
    facts: dict[str, dict[str, str]] = {record.run_id: {} for record in records}
    for test, rows in workers.groupby("test"):
        texts = {
            str(run_id): ", ".join(_worker_texts(pairs))
            for run_id, pairs in rows.groupby("run_id")
        }
        if len(set(texts.values())) < 2:
            continue
        for run_id, one in facts.items():
            one[f"{WORKERS}{str(test).upper()}"] = texts.get(run_id, "not measured")
    return facts


def _worker_texts(pairs: pd.DataFrame) -> Iterator[str]:
    known = pairs[["threads", "queue_depth"]].drop_duplicates()
    for row in known.sort_values(["threads", "queue_depth"]).itertuples():
        yield f"T{row.threads}/Q{row.queue_depth}"


def _profile_facts(
    record: RunRecord, records: Sequence[RunRecord]
) -> Iterator[tuple[str, str]]:
    """Yield the values of the profile that are not the same in all runs."""
    told = {"name", "title", "spec_version", "write_cache", "tests", "nominal"}
    keys = dict.fromkeys(key for one in records for key in one.profile)
    for key in (key for key in keys if key not in told):
        values = {_value_text(one.profile.get(key, "")) for one in records}
        if len(values) > 1:
            words = key.replace("_", " ")
            yield f"{_PROFILE_VALUE}{words}", _value_text(record.profile.get(key, ""))


def _value_text(value: object) -> str:
    """Return a value of a profile; what a mapping leaves at nothing is not in it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{k}: {_value_text(one)}" for k, one in value.items() if one)
    if isinstance(value, list | tuple):
        return "; ".join(map(_value_text, value))
    return _NOT_KNOWN if value is None else str(value)
