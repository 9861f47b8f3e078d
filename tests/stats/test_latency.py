import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.stats.latency import (
    UNKNOWN_EXTREMES,
    LatencySummary,
    is_supported,
    least_count,
    merge_bins,
    merge_summaries,
    percentiles_from_bins,
    sum_rates,
)

Bins = dict[int, int]

histograms = st.dictionaries(
    st.integers(0, 10**10), st.integers(1, 10**9), min_size=1, max_size=30
)
levels = st.lists(st.floats(0.001, 100), min_size=2, max_size=8).map(sorted)
latencies = st.lists(st.integers(0, 10**9), min_size=1, max_size=20)


def pair(bins: Bins) -> tuple[list[int], list[int]]:
    return list(bins), list(bins.values())


def merged(*histograms: Bins) -> Bins:
    values, counts = merge_bins([pair(bins) for bins in histograms])
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def summary_of(values: list[int]) -> LatencySummary:
    return LatencySummary(
        min_ns=min(values),
        mean_ns=float(np.mean(values)),
        stddev_ns=float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
        max_ns=max(values),
        count=len(values),
    )


def test_bins_are_added_when_merged() -> None:
    assert merged({100: 3, 120: 1}, {2000: 1, 120: 4}) == {100: 3, 120: 5, 2000: 1}


def test_merging_nothing_gives_no_bins() -> None:
    values, counts = merge_bins([])
    assert values.size == counts.size == 0
    assert merged({}) == {}


def test_counts_beyond_double_precision_stay_exact_when_merged() -> None:
    assert merged({7: 2**53}, {7: 1}) == {7: 2**53 + 1}


@given(histograms, histograms)
def test_merging_does_not_depend_on_the_order(left: Bins, right: Bins) -> None:
    assert merged(left, right) == merged(right, left)


@given(histograms, histograms, histograms)
def test_merging_does_not_depend_on_the_grouping(a: Bins, b: Bins, c: Bins) -> None:
    assert merged(merged(a, b), c) == merged(a, merged(b, c)) == merged(a, b, c)


@given(histograms, histograms)
def test_merging_keeps_every_io(left: Bins, right: Bins) -> None:
    both = merged(left, right)
    assert sum(both.values()) == sum(left.values()) + sum(right.values())
    assert list(both) == sorted(left.keys() | right.keys())


@pytest.mark.parametrize(
    ("values", "counts", "message"),
    [([1, 2], [3], "2 bins cannot have 1 counts"), ([1], [-3], "cannot hold -3 IOs")],
    ids=["lengths", "negative"],
)
def test_a_histogram_that_cannot_be_is_refused(
    values: list[int], counts: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        merge_bins([(values, counts)])


def test_a_percentile_is_the_first_bin_that_reaches_its_share() -> None:
    found = percentiles_from_bins(
        [100, 120, 2000], [3, 5, 2], [30, 31, 80, 81, 100], within=UNKNOWN_EXTREMES
    )
    assert found.tolist() == [100, 120, 120, 2000, 2000]


def test_the_999th_of_1000_is_not_enough_for_999_per_mille() -> None:
    """fio computes in long double, where 99.9 % of 1000 is more than 999."""
    found = percentiles_from_bins([10, 20], [999, 1], [99.9], within=UNKNOWN_EXTREMES)
    assert found.tolist() == [20]


def test_a_merged_percentile_is_not_the_mean_of_its_parts() -> None:
    reads, writes = ([100], [900]), ([900], [100])
    values, counts = merge_bins([reads, writes])
    assert percentiles_from_bins(
        values, counts, [50], within=UNKNOWN_EXTREMES
    ).tolist() == [100]


@pytest.mark.parametrize("level", [0.0, -1.0, 100.1, math.nan])
def test_a_level_that_cannot_be_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="0 and at most 100"):
        percentiles_from_bins([1], [1], [level], within=UNKNOWN_EXTREMES)


@pytest.mark.parametrize("bins", [{}, {5: 0}], ids=["no bin", "no IO"])
def test_a_percentile_of_no_io_is_refused(bins: Bins) -> None:
    with pytest.raises(ValueError, match="no IO"):
        percentiles_from_bins(*pair(bins), [50], within=UNKNOWN_EXTREMES)


@given(histograms, levels)
def test_percentiles_rise_with_the_level(bins: Bins, shares: list[float]) -> None:
    found = percentiles_from_bins(*pair(bins), shares, within=UNKNOWN_EXTREMES)
    assert (np.diff(found) >= 0).all()
    assert min(bins) <= found[0]
    assert found[-1] <= max(bins)
    assert percentiles_from_bins(
        *pair(bins), [100], within=UNKNOWN_EXTREMES
    ).tolist() == [max(bins)]


