"""What a run will cost, against the budget of the standard and a driven plan."""

from dataclasses import replace

import pytest

from ssdlab.plan import estimate
from ssdlab.plan.context import PlanContext
from ssdlab.plan.estimate import Cost, estimate_phases, estimate_suite
from ssdlab.pts import PROFILES, SUITE, build_tests, find_profile
from ssdlab.pts.shared.settings import HistogramRun
from ssdlab.pts.wsat.spec import Wsat
from tests.plan.made import (
    CAPACITY,
    MIB,
    Answer,
    always_steady,
    context_of,
    drive,
    never_steady,
)

SPEED = 500e6
MINUTE, HOUR = 60, 3600
FILL_S = 2 * CAPACITY / SPEED


def costs(name: str, speed: float = SPEED) -> dict[str, estimate.TestCost]:
    profile = find_profile(name)
    tests = build_tests(profile, SUITE)
    listed = estimate_suite(tests, context_of(profile), speed)
    return {cost.test_id: cost for cost in listed}


@pytest.mark.parametrize(
    ("test_id", "fills", "least_s", "most_s"),
    [
        ("iops", 1, 4 * HOUR + 40 * MINUTE, 23 * HOUR + 20 * MINUTE),
        ("tp", 2, 20 * MINUTE, 100 * MINUTE),
        ("lat", 1, 65 * MINUTE, 3 * HOUR + 65 * MINUTE),
    ],
)
def test_time_is_that_of_the_budget(
    test_id: str, fills: int, least_s: int, most_s: int
) -> None:
    cost = costs("pts-2.0-enterprise")[test_id].cost
    assert cost.seconds_min == pytest.approx(fills * FILL_S + least_s)
    assert cost.seconds_max == pytest.approx(fills * FILL_S + most_s)


@pytest.mark.parametrize(("name", "hours"), [("pts-2.0-enterprise", 6), ("tkperf", 24)])
def test_time_of_saturation_is_that_of_the_budget(name: str, hours: int) -> None:
    slow = costs(name, speed=1e6)["wsat"].cost
    has_steady_stop = find_profile(name)[Wsat].sample_every_rounds is not None
    histogram = find_profile(name)[HistogramRun].histogram_s or 0
    least = 155 * MINUTE if has_steady_stop else hours * HOUR
    assert slow.seconds_min == least + histogram
    assert slow.seconds_max == hours * HOUR + histogram


def test_saturation_ends_earlier_when_the_capacity_comes_first() -> None:
    fast = costs("pts-2.0-enterprise", speed=4 * CAPACITY / (10 * MINUTE))["wsat"].cost
    assert fast.rounds_min == 10


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize(
    ("answer", "bound"), [(always_steady, "min"), (never_steady, "max")]
)
def test_steps_are_those_of_the_driven_plan(
    name: str, answer: Answer, bound: str
) -> None:
    for test_id, estimated in costs(name, speed=1e6).items():
        driven = drive(name, [test_id], answer)
        assert getattr(estimated.cost, f"steps_{bound}") == len(driven.steps)


def test_iops_of_the_enterprise_profile_has_1401_steps_after_purge_at_most() -> None:
    cost = costs("pts-2.0-enterprise")["iops"].cost
    assert (cost.steps_min - 1, cost.steps_max - 1) == (281, 1401)
    assert (cost.rounds_min, cost.rounds_max) == (5, 25)


def test_fills_count_each_thread_and_drive_fills_are_by_capacity() -> None:
    enterprise, tkperf = costs("pts-2.0-enterprise"), costs("tkperf")
    assert enterprise["iops"].cost.fill_bytes == 2 * CAPACITY
    assert enterprise["iops"].drive_fills_min == 2
    assert enterprise["tp"].drive_fills_min == 4
    assert tkperf["iops"].drive_fills_min == 4
    assert tkperf["tp"].drive_fills_min == 0


def test_saturation_never_writes_more_than_its_limit() -> None:
    wsat = build_tests(find_profile("pts-2.0-enterprise"), ["wsat"])[0]
    context = context_of(find_profile("pts-2.0-enterprise"))
    phases = estimate_phases(wsat, context, 1e12)
    assert phases["saturation"].written_bytes_max == 4 * CAPACITY


def test_other_sizes_of_tkperf_cost_as_many_rounds_as_the_first() -> None:
    test = build_tests(find_profile("tkperf"), ["tp"])[0]
    phases = estimate_phases(test, context_of(find_profile("tkperf")), SPEED)
    rounds = [cost for name, cost in phases.items() if name.startswith("rounds")]
    assert [(cost.rounds_min, cost.rounds_max) for cost in rounds] == [(5, 25)] * 5


def test_costs_add_up_field_by_field() -> None:
    one = Cost(steps_min=1, seconds_max=2.5, fill_bytes=3)
    assert one + one == Cost(steps_min=2, seconds_max=5.0, fill_bytes=6)


@pytest.mark.parametrize(
    ("percent", "capacity", "span"),
    [
        (100, 480_103_981_056, 480_103_981_056),
        (100, 64 * MIB + 12288, 64 * MIB + 12288),
        (75, 64 * MIB, 48 * MIB),
        (75, 64 * MIB + 12288, 48 * MIB),
        (50, 65 * MIB, 32 * MIB),
    ],
)
def test_active_range_is_all_of_the_device_or_whole_mebibytes(
    percent: float, capacity: int, span: int
) -> None:
    context = PlanContext(
        capacity_bytes=capacity,
        sector_bytes=512,
        active_range_percent=percent,
        seed=1,
    )
    assert context.range_bytes == span
    assert replace(context, seed=2).range_bytes == span
