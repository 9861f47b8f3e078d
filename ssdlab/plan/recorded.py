"""Judge rounds that were recorded without a plan: after each, as a plan would have."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
    Stimulus,
)
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Judgement
from ssdlab.plan.judge import judge_round, judge_samples

_Place = tuple[int, int]
_Results = Mapping[_Place, StepResult]


def judge_recorded(
    tests: Sequence[PtsTest], steps: Iterable[tuple[Step, StepResult]]
) -> Iterator[Judgement]:
    """Yield the judgements after every recorded round; no stop rule is asked.

    A phase ends where its first round is not whole. Of a published report only a window
    may be known: then rounds begin with its first, and only cells that have rounds
    count.
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
            first = min((number for number, _ in results), default=1)
            rounds = _known_rounds(len(phase.cells), results, first=first)
            for number in range(first, len(rounds) + 1):
                yield from judge_round(test_id, phase, rounds[:number])
        case Stimulus():
            done = [result for (result,) in _whole_rounds(1, results)]
            for number in range(1, len(done) + 1):
                yield from judge_samples(test_id, phase, done[:number])
        case Purge() | Precondition() | Histogram() | OperatingPoint():
            pass
        case _:
            assert_never(phase)


def _known_rounds(
    cells: int, results: _Results, *, first: int
) -> list[tuple[StepResult, ...]]:
    """Return all rounds; those before the first are blank, and no window holds them."""
    known = {place for _, place in results}
    blank = StepResult(step_id="")
    at_all = {
        (number, place): results.get((number, place), blank)
        for number, _ in results
        for place in range(1, cells + 1)
        if place not in known or (number, place) in results
    }
    rounds = _whole_rounds(cells, at_all, first=first)
    if first > 1 and rounds:
        begun = replace(rounds[0][0], is_contiguous=False)
        rounds[0] = (begun, *rounds[0][1:])
    return [(blank,) * cells] * (first - 1) + rounds


def _whole_rounds(
    cells: int, results: _Results, *, first: int = 1
) -> list[tuple[StepResult, ...]]:
    rounds = (
        tuple(results.get((number, place)) for place in range(1, cells + 1))
        for number in count(first)
    )
    whole = takewhile(lambda found: found and None not in found, rounds)
    return [tuple(result for result in found if result) for found in whole]
