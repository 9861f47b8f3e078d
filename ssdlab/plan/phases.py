"""One generator a phase type: yields batches of steps, is sent their results.

No clock is read and nothing is drawn, so the same results always lead to the same
steps: resume is replay.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
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
        for phase in test.phases:
            make = StepMaker(
                context=context, test_id=test.test_id, phase_id=phase.phase_id
            )
            phase_plan = _plan_phase(_settle(phase, rounds_of), make, number, observe)
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
    phase: Phase, make: StepMaker, number: int, observe: Observer
) -> PhasePlan:
    match phase:
        case Purge():
            yield Batch(steps=(make.purge(number),))
            return 0
        case Precondition():
            yield Batch(steps=(make.precondition(number, phase),))
            return 0
        case Rounds():
            return (yield from _plan_rounds(phase, make, number, observe))
        case Saturation():
            return (yield from plan_saturation(phase, make, number, observe))
        case Histogram():
            yield Batch(steps=(make.histogram(number, phase),))
            return 0
        case _:
            assert_never(phase)


def _plan_rounds(
    phase: Rounds, make: StepMaker, number: int, observe: Observer
) -> PhasePlan:
    rounds: list[tuple[StepResult, ...]] = []
    streams = (Stream(), Stream())
    while len(rounds) < phase.max_rounds:
        steps = _round_steps(phase, make, number, (len(rounds) + 1, streams))
        following = None
        if len(rounds) + 1 < phase.max_rounds and phase.cells[0].access == "rnd":
            following = _round_steps(
                phase, make, number + len(steps), (len(rounds) + 2, streams)
            )[0]
        results = yield Batch(steps=steps, likely_next=following)
        rounds.append(results)
        streams = _advance(streams, steps, results)
        judgements = judge_round(make.test_id, phase, rounds)
        for judgement in judgements:
            observe(judgement)
        if judgements and judgements[-1].is_round_steady:
            break
        number += len(steps)
    return len(rounds)


def _round_steps(
    phase: Rounds, make: StepMaker, number: int, at: tuple[int, tuple[Stream, Stream]]
) -> tuple[Step, ...]:
    """Return the cells of one round; ``at`` is its number and the two streams."""
    round_number, streams = at
    steps = []
    for place, workload in enumerate(phase.cells):
        blank = make.blank_cell(workload, phase.cell_seconds)
        if workload.access == "seq":
            stream = streams[workload.read_percent > 0]
            blank = replace(blank, offset_bytes=stream.next_offset(blank.range_bytes))
        steps.append(make.cell(number + place, (round_number, place + 1), blank))
    return tuple(steps)


def _advance(
    streams: tuple[Stream, Stream],
    steps: Sequence[Step],
    results: Sequence[StepResult],
) -> tuple[Stream, Stream]:
    """Return the write and the read stream after a round."""
    after = list(streams)
    for step, result in zip(steps, results, strict=True):
        if step.workload is not None and step.workload.access == "seq":
            is_read = step.workload.read_percent > 0
            moved = result.read_bytes + result.written_bytes
            after[is_read] = after[is_read].advance(step.range_bytes, moved)
    return after[0], after[1]
