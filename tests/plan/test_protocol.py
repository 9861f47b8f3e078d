"""What holds of every plan: names, seeds, what is known ahead, and determinism."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.model.spec import ActiveRange
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import _GOLDEN_STEP, PlanContext
from ssdlab.pts import PROFILES, SUITE
from tests.plan.made import MIB, drive, never_steady, result_of


@pytest.mark.parametrize("name", PROFILES)
def test_step_ids_are_unique_and_sorted_and_seeds_distinct(name: str) -> None:
    steps = drive(name, SUITE, never_steady).steps
    ids = [step.step_id for step in steps]
    assert ids == sorted(set(ids))
    assert [int(step_id[:5]) for step_id in ids] == list(range(1, len(ids) + 1))
    seeds = Counter(step.seed for step in steps)
    assert max(seeds.values()) == 1
    assert min(seeds) > 0  # with seed 0 all threads of a fio job share their offsets


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**31 - 1),
    numbers=st.sets(st.integers(1, 2**31 - 2), min_size=2, max_size=50),
)
def test_seeds_of_two_steps_are_never_the_same(seed: int, numbers: set[int]) -> None:
    context = PlanContext(
        capacity_bytes=MIB, sector_bytes=512, active_range_percent=100, seed=seed
    )
    seeds = [context.step_seed(number) for number in numbers]
    assert len(set(seeds)) == len(numbers)
    assert all(0 < value < 2**31 for value in seeds)


@pytest.mark.parametrize("modulus", [2**31, 2**31 - 1])
def test_seed_is_not_0_where_its_formula_comes_to_0(modulus: int) -> None:
    seed = -_GOLDEN_STEP * pow(1_000_003, -1, modulus) % modulus
    assert (seed * 1_000_003 + _GOLDEN_STEP) % modulus == 0
    context = PlanContext(
        capacity_bytes=MIB, sector_bytes=512, active_range_percent=100, seed=seed
    )
    assert context.step_seed(1) > 0


Values = list[tuple[float, int, bool]]
ANSWERS = st.lists(
    st.tuples(
        st.floats(900, 1300),
        st.integers(0, 2000).map(lambda count: count * MIB),
        st.sampled_from([True, True, True, False]),
    ),
    min_size=1,
    max_size=30,
)


def _told(step: Step, values: Values) -> StepResult:
    value, moved, is_contiguous = values[step.seed % len(values)]
    return result_of(step, value, moved=moved, is_contiguous=is_contiguous)


# IOPS and DIRTH are planned as LAT and CBW are.
EACH_WAY = ("tp", "lat", "wsat", "hir", "xsr", "cbw")


@settings(max_examples=15, deadline=None)
@given(values=ANSWERS)
def test_same_results_lead_to_the_same_steps(
    values: Values,
) -> None:
    first, second = (
        drive("demo", EACH_WAY, lambda step: _told(step, values)) for _ in range(2)
    )
    assert first.batches == second.batches
    assert repr(first.judgements) == repr(second.judgements)  # NaN is not itself


@settings(max_examples=25, deadline=None)
@given(values=ANSWERS, name=st.sampled_from(sorted(PROFILES)))
def test_next_step_is_what_is_asked_for_when_it_is_certain(
    values: Values, name: str
) -> None:
    """When it is not certain, it is the next one unless the phase has ended."""
    driven = drive(name, ("tp", "lat", "wsat"), lambda step: _told(step, values))
    for batch, after in pairwise(driven.batches):
        following = after.steps[0]
        if batch.next_step is None:
            continue
        if batch.is_next_certain or following.phase_id == batch.next_step.phase_id:
            assert batch.next_step == following


def test_phase_has_the_percent_and_the_amount_of_its_own_range() -> None:
    context = PlanContext(
        capacity_bytes=100 * MIB, sector_bytes=512, active_range_percent=90, seed=1
    )
    assert context.within(None).range_bytes == 90 * MIB
    assert context.within(ActiveRange(percent=75)).range_bytes == 75 * MIB
    part = ActiveRange(percent=75, amount_bytes=8 * MIB)
    assert context.within(part).range_bytes == 8 * MIB


def test_every_test_begins_with_its_own_purge() -> None:
    driven = drive("pts-2.0-enterprise", SUITE)
    firsts = {step.test_id: step.kind for step in reversed(driven.steps)}
    assert firsts == dict.fromkeys(SUITE, "purge")


def test_fill_knows_the_first_cell_for_certain() -> None:
    driven = drive("pts-2.0-enterprise", ("iops", "tp", "lat"))
    fills = [
        (batch, after)
        for batch, after in pairwise(driven.batches)
        if batch.steps[0].kind == "precondition"
    ]
    assert len(fills) == 4
    for batch, after in fills:
        assert batch.is_next_certain
        assert batch.next_step == after.steps[0]


def test_fill_is_two_capacities_of_each_thread() -> None:
    capacity = 480_103_981_056
    (fill,) = drive("pts-2.0-enterprise", ["iops"]).steps_of("wipc")
    assert (fill.io_bytes, fill.range_bytes) == (2 * capacity, capacity)
    assert fill.runtime_s is None
    (client,) = drive("pts-2.0-client", ["iops"]).steps_of("wipc")
    assert client.range_bytes < 0.75 * capacity + 1
    assert client.io_bytes is not None
    assert 0 <= client.io_bytes - 2 * capacity < 128 * 1024
    assert client.io_bytes % (128 * 1024) == 0


def test_steps_are_named_by_number_test_phase_round_and_cell() -> None:
    steps = drive("pts-2.0-enterprise", ["iops"]).steps
    assert [step.step_id for step in steps[:4]] == [
        "00001-iops-purge",
        "00002-iops-wipc",
        "00003-iops-rounds-r001-rnd-1024KiB-r100",
        "00004-iops-rounds-r001-rnd-128KiB-r100",
    ]


def test_random_map_is_asked_for_by_the_profile() -> None:
    for name in PROFILES:
        uses = {step.uses_random_map for step in drive(name, ["lat"]).steps}
        assert uses == {name == "tkperf"}
