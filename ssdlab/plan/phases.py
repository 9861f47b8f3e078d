"""One generator a phase type: yields batches of steps, is sent their results.

No clock is read and nothing is drawn, so the same results always lead to the same
steps: resume is replay.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from ssdlab.model.spec import (
    Histogram,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Saturation,
    Step,
    StepResult,
    Workload,
)
from ssdlab.plan.context import Batch, PlanContext
from ssdlab.plan.judge import judge_round
from ssdlab.plan.protocol import Observer, PhasePlan, Plan
from ssdlab.plan.saturation import plan_saturation
from ssdlab.plan.steps import StepMaker
from ssdlab.plan.streams import Stream


def plan_suite(
    tests: Sequence[PtsTest], context: PlanContext, observe: Observer
) -> Plan:
    """Yield the batches of all tests in order; each begins with its own purge."""
    number = 1
    for test in tests:
        rounds_of: dict[str, int] = {}
        for phase, after in zip(test.phases, (*test.phases[1:], None), strict=True):
            make = StepMaker(
                context=context, test_id=test.test_id, phase_id=phase.phase_id
            )
            phase_plan = _plan_phase(
                _settle(phase, rounds_of), after, make, number=number, observe=observe
            )
            rounds_of[phase.phase_id], number = yield from _counted(phase_plan, number)


def _settle(phase: Phase, rounds_of: dict[str, int]) -> Phase:
    """Give a phase that follows another one's count of rounds its own count."""
    if isinstance(phase, Rounds) and phase.same_rounds_as:
        return replace(phase, max_rounds=rounds_of[phase.same_rounds_as])
    return phase


def _counted(
    phase_plan: PhasePlan, number: int
) -> Generator[Batch, tuple[StepResult, ...], tuple[int, int]]:
    """Pass a phase's batches on; return its rounds and the next step's number."""
    try:
        batch = next(phase_plan)
        while True:
            number += len(batch.steps)
            batch = phase_plan.send((yield batch))
    except StopIteration as stop:
        return stop.value, number


def _plan_phase(
    phase: Phase,
    after: Phase | None,
    make: StepMaker,
    *,
    number: int,
    observe: Observer,
) -> PhasePlan:
    match phase:
        case Purge():
            yield Batch(steps=(make.purge(number),))
            return 0
        case Precondition():
            yield Batch(
                steps=(make.precondition(number, phase),),
                next_step=_first_cell(after, make, number + 1),
                is_next_certain=True,
            )
            return 0
        case Rounds():
            return (
                yield from _plan_rounds(phase, make, number=number, observe=observe)
            )
        case Saturation():
            return (
                yield from plan_saturation(phase, make, number=number, observe=observe)
            )
        case Histogram():
            yield Batch(steps=(make.histogram(number, phase),))
            return 0
        case _:
            assert_never(phase)


def _first_cell(phase: Phase | None, make: StepMaker, number: int) -> Step | None:
    if not isinstance(phase, Rounds) or not phase.cells:
        return None
    place = _Place(make=replace(make, phase_id=phase.phase_id), phase=phase)
    return place.step(1, 0, number)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """Where the rounds of a phase are: makes their steps, knows their streams.

    ``streams`` are those of the writes and of the reads.
    """

    make: StepMaker
    phase: Rounds
    streams: tuple[Stream, Stream] = (Stream(), Stream())

    def step(self, round_number: int, cell: int, number: int) -> Step:
        """Return the step of a cell, from 0, of a round, from 1."""
        workload = self.phase.cells[cell]
        blank = self.make.blank_cell(workload, self.phase.cell_seconds)
        if workload.access == "seq" and self.phase.carries_on:
            stream = self.streams[workload.read_percent > 0]
            offset = stream.next_offset(_whole_blocks(blank.range_bytes, workload))
            blank = replace(blank, offset_bytes=offset)
        return self.make.cell(number, (round_number, cell + 1), blank)

    def after(self, step: Step, result: StepResult) -> "_Place":
        """Return where the rounds are after one more sequential cell.

        Each thread begins at the same place, so the stream came as far as one did.
        """
        workload = self.phase.cells[(step.cell or 1) - 1]
        streams = list(self.streams)
        is_read = workload.read_percent > 0
        moved = (result.read_bytes + result.written_bytes) // workload.threads
        streams[is_read] = streams[is_read].advance(
            _whole_blocks(step.range_bytes, workload), _whole_blocks(moved, workload)
        )
        return replace(self, streams=(streams[0], streams[1]))


def _whole_blocks(size_bytes: int, workload: Workload) -> int:
    return size_bytes - size_bytes % workload.block_size_bytes


def _plan_rounds(
    phase: Rounds, make: StepMaker, *, number: int, observe: Observer
) -> PhasePlan:
    rounds: list[tuple[StepResult, ...]] = []
    place = _Place(make=make, phase=phase)
    is_sequential = any(cell.access == "seq" for cell in phase.cells)
    plan_round = _plan_sequential_round if is_sequential else _plan_random_round
    while phase.cells and len(rounds) < phase.max_rounds:
        results, place = yield from plan_round(place, len(rounds) + 1, number)
        rounds.append(results)
        number += len(results)
        judgements = judge_round(make.test_id, phase, rounds)
        for judgement in judgements:
            observe(judgement)
        if judgements and judgements[-1].is_round_steady:
            break
    return len(rounds)


_RoundPlan = Generator[
    Batch, tuple[StepResult, ...], tuple[tuple[StepResult, ...], _Place]
]


def _plan_random_round(place: _Place, round_number: int, number: int) -> _RoundPlan:
    """Yield a round at once: nothing in it depends on what came before."""
    count = len(place.phase.cells)
    steps = tuple(place.step(round_number, at, number + at) for at in range(count))
    following = None
    if round_number < place.phase.max_rounds:
        following = place.step(round_number + 1, 0, number + count)
    return (yield Batch(steps=steps, next_step=following)), place


def _plan_sequential_round(place: _Place, round_number: int, number: int) -> _RoundPlan:
    """Yield a round cell by cell: where one goes on depends on how far one came.

    The next cell is known ahead when it is of the other direction.
    """
    results: list[StepResult] = []
    cells = place.phase.cells
    for at, workload in enumerate(cells):
        step = place.step(round_number, at, number + at)
        is_last = at + 1 == len(cells)
        following = None
        if cells[(at + 1) % len(cells)].read_percent != workload.read_percent:
            after = (round_number + 1, 0) if is_last else (round_number, at + 1)
            if after[0] <= place.phase.max_rounds:
                following = place.step(*after, number + at + 1)
        (result,) = yield Batch(
            steps=(step,), next_step=following, is_next_certain=not is_last
        )
        place = place.after(step, result)
        results.append(result)
    return tuple(results), place
