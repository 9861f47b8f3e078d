"""Contributions to an uncertainty, and their sum."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ssdlab.stats.uncertainty import (
    Contribution,
    combine_contributions,
    within_bounds,
)


def of_type_a(standard: float, freedom: float) -> Contribution:
    return Contribution(
        kind="A", distribution="t", standard=standard, unit="nm", freedom=freedom
    )


def test_sum_equals_the_example_of_the_guide() -> None:
    """The gauge block of annex H.1, in nm.

    25^2 + 9.7^2 + 2.9^2 + 16.6^2 = 1003.06, its root 31.67. Freedom: 1003.06^2 /
    (25^4 / 18 + 9.7^4 / 25.6 + 2.9^4 / 50 + 16.6^4 / 2) = 16.76.
    """
    parts = [of_type_a(*one) for one in ((25, 18), (9.7, 25.6), (2.9, 50), (16.6, 2))]
    found = combine_contributions(parts, confidence_percent=99)
    assert found is not None
    assert found.standard == pytest.approx(math.sqrt(1003.06))
    assert found.freedom == pytest.approx(16.76, abs=0.01)
    assert found.factor == pytest.approx(stats.t.ppf(0.995, found.freedom))
    assert found.expanded == pytest.approx(92, abs=1)


def test_bounds_are_a_rectangular_distribution_with_its_sensitivity() -> None:
    one = within_bounds(3.0, "s", sensitivity=-2.0)
    assert one.kind == "B"
    assert one.of_result == pytest.approx(2 * 3 / math.sqrt(3))
    alone = combine_contributions([one])
    assert alone is not None
    assert math.isinf(alone.freedom)
    assert alone.factor == pytest.approx(stats.norm.ppf(0.975))


def test_nothing_combines_to_nothing() -> None:
    assert combine_contributions([]) is None
    assert combine_contributions([of_type_a(0.0, 4)]) is None


@given(
    st.lists(
        st.tuples(st.floats(0.01, 100), st.floats(1, 100)), min_size=1, max_size=6
    ),
    st.floats(0.01, 100),
)
def test_combined_follows_the_scale_and_its_freedom_that_of_its_parts(
    parts: list[tuple[float, float]], scale: float
) -> None:
    plain = combine_contributions([of_type_a(*one) for one in parts])
    scaled = combine_contributions([of_type_a(scale * u, f) for u, f in parts[::-1]])
    assert plain is not None
    assert scaled is not None
    assert scaled.expanded == pytest.approx(scale * plain.expanded)
    freedoms = [one for _, one in parts]
    assert min(freedoms) * (1 - 1e-9) <= plain.freedom <= sum(freedoms) * (1 + 1e-9)
    assert plain.standard >= max(u for u, _ in parts)
