"""Stalls: found where they are, nowhere else, and their rate by hand."""

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis.strategies import floats, integers, lists

from ssdlab.stats.stalls import find_stalls, rate_stalls


def stalls(counts: npt.ArrayLike) -> list[tuple[int, int]]:
    first, last = find_stalls(counts)
    return list(zip(first.tolist(), last.tolist(), strict=True))


def test_neighbouring_intervals_are_one_stall() -> None:
    steady = [1000] * 50
    assert stalls([*steady, 0, 3, 100, *steady, 40, *steady]) == [(50, 52), (103, 103)]


def test_half_of_the_usual_is_no_stall() -> None:
    assert stalls([1000] * 50 + [500] + [1000] * 50) == []
    assert stalls([1000] * 50 + [499] + [1000] * 50) == [(50, 50)]


def test_few_ios_in_an_interval_are_no_stall() -> None:
    """Of 20 arrivals on average fewer than 5 are rare, but not one in a million."""
    assert stalls([20] * 50 + [5] + [20] * 50) == []
    assert stalls([20] * 50 + [0] + [20] * 50) == [(50, 50)]
    assert stalls([13] * 50 + [0] + [13] * 50) == []


def test_slow_decline_is_no_stall() -> None:
    assert stalls(np.linspace(10_000, 1_000, 400)) == []


def test_first_and_last_interval_may_be_stalled() -> None:
    assert stalls([0, *[1000] * 60, 0]) == [(0, 0), (61, 61)]


def test_short_series_has_none() -> None:
    assert stalls([1000] * 13 + [0]) == []
    assert stalls([]) == []


@given(lists(integers(0, 10**6), max_size=200))
def test_stalls_are_in_order_and_apart(counts: list[float]) -> None:
    found = stalls(counts)
    for first, last in found:
        assert 0 <= first <= last < len(counts)
    assert all(one[1] + 1 < two[0] for one, two in pairwise(found))


def test_rate_is_that_of_a_table_of_poisson_limits() -> None:
    """Garwood's limits of 10 events are 4.795 and 18.390."""
    found = rate_stalls(10, 2.0)
    assert (found.per_hour, found.stalls) == (5.0, 10)
    assert found.low == pytest.approx(4.795 / 2, rel=1e-3)
    assert found.high == pytest.approx(18.390 / 2, rel=1e-3)


def test_no_stall_has_an_upper_end() -> None:
    found = rate_stalls(0, 4.0)
    assert (found.per_hour, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(-math.log(0.025) / 4)


@given(integers(0, 5000), floats(0.001, 1000))
def test_rate_is_within_its_interval(count: int, hours: float) -> None:
    found = rate_stalls(count, hours)
    assert 0 <= found.low <= found.per_hour <= found.high < math.inf


@pytest.mark.simulation
def test_interval_covers_the_true_rate_and_steady_loads_have_no_stalls() -> None:
    rng = np.random.default_rng(20)
    for mean in (0.2, 2.0, 30.0):
        counts = rng.poisson(mean, 2000)
        held = [rate_stalls(int(n), 1.0) for n in counts]
        missed = np.mean([not one.low <= mean <= one.high for one in held])
        assert missed <= 0.05 + 3 * math.sqrt(0.05 / 2000)
    # 400 hours of Poisson arrivals by the second, the worst that a load can be.
    alarms = sum(
        len(find_stalls(rng.poisson(mean, 72_000))[0])
        for mean in (5, 20, 60, 200, 5000)
        for _ in range(4)
    )
    assert alarms <= 4
