"""One stimulus by round, and when it first was steady."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.procedures.saturate.summary import find_first_steady
from ssdlab.stats.steady_state import find_first_steady_round

FALL = [150.0, 100, 101, 99, 100, 100, 100]


def rounds(values: list[float], *, gaps: tuple[int, ...] = ()) -> pd.DataFrame:
    numbers = list(range(1, len(values) + 1))
    return pd.DataFrame({
        "round": numbers,
        "iops": values,
        "is_contiguous": [number not in gaps for number in numbers],
    })


def test_first_steady_round_ends_the_first_steady_window() -> None:
    assert find_first_steady(rounds(FALL), metric="iops") == 6


@pytest.mark.parametrize(
    ("gap", "first"),
    [(1, 5), (2, 6), (5, 9), (6, 5), (10, 5)],
)
def test_no_window_spans_a_gap(gap: int, first: int) -> None:
    flat = rounds([100.0] * 10, gaps=(gap,))
    assert find_first_steady(flat, metric="iops") == first


def test_it_never_was_steady_when_gaps_leave_no_five_rounds() -> None:
    flat = rounds([100.0] * 10, gaps=(4, 8))
    assert find_first_steady(flat, metric="iops") is None


def test_it_never_was_steady_when_there_are_too_few_rounds() -> None:
    assert find_first_steady(rounds([]), metric="iops") is None
    assert find_first_steady(rounds([1.0] * 4), metric="iops") is None


@given(st.lists(st.floats(1, 100), min_size=5, max_size=40))
def test_without_gaps_it_is_the_round_of_the_rule(values: list[float]) -> None:
    ours = find_first_steady(rounds(values), metric="iops")
    assert ours == find_first_steady_round(values)
