"""Level, slope, last change point and forecasts of autocorrelated rounds."""

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from ssdlab.stats.forecast import draw_futures, first_time
from ssdlab.stats.interval import Interval
from ssdlab.stats.more_rounds import find_halving, rounds_to_halve
from ssdlab.stats.pelt import locate_last_change, segment_series
from ssdlab.stats.steady_state import assess_series, find_first_steady_round
from ssdlab.stats.trend import NOT_COVERED, estimate_mean, estimate_slope, expect_round
from ssdlab.steadiness.forecast import (
    TESTED_DECAYS,
    find_first_steady,
    forecast_steady_state,
)
from ssdlab.steadiness.series import RoundSeries
from tools.coverage_cases.case import CoverageCase, draw_noise

FloatArray = npt.NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], FloatArray]

_ONE, _TWO, _POWER, _OVER = TESTED_DECAYS
_HORIZON, _DRAWS, _WINDOW = 40, 400, 5
_SLOW_TRIALS = 200  # half a second each
_FEW_TRIALS = 300
_FEW_ROUNDS = "conservative: too few rounds to estimate the autocorrelation"
_BOUNDS = {
    5: (1.0, _FEW_ROUNDS),
    10: (1.0, _FEW_ROUNDS),
    15: (1.0, _FEW_ROUNDS),
    20: (0.975, "a little wide"),
    40: (0.975, "a little wide"),
}


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def _level(rng: np.random.Generator, *, count: int, autocorrelation: float) -> bool:
    return _holds(estimate_mean(100 + draw_noise(rng, count, autocorrelation)), 100.0)


def _slope(rng: np.random.Generator, *, count: int, autocorrelation: float) -> bool:
    line = 100 - 0.3 * np.arange(count)
    return _holds(estimate_slope(line + draw_noise(rng, count, autocorrelation)), -0.3)


def _level_of(rng: np.random.Generator, *, count: int, noise: Noise) -> bool:
    return _holds(estimate_mean(100 + noise(rng, count)), 100.0)


def _fresh(rng: np.random.Generator, *, count: int, autocorrelation: float) -> bool:
    """Tell whether a first round at the level of the window is not called a change."""
    series = 100 + draw_noise(rng, 20 + count, autocorrelation)
    return _holds(expect_round(series[-count:]), series[0])


def _two_states(rng: np.random.Generator, count: int) -> FloatArray:
    """Draw two states, each kept for another round with probability 0.9."""
    changes = rng.random(count) < 0.1
    state = rng.choice([-1.0, 1.0]) * (-1.0) ** np.cumsum(changes)
    return np.asarray(state + 0.3 * rng.standard_normal(count))


def _long_memory(rng: np.random.Generator, count: int) -> FloatArray:
    """Draw fractional Gaussian noise with a Hurst exponent of 0.85."""
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    powers = [np.abs(apart + step) ** 1.7 for step in (-1.0, 0.0, 1.0)]
    spread = (powers[0] - 2 * powers[1] + powers[2]) / 2
    return np.asarray(np.linalg.cholesky(spread) @ rng.standard_normal(count))


def _rare_drops(rng: np.random.Generator, count: int) -> FloatArray:
    """Draw independent noise; one round in 20 drops by 8 deviations."""
    return rng.standard_normal(count) - 8 * (rng.random(count) < 0.05) + 0.4


def _change(
    rng: np.random.Generator, *, count: int, autocorrelation: float, step: float
) -> bool | None:
    place = int(rng.integers(8, count - 8))
    series = 100 + draw_noise(rng, count, autocorrelation)
    series[:place] += step
    cut = segment_series(series)
    if len(cut.starts) < 2:
        return None
    return _holds(locate_last_change(series, cut), place)


def _uncut(rng: np.random.Generator, *, count: int, noise: Noise) -> bool:
    return len(segment_series(100 + noise(rng, count)).starts) == 1


def _stalls(rng: np.random.Generator, count: int) -> FloatArray:
    """Draw independent noise; one round in 50 drops by 10 deviations."""
    return rng.standard_normal(count) - 10 * (rng.random(count) < 0.02)


def _heavy_tails(rng: np.random.Generator, count: int) -> FloatArray:
    return rng.standard_t(3, count)


