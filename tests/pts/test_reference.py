"""Every cell of every loop, in order, against the table of the standard's rounds."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from ssdlab.model.spec import Histogram, Rounds, Stimulus, Workload
from ssdlab.model.step import Step
from tests.paths import REFERENCE, require_folder
from tests.plan.made import drive
from tests.pts.cells import build, phase_of, rounds_of

NOMINAL = ("pts-2.0-enterprise", "pts-2.0-client")
TABLES = {
    "IOPS": ("iops", "rounds"),
    "TP-128k": ("tp", "rounds-128KiB"),
    "TP-1024k": ("tp", "rounds-1024KiB"),
    "LAT": ("lat", "rounds"),
}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    path: Path = require_folder(REFERENCE) / "pts_round_cells.csv"
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def _cell(row: dict[str, str]) -> tuple[str, int, int]:
    return (
        row["access"].lower(),
        int(row["block_size_bytes"]),
        int(row["read_percent"]),
    )


def _plain(cell: Workload) -> tuple[str, int, int]:
    return cell.access, cell.block_size_bytes, cell.read_percent


def _load(text: str, profile: str) -> tuple[int, int]:
    """Return TC and QD of ``T1/Q32``, or of one edition's recommended ones."""
    parts = text.removeprefix("recommended ").split("; ")
    words = parts[-1 if profile == "pts-2.0-client" else 0].split()[0]
    threads, depth = words.split("/")
    return int(threads[1:]), int(depth[1:])


@pytest.mark.parametrize("profile", NOMINAL)
@pytest.mark.parametrize("table", TABLES)
def test_loop_has_the_cells_of_the_reference_in_order(
    rows: list[dict[str, str]], table: str, profile: str
) -> None:
    wanted = [row for row in rows if row["test"] == table]
    test_id, phase_id = TABLES[table]
    phase = rounds_of(build(profile, test_id), phase_id)
    assert [int(row["order_in_round"]) for row in wanted] == list(
        range(1, len(phase.cells) + 1)
    )
    assert [_plain(cell) for cell in phase.cells] == [_cell(row) for row in wanted]
    assert {float(row["seconds"]) for row in wanted} == {phase.cell_seconds}
    assert [(cell.threads, cell.queue_depth) for cell in phase.cells] == [
        _load(row["threads_queue_depth"], profile) for row in wanted
    ]


@pytest.mark.parametrize("table", TABLES)
def test_tracked_cells_are_those_of_the_reference(
    rows: list[dict[str, str]], table: str
) -> None:
    marked = {
        _cell(row)
        for row in rows
        if row["test"] == table and row["note"].startswith("tracking")
    }
    test_id, phase_id = TABLES[table]
    tracking = rounds_of(build("pts-2.0-enterprise", test_id), phase_id).tracking
    assert len(tracking) == len(marked)
    assert {(t.access, t.block_size_bytes, t.read_percent) for t in tracking} == marked


@pytest.mark.parametrize("profile", NOMINAL)
@pytest.mark.parametrize(
    ("table", "test_id"), [("LAT-histogram", "lat"), ("WSAT-histogram", "wsat")]
)
def test_histogram_run_is_that_of_the_reference(
    rows: list[dict[str, str]], table: str, test_id: str, profile: str
) -> None:
    (wanted,) = (row for row in rows if row["test"] == table)
    phase = build(profile, test_id).phases[-1]
    assert isinstance(phase, Histogram)
    assert _plain(phase.workload) == _cell(wanted)
    assert phase.seconds == float(wanted["seconds"])


@pytest.mark.parametrize("profile", NOMINAL)
def test_saturation_round_is_that_of_the_reference(
    rows: list[dict[str, str]], profile: str
) -> None:
    (wanted,) = (row for row in rows if row["test"] == "WSAT")
    (phase,) = (p for p in build(profile, "wsat").phases if isinstance(p, Stimulus))
    assert _plain(phase.workload) == _cell(wanted)
    assert phase.round_seconds == float(wanted["seconds"])
    load = (phase.workload.threads, phase.workload.queue_depth)
    assert load == _load(wanted["threads_queue_depth"], profile)


