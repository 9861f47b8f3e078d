"""Ratios of means with their intervals, dependence of rounds, and Holm's rule."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ssdlab.stats.autocorrelation import LEAST_FREEDOM, estimate_dependence
from ssdlab.stats.differences import (
    Limits,
    compare_levels,
    compare_runs_of_sides,
)
from ssdlab.stats.holm import (
    adjust_by_benjamini_hochberg,
    adjust_by_holm,
)
from ssdlab.stats.levels import (
    LevelEstimate,
    estimate_level,
    estimate_log_level,
    pool_scatter,
)

values = st.lists(st.floats(1.0, 1e6), min_size=2, max_size=12)


def test_level_of_independent_values_is_the_standard_error_of_the_mean() -> None:
    level = estimate_level([90.0, 100.0, 110.0])
    assert level.log_mean == pytest.approx(math.log(100))
    assert level.variance == pytest.approx(100 / 3 / 100**2)
    assert level.freedom == pytest.approx(2)


def test_level_of_dependent_values_equals_the_hand_computed_moments() -> None:
    """Two values, correlation 0.5: the mean varies by 0.75, their scatter by 0.5."""
    level = estimate_level([90.0, 110.0], dependence=0.5)
    assert level.variance == pytest.approx(200 / 0.5 * 0.75 / 100**2)
    assert level.freedom == pytest.approx(1)


def test_single_value_has_a_level_and_no_variance() -> None:
    level = estimate_level([100.0])
    assert level.log_mean == pytest.approx(math.log(100))
    assert math.isnan(level.variance)


@pytest.mark.parametrize("wrong", [[], [1.0, 0.0], [1.0, math.nan], [-1.0]])
def test_level_refuses_what_has_no_logarithm(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="values above zero"):
        estimate_level(wrong)


def test_p_value_of_logarithms_equals_that_of_welchs_test() -> None:
    first, second = [10.0, 11.0, 9.5, 10.4], [12.0, 13.1, 11.2]
    found = compare_runs_of_sides(first, second)
    oracle = stats.ttest_ind(np.log(first), np.log(second), equal_var=False)
    interval = oracle.confidence_interval()
    assert found.p_value == pytest.approx(oracle.pvalue)
    assert found.ratio.low == pytest.approx(math.exp(interval.low))
    assert found.ratio.high == pytest.approx(math.exp(interval.high))


def test_side_with_a_single_run_borrows_the_scatter_of_the_other() -> None:
    first, second = [10.0, 11.0], [12.0]
    found = compare_runs_of_sides(first, second)
    variance = np.log(first).var(ddof=1)
    reach = stats.t.ppf(0.975, 1) * math.sqrt(variance * (1 / 2 + 1))
    assert found.freedom == 1
    assert found.ratio.estimate == pytest.approx(math.sqrt(110) / 12)
    assert math.log(found.ratio.high / found.ratio.estimate) == pytest.approx(reach)


def test_two_single_runs_without_repetition_tell_nothing() -> None:
    found = compare_runs_of_sides([10.0], [12.0])
    assert math.isnan(found.p_value)
    assert math.isnan(found.ratio.low)
    assert "scatter unknown" in found.ratio.note


def test_values_that_do_not_scatter_tell_nothing() -> None:
    level = estimate_level([5.0, 5.0, 5.0])
    found = compare_levels(level, level)
    assert math.isnan(found.p_value)
    assert "do not scatter" in found.ratio.note


@given(values, values, st.floats(1e-3, 1e3))
def test_ratio_does_not_depend_on_the_unit_and_turns_with_its_sides(
    first: list[float], second: list[float], unit: float
) -> None:
    one, other = estimate_level(first), estimate_level(second)
    if not one.variance + other.variance > 1e-12:
        return
    there, back = compare_levels(one, other), compare_levels(other, one)
    assert there.ratio.estimate * back.ratio.estimate == pytest.approx(1)
    assert there.ratio.low * back.ratio.high == pytest.approx(1)
    assert there.p_value == pytest.approx(back.p_value)
    scaled = compare_levels(
        estimate_level(np.multiply(first, unit)),
        estimate_level(np.multiply(second, unit)),
    )
    assert scaled.ratio.estimate == pytest.approx(there.ratio.estimate)
    assert scaled.ratio.low == pytest.approx(there.ratio.low, rel=1e-6)


@given(values, values)
def test_p_value_is_below_five_percent_exactly_when_the_interval_leaves_out_one(
    first: list[float], second: list[float]
) -> None:
    found = compare_levels(estimate_level(first), estimate_level(second))
    if math.isnan(found.p_value):
        return
    is_outside = not found.ratio.low <= 1 <= found.ratio.high
    assert is_outside == (found.p_value < 0.05) or found.p_value == pytest.approx(0.05)


def test_difference_within_what_matters_has_p_value_one() -> None:
    first, second = estimate_level([103, 104, 102]), estimate_level([100, 101, 99])
    assert compare_levels(first, second).p_value < 0.05
    assert compare_levels(first, second, limits=Limits(least_ratio=1.05)).p_value == 1


def test_sameness_is_the_greater_of_two_one_sided_tests_of_a_kept_library() -> None:
    first, second = np.array([0.0, 0.02, 0.01]), np.array([0.005, 0.03, -0.005])
    margin = math.log(1.05)
    wanted = max(
        stats.ttest_ind(
            first, second + sign * margin, equal_var=False, alternative=way
        ).pvalue
        for sign, way in ((1, "less"), (-1, "greater"))
    )
    limits = Limits(same_ratio=1.05)
    found = compare_runs_of_sides(np.exp(first), np.exp(second), limits=limits)
    assert found.p_same == pytest.approx(wanted)
    back = compare_runs_of_sides(np.exp(second), np.exp(first), limits=limits)
    assert back.p_same == pytest.approx(wanted)


@given(values, values, st.floats(1.001, 2.0))
def test_sameness_is_shown_exactly_when_the_interval_of_90_percent_is_within(
    first: list[float], second: list[float], ratio: float
) -> None:
    limits = Limits(confidence_percent=90.0, same_ratio=ratio)
    levels = estimate_level(first), estimate_level(second)
    found = compare_levels(*levels, limits=limits)
    if math.isnan(found.p_same) or found.p_same == pytest.approx(0.05):
        return
    is_within = 1 / ratio < found.ratio.low and found.ratio.high < ratio
    assert is_within == (found.p_same < 0.05)


def test_end_that_nothing_bounds_is_never_the_same() -> None:
    slower, faster = estimate_level([100, 100.1]), estimate_level([101, 101.1])
    endless = replace(faster, variance_above=math.nan)
    limits = Limits(same_ratio=2.0)
    assert compare_levels(faster, slower, limits=limits).p_same < 0.05
    for pair in ((endless, slower), (slower, endless)):
        assert compare_levels(*pair, limits=limits).p_same == 1.0


def test_pooled_scatter_is_a_floor_and_lends_freedom_to_tests_alone() -> None:
    quiet, noisy = [100.0, 100.1, 99.9], [100.0, 130.0, 75.0]
    pooled = pool_scatter([quiet, noisy])
    assert pooled is not None
    variances = [np.log(one).var(ddof=1) for one in (quiet, noisy)]
    assert pooled.variance == pytest.approx(np.mean(variances))
    assert pooled.freedom == pytest.approx(1.0)
    levels = [estimate_log_level(one, scatter=pooled) for one in (quiet, noisy)]
    assert levels[0].variance == pytest.approx(pooled.variance / 3)
    assert levels[1].variance == pytest.approx(variances[1] / 3)
    assert {level.freedom for level in levels} == {2.0}
    assert {level.test_freedom for level in levels} == {3.0}
    alone = pool_scatter([quiet])
    assert alone is not None
    assert estimate_log_level(quiet, scatter=alone).test_freedom == 2.0


def test_holm_equals_the_hand_computed_example_and_leaves_out_what_is_no_test() -> None:
    adjusted = adjust_by_holm([0.01, math.nan, 0.04, 0.03])
    assert adjusted[[0, 2, 3]].tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert math.isnan(adjusted[1])


def test_weights_share_the_error_and_holm_goes_on_with_what_is_left() -> None:
    """Half for the first, a quarter each for the others, then all of what is left."""
    adjusted = adjust_by_holm([0.02, 0.012, 0.03], weights=[0.5, 0.25, 0.25])
    assert adjusted.tolist() == pytest.approx([0.04, 0.04, 0.04])
    alone = adjust_by_holm([0.03, math.nan], weights=[0.1, 9.0])
    assert alone[0] == pytest.approx(0.03)


def test_false_discoveries_equal_the_hand_computed_example_and_weights_count() -> None:
    adjusted = adjust_by_benjamini_hochberg([0.01, math.nan, 0.02, 0.04])
    assert adjusted[[0, 2, 3]].tolist() == pytest.approx([0.03, 0.03, 0.04])
    assert math.isnan(adjusted[1])
    weighted = adjust_by_benjamini_hochberg([0.04, 0.04], weights=[3, 1])
    assert weighted[0] < 0.06 < weighted[1]
    assert np.isnan(adjust_by_benjamini_hochberg([math.nan])).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_lies_between_the_p_value_and_bonferroni(raw: list[float]) -> None:
    adjusted = adjust_by_holm(raw)
    assert (adjusted >= np.array(raw) - 1e-15).all()
    assert (adjusted <= np.minimum(1, len(raw) * np.array(raw)) + 1e-15).all()


def process(rng: np.random.Generator, shape: tuple[int, int], rho: float) -> np.ndarray:
    noise = rng.standard_normal(shape)
    for place in range(1, shape[1]):
        noise[:, place] *= math.sqrt(1 - rho**2)
        noise[:, place] += rho * noise[:, place - 1]
    return noise


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("n", [5, 12, 80])
def test_dependence_is_found_on_average_whatever_the_length(n: int, rho: float) -> None:
    rng = np.random.default_rng(3)
    series = process(rng, (24_000 // n, n), rho)
    assert estimate_dependence(series) == pytest.approx(rho, abs=0.05)


def test_dependence_of_too_few_values_is_not_told() -> None:
    rows = [[1.0, 2.0, 1.5, 1.2, 1.9]]
    assert math.isnan(estimate_dependence(rows))
    assert estimate_dependence(rows * (LEAST_FREEDOM // 4)) >= 0


def test_dependence_does_not_depend_on_level_or_scatter_of_its_series() -> None:
    rng = np.random.default_rng(4)
    series = process(rng, (30, 5), 0.5)
    moved = series * rng.uniform(0.1, 100, (30, 1)) + rng.uniform(5, 500, (30, 1))
    assert estimate_dependence(moved) == pytest.approx(estimate_dependence(series))


def test_geometric_level_is_that_of_logarithms() -> None:
    level = estimate_log_level([1.0, 4.0])
    assert math.exp(level.log_mean) == pytest.approx(2)
    assert level.variance == pytest.approx(math.log(4) ** 2 / 4)


UPWARDS = LevelEstimate(
    log_mean=1.0, variance=0.04, freedom=4.0, n_values=5, variance_above=0.25
)
DOWNWARDS = LevelEstimate(
    log_mean=0.0, variance=0.09, freedom=4.0, n_values=5, variance_above=0.16
)


def test_each_end_of_a_ratio_has_the_error_that_it_takes() -> None:
    # Down: 0.04 + 0.16 with 0.2^2 / (0.04^2 / 4 + 0.16^2 / 4) = 5.88 degrees of
    # freedom. Up: 0.25 + 0.09 with 0.34^2 / (0.25^2 / 4 + 0.09^2 / 4) = 6.55.
    found = compare_levels(UPWARDS, DOWNWARDS)
    down = stats.t(0.04 / (0.0016 / 4 + 0.0256 / 4)).ppf(0.975) * math.sqrt(0.2)
    up = stats.t(0.1156 / (0.0625 / 4 + 0.0081 / 4)).ppf(0.975) * math.sqrt(0.34)
    assert math.log(found.ratio.low) == pytest.approx(1 - down)
    assert math.log(found.ratio.high) == pytest.approx(1 + up)
    assert found.freedom == pytest.approx(0.04 / 0.0068)


def test_other_way_round_is_the_inverse() -> None:
    one, other = compare_levels(UPWARDS, DOWNWARDS), compare_levels(DOWNWARDS, UPWARDS)
    assert one.p_value == pytest.approx(other.p_value)
    assert one.ratio.low == pytest.approx(1 / other.ratio.high)
    assert one.ratio.high == pytest.approx(1 / other.ratio.low)


def test_open_end_counts_only_on_the_side_of_the_other() -> None:
    endless = replace(UPWARDS, variance_above=math.nan)
    slower = compare_levels(endless, DOWNWARDS)
    assert slower.ratio.high == math.inf
    assert slower.ratio.low == compare_levels(UPWARDS, DOWNWARDS).ratio.low
    faster = compare_levels(replace(endless, log_mean=-1.0), DOWNWARDS)
    assert math.isnan(faster.p_value)
    assert math.isnan(faster.ratio.low)
