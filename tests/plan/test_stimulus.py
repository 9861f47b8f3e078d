"""WSAT: three stop rules, whichever is first."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.model.errors import StepError
from ssdlab.model.spec import Stimulus, Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.pts import find_profile
from ssdlab.pts.wsat.spec import Wsat
from tests.plan.made import Answer, Driven, drive, result_of

ENTERPRISE = "pts-2.0-enterprise"
WRITES = Workload(
    access="rnd", block_size_bytes=4096, read_percent=0, threads=1, queue_depth=1
)
SAMPLES = (31, 62, 93, 124, 155)
CAPACITY = 480_103_981_056
WRITTEN = CAPACITY // 1000  # a round: the capacity limit is 4,000 rounds away


def rounds(driven: Driven) -> int:
    return driven.rounds_of("saturation")


def flat(step: Step) -> StepResult:
    return result_of(step, moved=WRITTEN)


def falling(step: Step) -> StepResult:
    return result_of(step, 1e9 * 0.99 ** (step.round or 0), moved=WRITTEN)


@pytest.mark.parametrize("name", [ENTERPRISE, "pts-2.0-client", "pts-e-1.1"])
def test_saturation_stops_in_minute_155_when_it_is_flat(name: str) -> None:
    driven = drive(name, ["wsat"], flat)
    assert rounds(driven) == 155
    (judgement,) = driven.judgements
    assert judgement.rounds == SAMPLES
    assert judgement.is_round_steady


def test_saturation_judges_samples_and_nothing_between_them() -> None:
    def answer(step: Step) -> StepResult:
        is_sample = (step.round or 0) in SAMPLES
        return result_of(step, 1000.0 if is_sample else 7.0 * 3.0 ** (step.round or 0))

    assert rounds(drive(ENTERPRISE, ["wsat"], answer)) == 155


def test_saturation_goes_on_to_the_next_sample_when_one_is_off() -> None:
    def answer(step: Step) -> StepResult:
        return result_of(step, 5000.0 if step.round == 31 else 1000.0, moved=WRITTEN)

    driven = drive(ENTERPRISE, ["wsat"], answer)
    assert rounds(driven) == 186
    assert [j.rounds for j in driven.judgements] == [SAMPLES, (*SAMPLES[1:], 186)]


@pytest.mark.parametrize(
    ("name", "hours"), [(ENTERPRISE, 6), ("pts-2.0-client", 6), ("pts-e-1.1", 24)]
)
def test_saturation_stops_at_its_time_limit_when_never_steady(
    name: str, hours: int
) -> None:
    assert rounds(drive(name, ["wsat"], falling)) == hours * 60


def test_saturation_of_tkperf_has_no_steady_state_stop() -> None:
    driven = drive("tkperf", ["wsat"], flat)
    assert rounds(driven) == 1440
    assert driven.judgements == []


@pytest.mark.parametrize("share", [0.5, 0.1, 0.03], ids=["8", "40", "134 rounds"])
def test_saturation_stops_when_four_capacities_are_written(share: float) -> None:
    driven = drive(
        ENTERPRISE, ["wsat"], lambda step: result_of(step, moved=int(CAPACITY * share))
    )
    wanted = next(n for n in range(1, 999) if n * int(CAPACITY * share) >= 4 * CAPACITY)
    assert rounds(driven) == wanted


@settings(deadline=None)
@given(
    share=st.floats(0.001, 2),
    factors=st.lists(st.floats(1, 1.5), min_size=1, max_size=50),
)
def test_saturation_passes_the_capacity_limit_by_less_than_a_round(
    share: float, factors: list[float]
) -> None:
    """No round writes more than 1.5 times what another one does."""
    written: list[int] = []

    def answer(step: Step) -> StepResult:
        factor = factors[(step.round or 0) % len(factors)]
        result = result_of(step, moved=int(CAPACITY * share * factor))
        written.append(result.written_bytes if step.phase_id == "saturation" else 0)
        return result

    drive(ENTERPRISE, ["wsat"], answer)
    assert sum(written) < 4 * CAPACITY + max(written)


def test_batches_of_saturation_end_where_a_rule_may_stop_it() -> None:
    driven = drive(ENTERPRISE, ["wsat"], falling)
    ends = [batch.steps[-1].round for batch in driven.batches if batch.steps[0].round]
    assert set(range(31, 361, 31)) <= set(ends)
    assert ends[0] == 1  # after the first round the drive's speed is known


def _with_gap(at: int) -> Answer:
    return lambda step: result_of(step, moved=WRITTEN, is_contiguous=step.round != at)


@pytest.mark.parametrize(
    ("at", "first", "last"),
    [(1, 31, 155), (31, 31, 155), (32, 62, 186), (100, 124, 248)],
)
def test_samples_begin_afresh_after_a_gap(at: int, first: int, last: int) -> None:
    driven = drive(ENTERPRISE, ["wsat"], _with_gap(at))
    assert rounds(driven) == last
    assert driven.judgements[-1].rounds == tuple(range(first, last + 1, 31))


def test_saturation_writes_at_once_and_the_histogram_is_last() -> None:
    steps = drive(ENTERPRISE, ["wsat"], flat).steps
    assert [step.kind for step in steps[:2]] == ["purge", "cell"]
    assert steps[-1].kind == "histogram"
    assert steps[-1].workload == steps[1].workload
    assert steps[-1].runtime_s == 1200


def test_rounds_keep_a_series_of_seconds_or_less() -> None:
    nominal = drive(ENTERPRISE, ["wsat"], flat).steps_of("saturation")
    assert {step.series_interval_ms for step in nominal} == {1000}
    demo = drive("demo", ["wsat"], flat).steps_of("saturation")
    assert {step.series_interval_ms for step in demo} == {100}
    assert find_profile("demo")[Wsat].round_s < 10


def test_sequential_stream_goes_on_where_the_round_before_it_will_be() -> None:
    moved = 30 * 1024**3
    driven = drive(ENTERPRISE, ["xsr"], lambda step: result_of(step, moved=moved))
    first = driven.steps_of("group-1")
    assert [step.offset_bytes // moved for step in first[:5]] == [0, 1, 2, 3, 4]
    batches = [batch for batch in driven.batches if batch.steps[0] in first]
    ready = [batch.next_step is not None for batch in batches]
    assert ready == [False, *[True] * (len(ready) - 1)]
    for batch, after in pairwise(driven.batches[2:]):
        is_first = batch.steps[0].round == 1 and batch.steps[0].phase_id != "group-2"
        assert batch.next_step == (None if is_first else after.steps[0])


def test_rounds_are_counted_whole_where_floats_are_not() -> None:
    phase = Stimulus(
        phase_id="p",
        workload=WRITES,
        round_seconds=0.1,
        time_limit_s=3 * 0.1,
    )
    assert phase.max_rounds == 3


def test_demand_without_latencies_ends_with_a_named_error() -> None:
    def answer(step: Step) -> StepResult:
        result = result_of(step)
        is_cell = step.phase_id == "demand"
        return replace(result, lat_mean_ns=None) if is_cell else result

    with pytest.raises(StepError, match="no point can be chosen"):
        drive(ENTERPRISE, ["cbw"], answer)
