"""One generator per phase type: yields batches of steps, receives their results.

No clock is read and no random number drawn, so the same results always lead to the same
steps: resuming is replaying.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from ssdlab.model.spec import (
    Histogram,
    OperatingPoint,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Stimulus,
)
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch, PlanContext
from ssdlab.plan.points import first_of_point, plan_point
from ssdlab.plan.protocol import Observer, PhaseEnd, PhaseEnds, PhasePlan, Plan
from ssdlab.plan.rounds import first_of_rounds, plan_rounds
from ssdlab.plan.steps import StepMaker
from ssdlab.plan.stimulus import first_round, plan_stimulus


def plan_suite(
    tests: Sequence[PtsTest], context: PlanContext, observe: Observer
) -> Plan:
    """Yield the batches of all tests in order; each begins with its own purge."""
    number = 1
    for test in tests:
        ends: dict[str, PhaseEnd] = {}
        number = yield from _plan_phases(
            test.phases, _Place(test, context, ends, number), observe
        )
        judged = [end.is_steady for end in ends.values() if end.is_steady is not None]
        if judged and not judged[-1]:
            number = yield from _plan_phases(
                test.fallback, _Place(test, context, ends, number), observe
            )


def _plan_phases(
    phases: Sequence[Phase], place: "_Place", observe: Observer
) -> Generator[Batch, tuple[StepResult, ...], int]:
    """Yield the batches of some phases of a test; return the next step's number."""
    for phase, after in zip(phases, (*phases[1:], None), strict=False):
        phase_plan = _plan_phase(
            _settle(phase, place.ends), place, after=after, observe=observe
        )
        place.ends[phase.phase_id], number = yield from _counted(
            phase_plan, place.number
        )
        place = replace(place, number=number)
    return place.number


@dataclass(frozen=True, slots=True)
class _Place:
    """The position in a test: how its phases ended, and the next step's number."""

    test: PtsTest
    context: PlanContext
    ends: dict[str, PhaseEnd]
    number: int

    def maker_of(self, phase: Phase) -> StepMaker:
        """Return the maker of the steps of a phase of the test."""
        context = self.context
        if isinstance(phase, Precondition | Rounds | Histogram):
            context = context.within(phase.active_range)
        return StepMaker(
            context=context, test_id=self.test.test_id, phase_id=phase.phase_id
        )


def _settle(phase: Phase, ends: PhaseEnds) -> Phase:
    """Set the number of rounds of a phase that takes it from another one."""
    if isinstance(phase, Rounds) and phase.same_rounds_as:
        return replace(phase, max_rounds=ends[phase.same_rounds_as].rounds)
    return phase


def _counted(
    phase_plan: PhasePlan, number: int
) -> Generator[Batch, tuple[StepResult, ...], tuple[PhaseEnd, int]]:
    """Pass on a phase's batches; return how it ended and the next step's number."""
    try:
        batch = next(phase_plan)
        while True:
            number += len(batch.steps)
            batch = phase_plan.send((yield batch))
    except StopIteration as stop:
        return stop.value, number


def _plan_phase(
    phase: Phase, place: _Place, *, after: Phase | None, observe: Observer
) -> PhasePlan:
    make, number = place.maker_of(phase), place.number
    next_of = partial(_first_step, after, place)
    match phase:
        case Purge():
            yield Batch(steps=(make.purge(number),))
            return PhaseEnd()
        case Precondition():
            return (yield from _one(make.precondition(number, phase), number, next_of))
        case Histogram():
            step = make.histogram(number, phase.workload, phase.seconds)
            return (yield from _one(step, number, next_of))
        case Rounds():
            return (yield from plan_rounds(phase, make, number=number, observe=observe))
        case Stimulus():
            return (
                yield from plan_stimulus(
                    phase, make, number=number, observe=observe, next_of=next_of
                )
            )
        case OperatingPoint():
            demand = place.ends[phase.demand_phase]
            return (
                yield from plan_point(
                    phase, make, number=number, demand=demand, next_of=next_of
                )
            )
        case _:
            assert_never(phase)


def _one(step: Step, number: int, next_of: Callable[[int], Step | None]) -> PhasePlan:
    """Yield the one step of a phase, and what follows it for certain."""
    yield Batch(steps=(step,), next_step=next_of(number + 1), is_next_certain=True)
    return PhaseEnd()


def _first_step(after: Phase | None, place: _Place, number: int) -> Step | None:
    """Return the first step of the next phase as far as it is known, given its number.

    A purge is not returned: the step before it need not be followed at once.
    """
    if after is None or isinstance(after, Purge):
        return None
    make = place.maker_of(after)
    step: Step | None = None
    match after:
        case Precondition():
            step = make.precondition(number, after)
        case Rounds():
            step = first_of_rounds(after, make, number)
        case Stimulus():
            step = first_round(after, make, number)
        case Histogram():
            step = make.histogram(number, after.workload, after.seconds)
        case OperatingPoint():
            if demand := place.ends.get(after.demand_phase):
                step = first_of_point(after, make, number=number, demand=demand)
        case _:
            assert_never(after)
    return step
