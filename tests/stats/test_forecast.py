"""Futures of a series that settles."""

import math

import numpy as np
import pytest

from ssdlab.stats.forecast import draw_futures, first_time


def test_futures_of_a_decay_go_on_to_its_level() -> None:
    rounds = np.arange(12)
    series = 100 * (1 + 1.5 * np.exp(-rounds / 3))
    series += np.random.default_rng(1).normal(0, 0.3, 12)
    futures = draw_futures(series, 20)
    assert futures.shape == (1000, 20)
    assert np.median(futures[:, -1]) == pytest.approx(100, abs=2)
    assert np.median(futures[:, 0]) == pytest.approx(
        100 * (1 + 1.5 * math.exp(-4)), abs=1
    )


def test_futures_are_the_same_with_the_same_seed_and_scale_with_the_unit() -> None:
    series = [9.0, 7, 6, 5.5, 5.2, 5.1, 5.3]
    first, again = (draw_futures(series, 5, seed=3) for _ in range(2))
    scaled = draw_futures([1000 * value for value in series], 5, seed=3)
    assert (first == again).all()
    assert np.median(scaled) == pytest.approx(1000 * np.median(first), rel=1e-6)
    assert (draw_futures(series, 5, seed=4) != first).any()


def test_futures_spread_the_farther_ahead() -> None:
    rng = np.random.default_rng(2)
    futures = draw_futures(100 + rng.normal(size=8), 20)
    wide = [np.subtract(*np.percentile(futures[:, at], [97.5, 2.5])) for at in (0, 19)]
    assert wide[1] > wide[0]


def test_fewer_than_four_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="4 rounds or more"):
        draw_futures([1.0, 2.0, 3.0], 5)


def test_first_time_counts_rounds_from_one() -> None:
    reached = np.zeros((100, 6), dtype=bool)
    reached[:, 2] = True
    found = first_time(reached)
    assert (found.low, found.estimate, found.high, found.note) == (3, 3, 3, "")


def test_first_time_is_open_where_futures_do_not_get_there() -> None:
    reached = np.zeros((100, 6), dtype=bool)
    reached[:90, 1] = True
    found = first_time(reached)
    assert (found.estimate, found.high) == (2, math.inf)
    assert found.note == "10 % of the futures need more than 6 rounds"
