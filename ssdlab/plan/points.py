"""The operating points of a demand variation: pre-writes, then every response time."""

from collections.abc import Callable
from dataclasses import replace

from ssdlab.model.errors import StepError
from ssdlab.model.spec import OperatingPoint, PreWrite, Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch
from ssdlab.plan.protocol import PhaseEnd, PhasePlan
from ssdlab.plan.steps import StepMaker
from ssdlab.pts.demand.summary import DemandPoint, select_points


def plan_point(
    phase: OperatingPoint,
    make: StepMaker,
    *,
    number: int,
    demand: PhaseEnd,
    next_of: Callable[[int], Step | None],
) -> PhasePlan:
    """Yield all of a point at once; it follows from the last round of the demand."""
    steps = _steps(phase, make, number=number, demand=demand)
    following = next_of(number + len(steps))
    yield Batch(steps=steps, next_step=following, is_next_certain=True)
    return PhaseEnd(rounds=len(steps) - 1)


def first_of_point(
    phase: OperatingPoint, make: StepMaker, *, number: int, demand: PhaseEnd
) -> Step:
    """Return the first step of a point."""
    return _steps(phase, make, number=number, demand=demand)[0]


def _steps(
    phase: OperatingPoint, make: StepMaker, *, number: int, demand: PhaseEnd
) -> tuple[Step, ...]:
    rounds = phase.pre_write_rounds
    pre_write, workload = _at_point(phase, make, demand)
    writes = tuple(
        make.pre_write(
            number + at,
            at + 1,
            PreWrite(workload=pre_write, seconds=phase.round_seconds),
        )
        for at in range(rounds)
    )
    measured = make.histogram(number + rounds, workload, phase.histogram_s)
    return (*writes, measured)


def _at_point(
    phase: OperatingPoint, make: StepMaker, demand: PhaseEnd
) -> tuple[Workload, Workload]:
    """Return both workloads with the TC and QD of the point."""
    points = [_demand_point(step, result) for step, result in demand.last_round]
    try:
        found = select_points(points, max_lat_ns=phase.max_lat_ns)
    except ValueError as error:
        raise StepError(
            step_id=make.phase_id,
            reason=f"no point can be chosen: {error}",
            remedy="See the output of fio in the last round of the demand variation; "
            "without its latencies the test cannot continue.",
        ) from error
    point = {"max": found.max, "mid": found.mid, "min": found.min}[phase.point]

    def moved(workload: Workload) -> Workload:
        return replace(workload, threads=point.threads, queue_depth=point.queue_depth)

    return moved(phase.pre_write), moved(phase.workload)


def _demand_point(step: Step, result: StepResult) -> DemandPoint:
    if step.workload is None:
        msg = f"step {step.step_id} is not a cell of a demand variation"
        raise ValueError(msg)
    return DemandPoint(
        threads=step.workload.threads,
        queue_depth=step.workload.queue_depth,
        iops=_number(result.iops),
        lat_mean_ns=_number(result.lat_mean_ns),
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
