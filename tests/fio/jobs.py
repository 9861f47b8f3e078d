"""Steps to run, and the chain that runs them."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ssdlab.fio.installed import require_fio
from ssdlab.fio.jobs.jobfile import count_threads, render_job
from ssdlab.fio.process import FioRequest
from ssdlab.fio.runner import FioChain, FioOutcome
from ssdlab.model.spec import Access, Precondition, Workload
from ssdlab.model.step import Step
from ssdlab.model.units import KIB, MIB
from ssdlab.plan.context import PlanContext
from ssdlab.plan.steps import StepMaker
from ssdlab.system.folders import Folder
from ssdlab.virtual.server import VirtualSsd

CONTEXT = PlanContext(
    capacity_bytes=64 * MIB, sector_bytes=512, active_range_percent=100, seed=11
)


def workload(
    access: Access = "rnd",
    block_size_bytes: int = 4 * KIB,
    read_percent: int = 0,
    *,
    threads: int = 1,
    queue_depth: int = 1,
) -> Workload:
    return Workload(
        access=access,
        block_size_bytes=block_size_bytes,
        read_percent=read_percent,
        threads=threads,
        queue_depth=queue_depth,
    )


def cell(
    work: Workload | None = None,
    *,
    number: int = 3,
    seconds: float = 0.5,
    context: PlanContext = CONTEXT,
    offset_bytes: int = 0,
) -> Step:
    make = StepMaker(context=context, test_id="iops", phase_id="rounds")
    blank = make.blank_cell(work or workload(), seconds)
    return make.cell(number, (1, number), replace(blank, offset_bytes=offset_bytes))


def fill(phase: Precondition, context: PlanContext) -> Step:
    make = StepMaker(context=context, test_id="iops", phase_id=phase.phase_id)
    return make.precondition(2, phase)


def options_of(job: str) -> dict[str, dict[str, str]]:
    """Return the options of each section of a job file, as fio would split it."""
    sections: dict[str, dict[str, str]] = {}
    for line in job.splitlines():
        if line.startswith("["):
            current = sections[line.strip("[]")] = {}
        elif line:
            name, _, value = line.partition("=")
            assert name not in current
            current[name] = value
    return sections


def reach(ssd: VirtualSsd) -> dict[str, str]:
    return {"ioengine": "nbd", "uri": ssd.uri}


def request_of(
    step: Step,
    target: Mapping[str, str],
    folder: Path,
    *,
    overdue_s: float = 60,
    least_s: float = 0,
) -> FioRequest:
    job = render_job(step, target)
    assert step.workload is not None
    return FioRequest(
        step_id=step.step_id,
        folder=Folder(folder) / step.step_id,
        job=job,
        gated_threads=count_threads(step),
        overdue_s=overdue_s,
        least_s=least_s,
    )


def new_chain(*, stop_s: float = 20) -> FioChain:
    return FioChain(require_fio()[0], clock=time.time, tick=lambda: None, stop_s=stop_s)


def run_step(step: Step, target: Mapping[str, str], folder: Path) -> FioOutcome:
    with new_chain() as chain:
        outcome = chain.run(request_of(step, target, folder))
    assert outcome.exit_code == 0, outcome.said
    return outcome


def job_of(outcome: FioOutcome) -> dict[str, Any]:
    """Return the one job of fio's JSON."""
    text = outcome.request.folder.text("fio.json")
    (job,) = json.loads(text[text.index("{") :])["jobs"]
    assert isinstance(job, dict)
    return job
