"""Values far from the others, by median absolute deviation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.stats.outliers import (
    FALSE_ALARM_RATIO,
    find_outliers,
    outlier_distances,
    outlier_limit,
)


def test_distance_equals_the_hand_computed_one() -> None:
    """Median 10, deviations 1 1 0 0 90 and their median 1: 90 / 1.4826."""
    found = outlier_distances([9.0, 11.0, 10.0, 10.0, 100.0])
    assert found[-1] == pytest.approx(90 / 1.482602)


def test_outlier_is_found_and_does_not_hide_itself() -> None:
    assert find_outliers([10, 11, 9, 10.5, 9.5, 1000, 2000]).tolist()[-2:] == [True] * 2


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0, 1.0, 900.0], [5.0] * 8 + [9]])
def test_none_is_found_of_few_values_or_of_equal_ones(values: list[float]) -> None:
    assert not find_outliers(values).any()


@pytest.mark.parametrize("n", [5, 7, 11, 24, 120])
def test_one_normal_sample_in_a_hundred_has_an_outlier(n: int) -> None:
    rng = np.random.default_rng(11)
    trials = 4000
    alarms = sum(find_outliers(rng.standard_normal(n)).any() for _ in range(trials))
    error = 3 * np.sqrt(FALSE_ALARM_RATIO * (1 - FALSE_ALARM_RATIO) / trials)
    assert alarms / trials == pytest.approx(FALSE_ALARM_RATIO, abs=error + 0.002)


def test_limit_of_few_values_is_infinite() -> None:
    assert outlier_limit(4) == float("inf")


@given(
    st.lists(st.floats(-100, 100), min_size=5, max_size=20),
    st.floats(0.1, 100),
    st.floats(-1000, 1000),
)
def test_distances_do_not_depend_on_unit_or_level(
    values: list[float], scale: float, shift: float
) -> None:
    plain = outlier_distances(np.round(values, 3))
    moved = outlier_distances(np.round(values, 3) * scale + shift)
    assert np.allclose(plain, moved, rtol=1e-4, equal_nan=True)
