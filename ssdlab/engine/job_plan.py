"""What fio will do in a run: each different job, before the run starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.host.inventory import read_cpus
from ssdlab.model.asked import Procedure, Suite
from ssdlab.model.drive import AUTO_PURGE
from ssdlab.model.editions import PTS_2
from ssdlab.model.spec import Phase, Precondition, PtsTest, Purge
from ssdlab.model.step import Step
from ssdlab.plan.context import PlanContext
from ssdlab.plan.rehearsal import PlannedStep, rehearse
from ssdlab.targets.opening import foresee_purge, read_shape

_SECTIONS_OF_PHASES = {Purge: "3.2", Precondition: "3.3"}
_SHOWN_SEED = 1  # if the run will draw one


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedJob:
    """One different step of a run.

    Attributes
    ----------
    planned : PlannedStep
        The step, and how often it comes.
    clause : str
        The sections of the standard that require it; empty for other procedures.
    purge : str
        How the target is purged, if the step is a purge.
    job : str
        The text of its job file; empty for a purge.
    """

    planned: PlannedStep
    clause: str
    purge: str
    job: str

    @property
    def step(self) -> Step:
        """The first step of its kind, if every loop reaches its last round."""
        return self.planned.step

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON-compatible data, without the text of its job."""
        step, work = self.step, self.step.workload
        return {
            "step_id": step.step_id,
            "test": step.test_id,
            "phase": step.phase_id,
            "clause": self.clause,
            "kind": step.kind,
            "purge": self.purge,
            "stimulus": work.label if work else None,
            "threads": work.threads if work else None,
            "queue_depth": work.queue_depth if work else None,
            "block_size_bytes": work.block_size_bytes if work else None,
            "read_percent": work.read_percent if work else None,
            "seconds": step.runtime_s,
            "bytes": step.whole_amount_bytes,
            "rest_before_s": step.wait_s,
            "times_max": self.planned.times,
            "goes_on": self.planned.goes_on,
            "is_fallback": self.planned.is_fallback,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class JobPlan:
    """All jobs of a run in order, and what they are planned from.

    ``seed`` is that of the run; 0 if the run will draw one, so that its jobs differ.
    """

    name: str
    source: str
    target: str
    capacity_bytes: int
    seed: int
    is_of_pts: bool
    jobs: tuple[PlannedJob, ...]


def plan_jobs(
    target: str, asked: Suite | Procedure, *, seed: int = 0, purge: str = AUTO_PURGE
) -> JobPlan:
    """Return each different job that a run can pass to fio."""
    shape = read_shape(target)
    context = PlanContext(
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
        active_range_percent=asked.active_range_percent,
        seed=seed or _SHOWN_SEED,
        uses_random_map=asked.uses_random_map,
    )
    method = foresee_purge(target, purge).method
    return JobPlan(
        name=asked.name,
        source=asked.spec_version,
        target=target,
        capacity_bytes=shape.capacity_bytes,
        seed=seed,
        is_of_pts=isinstance(asked, Suite),
        jobs=tuple(
            PlannedJob(
                planned=planned,
                clause=_clause(planned.test, planned.phase),
                purge=method if planned.step.workload is None else "",
                job=_render(planned.step, shape.fio_options, asked.io_engine),
            )
            for planned in rehearse(asked.tests, context)
        ),
    )


def _render(step: Step, options: Mapping[str, str], io_engine: str) -> str:
    """Return a job file as `FioBackend` will render it."""
    if step.workload is None:
        return ""
    return render_job(step, options, cpus=read_cpus(), io_engine=io_engine)


def _clause(test: PtsTest, phase: Phase) -> str:
    if not test.pts_section:
        return ""
    general = _SECTIONS_OF_PHASES.get(type(phase))
    if general is None:
        return f"{PTS_2}, section {test.pts_section}"
    return f"{PTS_2}, sections {general} and {test.pts_section}"
