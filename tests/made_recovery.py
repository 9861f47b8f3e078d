"""A run folder of HIR and XSR whose truth is known: no number in it is measured.

The steps are those of the plan. After a wait the model writes ``WAIT_GAIN`` faster.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ssdlab.campaign.ingest import tabulate_windows
from ssdlab.model.schema import TABLES
from ssdlab.model.step import Step, StepResult
from ssdlab.pts import find_profile
from ssdlab.pts.profile import Profile
from ssdlab.store.records import write_record
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import rows_to_columns, write_table
from ssdlab.system.folders import Folder
from tests.made_run import Recipe, make_run, record_of
from tests.plan.made import drive

Row = dict[str, Any]

IOPS = 1000.0
WAIT_GAIN = {1: 1.25, 10: 1.5}
OVERHEAD_S = 0.25
PROFILE = find_profile("pts-2.0-enterprise").having(
    wdpc_sample_every_rounds=3,
    hir_wait_states=(1, 10),
    hir_cycles=3,
    hir_baseline_cycles=2,
    xsr_group_s=(180.0, 120.0, 180.0),
)


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """What run to make.

    ``throughput`` is that of the rounds of each group of XSR [MB/s]. In
    ``broken_phase`` the run was taken up again before the second round. ``steps`` is
    how many were finished.
    """

    profile: Profile = PROFILE
    tests: tuple[str, ...] = ("hir", "xsr")
    steady: bool = True
    throughput: tuple[tuple[float, ...], ...] = (
        (600.0, 500.0, 400.0),
        (100.0, 80.0),
        (250.0, 499.0, 500.0),
    )
    broken_phase: str = ""
    steps: int | None = None


def make_recovery(folder: Path, recipe: Recovery = Recovery()) -> Run:
    """Write a whole run folder and open it."""
    asked = Recipe(tests=recipe.tests, profile=recipe.profile)
    run = make_run(folder, replace(asked, tests=()))
    write_record(folder, record_of(asked))
    driven = drive(recipe.profile, recipe.tests, lambda step: answer(step, recipe))
    done = driven.steps[: recipe.steps]
    rows = {
        "steps": [_step_row(step, recipe) for step in done],
        "measurements": [_measured(step, recipe) for step in done if step.workload],
    }
    record = run.record
    tables = {"windows": tabulate_windows(record, driven.judgements)}
    for name, values in rows.items():
        whole = [{"run_id": record.run_id, **row} for row in values]
        tables[name] = rows_to_columns(TABLES[name], whole)
    for name, columns in tables.items():
        write_table(Folder(folder) / "tables", TABLES[name], columns)
    return open_tables(folder)


def answer(step: Step, recipe: Recovery) -> StepResult:
    """Return what the model did in a step."""
    if step.workload is None:
        return StepResult(step_id=step.step_id)
    phase, _, number = step.phase_id.partition("-")
    iops = IOPS
    if phase == "group":
        values = recipe.throughput[int(number) - 1]
        iops = values[(step.round or 1) - 1] * 1e6 / step.workload.block_size_bytes
    elif phase == "wait":
        iops *= WAIT_GAIN[int(number)]
    elif phase == "wdpc" and not recipe.steady:
        iops *= 2.0 ** ((step.round or 0) % 7)
    bw = iops * step.workload.block_size_bytes
    return StepResult(
        step_id=step.step_id,
        iops=iops,
        bw_bytes_per_s=bw,
        lat_mean_ns=1e9 / iops,
        written_bytes=int(bw * (step.runtime_s or 0)),
    )


def _where(step: Step) -> Row:
    where: Row = {"step_id": step.step_id, "test": step.test_id, "kind": step.kind}
    where |= {"phase": step.phase_id, "round": step.round, "cell": step.cell}
    if step.workload is None:
        return where
    names = ("access", "block_size_bytes", "read_percent", "threads", "queue_depth")
    return where | {name: getattr(step.workload, name) for name in names}


def _step_row(step: Step, recipe: Recovery) -> Row:
    idle_s = step.wait_s + (OVERHEAD_S if step.wait_s else 0.0)
    is_broken = step.phase_id == recipe.broken_phase and step.round == 2
    return _where(step) | {
        "duration_s": step.runtime_s or 1.0,
        "wait_s": step.wait_s,
        "idle_before_s": 7200.0 if is_broken else idle_s,
        "is_contiguous": not is_broken,
        "was_armed": True,
    }


def _measured(step: Step, recipe: Recovery) -> Row:
    result = answer(step, recipe)
    return _where(step) | {
        "direction": "total",
        "runtime_s": step.runtime_s,
        "iops": result.iops,
        "bw_bytes_per_s": result.bw_bytes_per_s,
        "lat_mean_ns": result.lat_mean_ns,
        "lat_max_ns": 8 * (result.lat_mean_ns or 0.0),
    }
