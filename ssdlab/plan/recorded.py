"""Judge rounds that were recorded without a plan: after each, as a plan would have."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, takewhile
from typing import assert_never

from ssdlab.model.spec import (
    Histogram,
    OperatingPoint,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Step,
    StepResult,
    Stimulus,
)
from ssdlab.plan.context import Judgement
from ssdlab.plan.judge import judge_round, judge_samples

_Place = tuple[int, int]
_Results = Mapping[_Place, StepResult]


def judge_recorded(
    tests: Sequence[PtsTest], steps: Iterable[tuple[Step, StepResult]]
) -> Iterator[Judgement]:
    """Yield the judgements after every recorded round; no stop rule is asked.

    A phase ends where its first round is not whole.
    """
    found: dict[tuple[str, str], dict[_Place, StepResult]] = {}
    for step, result in steps:
        if step.round is not None and step.cell is not None:
            places = found.setdefault((step.test_id, step.phase_id), {})
            places[step.round, step.cell] = result
    for test in tests:
        for phase in test.possible_phases:
            results = found.get((test.test_id, phase.phase_id), {})
            yield from _judge_phase(test.test_id, phase, results)


def _judge_phase(test_id: str, phase: Phase, results: _Results) -> Iterator[Judgement]:
    match phase:
        case Rounds():
            rounds = _whole_rounds(len(phase.cells), results)
            for number in range(1, len(rounds) + 1):
                yield from judge_round(test_id, phase, rounds[:number])
        case Stimulus():
            done = [result for (result,) in _whole_rounds(1, results)]
            for number in range(1, len(done) + 1):
                yield from judge_samples(test_id, phase, done[:number])
        case Purge() | Precondition() | Histogram() | OperatingPoint():
            pass
        case _:
            assert_never(phase)


def _whole_rounds(cells: int, results: _Results) -> list[tuple[StepResult, ...]]:
    rounds = (
        tuple(results.get((number, place)) for place in range(1, cells + 1))
        for number in count(1)
    )
    whole = takewhile(lambda found: found and None not in found, rounds)
    return [tuple(result for result in found if result) for found in whole]
