"""The test of Kwiatkowski and others, and where it is weak."""

import math

import numpy as np
import pytest

from ssdlab.stats.kpss import (
    TOO_SHORT,
    WEAKNESS,
    assess_stationarity,
    share_above,
)
from tools.coverage_cases.case import draw_noise


def test_statistic_by_hand_without_lags() -> None:
    """1 2 3 4: paths -1.5 -2 -1.5 0, squares 8.5; variance 5; 8.5 / (4 x 5)."""
    assert assess_stationarity([1.0, 2, 3, 4], lags=0).statistic == pytest.approx(0.425)


def test_statistic_by_hand_with_a_lag() -> None:
    """The lag adds 2 x 1/2 x (0.75 - 0.25 + 0.75) = 1.25 to the variance of 5."""
    found = assess_stationarity([1.0, 2, 3, 4], lags=1).statistic
    assert found == pytest.approx(8.5 / (4 * 6.25))


@pytest.mark.parametrize(
    ("statistic", "share"),
    [(0.34730, 0.10), (0.46136, 0.05), (0.58061, 0.025), (0.74346, 0.01)],
    ids=str,
)
def test_critical_values_are_the_published_ones(statistic: float, share: float) -> None:
    assert share_above(statistic) == pytest.approx(share, abs=2e-4)


def test_share_falls_from_one_to_nothing() -> None:
    shares = [share_above(s) for s in (0, 0.01, 0.05, 0.2, 1, 3)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1
    assert shares[-1] < 1e-4


def test_false_alarms_are_about_as_many_as_asked_for() -> None:
    rng = np.random.default_rng(9)
    alarms = [
        assess_stationarity(draw_noise(rng, 100, 0.0)).p_value < 0.05
        for _ in range(600)
    ]
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.03)


def test_long_drift_is_seen() -> None:
    rng = np.random.default_rng(1)
    drifting = draw_noise(rng, 60, 0.0) - 0.1 * np.arange(60)
    assert assess_stationarity(drifting).p_value < 0.01


def test_large_transient_passes_and_the_note_says_so() -> None:
    rng = np.random.default_rng(1)
    series = 100 + draw_noise(rng, 25, 0.0)
    series[:2] += 300
    found = assess_stationarity(series)
    assert found.p_value > 0.05
    assert "large transient passes" in found.note
    assert found.note == WEAKNESS


def test_few_rounds_tell_nothing_and_the_note_says_so() -> None:
    """Even a straight line without noise passes at 5 % until there are enough."""
    found = [assess_stationarity(np.arange(count)) for count in (5, 10, 11, 20)]
    assert [one.p_value > 0.05 for one in found] == [True, True, False, False]
    assert [one.note == TOO_SHORT for one in found] == [True, True, False, False]


def test_strongly_alike_rounds_alarm_in_a_quarter_of_steady_series() -> None:
    rng = np.random.default_rng(9)
    alarms = [
        assess_stationarity(draw_noise(rng, 40, 0.8)).p_value < 0.05 for _ in range(400)
    ]
    assert np.mean(alarms) == pytest.approx(0.26, abs=0.08)


def test_constant_series_is_stationary() -> None:
    assert assess_stationarity([5.0] * 9).p_value == 1


@pytest.mark.parametrize("values", [[1.0, 2.0], [1.0, 2.0, math.nan]])
def test_missing_values_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="without missing values"):
        assess_stationarity(values)
