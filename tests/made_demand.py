"""A run folder of CBW and DIRTH whose truth is known: no number in it is measured.

The steps are those of the plan, driven with a drive that serves one IO in not much
more than ``SERVICE_S`` and nears ``CEILING`` IOPS when many are outstanding. The last
round is ``LAST_ROUND`` as fast as the others.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ssdlab.campaign.ingest import tabulate_windows
from ssdlab.model.schema import TABLES
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Judgement
from ssdlab.pts import find_profile
from ssdlab.pts.profile import Profile
from ssdlab.store.records import write_record
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import rows_to_columns, write_table
from ssdlab.system.folders import Folder
from tests.made_run import Recipe, make_run, record_of
from tests.plan.made import Driven, drive

Row = dict[str, Any]

SERVICE_S = 100e-6
CEILING = 50_000.0
LAST_ROUND = 0.95
WRITES = 20_000.0
MEAN_BLOCK_BYTES = 7818.24  # of the composite: pts.md 12.1
PROFILE = find_profile("pts-2.0-enterprise").having(
    wdpc_sample_every_rounds=3,
    demand_threads=(32, 4, 1),
    demand_queue_depths=(32, 4, 1),
    point_pre_write_s=180.0,
)


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What run to make.

    ``service_s`` may be so long that no point is fast enough; ``has_host_cpu`` tells
    whether the host was watched, and ``steps`` how many of all were finished.
    """

    profile: Profile = PROFILE
    tests: tuple[str, ...] = ("cbw", "dirth")
    steady: bool = True
    service_s: float = SERVICE_S
    has_host_cpu: bool = True
    steps: int | None = None


def make_demand(folder: Path, recipe: Demand = Demand()) -> Run:
    """Write a whole run folder and open it."""
    asked = Recipe(
        tests=recipe.tests,
        profile=recipe.profile,
        spec_version=recipe.profile.spec_version,
    )
    run = make_run(folder, replace(asked, tests=()))
    write_record(folder, record_of(asked))
    driven = drive(recipe.profile, recipe.tests, lambda step: answer(step, recipe))
    done = driven.steps[: recipe.steps]
    known = {step.step_id for step in done}
    rows = {
        "steps": [_step_row(step, recipe) for step in done],
        "measurements": [_measured(step, recipe) for step in done if step.workload],
        "bins": [_bin(step) for step in done if step.kind == "histogram"],
    }
    judged = [j for j in driven.judgements if _step_of(j, driven).step_id in known]
    tables = {"windows": tabulate_windows(run.record, judged)}
    for name, values in rows.items():
        whole = [{"run_id": run.record.run_id, **row} for row in values]
        tables[name] = rows_to_columns(TABLES[name], whole)
    for name, columns in tables.items():
        write_table(Folder(folder) / "tables", TABLES[name], columns)
    return open_tables(folder)


def true_iops(workload: Workload, service_s: float = SERVICE_S) -> float:
    """Return what the drive does: with n outstanding IOs ceiling x n / (n + 5)."""
    if workload.read_percent == 0:
        return WRITES
    outstanding = workload.threads * workload.queue_depth
    return CEILING * outstanding / (outstanding + CEILING * service_s)


def block_bytes(workload: Workload) -> float:
    return workload.block_size_bytes or MEAN_BLOCK_BYTES


def answer(step: Step, recipe: Demand) -> StepResult:
    """Return what the model did in a step."""
    if step.workload is None:
        return StepResult(step_id=step.step_id)
    iops = true_iops(step.workload, recipe.service_s)
    if step.phase_id == "demand" and step.round == 5:
        iops *= LAST_ROUND
    if step.phase_id == "demand" and not recipe.steady:
        iops *= 2.0 ** ((step.round or 0) % 7)
    return StepResult(
        step_id=step.step_id,
        iops=iops,
        bw_bytes_per_s=iops * block_bytes(step.workload),
        lat_mean_ns=step.workload.threads * step.workload.queue_depth / iops * 1e9,
        written_bytes=int(iops * block_bytes(step.workload) * (step.runtime_s or 0)),
    )


def _where(step: Step) -> Row:
    where: Row = {"step_id": step.step_id, "test": step.test_id, "kind": step.kind}
    where |= {"phase": step.phase_id, "round": step.round, "cell": step.cell}
    if step.workload is None:
        return where
    names = ("access", "read_percent", "threads", "queue_depth")
    where |= {name: getattr(step.workload, name) for name in names}
    return where | {"block_size_bytes": step.workload.block_size_bytes or None}


def _step_row(step: Step, recipe: Demand) -> Row:
    row = _where(step) | {
        "duration_s": step.runtime_s or 1.0,
        "idle_before_s": 0.0,
        "is_contiguous": True,
        "written_bytes": step.whole_amount_bytes,
    }
    if recipe.has_host_cpu and step.workload is not None:
        row["host_system_cpu_percent"] = true_cpu(step.workload)
        row["host_user_cpu_percent"] = 1.0
    return row


def true_cpu(workload: Workload) -> float:
    return workload.threads + workload.queue_depth / 4


def _measured(step: Step, recipe: Demand) -> Row:
    result = answer(step, recipe)
    assert step.workload
    assert step.runtime_s
    return _where(step) | {
        "direction": "total",
        "runtime_s": step.runtime_s,
        "total_ios": round((result.iops or 0) * step.runtime_s),
        "io_bytes": round((result.bw_bytes_per_s or 0) * step.runtime_s),
        "iops": result.iops,
        "bw_bytes_per_s": result.bw_bytes_per_s,
        "lat_mean_ns": result.lat_mean_ns,
        "lat_max_ns": 8 * (result.lat_mean_ns or 0.0),
        "sys_cpu_percent": 77.0,  # of fio's own process: no report may show it
    }


def _bin(step: Step) -> Row:
    names = {"step_id": step.step_id, "direction": "total", "count": 1000}
    return names | {"lat_ns": 100_000, "lat_lower_ns": 99_000, "lat_upper_ns": 101_000}


def _step_of(judgement: Judgement, driven: Driven) -> Step:
    """Return the last step of the round after which was judged."""
    return [
        step
        for step in driven.steps_of(judgement.phase_id)
        if step.test_id == judgement.test_id and step.round == judgement.round
    ][-1]
