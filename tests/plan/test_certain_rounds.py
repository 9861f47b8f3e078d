"""What is certain to follow follows, whatever the rounds of a stimulus did."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.model.spec import Stimulus
from tests.plan.made import MIB, Driven
from tests.plan.streams import (
    BLOCK,
    CAPACITY,
    LIMITED,
    MIX,
    PHASE,
    SAMPLED,
    TRACKING,
    WORK,
    drive_stream,
    steadily,
)


def certain_rounds(driven: Driven) -> list[int]:
    """Return the rounds after which the next was certain while they ran."""
    return [
        batch.steps[0].round or 0
        for batch in driven.batches
        if batch.steps[0].phase_id == "saturation" and batch.is_next_certain
    ]


def test_next_round_is_certain_unless_a_sample_may_end_the_stream() -> None:
    driven = drive_stream(SAMPLED, steadily(BLOCK))
    assert certain_rounds(driven) == [n for n in range(2, 15) if n % 3]


def test_next_round_is_certain_at_a_sample_that_ends_nothing() -> None:
    phase = replace(SAMPLED, ends_when_steady=False)
    assert certain_rounds(drive_stream(phase, steadily(BLOCK))) == [*range(2, 41)]


def test_batches_of_random_rounds_end_at_samples_though_none_ends_them() -> None:
    work = replace(WORK, access="rnd")
    tracking = replace(TRACKING, access="rnd")
    phase = replace(SAMPLED, workload=work, tracking=tracking, ends_when_steady=False)
    driven = drive_stream(phase, steadily(BLOCK))
    batches = [b for b in driven.batches if b.steps[0].phase_id == "saturation"]
    assert [b.steps[-1].round for b in batches] == [*range(3, 40, 3), 40]
    assert all(b.is_next_certain for b in batches)


def test_next_round_is_not_certain_when_the_capacities_may_be_written() -> None:
    """Written so far 500 MiB a round, and a round may write 750: 4,000 are near."""
    driven = drive_stream(LIMITED, steadily(500 * MIB))
    # after 5 rounds 1,500 MiB are left, so the sixth and the seventh are needed
    assert certain_rounds(driven) == [2, 3, 4, 5, 6]
    assert driven.rounds_of("saturation") == 8


@pytest.mark.parametrize("access", ["seq", "rnd"])
def test_round_that_may_have_begun_is_asked_for_though_the_capacities_are_written(
    access: str,
) -> None:
    """The sixth round writes 4X at once, and the seventh was certain before it."""
    work = replace(WORK, access=access)  # type: ignore[arg-type] # one of two
    tracking = replace(TRACKING, access=access)  # type: ignore[arg-type] # as above
    phase = replace(
        LIMITED,
        workload=work,
        tracking=tracking,
        sample_every_rounds=3,
        ends_when_steady=False,
    )
    moved = {6: 5 * CAPACITY, 0: 0}
    driven = drive_stream(phase, lambda number: (moved.get(number, MIB), 1.0))
    assert 6 in [
        batch.steps[-1].round for batch in driven.batches if batch.is_next_certain
    ]
    assert driven.rounds_of("saturation") == 7


def test_steadiness_that_ends_nothing_leaves_the_end_to_the_capacities() -> None:
    """With 700 MiB a round the sixth is not certain, and the fifth is steady."""
    phase = replace(SAMPLED, sample_every_rounds=1, capacity_multiple=4)
    driven = drive_stream(phase, steadily(700 * MIB))
    assert driven.rounds_of("saturation") == 5
    judged = replace(phase, ends_when_steady=False)
    driven = drive_stream(judged, steadily(700 * MIB))
    assert driven.rounds_of("saturation") == 6
    assert 5 not in certain_rounds(driven)
    assert [j.is_round_steady for j in driven.judgements] == [True, True]


phases = st.builds(
    replace,
    st.just(PHASE),
    workload=st.sampled_from([WORK, MIX, replace(WORK, access="rnd")]),
    time_limit_s=st.integers(1, 30).map(lambda rounds: rounds * 60),
    capacity_multiple=st.none() | st.floats(0.1, 5),
    sample_every_rounds=st.none() | st.integers(1, 4),
    first_sample_round=st.none() | st.integers(1, 4),
    ends_when_steady=st.booleans(),
)


def _with_tracking(phase: Stimulus) -> Stimulus:
    work = phase.workload
    tracking = replace(TRACKING, access=work.access, read_percent=work.read_percent)
    return replace(phase, tracking=tracking)


answers = st.lists(
    st.tuples(st.integers(0, 2000 * MIB), st.sampled_from([1.0, 1.01, 3.0])),
    min_size=1,
    max_size=40,
)


@settings(deadline=None)
@given(phase=phases.map(_with_tracking), told=answers)
def test_what_was_certain_follows_whatever_the_rounds_did(
    phase: Stimulus, told: list[tuple[int, float]]
) -> None:
    driven = drive_stream(phase, lambda number: told[number % len(told)])
    for batch, after in pairwise(driven.batches):
        if batch.is_next_certain:
            assert batch.next_step == after.steps[0]
    rounds = driven.steps_of("saturation")
    assert [step.round for step in rounds] == [*range(1, len(rounds) + 1)]
    assert len(rounds) <= phase.max_rounds
    for step in rounds:
        assert 0 <= step.offset_bytes < step.range_bytes
        assert step.offset_bytes % BLOCK == 0


@settings(deadline=None)
@given(phase=phases.map(_with_tracking), told=answers)
def test_stream_ends_in_the_first_round_in_which_a_rule_holds(
    phase: Stimulus, told: list[tuple[int, float]]
) -> None:
    """Rounds that begin at once may be one too many, where the rate has trebled."""
    driven = drive_stream(phase, lambda number: told[number % len(told)])
    last = driven.rounds_of("saturation")
    held = next(n for n in range(1, 999) if _is_over(phase, driven, told, n))
    certain = certain_rounds(driven)
    if phase.workload.access == "seq":
        while held < last and held in certain:
            held += 1
        assert last == held
    else:
        assert last >= held


def _is_over(
    phase: Stimulus, driven: Driven, told: list[tuple[int, float]], number: int
) -> bool:
    shares = 1 - phase.workload.read_percent / 100
    moved = sum(told[n % len(told)][0] for n in range(1, number + 1))
    multiple = phase.capacity_multiple
    steady = {j.round for j in driven.judgements if j.is_round_steady}
    return (
        number >= phase.max_rounds
        or (multiple is not None and moved * shares >= multiple * CAPACITY)
        or (phase.ends_when_steady and number in steady)
    )


@settings(deadline=None)
@given(phase=phases.map(_with_tracking), told=answers, cut=st.integers(0, 30))
def test_resume_is_replay_equal_results_lead_to_equal_steps(
    phase: Stimulus, told: list[tuple[int, float]], cut: int
) -> None:
    first = drive_stream(phase, lambda number: told[number % len(told)])
    again = drive_stream(phase, lambda number: told[number % len(told)])
    assert again.batches == first.batches
    other = drive_stream(
        phase,
        lambda number: told[number % len(told)] if number <= cut else (7 * MIB, 9.0),
    )
    shared = min(cut + 1, len(other.steps), len(first.steps))
    assert other.steps[:shared] == first.steps[:shared]


@pytest.mark.parametrize("sample_every", [None, 31])
@pytest.mark.parametrize("stalled", [1, 7, 9])
@pytest.mark.parametrize("moved", [0, 2 * MIB])
def test_a_round_that_stalled_lets_none_run_past_the_capacity_limit(
    sample_every: int | None, stalled: int, moved: int
) -> None:
    tracking = replace(TRACKING, access="rnd") if sample_every else None
    phase = replace(
        LIMITED,
        workload=replace(WORK, access="rnd"),
        time_limit_s=24 * 3600,
        sample_every_rounds=sample_every,
        tracking=tracking,
    )
    rounds = {stalled: moved}

    def answer(number: int) -> tuple[int, float]:
        return rounds.get(number, 400 * MIB), 1000.0 * 1.3 ** (number % 7)

    driven = drive_stream(phase, answer)
    count = driven.rounds_of("saturation")
    written = sum(answer(number)[0] for number in range(1, count + 1))
    assert 4 * CAPACITY <= written < 4 * CAPACITY + 2 * 400 * MIB
