"""Changes of level: exact against every segmentation, and rare where there is none."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.stats.pelt import (
    Segmentation,
    estimate_noise,
    hold_stalls,
    locate_last_change,
    segment_series,
)
from tools.coverage_cases.case import draw_noise


def cost_of(values: np.ndarray, starts: tuple[int, ...], penalty: float) -> float:
    bounds = pairwise((*starts, len(values)))
    parts = [values[first:last] for first, last in bounds]
    within = float(sum(len(part) * part.var() for part in parts))
    return within + penalty * (len(parts) - 1)


def best_by_dynamic_programme(values: np.ndarray, penalty: float, fewest: int) -> float:
    """The least cost of all segmentations, each looked at."""
    count = len(values)
    best = [-penalty] + [math.inf] * count
    for end in range(fewest, count + 1):
        for start in range(end - fewest + 1):
            part = values[start:end]
            cost = best[start] + len(part) * part.var() + penalty
            best[end] = min(best[end], cost)
    return best[count]


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.integers(0, 20), min_size=4, max_size=24),
    st.sampled_from([0.5, 3.0, 20.0]),
    st.integers(1, 4),
)
def test_search_finds_the_least_cost_of_all(
    whole: list[int], penalty: float, fewest: int
) -> None:
    values = np.array(whole, dtype=float)
    found = segment_series(values, penalty=penalty, fewest=fewest)
    values = hold_stalls(values, found.noise)
    lengths = [last - first for first, last in found.bounds]
    assert min(lengths) >= fewest
    assert sum(lengths) == len(values)
    assert cost_of(values, found.starts, penalty) == pytest.approx(
        best_by_dynamic_programme(values, penalty, fewest), abs=1e-8
    )


def test_hand_computed_cut() -> None:
    """One step of 4: the cost falls from 4 x 2^2 + 4 x 2^2 = 32 to the penalty."""
    values = [9.0, 9, 9, 9, 5, 5, 5, 5]
    assert segment_series(values, penalty=31.0).starts == (0, 4)
    assert segment_series(values, penalty=33.0).starts == (0,)


@settings(deadline=None, max_examples=25)
@given(st.floats(0.01, 1e5), st.floats(-100, 1e4))
def test_cut_does_not_depend_on_unit_and_level(unit: float, shift: float) -> None:
    rng = np.random.default_rng(2)
    values = draw_noise(rng, 30, 0.2)
    values[:9] += 8
    assert (
        segment_series(values).starts == segment_series(unit * (values + shift)).starts
    )


@pytest.mark.parametrize(
    ("alike", "most"), [(0.0, 0.05), (0.3, 0.10), (0.5, 0.20)], ids=str
)
def test_steady_series_are_seldom_cut(alike: float, most: float) -> None:
    rng = np.random.default_rng(8)
    cut = [
        len(segment_series(draw_noise(rng, 25, alike)).starts) > 1 for _ in range(300)
    ]
    assert np.mean(cut) <= most


@pytest.mark.parametrize("far", [-50.0, -10.0, 10.0, 1e6])
def test_lone_stalls_are_no_change_of_level(far: float) -> None:
    values = 100 + draw_noise(np.random.default_rng(3), 60, 0.0)
    assert segment_series(values).starts == (0,)
    values[[0, 17, 30, 31, 59]] += far
    assert segment_series(values).starts == (0,)


@pytest.mark.parametrize("at", [0, 20, 57])
def test_level_of_three_rounds_is_no_stall(at: int) -> None:
    values = 100 + draw_noise(np.random.default_rng(3), 60, 0.0)
    values[at : at + 3] -= 30
    assert {at, min(at + 3, 60)} <= {*segment_series(values).starts, 60}


def test_stalls_are_held_by_hand() -> None:
    """The medians of five are 5 5 5 5 4 1 1 1, the ends being mirrored."""
    values = np.array([5.0, 5, 5, 90, 5, 1, 1, 1])
    assert hold_stalls(values, 2.0).tolist() == [5.0, 5, 5, 11, 5, 1, 1, 1]
    assert hold_stalls(values[:4], 2.0).tolist() == [5.0, 5, 5, 90]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(0, 1e3))
def test_held_values_are_nearer_and_what_is_near_stays(
    whole: list[float], noise: float
) -> None:
    values = np.array(whole)
    held = hold_stalls(values, noise)
    assert held.shape == values.shape
    assert (held >= values.min()).all()
    assert (held <= values.max()).all()
    if np.ptp(values) <= 3 * noise:
        assert (held == values).all()
    assert hold_stalls(-values, noise) == pytest.approx(-held)


def test_great_step_is_found_where_it_is() -> None:
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(100):
        values = draw_noise(rng, 25, 0.3)
        values[:8] += 10
        hits += segment_series(values).starts[-1] == 8
    assert hits >= 90


@pytest.mark.parametrize("alike", [0.0, 0.5])
def test_noise_is_that_which_a_mean_feels(alike: float) -> None:
    rng = np.random.default_rng(6)
    found = np.median([estimate_noise(draw_noise(rng, 400, alike)) for _ in range(40)])
    assert found == pytest.approx(math.sqrt((1 + alike) / (1 - alike)), rel=0.15)


def test_trend_is_no_noise() -> None:
    rng = np.random.default_rng(7)
    noise = draw_noise(rng, 60, 0.0)
    steep = noise + 5 * np.arange(60)
    assert estimate_noise(steep) == pytest.approx(estimate_noise(noise), rel=1e-6)


def test_short_or_constant_series_is_one_segment() -> None:
    assert segment_series([5.0]).starts == (0,)
    assert segment_series([5.0] * 40).starts == (0,)


def test_last_change_of_a_clear_step_is_sure() -> None:
    values = [9.0, 9.1, 8.9, 9.0, 8.9, 9.1, 5.0, 5.1, 4.9, 5.0, 5.1, 4.9]
    cut = segment_series(values)
    change = locate_last_change(values, cut)
    assert (change.low, change.estimate, change.high) == (6, 6, 6)


def test_stall_does_not_move_the_last_change() -> None:
    values = 100 + draw_noise(np.random.default_rng(5), 60, 0.0)
    values[:20] += 10
    values[[12, 45]] -= 60
    change = locate_last_change(values, segment_series(values))
    assert (change.low, change.estimate, change.high) == (20, 20, 20)


def test_changes_before_the_last_do_not_widen_it() -> None:
    values = 100 + draw_noise(np.random.default_rng(5), 60, 0.0)
    values[:20] += 40
    values[:40] += 10
    cut = segment_series(values)
    assert cut.starts == (0, 20, 40)
    change = locate_last_change(values, cut)
    assert (change.low, change.estimate, change.high) == (40, 40, 40)


def test_last_change_of_three_values_may_be_anywhere() -> None:
    cut = Segmentation(starts=(0, 2), count=3, noise=1.0, penalty=1.0)
    change = locate_last_change([5.0, 5.0, 1.0], cut)
    assert (change.low, change.estimate, change.high) == (1, 2, 2)


def test_small_step_is_less_sure_than_a_great_one() -> None:
    values = draw_noise(np.random.default_rng(12), 40, 0.0) / 2
    cut = Segmentation(starts=(0, 20), count=40, noise=0.5, penalty=1.0)
    widths = []
    for step in (0.4, 4.0):
        change = locate_last_change(values - step * (np.arange(40) >= 20), cut)
        widths.append(change.high - change.low)
    assert widths[0] > widths[1] + 3


def test_series_without_a_change_has_none_to_locate() -> None:
    with pytest.raises(ValueError, match="has no change"):
        locate_last_change([1.0, 1.0], segment_series([1.0, 1.0]))


@pytest.mark.parametrize("values", [[], [1.0, math.inf]])
def test_missing_values_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="without missing values"):
        segment_series(values)