def _forecast(
    rng: np.random.Generator, *, count: int, level: Noise, noise: float
) -> bool | None:
    """Forecast the first steady round of a series that is not steady yet."""
    total = count + _HORIZON
    series = 100 * level(rng, total) + noise * rng.standard_normal(total)
    came = find_first_steady_round(series)
    if came is not None and came <= count:
        return None
    futures = draw_futures(series[:count], _HORIZON, draws=_DRAWS)
    known = np.tile(series[:count], (_DRAWS, 1))
    whole = np.concatenate([known, futures], axis=1)
    steady = assess_series(whole.ravel()).is_steady.reshape(whole.shape)
    steady[:, : _WINDOW - 1] = False
    truth = np.inf if came is None else came - count
    return _holds(first_time(steady[:, count:]), truth)


def _falling(_: np.random.Generator, count: int, *, time: float) -> FloatArray:
    """Return a decay from 2.5 times the level."""
    return np.asarray(1 + 1.5 * np.exp(-np.arange(count) / time))


def _two_phases(_: np.random.Generator, count: int) -> FloatArray:
    rounds = np.arange(count)
    return np.asarray(1 + 1.5 * np.exp(-rounds / 2) + np.exp(-rounds / 12))


def _any_two_phases(rng: np.random.Generator, count: int) -> FloatArray:
    """Draw a fast and a slow decay, so that no grid of decay times fits them all."""
    rounds = np.arange(count)
    fast, slow = rng.uniform(1, 3), rng.uniform(8, 20)
    heights = rng.uniform(1, 2), rng.uniform(0.5, 1.5)
    return np.asarray(
        1 + heights[0] * np.exp(-rounds / fast) + heights[1] * np.exp(-rounds / slow)
    )


def _power_law(_: np.random.Generator, count: int) -> FloatArray:
    return np.asarray(1 + 3 / (1 + np.arange(count) / 3))


def _overshoot(_: np.random.Generator, count: int) -> FloatArray:
    """Fall to six tenths and recover."""
    rounds = np.arange(count)
    return np.asarray(1 + 2.5 * np.exp(-rounds / 2) - 0.9 * np.exp(-rounds / 7))


def _halving(rng: np.random.Generator, *, count: int, autocorrelation: float) -> bool:
    """Continue a series until its interval is half as wide."""
    more, came = _forecast_halving(rng, count=count, autocorrelation=autocorrelation)
    return _holds(more, came)


def _soon_enough(
    rng: np.random.Generator, *, count: int, autocorrelation: float
) -> bool:
    more, came = _forecast_halving(rng, count=count, autocorrelation=autocorrelation)
    return came <= more.estimate


def _forecast_halving(
    rng: np.random.Generator, *, count: int, autocorrelation: float
) -> tuple[Interval, float]:
    whole = 100 + draw_noise(rng, 17 * count, autocorrelation)
    return rounds_to_halve(whole[:count]), find_halving(whole, count) - count


def _joint_forecast(rng: np.random.Generator, *, count: int) -> bool | None:
    """Forecast when three independent decays are steady at once."""
    total = count + _HORIZON
    whole = [_decaying(rng, total, decay) for decay in (1.0, 2.0, 4.0)]
    came = find_first_steady([_as_rounds(values) for values in whole])
    if came is not None and came <= count:
        return None
    known = [_as_rounds(values[:count]) for values in whole]
    row = forecast_steady_state(known, horizon=_HORIZON, after=count).iloc[-1]
    truth = np.inf if came is None else came - count
    return bool(row["more_low"] <= truth <= row["more_high"])


def _decaying(rng: np.random.Generator, total: int, decay: float) -> FloatArray:
    noise = 1 + 0.02 * draw_noise(rng, total, 0.3)
    return np.asarray(100 * (1 + 1.5 * np.exp(-np.arange(total) / decay)) * noise)


def _as_rounds(values: FloatArray) -> RoundSeries:
    return RoundSeries(
        test="iops",
        phase="rounds",
        tracking="made",
        metric="iops",
        rounds=tuple(range(1, len(values) + 1)),
        measured=tuple(values.tolist()),
    )


def _autocorrelated_cases() -> list[CoverageCase]:
    """Return the cases of level and slope over lengths and autocorrelations."""
    return [
        CoverageCase(
            statistic=name,
            case=f"autocorrelation {autocorrelation:g}",
            n=count,
            trial=partial(trial, count=count, autocorrelation=autocorrelation),
            high=_BOUNDS[count][0],
            note=_BOUNDS[count][1],
        )
        for name, trial in (("level of rounds", _level), ("slope of rounds", _slope))
        for count in _BOUNDS
        for autocorrelation in (-0.3, 0.0, 0.5, 0.8)
    ]


