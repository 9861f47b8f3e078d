"""Intervals of percentiles of one distribution: ordered, and marked by one rule."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ssdlab.stats.claims import (
    QOS_LEVELS_PERCENT,
    claim_levels,
    claim_of_level,
    order_ends,
)
from ssdlab.stats.latency import is_supported
from ssdlab.stats.quantiles import BinnedRounds
from tests.stats.test_clusters import binned

ROUNDS = st.lists(
    st.lists(st.integers(0, 3000), min_size=4, max_size=4).filter(any),
    min_size=1,
    max_size=6,
)
LEVELS = st.lists(
    st.floats(0.01, 99.9999) | st.sampled_from(QOS_LEVELS_PERCENT),
    min_size=1,
    max_size=5,
    unique=True,
)


def held(counts: list[list[int]]) -> BinnedRounds:
    """Bins 10 wide, of which the last one that is named holds a value."""
    table = np.array(counts)
    return binned(table[:, : 1 + int(np.flatnonzero(table.sum(axis=0))[-1])].tolist())


@settings(deadline=None)
@given(ROUNDS, LEVELS)
def test_ends_rise_with_the_level_and_hold_the_estimate(
    counts: list[list[int]], levels: list[float]
) -> None:
    bins = held(counts)
    claims = claim_levels(bins, sorted({*levels, *QOS_LEVELS_PERCENT}))
    for name in ("low", "estimate", "high"):
        ends = [getattr(one.interval, name) for one in claims]
        assert ends == sorted(ends)
    supported = [one.is_supported for one in claims]
    assert supported == sorted(supported, reverse=True)
    for one in claims:
        assert one.interval.low <= one.interval.estimate <= one.interval.high


@settings(deadline=None)
@given(ROUNDS, LEVELS)
def test_nothing_is_supported_that_so_many_independent_ios_do_not_support(
    counts: list[list[int]], levels: list[float]
) -> None:
    bins = held(counts)
    for one in claim_levels(bins, levels):
        enough = bool(is_supported([one.level], bins.total)[0])
        assert enough or not one.is_supported
        if not one.is_of_rounds:
            assert one.is_supported == enough


@settings(deadline=None)
@given(ROUNDS, LEVELS)
@example(
    counts=[[0, 2043, 0, 620], [26, 1142, 1235, 479], [167, 0, 0, 84]], levels=[64.0]
)
def test_a_usual_level_is_the_same_whatever_else_is_asked(
    counts: list[list[int]], levels: list[float]
) -> None:
    bins = held(counts)
    together = claim_levels(bins, [*levels, *QOS_LEVELS_PERCENT])
    for one in together[len(levels) :]:
        assert one == claim_of_level(bins, one.level)


def test_a_usual_level_takes_the_upper_end_of_a_higher_one() -> None:
    own = order_ends(
        QOS_LEVELS_PERCENT,
        [20.0, math.inf, 40.0, *[math.inf] * 4],
        end="high",
    )
    assert own.tolist() == [20.0, 40.0, 40.0, *[math.inf] * 4]


@pytest.mark.parametrize(
    ("own", "found"), [(50.0, 40.0), (30.0, 30.0), (10.0, 20.0), (math.inf, 40.0)]
)
def test_another_level_lies_between_its_neighbours(own: float, found: float) -> None:
    levels = (50.0, 90.0, 95.0, *QOS_LEVELS_PERCENT[2:])
    ends = [15.0, 20.0, own, 40.0, 60.0, 70.0, 80.0, 90.0]
    assert order_ends(levels, ends, end="high")[2] == found
    assert order_ends(levels, ends, end="low")[2] == found