@pytest.mark.parametrize("profile", NOMINAL)
def test_preconditioning_of_idle_recovery_is_that_of_the_reference(
    rows: list[dict[str, str]], profile: str
) -> None:
    (wanted,) = (row for row in rows if row["test"] == "HIR-precondition")
    phase = phase_of(build(profile, "hir"), "wdpc")
    assert isinstance(phase, Stimulus)
    assert _plain(phase.workload) == _cell(wanted)
    assert phase.round_seconds == float(wanted["seconds"])
    load = (phase.workload.threads, phase.workload.queue_depth)
    assert load == _load(wanted["threads_queue_depth"], profile)
    assert [phase.sample_of(n) for n in (1, 29, 30, 31, 60)] == [None, None, 1, None, 2]
    assert phase.max_rounds == 25 * 30


@pytest.mark.parametrize("profile", NOMINAL)
def test_each_segment_of_idle_recovery_is_that_of_the_reference(profile: str) -> None:
    table = require_folder(REFERENCE) / "pts_hir_segments.csv"
    segments = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    driven = drive(profile, ("hir",))
    named = [f"{kind}-{s['wait_state_k']}" for s in segments for kind in _SEGMENTS]
    after = [step for step in driven.steps if step.phase_id not in {"purge", "wdpc"}]
    assert list(dict.fromkeys(step.phase_id for step in after)) == named
    minute = 0.0
    for segment in segments:
        waits, baseline = (
            driven.steps_of(f"{kind}-{segment['wait_state_k']}") for kind in _SEGMENTS
        )
        assert minute == float(segment["start_minute"])
        assert len(waits) == int(segment["cycles"])
        assert {s.runtime_s for s in waits} == {float(segment["access_a_write_s"])}
        rests = [step.wait_s for step in (*waits, *baseline)]  # each after an access A
        idle_s = float(segment["access_b_idle_s"])
        assert rests == [0.0, *[idle_s] * len(waits), *[0.0] * (len(baseline) - 1)]
        last_rest = idle_s / 60
        assert _minutes(waits) + last_rest == float(segment["segment_minutes"])
        minute += _minutes(waits) + last_rest
        assert minute == float(segment["end_of_wait_segment_minute"])
        accesses_c = _minutes(baseline) - last_rest
        assert accesses_c == float(segment["baseline_access_c_minutes"])
        minute += accesses_c
        assert minute == float(segment["end_of_baseline_minute"])
    assert {_plain(step.workload) for step in after if step.workload} == {
        ("rnd", 4096, 0)
    }


_SEGMENTS = ("wait", "baseline")


def _minutes(steps: Sequence[Step]) -> float:
    return sum(step.wait_s + (step.runtime_s or 0.0) for step in steps) / 60


@pytest.mark.parametrize("profile", NOMINAL)
def test_each_group_of_cross_stimulus_is_that_of_the_reference(
    rows: list[dict[str, str]], profile: str
) -> None:
    wanted = [row for row in rows if row["test"] == "XSR"]
    driven = drive(profile, ("xsr",))
    assert [step.phase_id for step in driven.steps if step.workload is None] == [
        "purge"
    ]
    assert len(driven.steps) == 1 + sum(map(_times, wanted))
    for row in wanted:
        group = driven.steps_of(f"group-{row['order_in_round']}")
        assert len(group) == _times(row)
        assert {_plain(s.workload) for s in group if s.workload} == {_cell(row)}
        assert {s.runtime_s for s in group} == {float(row["seconds"])}
        assert {
            (s.workload.threads, s.workload.queue_depth) for s in group if s.workload
        } == {_load(row["threads_queue_depth"], profile)}
        assert {s.wait_s for s in group} == {0.0}


def _times(row: dict[str, str]) -> int:
    """Return the rounds of ``repeat 480 times (8 h)``."""
    return int(row["note"].split()[1])


def test_no_loop_is_missing_from_the_comparison() -> None:
    loops = {
        (test_id, phase.phase_id)
        for test_id in ("iops", "tp", "lat", "wsat")
        for phase in build("pts-2.0-enterprise", test_id).phases
        if isinstance(phase, Rounds)
    }
    assert loops == set(TABLES.values())
