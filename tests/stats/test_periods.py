"""Periods: by hand, by a wave of known truth, and seldom where there is none."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import floats

from ssdlab.stats.periods import LEAST_VALUES, Period, find_period

Made = Callable[[np.random.Generator, int], np.ndarray]


def wave(
    seconds: np.ndarray, period_s: float, amplitude: float, scatter: float = 20
) -> np.ndarray:
    rng = np.random.default_rng(5)
    noise = rng.normal(1000, scatter, len(seconds))
    return np.asarray(amplitude * np.sin(2 * np.pi * seconds / period_s + 1) + noise)


@pytest.mark.parametrize("period_s", [3.7, 20.0, 61.3])
def test_wave_is_found_with_its_period_and_its_amplitude(period_s: float) -> None:
    seconds = np.arange(600.0)
    found = find_period(seconds, wave(seconds, period_s, 40))
    assert found is not None
    assert found.p_value < 1e-3
    assert found.period_s == pytest.approx(period_s, rel=0.01)
    assert found.amplitude == pytest.approx(40, rel=0.1)


def test_trend_is_no_period() -> None:
    seconds = np.arange(600.0)
    rng = np.random.default_rng(6)
    found = find_period(seconds, 5000 - 5 * seconds + rng.normal(0, 20, 600))
    assert found is not None
    assert found.p_value > 0.05


def test_times_need_not_be_even() -> None:
    """Rounds of 60 s with pauses of 0.4 s between them."""
    seconds = np.arange(900.0) + 0.4 * (np.arange(900) // 60)
    found = find_period(seconds, wave(seconds, 33.0, 40))
    assert found is not None
    assert found.period_s == pytest.approx(33.0, rel=0.01)


def test_period_of_the_steps_does_not_count() -> None:
    seconds = np.arange(900.0)
    series = np.where(seconds % 60 < 2, 600.0, 1000.0)
    series = series + np.random.default_rng(7).normal(0, 10, 900)
    naive = find_period(seconds, series)
    assert naive is not None
    assert naive.p_value < 0.01
    known = find_period(seconds, series, own_s=60.0)
    assert known is not None
    assert known.p_value > 0.05


def test_wave_beside_the_steps_is_found() -> None:
    seconds = np.arange(900.0)
    series = wave(seconds, 23.0, 40) - 300 * (seconds % 60 < 1)
    found = find_period(seconds, series, own_s=60.0)
    assert found is not None
    assert found.period_s == pytest.approx(23.0, rel=0.01)


def test_long_series_are_averaged() -> None:
    seconds = np.arange(20_000.0)
    found = find_period(seconds, wave(seconds, 300.0, 10))
    assert found is not None
    assert found.period_s == pytest.approx(300, rel=0.01)
    assert found.amplitude == pytest.approx(10, rel=0.1)


def test_short_and_constant_series_tell_nothing() -> None:
    seconds = np.arange(float(LEAST_VALUES - 1))
    assert find_period(seconds, wave(seconds, 10, 40)) is None
    assert find_period([], []) is None
    assert find_period(np.arange(400.0), np.full(400, 7.0)) is None


@given(floats(0.1, 1e4), floats(1, 1e4))
def test_mean_of_a_sine_is_off_by_no_more_than_the_formula(
    period_s: float, seconds: float
) -> None:
    one = Period(period_s=period_s, amplitude=3.0, p_value=0.0)
    begins = np.linspace(0, period_s, 50)
    turn = 2 * np.pi / period_s
    means = (np.cos(turn * begins) - np.cos(turn * (begins + seconds))) / turn / seconds
    most = 3.0 * float(np.abs(means).max())
    assert most <= one.phase_effect(seconds) + 1e-6
    assert one.phase_effect(seconds) <= 3.0 + 1e-9


def _correlated(phi: float) -> Made:
    def make(rng: np.random.Generator, count: int) -> np.ndarray:
        noise, values = rng.normal(size=count + 300), np.zeros(count + 300)
        for place in range(1, count + 300):
            values[place] = phi * values[place - 1] + noise[place]
        return values[300:]

    return make


def _noisy(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.asarray(_correlated(0.9)(rng, count) + 1.5 * rng.normal(size=count))


def _two_states(rng: np.random.Generator, count: int) -> np.ndarray:
    state = np.cumsum(rng.random(count) < 0.05) % 2
    return np.asarray(3 * state + rng.normal(size=count))


def _spikes(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.asarray(rng.normal(size=count) - 50 * (rng.random(count) < 0.02))


@pytest.mark.simulation
@pytest.mark.parametrize(
    "make",
    [
        _correlated(0.0),
        _correlated(0.6),
        _correlated(0.95),
        _noisy,
        _two_states,
        _spikes,
    ],
)
@pytest.mark.parametrize("count", [300, 1200])
def test_noise_is_periodic_in_at_most_one_of_twenty(make: Made, count: int) -> None:
    rng = np.random.default_rng(21)
    times = np.arange(float(count))
    tries = 60_000 // count
    found = [find_period(times, make(rng, count)) for _ in range(tries)]
    alarms = sum(one is not None and one.p_value < 0.05 for one in found)
    assert alarms <= 0.05 * tries + 3 * math.sqrt(0.05 * tries)