@given(histograms, levels, st.integers(1, 1000))
def test_percentiles_scale_with_the_unit(
    bins: Bins, shares: list[float], scale: int
) -> None:
    scaled = {value * scale: count for value, count in bins.items()}
    found = percentiles_from_bins(*pair(bins), shares, within=UNKNOWN_EXTREMES)
    assert (
        percentiles_from_bins(*pair(scaled), shares, within=UNKNOWN_EXTREMES).tolist()
        == (found * scale).tolist()
    )


@given(latencies, st.integers(1, 100))
def test_a_percentile_is_that_of_the_sorted_latencies(
    values: list[int], level: int
) -> None:
    needed = max(1, -(-len(values) * level // 100))
    found = percentiles_from_bins(
        values, [1] * len(values), [level], within=UNKNOWN_EXTREMES
    )
    assert found.tolist() in [
        [sorted(values)[needed - 1]],
        [sorted(values)[min(needed, len(values) - 1)]],
    ]
    if len(values) * level % 100:
        assert found.tolist() == [sorted(values)[needed - 1]]


@given(histograms, levels, st.integers(0, 10**6), st.integers(0, 10**6))
def test_percentiles_are_held_within_the_extremes(
    bins: Bins, shares: list[float], least: int, more: int
) -> None:
    within = (float(least), float(least + more))
    held = percentiles_from_bins(*pair(bins), shares, within=within)
    free = percentiles_from_bins(*pair(bins), shares, within=UNKNOWN_EXTREMES)
    assert (within[0] <= held).all()
    assert (held <= within[1]).all()
    assert held.tolist() == np.clip(free, *within).tolist()


def test_an_extreme_that_is_not_known_holds_nothing() -> None:
    bins = [100, 2000], [1, 1]
    found = percentiles_from_bins(*bins, [50, 100], within=(math.nan, 1990.0))
    assert found.tolist() == [100.0, 1990.0]


@pytest.mark.parametrize(
    ("level", "count"),
    [(50, 6), (90, 36), (99, 368), (99.9, 3688), (99.99, 36_887), (99.999, 368_887)],
)
def test_a_level_is_supported_when_its_interval_has_an_upper_end(
    level: float, count: int
) -> None:
    # p to the n <= 0.025, as 0.99 to the 368
    assert is_supported([level], count).tolist() == [True]
    assert is_supported([level], count - 1).tolist() == [False]
    assert least_count(level) == count


def test_the_maximum_is_no_supported_percentile() -> None:
    assert is_supported([100.0], 10**9).tolist() == [False]


def test_a_summary_of_one_part_is_itself() -> None:
    part = summary_of([3, 9])
    assert merge_summaries([part]) == part


def test_a_merged_mean_is_weighted_by_io_count() -> None:
    reads = LatencySummary(min_ns=90, mean_ns=100, stddev_ns=0, max_ns=300, count=9)
    writes = LatencySummary(min_ns=50, mean_ns=200, stddev_ns=0, max_ns=250, count=1)
    whole = merge_summaries([reads, writes])
    assert whole.mean_ns == pytest.approx(110)
    assert (whole.min_ns, whole.max_ns, whole.count) == (50, 300, 10)


@given(st.lists(latencies, min_size=2, max_size=5))
def test_a_merged_summary_is_that_of_all_latencies(parts: list[list[int]]) -> None:
    whole = merge_summaries([summary_of(part) for part in parts])
    expected = summary_of([value for part in parts for value in part])
    assert (whole.min_ns, whole.max_ns) == (expected.min_ns, expected.max_ns)
    assert whole.count == expected.count
    assert whole.mean_ns == pytest.approx(expected.mean_ns)
    assert whole.stddev_ns == pytest.approx(expected.stddev_ns, abs=1e-3)


def test_a_merged_mean_is_missing_where_a_count_is() -> None:
    part = LatencySummary(min_ns=1, mean_ns=2, stddev_ns=1, max_ns=9, count=None)
    whole = merge_summaries([part, summary_of([4, 5])])
    assert math.isnan(whole.mean_ns)
    assert math.isnan(whole.stddev_ns)
    assert (whole.min_ns, whole.max_ns, whole.count) == (1, 9, None)


def test_merging_no_summary_is_refused() -> None:
    with pytest.raises(ValueError, match="no summary to merge"):
        merge_summaries([])


def test_merging_a_summary_of_no_io_is_refused() -> None:
    empty = LatencySummary(min_ns=0, mean_ns=0, stddev_ns=0, max_ns=0, count=0)
    with pytest.raises(ValueError, match="no IO cannot be merged"):
        merge_summaries([empty, summary_of([1])])


def test_mixed_iops_are_the_sum_of_reads_and_writes() -> None:
    assert sum_rates([6500.0, 3500.0]) == 10_000.0
    assert sum_rates([]) == 0.0
    assert math.isnan(sum_rates([1.0, math.nan]))
