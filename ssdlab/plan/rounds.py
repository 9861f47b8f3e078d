"""Rounds over cells until every tracking variable is steady."""

from collections.abc import Generator
from dataclasses import dataclass, replace

from ssdlab.model.spec import Rounds, Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch
from ssdlab.plan.judge import judge_round
from ssdlab.plan.protocol import Observer, PhaseEnd, PhasePlan
from ssdlab.plan.steps import StepMaker
from ssdlab.plan.streams import Stream, whole_blocks

_Pairs = tuple[tuple[Step, StepResult], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """The position in the rounds of a phase: makes their steps, knows their streams.

    ``streams`` are those of the writes and of the reads.
    """

    make: StepMaker
    phase: Rounds
    streams: tuple[Stream, Stream] = (Stream(), Stream())

    def pre_writes(self, round_number: int, number: int) -> tuple[Step, ...]:
        """Return the pre-write of a round, from 1, if the phase has one."""
        asked = self.phase.pre_write
        if asked is None:
            return ()
        return (self.make.pre_write(number, round_number, asked),)

    def first(self, round_number: int, number: int) -> Step:
        """Return the first step of a round, from 1."""
        before = self.pre_writes(round_number, number)
        return before[0] if before else self.step(round_number, 0, number)

    def step(self, round_number: int, cell: int, number: int) -> Step:
        """Return the step of a cell, from 0, of a round, from 1."""
        workload = self.phase.cells[cell]
        blank = self.make.blank_cell(workload, self.phase.cell_seconds)
        if _is_stream(workload) and self.phase.carries_on:
            stream = self.streams[workload.read_percent > 0]
            offset = stream.next_offset(whole_blocks(blank.range_bytes, workload))
            blank = replace(blank, offset_bytes=offset)
        return self.make.cell(number, (round_number, cell + 1), blank)

    def after(self, step: Step, result: StepResult) -> "_Place":
        """Return the position after one more sequential cell.

        Each thread begins at the same place, so the stream came as far as one thread.
        """
        workload = self.phase.cells[(step.cell or 1) - 1]
        if not _is_stream(workload):
            return self
        streams = list(self.streams)
        is_read = workload.read_percent > 0
        moved = (result.read_bytes + result.written_bytes) // workload.threads
        streams[is_read] = streams[is_read].advance(
            whole_blocks(step.range_bytes, workload), whole_blocks(moved, workload)
        )
        return replace(self, streams=(streams[0], streams[1]))


def _is_stream(workload: Workload) -> bool:
    """Return whether a cell writes or reads on where another ended."""
    return workload.access == "seq" and not workload.jobs


def first_of_rounds(phase: Rounds, make: StepMaker, number: int) -> Step | None:
    """Return the first step of the first round; ``None`` if there are no cells."""
    return _Place(make=make, phase=phase).first(1, number) if phase.cells else None


def plan_rounds(
    phase: Rounds, make: StepMaker, *, number: int, observe: Observer
) -> PhasePlan:
    """Yield rounds until they are steady, or as many as the phase allows."""
    rounds: list[tuple[StepResult, ...]] = []
    pairs: _Pairs = ()
    is_steady = False
    place = _Place(make=make, phase=phase)
    is_sequential = any(map(_is_stream, phase.cells))
    plan_round = _plan_sequential_round if is_sequential else _plan_random_round
    while phase.cells and len(rounds) < phase.max_rounds:
        pairs, place = yield from plan_round(place, len(rounds) + 1, number)
        rounds.append(tuple(result for _, result in pairs))
        number += len(pairs) + (phase.pre_write is not None)
        judgements = judge_round(make.test_id, phase, rounds)
        for judgement in judgements:
            observe(judgement)
        is_steady = bool(judgements) and judgements[-1].is_round_steady
        if is_steady:
            break
    return PhaseEnd(
        rounds=len(rounds),
        is_steady=is_steady if phase.tracking else None,
        last_round=pairs,
    )


_RoundPlan = Generator[Batch, tuple[StepResult, ...], tuple[_Pairs, _Place]]


def _plan_random_round(place: _Place, round_number: int, number: int) -> _RoundPlan:
    """Yield a whole round at once: nothing in it depends on earlier results."""
    before = place.pre_writes(round_number, number)
    begin, count = number + len(before), len(place.phase.cells)
    cells = tuple(place.step(round_number, at, begin + at) for at in range(count))
    following = None
    if round_number < place.phase.max_rounds:
        following = place.first(round_number + 1, begin + count)
    results = yield Batch(steps=(*before, *cells), next_step=following)
    measured = list(results[len(before) :])
    if not all(result.is_contiguous for result in results[: len(before)]):
        measured[0] = replace(measured[0], is_contiguous=False)
    return tuple(zip(cells, measured, strict=True)), place


def _plan_sequential_round(place: _Place, round_number: int, number: int) -> _RoundPlan:
    """Yield a round cell by cell: where one starts depends on how far another came.

    The next cell is known ahead when it is of the other direction.
    """
    pairs: list[tuple[Step, StepResult]] = []
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
        pairs.append((step, result))
    return tuple(pairs), place
