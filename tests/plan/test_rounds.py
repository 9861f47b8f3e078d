"""When rounds stop, and which steps they are made of."""

from itertools import pairwise

import pytest

from ssdlab.model.step import Step, StepResult
from ssdlab.pts import find_profile
from ssdlab.pts.shared.settings import HistogramRun
from tests.plan.made import (
    Answer,
    Driven,
    always_steady,
    by_round,
    drive,
    never_steady,
    result_of,
)

ENTERPRISE = "pts-2.0-enterprise"
STEADY = (100.0,) * 5


def after_purge(driven: Driven) -> int:
    return sum(step.kind != "purge" for step in driven.steps)


@pytest.mark.parametrize(
    ("answer", "steps", "rounds"),
    [(always_steady, 281, 5), (never_steady, 1401, 25)],
    ids=["at best", "at worst"],
)
def test_iops_plan_has_its_steps_after_purge(
    answer: Answer, steps: int, rounds: int
) -> None:
    driven = drive(ENTERPRISE, ["iops"], answer)
    assert after_purge(driven) == steps
    assert driven.rounds_of() == rounds
    assert driven.steps[0].kind == "purge"
    assert driven.steps[1].kind == "precondition"


@pytest.mark.parametrize("name", ["pts-2.0-enterprise", "pts-e-1.1", "tkperf"])
def test_latency_plan_has_nine_cells_a_round_and_perhaps_a_histogram(name: str) -> None:
    driven = drive(name, ["lat"])
    has_histogram = find_profile(name)[HistogramRun].histogram_s is not None
    assert after_purge(driven) == 1 + 45 + has_histogram
    assert (driven.steps[-1].kind == "histogram") is has_histogram


@pytest.mark.parametrize(
    ("values", "rounds"),
    [
        (STEADY, 5),
        ((500.0, *STEADY), 6),
        ((500.0, 500.0, 300.0, 200.0, 150.0, *STEADY), 10),
        ((1.0, 2.0) * 10 + STEADY, 25),
        ((1.0, 2.0) * 11 + (100.0,) * 3, 25),
    ],
    ids=["at once", "one late", "five late", "in the last round", "never"],
)
def test_rounds_stop_in_the_first_steady_window_or_after_25(
    values: tuple[float, ...], rounds: int
) -> None:
    driven = drive(ENTERPRISE, ["lat"], by_round(values))
    assert driven.rounds_of() == rounds


def _iops(steady_from: dict[tuple[int, int], tuple[int, int]]) -> Answer:
    """Let a tracked cell (KiB, reads) be steady from its first to its last round."""

    def answer(step: Step) -> StepResult:
        cell, number = step.workload, step.round
        if cell is None or number is None:
            return result_of(step)
        span = steady_from.get((cell.block_size_bytes // 1024, cell.read_percent))
        if span is None or span[0] <= number <= span[1]:
            return result_of(step)
        return result_of(step, 10.0 * 4.0**number)

    return answer


FOREVER = 99


def test_variables_steady_in_different_windows_do_not_stop_the_rounds() -> None:
    answer = _iops({(4, 0): (1, 6), (64, 65): (7, 12), (1024, 100): (13, FOREVER)})
    driven = drive(ENTERPRISE, ["iops"], answer)
    assert driven.rounds_of() == 25
    was_steady = {
        judgement.tracking.label
        for judgement in driven.judgements
        if judgement.verdict.is_steady
    }
    assert was_steady == {"RND 4 KiB 0/100", "RND 64 KiB 65/35", "RND 1024 KiB 100/0"}
    assert not any(judgement.is_round_steady for judgement in driven.judgements)


def test_rounds_stop_when_the_last_variable_is_steady_too() -> None:
    answer = _iops({
        (4, 0): (1, FOREVER),
        (64, 65): (3, FOREVER),
        (1024, 100): (7, FOREVER),
    })
    driven = drive(ENTERPRISE, ["iops"], answer)
    assert driven.rounds_of() == 11
    last = driven.judgements[-3:]
    assert {judgement.rounds for judgement in last} == {(7, 8, 9, 10, 11)}
    assert all(judgement.is_round_steady for judgement in last)


def test_one_variable_alone_stops_the_rounds_of_1_1() -> None:
    answer = _iops({(4, 0): (1, FOREVER), (64, 65): (99, FOREVER)})
    assert drive("pts-e-1.1", ["iops"], answer).rounds_of() == 5


def test_value_that_was_not_measured_is_not_steady() -> None:
    def answer(step: Step) -> StepResult:
        return result_of(step, None if step.round == 3 else 1000.0)

    assert drive(ENTERPRISE, ["lat"], answer).rounds_of() == 8


@pytest.mark.parametrize(
    ("round_number", "cell", "first", "rounds"),
    [
        (1, 1, 1, 5),
        (3, 1, 3, 7),
        (3, 2, 4, 8),
        (3, 9, 4, 8),
        (5, 1, 5, 9),
    ],
    ids=["before all", "before a round", "inside", "before its last cell", "late"],
)
def test_window_begins_afresh_after_a_gap(
    round_number: int, cell: int, first: int, rounds: int
) -> None:
    def answer(step: Step) -> StepResult:
        has_gap = (step.round, step.cell) == (round_number, cell)
        return result_of(step, is_contiguous=not has_gap)

    driven = drive(ENTERPRISE, ["lat"], answer)
    assert driven.rounds_of() == rounds
    assert driven.judgements[-1].rounds == tuple(range(first, first + 5))


def test_every_round_from_the_fifth_on_is_judged() -> None:
    driven = drive(ENTERPRISE, ["lat"], never_steady)
    assert [judgement.round for judgement in driven.judgements] == list(range(5, 26))


def test_round_asks_for_all_its_cells_at_once_and_knows_the_next_one() -> None:
    driven = drive(ENTERPRISE, ["lat"], never_steady)
    rounds = [batch for batch in driven.batches if batch.steps[0].phase_id == "rounds"]
    assert [len(batch.steps) for batch in rounds] == [9] * 25
    for batch, after in pairwise(rounds):
        assert batch.next_step == after.steps[0]
        assert not batch.is_next_certain
    assert rounds[-1].next_step is None


def test_random_cells_span_the_range_from_its_beginning() -> None:
    driven = drive("pts-2.0-client", ["iops"])
    cells = driven.steps_of("rounds")
    span = 343 * 1024 * 1024 * 1024 // 1024  # a bound; the exact one is below
    assert {step.offset_bytes for step in cells} == {0}
    (range_bytes,) = {step.range_bytes for step in cells}
    assert span < range_bytes <= 0.75 * 480_103_981_056
    assert range_bytes % (1024 * 1024) == 0


def test_phase_whose_cells_a_device_leaves_out_does_nothing() -> None:
    profile = find_profile("tkperf").having(tp_block_sizes=(1024 * 1024,))
    empty = profile.having(iops_block_sizes=())
    driven = drive(empty, ["iops"])
    assert [step.kind for step in driven.steps] == ["purge", "precondition"]
    assert driven.batches[-1].next_step is None
