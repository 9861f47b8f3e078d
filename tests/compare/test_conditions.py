"""What is not known is not the same."""

from dataclasses import replace

import pandas as pd
import pytest

from ssdlab.compare.conditions import (
    DIFFERS,
    SAME,
    UNKNOWN,
    barring_values,
    find_differing,
    tabulate_conditions,
)
from ssdlab.model.asked import Import
from ssdlab.model.records import HostIdentity, RunRecord, TargetIdentity
from ssdlab.pts.profiles import find_profile, suite_of
from ssdlab.pts.suite import build_tests

HOST = HostIdentity(
    platform="Example server",
    cpu="Example CPU",
    dram_bytes=2**34,
    operating_system="Debian 12",
    kernel="Linux 6.1",
    python_version="3.11",
    fio_version="fio-3.33",
    ssdlab_version="0.1.0",
)
TARGET = TargetIdentity(
    kind="block",
    spec="/dev/x",
    model="Model",
    serial="S1",
    firmware="1.0",
    capacity_bytes=10**12,
    sector_bytes=512,
    interface="NVMe",
)
ASKED = suite_of(find_profile("demo"), ())
RECORD = RunRecord(
    run_id="a",
    label="",
    started_at="",
    asked=ASKED,
    seed=1,
    plan_hash="",
    target=TARGET,
    host=HOST,
    purge_method="sanitize",
    write_cache="disabled",
)
OTHER = replace(RECORD, run_id="b")
IMPORT = Import(
    title="results of fio",
    tool="fio",
    spec_version="PTS 2.0.2",
    write_cache="not known",
    tests=(),
)
JOB = {"engine": "libaio", "data pattern": "fio's own"}
NO_WORKERS = pd.DataFrame(columns=["run_id", "test", "threads", "queue_depth"])


def conditions(
    *records: RunRecord,
    jobs: dict[str, dict[str, str]] | None = None,
    workers: pd.DataFrame = NO_WORKERS,
) -> pd.DataFrame:
    known = {record.run_id: JOB for record in records}
    return tabulate_conditions(
        records, jobs=known if jobs is None else jobs, workers=workers
    )


def standing(table: pd.DataFrame, name: str) -> str:
    (found,) = set(table[table["condition"] == name]["standing"])
    return str(found)


def of_host(record: RunRecord, **facts: object) -> RunRecord:
    return replace(record, host=replace(record.host, **facts))  # type: ignore[arg-type] # facts of a host


def test_conditions_that_are_known_and_equal_are_the_same() -> None:
    assert set(conditions(RECORD, OTHER)["standing"]) == {SAME}


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"platform": ""}, "host"),
        ({"platform": "not reported by the system"}, "host"),
        ({"cpu": " "}, "processor"),
        ({"kernel": ""}, "kernel"),
        ({"operating_system": "not recorded"}, "operating system"),
        ({"fio_version": ""}, "fio version"),
        ({"dram_bytes": 0}, "memory"),
    ],
)
def test_fact_of_the_host_that_is_unknown_in_one_or_all_runs_is_not_the_same(
    facts: dict[str, object], name: str
) -> None:
    one, both = of_host(RECORD, **facts), of_host(OTHER, **facts)
    partly, nowhere = conditions(one, OTHER), conditions(one, both)
    assert standing(partly, name) == standing(nowhere, name) == UNKNOWN
    assert find_differing(partly, ["a", "b"], test="iops") == (
        f"{name} (not known of all)",
    )
    assert find_differing(nowhere, ["a", "b"], test="iops") == ()
    assert find_differing(partly, ["a", "b"], test="iops", accepted=(name,)) == ()


@pytest.mark.parametrize("jobs", [{}, {"a": {}}, {"a": {"engine": ""}}])
def test_engine_and_pattern_without_a_job_file_are_not_known(
    jobs: dict[str, dict[str, str]],
) -> None:
    table = conditions(RECORD, OTHER, jobs=jobs)
    assert standing(table, "engine") == standing(table, "data pattern") == UNKNOWN


def test_two_known_values_differ_whatever_a_third_run_does_not_say() -> None:
    third = of_host(replace(RECORD, run_id="c"), kernel="")
    table = conditions(RECORD, of_host(OTHER, kernel="Linux 6.12"), third)
    assert standing(table, "kernel") == DIFFERS
    assert find_differing(table, ["a", "b"], test="iops") == ("kernel",)
    assert find_differing(table, ["a", "c"], test="iops") == (
        "kernel (not known of all)",
    )


def test_write_cache_as_it_was_found_is_known_where_it_was_read() -> None:
    left = "no way to set it"
    one = replace(RECORD, write_cache="as found", write_cache_fault=left)
    other = replace(OTHER, write_cache="as found", write_cache_fault=left)
    assert standing(conditions(one, other), "write cache") == UNKNOWN
    read = [replace(run, write_cache="enabled") for run in (one, other)]
    assert standing(conditions(*read), "write cache") == SAME
    models = [replace(run, target=replace(TARGET, kind="virtual")) for run in read]
    assert standing(conditions(*models), "write cache") == SAME


def test_value_that_a_profile_lacks_is_none_of_ours_and_unknown_of_an_import() -> None:
    told, asked = (
        replace(record, asked=replace(ASKED, settings={"iops": {"max_rounds": most}}))
        for record, most in ((RECORD, None), (OTHER, 25))
    )
    name = "profile: iops max rounds"
    table = conditions(told, OTHER)
    assert name not in set(table["condition"])
    assert standing(conditions(told, asked), name) == DIFFERS
    imported = replace(told, asked=IMPORT, target=replace(TARGET, kind="imported"))
    assert standing(conditions(imported, asked), name) == UNKNOWN


def test_workers_that_are_not_known_are_no_equal_workers() -> None:
    cells = {"run_id": ["a", "b"], "test": "iops"}
    workers = pd.DataFrame(cells | {"threads": [None, 2], "queue_depth": [16, 16]})
    workers = workers.astype({"threads": "Int64"})
    table = conditions(RECORD, OTHER, workers=workers)
    assert standing(table, "TC/QD of IOPS") == UNKNOWN
    values = table[table["condition"] == "TC/QD of IOPS"]["value"]
    assert values.tolist() == ["not known", "T2/Q16"]


def test_sides_are_told_apart_by_what_is_known_of_one_run_alone() -> None:
    table = conditions(RECORD, of_host(OTHER, kernel=""))
    assert barring_values(table) == {
        "a": ("kernel: Linux 6.1",),
        "b": ("kernel: not known",),
    }


def test_value_of_a_profile_bars_the_tests_that_make_use_of_it_alone() -> None:
    demo = find_profile("demo")
    names = ("iops", "hir", "cbw", "dirth", "xsr")
    one, other = (
        replace(record, asked=suite_of(profile, build_tests(profile, names)))
        for record, profile in ((RECORD, demo), (OTHER, demo.having(wdpc_round_s=2)))
    )
    table = conditions(one, other)
    barred = {test: find_differing(table, ["a", "b"], test=test) for test in names}
    by_preconditioning = ("profile: wdpc round s",)
    assert barred == {
        "iops": (),
        "hir": by_preconditioning,
        "cbw": by_preconditioning,
        "dirth": by_preconditioning,
        "xsr": (),
    }
