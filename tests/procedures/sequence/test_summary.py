"""Does a stimulus give the same again: ratio, interval, verdict, words."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ssdlab.procedures.sequence.summary import (
    RatioInterval,
    estimate_ratio,
    find_order_doubts,
    judge_repetition,
    repetition_text,
    select_last_rounds,
)

VALUES = st.lists(st.floats(1, 1e6), min_size=2, max_size=9)


def interval(ratio: float, low: float, high: float) -> RatioInterval:
    return RatioInterval(ratio=ratio, low=low, high=high)


def test_interval_is_that_reckoned_by_hand() -> None:
    """Means 80 and 100, both of five values of variance 2.5."""
    last, first = [78, 79, 80, 81, 82], [98, 99, 100, 101, 102]
    parts = (2.5 / 5 / 80**2, 2.5 / 5 / 100**2)
    variance = sum(parts)
    freedom = variance**2 / (parts[0] ** 2 / 4 + parts[1] ** 2 / 4)
    reach = math.exp(stats.t.ppf(0.975, freedom) * math.sqrt(variance))
    found = estimate_ratio(last, first)
    assert found.ratio == pytest.approx(0.8)
    assert found.low == pytest.approx(0.8 / reach)
    assert found.high == pytest.approx(0.8 * reach)
    assert freedom == pytest.approx(7.632, abs=0.001)
    assert reach == pytest.approx(1.0267, abs=1e-4)


@given(last=VALUES, first=VALUES)
def test_ratio_lies_in_its_interval_and_turns_over(
    last: list[float], first: list[float]
) -> None:
    one, other = estimate_ratio(last, first), estimate_ratio(first, last)
    assert one.low <= one.ratio <= one.high
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert other.low == pytest.approx(1 / one.high)


@given(last=VALUES, first=VALUES, factor=st.floats(0.01, 100))
def test_ratio_does_not_depend_on_the_unit(
    last: list[float], first: list[float], factor: float
) -> None:
    one = estimate_ratio(last, first)
    other = estimate_ratio(np.array(last) * factor, np.array(first) * factor)
    assert other.ratio == pytest.approx(one.ratio)
    assert other.low == pytest.approx(one.low, rel=1e-6)


@pytest.mark.parametrize("bad", [[1.0], [], [1.0, 0.0], [1.0, float("nan")]], ids=str)
def test_there_is_no_ratio_of_too_few_or_bad_values(bad: list[float]) -> None:
    found = estimate_ratio(bad, [1.0, 2.0])
    assert math.isnan(found.ratio)
    assert judge_repetition(found) == "unknown"


def test_interval_has_no_width_when_nothing_scatters() -> None:
    assert estimate_ratio([2, 2], [4, 4]) == interval(0.5, 0.5, 0.5)


def test_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(2000):
        found = estimate_ratio(rng.normal(80, 4, 5), rng.normal(100, 4, 5))
        hits += found.low <= 0.8 <= found.high
    assert 0.93 < hits / 2000 < 0.97


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (interval(0.7, 0.65, 0.75), "lower"),
        (interval(1.3, 1.2, 1.4), "higher"),
        (interval(0.98, 0.95, 1.01), "similar"),
        (interval(0.95, 0.93, 0.97), "similar"),  # sure, and too little to matter
        (interval(0.85, 0.6, 1.2), "unknown"),  # 1 is in it
        (interval(0.95, 0.85, 1.05), "unknown"),  # may be more than 10 % off
    ],
)
def test_repetition_differs_when_it_is_sure_and_matters(
    found: RatioInterval, verdict: str
) -> None:
    assert judge_repetition(found) == verdict


def rounds_of(
    written: list[float], *, breaks: tuple[int, ...] = (), phase: str = "stage1"
) -> pd.DataFrame:
    return pd.DataFrame({
        "phase": phase,
        "round": range(1, len(written) + 1),
        "written_bytes": pd.array(written, dtype="Float64"),
        "is_contiguous": [at not in breaks for at in range(1, len(written) + 1)],
    })


def doubts(stages: pd.DataFrame, **more: object) -> tuple[str, ...]:
    given: dict[str, object] = {"capacity_bytes": 100, "is_steady": (True, True)}
    return find_order_doubts(stages, first="stage1", **(given | more))  # type: ignore[arg-type]


def test_order_is_not_doubted_when_one_capacity_was_written_before() -> None:
    """Of seven rounds of 50 B the first two, 100 B, come before the compared five."""
    assert doubts(rounds_of([50.0] * 7)) == ()


@pytest.mark.parametrize(
    ("stages", "more", "words"),
    [
        (rounds_of([50.0] * 6), {}, "wrote 0.5 user capacities before"),
        (rounds_of([900.0] * 5), {}, "wrote 0 user capacities before"),
        (rounds_of([float("nan")] * 7), {}, "is unknown"),
        (rounds_of([50.0] * 7), {"capacity_bytes": 0}, "is unknown"),
        (rounds_of([50.0] * 7), {"is_steady": (False, True)}, "the first run was not"),
        (rounds_of([50.0] * 7), {"is_steady": (True, False)}, "the second run was not"),
        (
            pd.concat([
                rounds_of([50.0] * 7),
                rounds_of([50.0] * 7, breaks=(3,), phase="stage2"),
            ]),
            {},
            "interrupted, or idle too long, before round 3 of stage 2",
        ),
    ],
    ids=["fresh", "no-round-before", "unknown", "size", "first", "second", "break"],
)
def test_order_is_doubted(
    stages: pd.DataFrame, more: dict[str, object], words: str
) -> None:
    (doubt,) = doubts(stages, **more)
    assert words in doubt


def test_doubt_makes_any_difference_one_that_is_not_told() -> None:
    found = interval(0.7, 0.65, 0.75)
    assert judge_repetition(found, ["it was fresh"]) == "unknown"
    text = repetition_text(found, stimulus="X", doubts=["it was fresh", "it broke"])
    assert text == "The effect of the order on X is unknown: it was fresh; it broke."


def test_change_has_no_more_digits_than_its_interval() -> None:
    wide = repetition_text(interval(0.712345, 0.55, 0.95), stimulus="X")
    assert wide == "The second run of X is lower than the first, by 29 %."
    close = repetition_text(interval(0.712345, 0.71, 0.715), stimulus="X")
    assert close == "The second run of X is lower than the first, by 28.77 %."


def test_last_rounds_are_the_last_five_of_the_stage() -> None:
    stages = pd.DataFrame({
        "phase": ["stage1"] * 7 + ["stage3"],
        "round": [2, 1, 3, 4, 5, 6, 7, 1],
        "value": [2.0, 1, 3, 4, 5, 6, 7, 99],
    })
    assert select_last_rounds(stages, "stage1").tolist() == [3, 4, 5, 6, 7]
    assert select_last_rounds(stages, "stage3").tolist() == [99]
    assert select_last_rounds(stages, "stage2").tolist() == []
