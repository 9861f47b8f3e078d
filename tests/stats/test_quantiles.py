"""Order statistics: ranks by hand, bins that hold them, percentiles of every IO."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.bins import bin_edges, bin_index, bin_value
from ssdlab.fio.logs.read import read_fio_log
from ssdlab.stats.latency import least_count
from ssdlab.stats.quantiles import (
    NO_UPPER_END,
    BinnedRounds,
    chance_below,
    find_ranks,
    quantile_interval,
    share_interval,
)
from tests.paths import FIO_SAMPLES, require_folder

LEVELS = (1.0, 50.0, 90.0, 99.0, 99.9)


def bins_of(*rounds: list[int]) -> BinnedRounds:
    """Count latencies as fio does."""
    names = np.unique(np.concatenate([bin_value(bin_index(one)) for one in rounds]))
    counts = np.zeros((len(rounds), names.size), np.int64)
    for row, one in enumerate(rounds):
        places = np.searchsorted(names, bin_value(bin_index(one)))
        np.add.at(counts[row], places, 1)
    lower, upper = bin_edges(names)
    return BinnedRounds(
        names=names, lower=lower.astype(float), upper=upper.astype(float), counts=counts
    )


@pytest.mark.parametrize(
    ("count", "ranks"),
    [(5, (0, 6)), (6, (1, 6)), (10, (2, 9)), (20, (6, 15)), (100, (40, 61))],
)
def test_ranks_of_the_median_are_those_of_the_tables(
    count: int, ranks: tuple[int, int]
) -> None:
    assert find_ranks(50, count) == ranks


@pytest.mark.parametrize("level", [50, 90, 99, 99.9, 99.99])
def test_upper_end_is_there_from_the_least_count_on(level: float) -> None:
    count = least_count(level)
    assert find_ranks(level, count)[1] == count
    assert find_ranks(level, count - 1)[1] == count


def test_least_counts_by_hand() -> None:
    # 0.99 to the n <= 0.025: n >= ln 0.025 / ln 0.99 = 367.04
    assert least_count(99) == 368
    assert least_count(99.99) == 36_887
    assert least_count(99.99, 90) < least_count(99.99)


@given(st.floats(0.1, 99.99), st.integers(1, 10**7))
def test_ranks_hold_the_quantile_as_often_as_asked(level: float, count: int) -> None:
    low, high = find_ranks(level, count)
    assert 0 <= low <= high <= count + 1
    assert low == 0 or chance_below(level, low, count) <= 0.025 + 1e-9
    assert high == count + 1 or chance_below(level, high, count) >= 0.975 - 1e-9


@given(
    st.lists(st.integers(1, 10**9), min_size=1, max_size=300), st.sampled_from(LEVELS)
)
def test_interval_of_bins_holds_the_ranks_of_every_io(
    latencies: list[int], level: float
) -> None:
    ordered = sorted(latencies)
    found = quantile_interval(bins_of(latencies), level)
    low, high = find_ranks(level, len(ordered))
    assert found.low <= found.estimate <= found.high
    assert low == 0 or found.low <= ordered[low - 1]
    if high > len(ordered):
        assert math.isinf(found.high)
        assert found.note == NO_UPPER_END
    else:
        assert ordered[high - 1] < found.high
        assert found.note == ""


def test_interval_is_wider_than_exact_ranks_by_no_more_than_the_bins() -> None:
    rng = np.random.default_rng(3)
    latencies = np.sort(rng.lognormal(12, 0.5, 20_000).astype(np.int64))
    for level in LEVELS:
        found = quantile_interval(bins_of(latencies.tolist()), level)
        low, high = find_ranks(level, latencies.size)
        assert found.low == pytest.approx(latencies[low - 1], rel=1 / 64)
        assert found.high == pytest.approx(latencies[high - 1], rel=1 / 64)


@pytest.mark.parametrize("name", ["off6_lat.1.log", "off6_clat.1.log"])
def test_percentiles_are_those_of_the_log_of_every_io(name: str) -> None:
    path = require_folder(FIO_SAMPLES) / "local_fio333" / name
    log = read_fio_log(path)
    column = name.removeprefix("off6_").split(".")[0]
    latencies = np.sort(log.frame[f"{column}_ns"].to_numpy(np.int64))
    bins = bins_of(latencies.tolist())
    for level in (50, 90, 99):
        found = quantile_interval(bins, level)
        exact = latencies[math.ceil(level / 100 * latencies.size) - 1]
        low, high = find_ranks(level, latencies.size)
        assert found.estimate == bin_value(bin_index([exact]))[0]
        assert low == 0 or found.low <= latencies[low - 1] <= found.estimate * 1.02
        assert high > latencies.size or latencies[high - 1] < found.high


def test_share_of_none_is_bounded_by_the_rule_of_three() -> None:
    # 97.5 %, one-sided: 1 - 0.025 to the 1/n, about 3.7 / n
    assert share_interval(0, 1000).high == pytest.approx(3.682e-3, rel=1e-3)
    assert share_interval(1000, 1000).low == pytest.approx(1 - 3.682e-3, rel=1e-3)


@pytest.mark.parametrize("level", [0, 100, -1, math.nan])
def test_level_outside_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 100"):
        find_ranks(level, 10)
