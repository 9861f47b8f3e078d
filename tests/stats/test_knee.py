"""The knee of IOPS against response time, computed by hand and by its properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.stats.knee import find_efficient, find_knee

# x = (IOPS - 100) / 300 and y = (ART - 1) / 10 scaled; x - y is 0, 0.3233, 0.6167,
# 0.6333 and 0. The point between, 250 IOPS at 5, is beaten by the third one.
IOPS = [100.0, 200.0, 300.0, 250.0, 350.0, 400.0]
ART = [1.0, 1.1, 1.5, 5.0, 3.0, 11.0]
POINTS = st.lists(
    st.tuples(st.floats(1, 1e6), st.floats(1, 1e9)), min_size=1, max_size=49
)


def test_knee_of_a_hand_computed_curve_is_its_farthest_point_below_the_chord() -> None:
    assert find_efficient(IOPS, ART).tolist() == [True, True, True, False, True, True]
    assert find_knee(IOPS, ART) == 4


def test_knee_is_found_in_any_order_of_the_points() -> None:
    order = [5, 2, 0, 3, 4, 1]
    assert find_knee([IOPS[at] for at in order], [ART[at] for at in order]) == 4


def test_knee_does_not_depend_on_the_units() -> None:
    assert find_knee([value * 1e-3 for value in IOPS], [v * 1e6 for v in ART]) == 4


def test_point_beaten_beyond_the_end_moves_no_knee() -> None:
    """Past saturation more outstanding IOs bring nothing but time."""
    assert find_knee([*IOPS, 399.0, 390.0], [*ART, 50.0, 400.0]) == 4


@pytest.mark.parametrize(
    ("iops", "art"),
    [
        ([100.0, 200.0], [1.0, 2.0]),
        ([100.0, 200.0, 300.0], [1.0, 2.0, 3.0]),
        ([100.0, 120.0, 300.0], [1.0, 2.0, 3.0]),
        ([300.0, 200.0, 100.0], [1.0, 2.0, 3.0]),
        ([float("nan"), 200.0, 300.0], [1.0, 2.0, 3.0]),
        ([], []),
    ],
    ids=["two", "straight", "above the chord", "one is best", "not measured", "none"],
)
def test_there_is_no_knee_where_no_point_lies_below_the_chord(
    iops: list[float], art: list[float]
) -> None:
    assert find_knee(iops, art) is None


def test_first_of_equal_points_counts() -> None:
    assert find_efficient([5.0, 5.0], [1.0, 1.0]).tolist() == [True, False]
    assert find_efficient([5.0, 5.0], [2.0, 1.0]).tolist() == [False, True]


@given(POINTS)
def test_efficient_points_are_those_that_no_other_beats(
    points: list[tuple[float, float]],
) -> None:
    rates, times = (np.array(values) for values in zip(*points, strict=True))
    efficient = find_efficient(rates, times)
    for at in range(len(points)):
        better = (rates >= rates[at]) & (times <= times[at])
        better &= (rates > rates[at]) | (times < times[at])
        same = (rates == rates[at]) & (times == times[at])
        is_first = not same[:at].any()
        assert efficient[at] == (not better.any() and is_first)


@given(POINTS)
def test_knee_is_an_efficient_point_that_is_no_end(
    points: list[tuple[float, float]],
) -> None:
    rates, times = (np.array(values) for values in zip(*points, strict=True))
    knee = find_knee(rates, times)
    if knee is not None:
        (front,) = np.nonzero(find_efficient(rates, times))
        assert knee in front
        assert times[front].min() < times[knee] < times[front].max()
