"""A check as OCP's line-JSON, and targets of FioSynth as limits."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ssdlab
from ssdlab.limits.bounds import BoundLimit, BoundsFile
from ssdlab.limits.check import Case, CheckedRun, LimitCheck
from ssdlab.limits.fiosynth_targets import fiosynth_limits
from ssdlab.limits.ocp import check_ocptv
from ssdlab.model.errors import UserError, UserFileError
from ssdlab.stats.interval import Interval
from tests.cli.called import call
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-b"
SHEET = "reference:intel-s3510"


@pytest.fixture(scope="module")
def check() -> LimitCheck:
    return ssdlab.check_limits(SAMPLE, SHEET)


def artifacts(content: bytes, name: str) -> list[Any]:
    """Return the artifacts of a kind, of the run or of its steps."""
    lines = [json.loads(line) for line in content.splitlines()]
    return [
        line[kind][name]
        for line in lines
        for kind in ("testRunArtifact", "testStepArtifact")
        if name in line.get(kind, {})
    ]


def test_each_limit_is_a_diagnosis_with_its_verdict(check: LimitCheck) -> None:
    content = check_ocptv(check, is_strict=False)
    found = artifacts(content, "diagnosis")
    counts = {
        kind: sum(one["type"] == kind for one in found)
        for kind in ("PASS", "FAIL", "UNKNOWN")
    }
    assert list(counts.values()) == [
        check.counts[verdict] for verdict in ("met", "not met", "cannot be told")
    ]
    (end,) = artifacts(content, "testRunEnd")
    assert end == {"status": "COMPLETE", "result": "FAIL"}
    assert b"site-packages" not in content


def test_measurement_has_value_unit_bound_and_interval(check: LimitCheck) -> None:
    content = check_ocptv(check, is_strict=False)
    case = next(one for one in check.cases if one.limit.metric == "bw")
    assert case.interval is not None
    found = next(
        one for one in artifacts(content, "measurement") if one["unit"] == "B/s"
    )
    assert found["value"] == case.interval.estimate
    (validator,) = found["validators"]
    assert validator["type"] == "GREATER_THAN_OR_EQUAL"
    assert validator["value"] == case.limit.range[0]
    assert found["metadata"]["low"] == case.interval.low


def test_unit_of_a_reading_is_that_of_the_registry() -> None:
    limit = BoundLimit(metric="media_errors", at_most=0)
    seen = Interval(estimate=2.0, low=2.0, high=2.0)
    case = Case(
        run_id="R",
        limit=limit,
        verdict="not met",
        names={"test": "iops"},
        interval=seen,
    )
    run = CheckedRun(run_id="R", device="a drive", is_drive=True)
    check = LimitCheck(file=BoundsFile(limit=(limit,)), runs=(run,), cases=(case,))
    (found,) = artifacts(check_ocptv(check, is_strict=False), "measurement")
    assert found.get("unit", "") == ""
    hot = replace(case, limit=BoundLimit(metric="temperature_celsius", at_most=70))
    content = check_ocptv(replace(check, cases=(hot,)), is_strict=False)
    assert artifacts(content, "measurement")[0]["unit"] == "°C"


def test_lines_are_numbered_in_order_and_steps_end(check: LimitCheck) -> None:
    lines = [
        json.loads(one) for one in check_ocptv(check, is_strict=False).splitlines()
    ]
    assert [one["sequenceNumber"] for one in lines] == list(range(len(lines)))
    assert lines[0]["schemaVersion"] == {"major": 2, "minor": 0}
    names = [name for one in lines for name in one.get("testStepArtifact", {})]
    assert names.count("testStepStart") == names.count("testStepEnd") >= 1


@pytest.mark.parametrize(
    ("bound", "more", "result"),
    [
        ("1", (), "PASS"),
        ("1e9", (), "FAIL"),
        ("0.5", ("--strict",), "FAIL"),
        ("0.5", (), "NOT_APPLICABLE"),
    ],
)
def test_result_is_that_of_the_exit_code(
    tmp_path: Path, bound: str, more: tuple[str, ...], result: str
) -> None:
    limits, lines = tmp_path / "l.toml", tmp_path / "ocp.jsonl"
    test = "nothing" if bound == "0.5" else "iops"
    limits.write_text(
        f'[[limit]]\nmetric = "iops"\nat_least = {bound}\ntest = "{test}"\n', "utf-8"
    )
    asked = ("check", SAMPLE, "--limits", limits, "--ocptv", lines)
    done = call(*asked, *more)
    codes = {"PASS": 0, "FAIL": 3, "NOT_APPLICABLE": 4}
    assert done.returncode == codes[result], done.stderr
    (end,) = artifacts(lines.read_bytes(), "testRunEnd")
    assert end["result"] == result
    assert call(*asked).returncode in {0, 3, 4}  # its own file may be replaced


def test_several_runs_and_files_of_others_are_refused(tmp_path: Path) -> None:
    both = ssdlab.check_limits([SAMPLE, SAMPLE.parent / "virtual-a"], SHEET)
    with pytest.raises(UserError, match="one by one"):
        check_ocptv(both, is_strict=False)
    theirs = tmp_path / "theirs.jsonl"
    theirs.write_text("{}\n", "utf-8")
    done = call("check", SAMPLE, "--limits", SHEET, "--ocptv", theirs)
    assert done.returncode == 2
    assert theirs.read_text("utf-8") == "{}\n"


def suite(targets: Mapping[str, Any], **more: object) -> str:
    workload = {"alias": "Mix_Low", "template": "m.fio", "values": {}}
    return json.dumps({"def": [{**workload, "targets": targets}], **more})


TARGETS = {
    "throughput": {
        "read": {"MIN": 164},
        "write": {"MIN": 96},
        "trim": {"MIN": 0},
        "scale_by_TB": {"value": True},
    },
    "latency": {
        "read": {"P99": 1000, "P99.9999": 15000, "MAX": 20000},
        "write": {"P99.99": 15000, "MAX": 30000},
    },
}


def test_targets_are_limits_of_the_tests_of_their_workloads() -> None:
    found = fiosynth_limits(suite(TARGETS), source="S", capacity_bytes=2 * 10**12)
    assert [
        (one.test, one.direction, one.metric, one.range) for one in found.limit
    ] == [
        ("job-mix-low", "read", "bw", (328 * 2**20, float("inf"))),
        ("job-mix-low", "write", "bw", (192 * 2**20, float("inf"))),
        ("job-mix-low", "read", "p99", (float("-inf"), 1e6)),
        ("job-mix-low", "read", "p99.9999", (float("-inf"), 15e6)),
        ("job-mix-low", "write", "p99.99", (float("-inf"), 15e6)),
    ]
    assert found.title == "targets of S; 2 of maxima are left out"
    assert {one.accept for one in found.limit} == {("steady state",)}


def test_targets_of_several_cycles_are_of_each_of_them() -> None:
    found = fiosynth_limits(
        suite({"iops": {"read": {"MIN": 5}}}, run_cycles=3),
        source="S",
        capacity_bytes=10**12,
    )
    assert [one.test for one in found.limit] == ["job-mix-low-cycle-*"]
    assert found.limit[0].matches_test("job-mix-low-cycle-2")
    assert not found.limit[0].matches_test("job-mix-low-2")


@pytest.mark.parametrize(
    "targets",
    [
        {},
        {"latency": {"read": {"MAX": 5}}},
        {"speed": {"read": {"MIN": 5}}},
        {"iops": {"up": {"MIN": 5}}},
        {"iops": {"read": {"MIN": "many"}}},
        {"iops": {"read": {"MIN": True}}},
        {"iops": {"read": {"MOST": 5}}},
        {"latency": {"read": {"P200": 5}}},
        {"iops": 5},
    ],
)
def test_targets_that_cannot_be_are_refused(targets: Mapping[str, Any]) -> None:
    with pytest.raises(UserFileError) as caught:
        fiosynth_limits(suite(targets), source="S", capacity_bytes=10**12)
    assert len(str(caught.value).splitlines()) == 1
