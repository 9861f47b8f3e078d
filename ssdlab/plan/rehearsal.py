"""Every different step of a plan, without a drive: the plan runs to its longest end.

The assumed drive never becomes steady. So each loop reaches its last round, fallbacks
are included, and numbers are the greatest that a step can have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ssdlab.model.spec import Phase, PtsTest, Rounds, Stimulus
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import PlanContext
from ssdlab.plan.phases import plan_suite

_ANY_IOPS = 1000.0
_ANY_LAT_NS = 1000.0
_UNREACHABLE_RATIO = -1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedStep:
    """The first occurrence of a step, and how often it may repeat.

    Attributes
    ----------
    step : Step
        The first of them.
    test : PtsTest
        Its test.
    phase : Phase
        Its phase.
    times : int
        How often it occurs at most, in as many rounds. The others differ from the first
        in their seed, and in their offset if a stream continues.
    goes_on : bool
        Whether some of them begin at an offset that depends on how far the previous
        steps came.
    is_fallback : bool
        Whether its phase runs only if the test did not become steady before.
    """

    step: Step
    test: PtsTest
    phase: Phase
    times: int
    goes_on: bool
    is_fallback: bool


def rehearse(tests: Sequence[PtsTest], context: PlanContext) -> tuple[PlannedStep, ...]:
    """Return every different step that the plan of some tests can request, in order."""
    groups: dict[Step, list[Step]] = {}
    for step in _drive(tests, context):
        groups.setdefault(_kind_of(step), []).append(step)
    places = {
        (test.test_id, phase.phase_id): (test, phase)
        for test in tests
        for phase in test.possible_phases
    }
    planned = []
    for first, *more in groups.values():
        test, phase = places[first.test_id, first.phase_id]
        planned.append(
            PlannedStep(
                step=first,
                test=test,
                phase=phase,
                times=1 + len(more),
                goes_on=any(step.offset_bytes for step in (first, *more)),
                is_fallback=phase in test.fallback,
            )
        )
    return tuple(planned)


def _drive(tests: Sequence[PtsTest], context: PlanContext) -> Iterable[Step]:
    """Yield the steps of a plan whose drive never becomes steady."""
    plan = plan_suite(list(map(_endless, tests)), context, lambda _judgement: None)
    try:
        batch = next(plan)
        while True:
            yield from batch.steps
            batch = plan.send(tuple(map(_any_result, batch.steps)))
    except StopIteration:
        return


def _endless(test: PtsTest) -> PtsTest:
    """Return a test that never becomes steady."""
    return replace(
        test,
        phases=tuple(map(_never_steady, test.phases)),
        fallback=tuple(map(_never_steady, test.fallback)),
    )


def _never_steady(phase: Phase) -> Phase:
    if not isinstance(phase, Rounds | Stimulus):
        return phase
    criteria = replace(phase.criteria, max_range_ratio=_UNREACHABLE_RATIO)
    return replace(phase, criteria=criteria)


def _any_result(step: Step) -> StepResult:
    """Return a result that ends nothing: each thread moved one block."""
    work = step.workload
    if work is None:
        return StepResult(step_id=step.step_id)
    moved = work.block_range_bytes[0] * work.threads
    return StepResult(
        step_id=step.step_id,
        read_bytes=moved if work.read_percent else 0,
        written_bytes=0 if work.read_percent == 100 else moved,
        iops=_ANY_IOPS,
        lat_mean_ns=_ANY_LAT_NS,
    )


def _kind_of(step: Step) -> Step:
    """Return what a step has in common with its repetitions."""
    return replace(step, step_id="", seed=0, round=None, offset_bytes=0)
