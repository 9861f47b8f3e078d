"""Down-sampling: what a figure shows of a long series is of the series."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.analysis import reduce_series
from ssdlab.stats.downsample import POINTS_A_COLUMN

VALUES = st.one_of(
    st.floats(-1e9, 1e9, allow_nan=False, width=32), st.just(float("nan"))
)


@st.composite
def series(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    y = np.array(draw(st.lists(VALUES, min_size=1, max_size=400)))
    steps = draw(
        st.lists(st.floats(0, 100, width=32), min_size=y.size, max_size=y.size)
    )
    return np.cumsum(steps), y


def columns_of(x: np.ndarray, columns: int) -> np.ndarray:
    edges = np.linspace(x[0], x[-1], columns + 1)[:-1]
    return np.searchsorted(np.unique(edges), x, side="right")


@given(series(), st.integers(1, 30))
def test_least_and_greatest_of_every_column_survive(
    given_series: tuple[np.ndarray, np.ndarray],
    columns: int,
) -> None:
    x, y = given_series
    drawn = reduce_series(x, y, columns=columns)
    edges = np.unique(np.linspace(x[0], x[-1], columns + 1)[:-1])
    before = np.searchsorted(edges, x, side="right")
    after = np.searchsorted(edges, drawn.x, side="right")
    kept = {(a, b) for a, b in zip(x, y, strict=True) if not np.isnan(b)}
    assert {(a, b) for a, b in zip(drawn.x, drawn.y, strict=True) if b == b} <= kept  # noqa: PLR0124 - NaN
    assert (np.diff(drawn.x) >= 0).all()
    assert drawn.y.size <= columns * POINTS_A_COLUMN + 2
    for column in np.unique(before):
        there, here = y[before == column], drawn.y[after == column]
        if not np.isnan(there).all():
            assert np.nanmin(here) == np.nanmin(there)
            assert np.nanmax(here) == np.nanmax(there)


@given(series(), st.integers(1, 30))
def test_no_line_is_drawn_over_a_gap_into_another_column(
    given_series: tuple[np.ndarray, np.ndarray],
    columns: int,
) -> None:
    x, y = given_series
    x = x + np.arange(x.size)  # each point at a place of its own
    drawn = reduce_series(x, y, columns=columns)
    place = np.searchsorted(x, drawn.x)
    column = columns_of(x, columns)
    for first, second in pairwise(place):
        if np.isnan(y[first]) or np.isnan(y[second]):
            continue
        if column[first] != column[second]:
            assert not np.isnan(y[first:second]).any()


def test_series_by_hand() -> None:
    x = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    y = [5, 1, 9, 4, 4, np.nan, 7, 6, 8, 2]
    drawn = reduce_series(x, y, columns=2)
    # columns are 0 to 4.5 and 4.5 to 9: least 1 and greatest 9; least 2, greatest 8
    assert drawn.x.tolist() == [0, 1, 2, 5, 8, 9]
    np.testing.assert_array_equal(drawn.y, [5, 1, 9, np.nan, 8, 2])
    assert drawn.note == (
        "10 points in 2 columns: each column shows its minimum and maximum"
    )


def test_a_short_series_stays_whole_and_says_nothing() -> None:
    drawn = reduce_series([0, 1, 2], [3.0, np.nan, 4.0])
    np.testing.assert_array_equal(drawn.y, [3.0, np.nan, 4.0])
    assert (drawn.columns, drawn.note) == (0, "")


def test_a_span_is_reduced_from_its_own_points_and_one_beside_it() -> None:
    x = np.arange(100_000.0)
    drawn = reduce_series(x, np.sin(x), span=(500.0, 700.0))
    assert (drawn.x[0], drawn.x[-1], drawn.columns) == (499.0, 701.0, 0)
    drawn = reduce_series(x, np.sin(x), span=(500.0, 70_000.0), columns=100)
    assert drawn.total == 69_503
    assert drawn.x.size <= 402


def test_an_unusual_minute_of_a_million_points_is_seen() -> None:
    y = np.ones(1_000_000)
    y[777_777], y[222_222] = 50.0, 0.1
    drawn = reduce_series(np.arange(y.size), y)
    assert (drawn.y.max(), drawn.y.min()) == (50.0, 0.1)
    assert drawn.y.size <= 4000


def test_an_empty_series_stays_empty() -> None:
    drawn = reduce_series([], [])
    assert (drawn.x.size, drawn.total) == (0, 0)


@pytest.mark.parametrize(
    ("x", "y", "columns", "words"),
    [
        ([0, 1], [1], 10, "2 positions cannot have 1 values"),
        ([1, 0], [1, 1], 10, "must ascend"),
        ([0, np.nan], [1, 1], 10, "must ascend"),
        ([0, 1], [1, 1], 0, "at least one column"),
    ],
)
def test_a_series_that_cannot_be_drawn_is_refused(
    x: list[float], y: list[float], columns: int, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        reduce_series(x, y, columns=columns)
