"""Micron's procedures as plans: order, fallback, numbering, cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.asked import Procedure
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.model.units import KIB
from ssdlab.plan.estimate import estimate_suite
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.procedures.sequence.spec import sequence
from tests.made_procedure import CAPACITY_BYTES, CONTEXT, plan_of
from tests.plan.made import result_of

RANDOM = parse_stimulus("RND 4KiB 0/100 T2/Q16")
SEQUENTIAL = parse_stimulus("SEQ 128KiB 0/100")
FIRST = ["purge1", "fill1", *["attempt1"] * 25]
SECOND = ["purge2", "fill2", *["attempt2"] * 50]


def steps_of(procedure: Procedure, rates: dict[str, list[float]]) -> list[Step]:
    """Return the steps of a plan whose attempts have these rates."""

    def answer(step: Step) -> StepResult:
        values = rates.get(step.phase_id, [1000.0])
        at = min((step.round or 1), len(values)) - 1
        return result_of(step, values[at], moved=1 << 20)

    batches, _ = plan_of(procedure, answer)
    return [step for batch in batches for step in batch.steps]


@pytest.mark.parametrize("stimulus", [RANDOM, SEQUENTIAL], ids=["RND", "SEQ"])
def test_saturation_is_purge_two_fills_and_all_iterations_when_steady(
    stimulus: Workload,
) -> None:
    procedure = saturate(stimulus)
    steps = steps_of(procedure, {})
    assert [step.phase_id for step in steps] == FIRST
    purge, fill, *rounds = steps
    assert purge.kind == "purge"
    assert fill.io_bytes == 2 * CAPACITY_BYTES
    assert fill.workload is not None
    assert (fill.workload.access, fill.workload.block_size_bytes) == ("seq", 128 * KIB)
    assert (fill.workload.threads, fill.workload.queue_depth) == (1, 32)
    assert {step.runtime_s for step in rounds} == {300.0}
    assert {step.workload for step in rounds} == {stimulus}  # QD is not varied
    assert [step.round for step in rounds] == list(range(1, 26))


def test_saturation_goes_on_when_it_was_steady_early() -> None:
    early = {"attempt1": [9000.0, *[1000.0] * 24]}
    assert len(steps_of(saturate(RANDOM), early)) == 27


@pytest.mark.parametrize("stimulus", [RANDOM, SEQUENTIAL], ids=["RND", "SEQ"])
def test_second_attempt_runs_when_the_last_five_rounds_are_not_steady(
    stimulus: Workload,
) -> None:
    late = {"attempt1": [*[1000.0] * 24, 2000.0]}
    steps = steps_of(saturate(stimulus), late)
    assert [step.phase_id for step in steps] == [*FIRST, *SECOND]
    numbers = [int(step.step_id[:5]) for step in steps]
    assert numbers == list(range(1, len(steps) + 1))
    assert steps[27].kind == "purge"
    assert steps[28].io_bytes == 2 * CAPACITY_BYTES
    again = [step.round for step in steps if step.phase_id == "attempt2"]
    assert again == list(range(1, 51))


def test_there_is_no_third_attempt_when_the_second_is_not_steady_either() -> None:
    never = [2.0 ** (at % 7) for at in range(60)]
    steps = steps_of(saturate(RANDOM), {"attempt1": never, "attempt2": never})
    assert [step.phase_id for step in steps] == [*FIRST, *SECOND]


@pytest.mark.parametrize(
    ("stimulus", "metric"),
    [(RANDOM, "iops"), (SEQUENTIAL, "bw_bytes_per_s")],
    ids=["RND", "SEQ"],
)
def test_random_is_judged_by_iops_and_sequential_by_throughput(
    stimulus: Workload, metric: str
) -> None:
    procedure = saturate(stimulus, iterations=5)
    _, judgements = plan_of(procedure, lambda step: result_of(step, moved=1 << 20))
    assert {judgement.tracking.metric for judgement in judgements} == {metric}
    assert judgements[-1].rounds == (1, 2, 3, 4, 5)


@given(iterations=st.integers(5, 60), minutes=st.floats(0.005, 60))
def test_cost_has_the_second_attempt_at_most_and_not_at_least(
    iterations: int, minutes: float
) -> None:
    procedure = saturate(RANDOM, iterations=iterations, minutes=minutes)
    (found,) = estimate_suite(procedure.tests, CONTEXT, 1e8)
    fill_s = 2 * CAPACITY_BYTES / 1e8
    rounds_s = iterations * minutes * 60
    assert (found.cost.rounds_min, found.cost.rounds_max) == (
        iterations,
        3 * iterations,
    )
    assert (found.cost.steps_min, found.cost.steps_max) == (
        iterations + 2,
        3 * iterations + 4,
    )
    assert found.cost.seconds_min == pytest.approx(fill_s + rounds_s)
    assert found.cost.seconds_max == pytest.approx(2 * fill_s + 3 * rounds_s)
    assert found.cost.written_bytes_min == 2 * CAPACITY_BYTES


def test_procedure_comes_back_from_its_record() -> None:
    for procedure in (saturate(SEQUENTIAL), sequence(RANDOM, SEQUENTIAL)):
        assert from_plain(Procedure, to_plain(procedure)) == procedure


def test_notes_say_what_departs_from_the_source() -> None:
    whole, scaled = saturate(RANDOM), saturate(RANDOM, iterations=20, minutes=0.01)
    assert len(whole.notes) == 1
    assert scaled.notes[1:] == (
        "20 iterations; the source requires 25 or more.",
        "Iterations of 0.6 s; those of the source take 5 min.",
    )


def test_sequences_take_turns_with_one_purge_each() -> None:
    procedure = sequence(RANDOM, SEQUENTIAL, rounds=5, minutes=1)
    steps = steps_of(procedure, {})
    seen = [
        (step.test_id, step.phase_id, step.workload and step.workload.access)
        for step in steps
        if step.round in {None, 1}
    ]
    assert seen == [
        ("sequence-1", "purge", None),
        ("sequence-1", "stage1", "rnd"),
        ("sequence-1", "stage2", "seq"),
        ("sequence-1", "stage3", "rnd"),
        ("sequence-2", "purge", None),
        ("sequence-2", "stage1", "seq"),
        ("sequence-2", "stage2", "rnd"),
        ("sequence-2", "stage3", "seq"),
    ]
    assert len(steps) == 2 * (1 + 3 * 5)


def test_stages_follow_one_another_at_once() -> None:
    """The first round of a stage is known, and certain, before the one before ends."""
    procedure = sequence(RANDOM, SEQUENTIAL, rounds=5, minutes=1)
    batches, _ = plan_of(procedure, lambda step: result_of(step, moved=1 << 20))
    ends = [
        (batch.steps[-1].phase_id, batch.next_step and batch.next_step.phase_id)
        for batch in batches
        if batch.steps[-1].round == 5
    ]
    certain = [b.is_next_certain for b in batches if b.steps[-1].round == 5]
    following = ["stage2", "stage3", None]
    assert ends == [*zip(["stage1", "stage2", "stage3"], following, strict=True)] * 2
    assert all(certain)