CASES = (
    *_autocorrelated_cases(),
    *(
        CoverageCase(
            statistic="level of rounds",
            case=words,
            n=25,
            trial=partial(_level_of, count=25, noise=noise),
            low=0.0,
            high=0.94,
            note="not claimed: not a first-order autoregressive process",
        )
        for words, noise in zip(
            NOT_COVERED, (_two_states, _long_memory, _rare_drops), strict=True
        )
    ),
    *(
        CoverageCase(
            statistic="no change from fresh is claimed of a level drive",
            case=f"autocorrelation {autocorrelation:g}",
            n=count,
            trial=partial(_fresh, count=count, autocorrelation=autocorrelation),
            high=1.0,
            note="conservative: wide enough for rounds that depend on each other",
        )
        for count in (5, 20)
        for autocorrelation in (0.0, 0.5, 0.8)
    ),
    *(
        CoverageCase(
            statistic="round of the last change",
            case=f"a step of {step} deviations, autocorrelation {autocorrelation:g}",
            n=count,
            trial=partial(
                _change, count=count, autocorrelation=autocorrelation, step=step
            ),
            high=1.0,
            note="conservative because of whole rounds",
        )
        for count in (25, 60)
        for autocorrelation in (0.0, 0.5)
        for step in (2, 3, 10)
    ),
    *(
        CoverageCase(
            statistic="no cut of a steady series",
            case=words,
            n=count,
            trial=partial(_uncut, count=count, noise=noise),
            low=0.95,
            high=1.0,
            note="at most one in 20 may be split",
        )
        for words, noise in (
            ("2 % of the rounds stall by 10 deviations", _stalls),
            ("Student's t of 3 degrees", _heavy_tails),
        )
        for count in (25, 60, 360)
    ),
    *(
        CoverageCase(
            statistic="rounds until steady, foretold",
            case=words,
            n=count,
            trial=partial(_forecast, count=count, level=level, noise=noise),
            high=1.0,
            note="wide if little of the end is seen; whole rounds",
            most_trials=_FEW_TRIALS,
        )
        for words, level, noise, counts in (
            (f"{_ONE} in 2 rounds", partial(_falling, time=2.0), 0.3, (6,)),
            (f"{_ONE} in 5 rounds", partial(_falling, time=5.0), 0.3, (8,)),
            (f"{_ONE} in 10 rounds", partial(_falling, time=10.0), 0.3, (12,)),
            (f"{_TWO} in 2 and 12 rounds", _two_phases, 1.5, (6, 8)),
            (f"{_TWO} in 1 to 3 and 8 to 20 rounds", _any_two_phases, 0.5, (6, 8)),
            (f"{_POWER} of 3 rounds", _power_law, 1.5, (6,)),
            (f"{_OVER} and back in 7 rounds", _overshoot, 1.5, (6,)),
        )
        for count in counts
    ),
    CoverageCase(
        statistic="rounds until three are steady at once, foretold",
        case="decays in 1, 2 and 4 rounds",
        n=6,
        trial=partial(_joint_forecast, count=6),
        most_trials=300,
        high=1.0,
        note="whole rounds; a decay that is barely visible is guessed",
    ),
    *(
        CoverageCase(
            statistic="more rounds that halve an interval",
            case=f"autocorrelation {autocorrelation:g}",
            n=count,
            trial=partial(_halving, count=count, autocorrelation=autocorrelation),
            high=1.0,
            note="the bounds are those of 39 futures",
            most_trials=_SLOW_TRIALS,
        )
        for count, autocorrelation in ((10, 0.5), (25, 0.0), (25, 0.5))
    ),
    *(
        CoverageCase(
            statistic="more rounds that halve an interval, the estimate enough",
            case=f"autocorrelation {autocorrelation:g}",
            n=25,
            trial=partial(_soon_enough, count=25, autocorrelation=autocorrelation),
            nominal=0.5,
            low=0.4,
            high=0.65,
            note="half of the series should need no more than the estimate",
            most_trials=_SLOW_TRIALS,
        )
        for autocorrelation in (0.0, 0.5)
    ),
)
