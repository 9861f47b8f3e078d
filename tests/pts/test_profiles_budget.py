"""The time of every test of a profile, against the budget: the sum of the sections."""

from dataclasses import replace

import pytest

from ssdlab.engine.profiles import outline_profile, outline_profiles
from ssdlab.plan.context import PlanContext
from ssdlab.plan.estimate import estimate_suite
from ssdlab.pts import PROFILES, SUITE, build_tests, find_profile
from ssdlab.pts.shared.settings import Flow

MINUTES, HOURS = 60, 3600
CAPACITY = 2**50  # the fills and the WSAT limit are for a slow and large drive
SPEED = 1e9
WIPC = 2 * CAPACITY / SPEED
# test: fills, then without them the least and the most [s]
BUDGET = {
    "iops": (1, 4 * HOURS + 40 * MINUTES, 23 * HOURS + 20 * MINUTES),
    "tp": (2, 2 * 10 * MINUTES, 2 * 50 * MINUTES),
    "lat": (1, 65 * MINUTES, 3 * HOURS + 65 * MINUTES),
    "wsat": (0, 175 * MINUTES, 6 * HOURS + 20 * MINUTES),
    "hir": (0, (150 + 930) * MINUTES, (750 + 930) * MINUTES),
    "xsr": (0, 22 * HOURS, 22 * HOURS),
    "cbw": (0, 601 * MINUTES, (721 + 25 * 54 + 210) * MINUTES),
    "dirth": (0, 601 * MINUTES, (721 + 25 * 54 + 210) * MINUTES),
}
HOURS_SAID = {"cbw": (10, 38), "dirth": (10, 38)}  # by the budget, about


def spans(name: str) -> dict[str, tuple[float, float]]:
    profile = find_profile(name)
    context = PlanContext(
        capacity_bytes=CAPACITY,
        sector_bytes=512,
        active_range_percent=profile[Flow].active_range_percent,
        seed=1,
    )
    tests = build_tests(profile, profile.tests)
    return {
        cost.test_id: (cost.cost.seconds_min, cost.cost.seconds_max)
        for cost in estimate_suite(tests, context, SPEED)
    }


def test_budget_is_of_every_test() -> None:
    assert set(BUDGET) == set(SUITE)
    for test_id, hours in HOURS_SAID.items():
        _, least, most = BUDGET[test_id]
        assert (round(least / HOURS), round(most / HOURS)) == hours


@pytest.mark.parametrize("name", ["pts-2.0-enterprise", "pts-2.0-client"])
@pytest.mark.parametrize("test_id", BUDGET)
def test_time_of_edition_2_is_that_of_the_budget(name: str, test_id: str) -> None:
    fills, least, most = BUDGET[test_id]
    assert spans(name)[test_id] == pytest.approx((
        fills * WIPC + least,
        fills * WIPC + most,
    ))


@pytest.mark.parametrize(
    ("name", "test_id", "fills", "least", "most"),
    [
        ("pts-e-1.1", "lat", 1, 45 * MINUTES, 225 * MINUTES),
        ("pts-e-1.1", "wsat", 0, 155 * MINUTES, 24 * HOURS),
        ("pts-e-1.1", "cbw", *BUDGET["cbw"]),
        ("pts-c-1.1", "iops", 4, 4 * 280 * MINUTES, 4 * 1400 * MINUTES),
        ("pts-c-1.1", "tp", 4, 4 * 10 * MINUTES, 4 * 50 * MINUTES),
        ("pts-c-1.1", "lat", 4, 4 * 45 * MINUTES, 4 * 225 * MINUTES),
        ("pts-c-1.1", "wsat", 0, 155 * MINUTES, 24 * HOURS),
        ("tkperf", "iops", 2, 280 * MINUTES, 1400 * MINUTES),
        ("tkperf", "tp", 0, 5 * 10 * MINUTES, 5 * 50 * MINUTES),
        ("tkperf", "wsat", 0, 24 * HOURS, 24 * HOURS),
    ],
)
def test_time_of_other_profiles_is_that_of_their_loops(
    name: str, test_id: str, fills: int, least: int, most: int
) -> None:
    assert spans(name)[test_id] == pytest.approx((
        fills * WIPC + least,
        fills * WIPC + most,
    ))


def test_outline_is_the_sum_of_the_tests_without_their_fills() -> None:
    outline = outline_profile(find_profile("pts-2.0-enterprise"))
    assert outline.seconds_min == sum(least for _, least, _ in BUDGET.values())
    assert outline.seconds_max == sum(most for *_, most in BUDGET.values())
    assert outline.fill_capacities == 2 * sum(fills for fills, *_ in BUDGET.values())


def test_outline_counts_the_fills_of_each_thread_and_range() -> None:
    fills = {o.profile.name: o.fill_capacities for o in outline_profiles()}
    assert list(fills) == list(PROFILES)
    assert (fills["tkperf"], fills["pts-c-1.1"]) == (8, 24)


def test_outline_is_of_the_tests_of_the_profile_alone() -> None:
    profile = replace(find_profile("pts-2.0-client"), tests=("xsr",))
    outline = outline_profile(profile)
    assert (outline.seconds_min, outline.fill_capacities) == (22 * HOURS, 0)
