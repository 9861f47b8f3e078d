"""Sequential stimuli: the stop rules, and where each round begins."""

from dataclasses import replace

import pytest

from ssdlab.model.spec import PtsTest
from ssdlab.model.step import StepResult
from ssdlab.plan.phases import plan_suite
from tests.plan.made import MIB, Driven
from tests.plan.streams import (
    BLOCK,
    CAPACITY,
    CONTEXT,
    LIMITED,
    MIX,
    PHASE,
    SAMPLED,
    TRACKING,
    WORK,
    drive_stream,
    steadily,
    unsteadily,
)


def offsets(driven: Driven) -> list[int]:
    return [step.offset_bytes for step in driven.steps_of("saturation")]


@pytest.mark.parametrize("moved", [300 * MIB, 500 * MIB, 900 * MIB])
def test_stream_stops_when_the_capacities_are_written(moved: int) -> None:
    driven = drive_stream(LIMITED, steadily(moved))
    wanted = next(n for n in range(1, 99) if n * moved >= 4 * CAPACITY)
    assert driven.rounds_of("saturation") == wanted
    assert driven.steps[-1].phase_id == "histogram"


def test_reads_of_a_mix_do_not_count_for_the_capacities() -> None:
    """Of 500 MiB a round 10 % are writes: 80 rounds of 50 MiB are 4,000 MiB."""
    phase = replace(LIMITED, workload=MIX, time_limit_s=100 * 60)
    assert drive_stream(phase, steadily(500 * MIB)).rounds_of("saturation") == 80
    at_limit = replace(phase, time_limit_s=79 * 60)
    assert drive_stream(at_limit, steadily(500 * MIB)).rounds_of("saturation") == 79


def test_stream_stops_at_the_first_steady_window_of_samples() -> None:
    driven = drive_stream(SAMPLED, steadily(BLOCK))
    assert driven.rounds_of("saturation") == 15
    (judgement,) = driven.judgements
    assert judgement.rounds == (3, 6, 9, 12, 15)
    assert judgement.is_round_steady


def test_stream_stops_at_its_time_limit_when_never_steady() -> None:
    driven = drive_stream(SAMPLED, unsteadily(BLOCK))
    assert driven.rounds_of("saturation") == 40
    assert [j.round for j in driven.judgements] == list(range(15, 40, 3))
    assert not any(j.is_round_steady for j in driven.judgements)


@pytest.mark.parametrize("access", ["seq", "rnd"])
def test_stimulus_that_steadiness_does_not_end_is_judged_to_its_last_round(
    access: str,
) -> None:
    work = replace(WORK, access=access)  # type: ignore[arg-type] # one of two
    tracking = replace(TRACKING, access=access)  # type: ignore[arg-type] # as above
    phase = replace(SAMPLED, workload=work, tracking=tracking, ends_when_steady=False)
    driven = drive_stream(phase, steadily(BLOCK))
    assert driven.rounds_of("saturation") == 40
    assert [j.round for j in driven.judgements] == list(range(15, 40, 3))
    assert all(j.is_round_steady for j in driven.judgements)


def test_rounds_begin_where_the_rounds_before_came_to() -> None:
    """The second waits for the first; each later one is a round behind."""
    moved = [100, 80, 60, 60, 60, 60]
    driven = drive_stream(
        replace(PHASE, time_limit_s=6 * 60),
        lambda number: (moved[number - 1] * MIB, 1.0) if number else (0, 1.0),
    )
    # 0 | 100 | 100 + 100 | + 80 | + 60 | + 60
    assert [at // MIB for at in offsets(driven)] == [0, 100, 200, 280, 340, 400]


def test_lap_ends_where_the_range_ends_and_the_next_begins_at_0() -> None:
    driven = drive_stream(replace(PHASE, time_limit_s=9 * 60), steadily(300 * MIB))
    begins = [at // MIB for at in offsets(driven)]
    assert begins == [0, 300, 600, 700, 0, 300, 600, 700, 0]


def test_lap_is_one_of_the_active_range() -> None:
    driven = drive_stream(
        replace(PHASE, time_limit_s=6 * 60), steadily(300 * MIB), range_percent=75
    )
    assert [at // MIB for at in offsets(driven)] == [0, 300, 450, 0, 300, 450]


def test_round_that_writes_more_than_the_range_is_followed_from_0() -> None:
    driven = drive_stream(replace(PHASE, time_limit_s=4 * 60), steadily(1500 * MIB))
    assert offsets(driven) == [0] * 4


def test_mix_carries_the_place_of_its_writes_on_each_thread_by_itself() -> None:
    """4 threads move 400 MiB a round: each writes 10 MiB of its 100."""
    phase = replace(PHASE, workload=MIX, time_limit_s=4 * 60)
    driven = drive_stream(phase, steadily(400 * MIB))
    assert [at // MIB for at in offsets(driven)] == [0, 10, 20, 30]


def test_mix_stays_where_it_is_when_a_round_wrote_less_than_a_block_a_thread() -> None:
    phase = replace(PHASE, workload=MIX, time_limit_s=4 * 60)
    assert offsets(drive_stream(phase, steadily(30 * BLOCK))) == [0] * 4


def test_mix_stays_where_it_is_when_a_round_wrote_nothing() -> None:
    phase = replace(PHASE, workload=MIX, time_limit_s=4 * 60)
    plan = plan_suite(
        [PtsTest(test_id="t", title="", pts_section="", phases=(phase,))],
        CONTEXT,
        lambda _judgement: None,
    )
    (step,) = next(plan).steps
    for _ in range(3):
        read_alone = StepResult(step_id=step.step_id, read_bytes=100 * MIB)
        (step,) = plan.send((read_alone,)).steps
        assert step.offset_bytes == 0


def test_reads_alone_carry_their_own_place_on() -> None:
    phase = replace(
        PHASE, workload=replace(WORK, read_percent=100), time_limit_s=3 * 60
    )
    driven = drive_stream(phase, steadily(100 * MIB))
    assert [at // MIB for at in offsets(driven)] == [0, 100, 200]


def test_rounds_begin_at_whole_blocks() -> None:
    phase = replace(PHASE, time_limit_s=5 * 60)
    driven = drive_stream(phase, steadily(100 * MIB + 512))
    assert all(at % BLOCK == 0 for at in offsets(driven))
    assert offsets(driven)[1] == 100 * MIB
