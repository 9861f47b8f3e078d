"""Judge rounds that were recorded without a plan, after each one, as a plan would."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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

_MOST_ROUNDS = 100_000  # a month of rounds of a minute; more means damaged data
_Place = tuple[int, int]
_Results = Mapping[_Place, StepResult]


def judge_recorded(
    tests: Sequence[PtsTest], steps: Iterable[tuple[Step, StepResult]]
) -> Iterator[Judgement]:
    """Yield the judgements after every recorded round; no stop rule is applied.

    No window contains or spans an incomplete round, of which a file is missing. Of a
    published report only a window may be known: then rounds begin with its first, and
    only cells with rounds count.
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
            rounds, whole = _rounds(len(phase.cells), results)
            for number in whole:
                yield from judge_round(test_id, phase, rounds[:number])
        case Stimulus():
            rounds, whole = _rounds(1, results)
            done = [result for (result,) in rounds]
            for number in whole:
                yield from judge_samples(test_id, phase, done[:number])
        case Purge() | Precondition() | Histogram() | OperatingPoint():
            pass
        case _:
            assert_never(phase)


def _rounds(
    cells: int, results: _Results
) -> tuple[list[tuple[StepResult, ...]], tuple[int, ...]]:
    """Return all rounds from 1 on, and the numbers of those that are complete.

    The others are blank. A round after one of them begins after a gap.
    """
    known = {place for _, place in results}
    last = max((number for number, _ in results if number <= _MOST_ROUNDS), default=0)
    blank = StepResult(step_id="")
    rounds: list[tuple[StepResult, ...]] = []
    whole: list[int] = []
    for number in range(1, last + 1):
        at = [results.get((number, place)) for place in range(1, cells + 1)]
        if any((number, place) not in results for place in known):
            rounds.append((blank,) * cells)
            continue
        done = [result or blank for result in at]
        if number > 1 and number - 1 not in whole[-1:]:
            done[0] = replace(done[0], is_contiguous=False)
        rounds.append(tuple(done))
        whole.append(number)
    return rounds, tuple(whole)
