"""Rounds without a plan are judged as a plan would have judged them."""

from ssdlab.model.spec import PtsTest, Purge, Rounds, Stimulus, Tracking, Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.recorded import judge_recorded

CELL = Workload(
    access="rnd", block_size_bytes=4096, read_percent=0, threads=1, queue_depth=1
)
OTHER = Workload(
    access="rnd", block_size_bytes=8192, read_percent=0, threads=1, queue_depth=1
)
TRACKED = Tracking(access="rnd", block_size_bytes=4096, read_percent=0, metric="iops")


def as_test(phase: Rounds | Stimulus) -> PtsTest:
    return PtsTest(test_id="t", title="t", pts_section="", phases=(Purge(), phase))


def rounds_of(*cells: Workload) -> Rounds:
    return Rounds(phase_id="rounds", cells=cells, cell_seconds=1, tracking=(TRACKED,))


def step(number: int, cell: int, iops: float) -> tuple[Step, StepResult]:
    name = f"{number}-{cell}"
    made = Step(
        step_id=name,
        test_id="t",
        phase_id="rounds",
        kind="cell",
        round=number,
        cell=cell,
    )
    return made, StepResult(step_id=name, iops=iops)


def test_every_round_from_the_fifth_on_is_judged() -> None:
    values = [900, 100, 101, 99, 100, 100, 500]
    steps = [step(number, 1, iops) for number, iops in enumerate(values, start=1)]
    judged = list(judge_recorded([as_test(rounds_of(CELL))], steps))
    assert [j.round for j in judged] == [5, 6, 7]
    assert [j.is_round_steady for j in judged] == [False, True, False]
    assert judged[-1].rounds == (3, 4, 5, 6, 7)


def test_no_window_holds_or_spans_a_round_that_is_not_whole() -> None:
    steps = [step(n, cell, 100) for n in range(1, 14) for cell in (1, 2)]
    del steps[13]  # cell 2 of round 7, which is not the tracked one
    judged = list(judge_recorded([as_test(rounds_of(CELL, OTHER))], steps))
    assert [j.round for j in judged] == [5, 6, 12, 13]
    assert [j.rounds for j in judged][2] == (8, 9, 10, 11, 12)


def test_samples_of_a_saturation_do_not_span_a_missing_round() -> None:
    phase = Stimulus(
        phase_id="rounds",
        workload=CELL,
        round_seconds=60,
        capacity_multiple=4,
        time_limit_s=3600,
        sample_every_rounds=3,
        tracking=TRACKED,
    )
    steps = [step(number, 1, 100) for number in range(1, 36) if number != 17]
    judged = list(judge_recorded([as_test(phase)], steps))
    assert [j.rounds for j in judged] == [
        (3, 6, 9, 12, 15),
        (18, 21, 24, 27, 30),
        (21, 24, 27, 30, 33),
    ]


def test_round_of_a_damaged_record_costs_no_time() -> None:
    steps = [step(number, 1, 100) for number in (1, 2, 3, 4, 5, 10**15)]
    judged = list(judge_recorded([as_test(rounds_of(CELL))], steps))
    assert [j.round for j in judged] == [5]


def test_saturation_is_judged_at_its_samples() -> None:
    phase = Stimulus(
        phase_id="rounds",
        workload=CELL,
        round_seconds=60,
        capacity_multiple=4,
        time_limit_s=3600,
        sample_every_rounds=3,
        tracking=TRACKED,
    )
    steps = [step(number, 1, 100) for number in range(1, 20)]
    judged = list(judge_recorded([as_test(phase)], steps))
    assert [(j.round, j.rounds) for j in judged] == [
        (15, (3, 6, 9, 12, 15)),
        (18, (6, 9, 12, 15, 18)),
    ]


def test_window_whose_first_rounds_are_not_known_keeps_its_numbers() -> None:
    values = [5776, 5865, 6022, 6160, 6181]
    steps = [step(number, 2, iops) for number, iops in enumerate(values, start=4)]
    (judged,) = judge_recorded([as_test(rounds_of(OTHER, CELL))], steps)
    assert (judged.round, judged.rounds) == (8, (4, 5, 6, 7, 8))
    assert judged.verdict.average == 6000.8
    assert judged.verdict.slope_per_round == 110.5
    assert judged.verdict.intercept == 6000.8 - 110.5 * 6
    assert judged.is_round_steady


def test_no_window_is_judged_of_four_known_rounds_or_across_a_missing_one() -> None:
    four = [step(number, 1, 100) for number in range(4, 8)]
    assert not list(judge_recorded([as_test(rounds_of(CELL, OTHER))], four))
    holed = [step(number, 1, 100) for number in (4, 5, 6, 8, 9)]
    assert not list(judge_recorded([as_test(rounds_of(CELL, OTHER))], holed))
