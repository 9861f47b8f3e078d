"""Drive-to-drive against run-to-run."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ssdlab.stats.variance import estimate_variance_components


def test_components_equal_the_hand_computed_table() -> None:
    """Means 2 and 6, squares inside 2 + 2: MSB = 16, MSW = 2, (16 - 2) / 2 = 7."""
    found = estimate_variance_components([[1.0, 3.0], [5.0, 7.0]])
    assert found is not None
    assert found.between == pytest.approx(7)
    assert found.within.estimate == pytest.approx(2)
    assert found.between_to_within.estimate == pytest.approx(3.5)
    low = (8 / stats.f.ppf(0.975, 1, 2) - 1) / 2
    high = (8 / stats.f.ppf(0.025, 1, 2) - 1) / 2
    assert found.between_to_within.low == pytest.approx(max(0, low))
    assert found.between_to_within.high == pytest.approx(high)
    assert found.within.low == pytest.approx(4 / stats.chi2.ppf(0.975, 2))


def test_components_of_unequal_groups_use_their_own_divisor() -> None:
    """Sizes 3 and 1: n0 = 4 - 10 / 4 = 1.5; MSB = 12, MSW = 1, (12 - 1) / 1.5."""
    found = estimate_variance_components([[1.0, 2.0, 3.0], [6.0]])
    assert found is not None
    assert found.between == pytest.approx((12 - 1) / 1.5)
    assert (found.n_groups, found.n_values) == (2, 4)


def test_estimate_below_zero_is_told_as_zero() -> None:
    found = estimate_variance_components([[1.0, 9.0], [2.0, 8.0], [0.0, 10.0]])
    assert found is not None
    assert found.between == 0
    assert found.between_to_within.estimate == 0
    assert "set to 0" in found.note


@pytest.mark.parametrize(
    "groups", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, 1.0], [2.0, 2.0]]]
)
def test_nothing_is_told_where_nothing_can_be(groups: list[list[float]]) -> None:
    assert estimate_variance_components(groups) is None


@given(st.floats(-50, 50), st.floats(0.1, 10))
def test_components_move_with_the_scale_and_not_with_the_level(
    shift: float, scale: float
) -> None:
    groups = [np.array([1.0, 3.0, 2.0]), np.array([5.0, 7.0]), np.array([9.0])]
    plain = estimate_variance_components(groups)
    moved = estimate_variance_components([scale * one + shift for one in groups])
    assert plain is not None
    assert moved is not None
    assert moved.between == pytest.approx(scale**2 * plain.between)
    ratio, other = plain.between_to_within, moved.between_to_within
    assert other.low == pytest.approx(ratio.low)
    assert math.isclose(other.high, ratio.high, rel_tol=1e-6)
