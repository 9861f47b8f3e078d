"""How many repetitions at each level, and what as many of them show."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.stats.repetitions import (
    Aim,
    best_count,
    count_for_median,
    needed_count,
    reach_of,
)

FIVE = Aim(purpose="difference", percent=5)


def test_best_count_equals_the_square_root_of_the_hand_computed_ratio() -> None:
    """A round of 1 h and 2 %^2, a run of 8 h and 1 %^2: sqrt(8 x 2 / 1) = 4."""
    known = {"own_cost": 1.0, "outer_cost": 8.0}
    assert best_count(**known, own_variance=2.0, outer_variance=1.0) == 4
    assert best_count(**known, own_variance=2.1, outer_variance=1.0) == 5
    assert best_count(**known, own_variance=0.0, outer_variance=1.0) == 1
    assert best_count(**known, own_variance=2.0, outer_variance=0.0) is None


@given(st.floats(0.1, 100), st.floats(0.1, 100), st.floats(0.1, 10))
def test_no_other_count_is_much_cheaper(outer: float, own: float, cost: float) -> None:
    """Cost for a variance of 1, (V + v / n) (C + n c), is least there or one below."""
    best = best_count(
        own_cost=cost, outer_cost=10.0, own_variance=own, outer_variance=outer
    )
    assert best is not None

    def product(count: int) -> float:
        return (outer + own / count) * (10.0 + count * cost)

    least = min(product(count) for count in range(1, best + 30))
    assert min(product(best), product(max(1, best - 1))) <= least * (1 + 1e-9)


def test_needed_count_equals_the_hand_computed_one() -> None:
    """Scatter 2 %, wanted 5 %: t(f) of 97.5 and 80 % times 0.02 sqrt(2 / n) <= 0.0488.

    n = 4: (2.447 + 0.906) x 0.01414 = 0.0474; n = 3: (2.776 + 0.941) x 0.0163 = 0.0607.
    """
    assert needed_count(0.02**2, FIVE) == 4
    # Of the same drives f = n - 1; n = 5: (2.776 + 0.941) x 0.01265 = 0.0470.
    assert needed_count(0.02**2, Aim(purpose="change", percent=5)) == 5
    # Half of an interval, n = 4: 3.182 x 0.01 = 0.0318 <= 0.0488; n = 3: 0.0497.
    assert needed_count(0.02**2, Aim(purpose="half-width", percent=5)) == 4


def test_fewer_than_three_drives_are_never_enough() -> None:
    assert needed_count(1e-12, FIVE) == 3
    assert needed_count(1e6, FIVE) is None


@given(st.floats(1e-6, 1e-2), st.sampled_from(["difference", "change", "half-width"]))
def test_needed_count_is_the_least_that_reaches(variance: float, purpose: str) -> None:
    aim = Aim(purpose=purpose, percent=5)  # type: ignore[arg-type] # one of them
    found = needed_count(variance, aim)
    assert found is not None
    assert reach_of(variance, found, aim) <= aim.distance
    assert found == 3 or reach_of(variance, found - 1, aim) > aim.distance


def test_median_takes_as_many_as_its_ranks_show() -> None:
    """Half of 20 values at 99, half at 101: the ends are one of them, 1 % off."""
    values = [99.0, 101.0] * 10
    assert count_for_median(values, within_ratio=0.0101) == 6
    assert count_for_median(values, within_ratio=0.005) is None
    assert count_for_median([], within_ratio=0.01) is None
    few = np.random.default_rng(1).normal(100, 1, 200)
    wide, narrow = (count_for_median(few, within_ratio=one) for one in (0.01, 0.004))
    assert wide is not None
    assert narrow is not None
    assert 6 <= wide < narrow < 200
