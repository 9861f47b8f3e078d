"""What rounds that differ tell of a percentile, and what rounds that do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.stats.clusters import (
    between_rounds_interval,
    effective_count,
    join_rounds,
)
from ssdlab.stats.quantiles import BinnedRounds, bootstrap_interval, quantile_interval

Counts = list[list[int]]


def binned(counts: Counts) -> BinnedRounds:
    """Bins 10 wide, named by their middle."""
    table = np.array(counts, dtype=np.int64)
    lower = 10.0 * np.arange(1, table.shape[1] + 1)
    return BinnedRounds(
        names=(lower + 5).astype(np.int64), lower=lower, upper=lower + 10, counts=table
    )


def test_design_effect_by_hand() -> None:
    # Shares below 20: 60, 40, 50 of 100. Off the mean: 10, -10, 0, so the variance of
    # the share is 3/2 x 200 / 300^2; of independent IOs it is 0.25 / 300: four times.
    found = effective_count(binned([[60, 40], [40, 60], [50, 50]]), 50)
    assert found.design_effect == pytest.approx(4.0)
    # Student's t of two degrees is 4.3027, of the normal distribution 1.9600.
    assert found.count == pytest.approx(300 / 4 / (4.3027 / 1.9600) ** 2, rel=1e-4)


def test_rounds_that_do_not_differ_tell_as_much_as_independent_ios() -> None:
    bins = binned([[50, 30, 20]] * 5)
    assert effective_count(bins, 50).count == 500
    assert between_rounds_interval(bins, 80) == quantile_interval(bins, 80)


def test_rounds_that_share_nothing_tell_as_much_as_one_io_each_at_most() -> None:
    bins = binned([[100, 0], [0, 100], [100, 0], [0, 100], [100, 0], [0, 100]])
    assert effective_count(bins, 50).count < 6
    found = between_rounds_interval(bins, 50)
    assert (found.low, found.high) == (0.0, float("inf"))


def test_one_round_does_not_tell() -> None:
    with pytest.raises(ValueError, match="one round does not show"):
        effective_count(binned([[1, 2]]), 50)
    with pytest.raises(ValueError, match="2 rounds do not show"):
        between_rounds_interval(binned([[1, 2], [3, 4]]), 50)


def test_all_ios_in_one_bin_leave_nothing_to_differ() -> None:
    bins = binned([[1000], [2000], [1500]])
    assert effective_count(bins, 99).design_effect == 1.0
    found = between_rounds_interval(bins, 99)
    assert (found.low, found.estimate, found.high) == (10.0, 15.0, 20.0)


rounds = st.lists(
    st.lists(st.integers(0, 200), min_size=4, max_size=4).filter(any),
    min_size=3,
    max_size=12,
)


@given(rounds, st.sampled_from([10.0, 50.0, 90.0, 99.0]))
def test_interval_holds_the_estimate_and_rounds_may_come_in_any_order(
    counts: Counts, level: float
) -> None:
    found = between_rounds_interval(binned(counts), level)
    assert found.low <= found.estimate <= found.high
    assert between_rounds_interval(binned(counts[::-1]), level) == found


@given(rounds)
def test_more_copies_of_the_same_rounds_do_not_widen(counts: Counts) -> None:
    one = between_rounds_interval(binned(counts), 50)
    more = between_rounds_interval(binned(counts * 4), 50)
    assert one.low <= more.low
    assert more.high <= one.high


@pytest.mark.parametrize(
    ("rounds", "joined"),
    [(5, 5), (19, 19), (20, 4), (39, 4), (40, 5), (64, 8), (400, 10)],
)
def test_many_rounds_are_joined_and_none_of_their_ios_is_lost(
    rounds: int, joined: int
) -> None:
    bins = binned([[number + 1, 2] for number in range(rounds)])
    found = join_rounds(bins)
    assert len(found.counts) == joined
    assert found.merged.tolist() == bins.merged.tolist()


def test_bootstrap_repeats_with_its_seed_and_holds_the_estimate() -> None:
    bins = binned([[60, 40, 9], [40, 60, 3], [50, 50, 7]])
    found = bootstrap_interval(bins, 90, seed=4)
    assert found == bootstrap_interval(bins, 90, seed=4)
    assert found.low <= found.estimate <= found.high
