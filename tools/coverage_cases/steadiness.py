"""Level, slope, last change and forecast of rounds that are alike."""

from functools import partial

import numpy as np

from ssdlab.analysis.inference.change_points import locate_last_change, segment_series
from ssdlab.analysis.inference.forecast import draw_futures, first_time
from ssdlab.analysis.inference.interval import Interval
from ssdlab.analysis.inference.trend import estimate_mean, estimate_slope
from ssdlab.analysis.steady_state import assess_series, find_first_steady_round
from tools.coverage_cases.case import CoverageCase, draw_noise

_HORIZON, _DRAWS, _WINDOW = 40, 400, 5
_BOUNDS = {
    5: (0.85, 1.0, "five rounds do not tell how alike they are: said in the note"),
    10: (0.85, 1.0, "ten rounds hardly tell a strong autocorrelation"),
    20: (0.93, 0.975, "a little wide"),
    40: (0.93, 0.975, "a little wide"),
}


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def _level(rng: np.random.Generator, *, count: int, alike: float) -> bool:
    return _holds(estimate_mean(100 + draw_noise(rng, count, alike)), 100.0)


def _slope(rng: np.random.Generator, *, count: int, alike: float) -> bool:
    line = 100 - 0.3 * np.arange(count)
    return _holds(estimate_slope(line + draw_noise(rng, count, alike)), -0.3)


def _change(rng: np.random.Generator, *, count: int, alike: float) -> bool | None:
    place = count // 3
    series = 100 + draw_noise(rng, count, alike)
    series[:place] += 10
    cut = segment_series(series)
    if len(cut.starts) < 2:
        return None
    return _holds(locate_last_change(series, cut), place)


def _forecast(rng: np.random.Generator, *, count: int, decay: float) -> bool | None:
    """Foretell the first steady round of a decay that is not steady yet."""
    total = count + _HORIZON
    noise = 1 + 0.02 * draw_noise(rng, total, 0.3)
    series = 100 * (1 + 1.5 * np.exp(-np.arange(total) / decay)) * noise
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


def _alike_cases() -> list[CoverageCase]:
    """Return the cases of level and slope over lengths and autocorrelations."""
    return [
        CoverageCase(
            statistic=name,
            case=f"autocorrelation {alike:g}",
            n=count,
            trial=partial(trial, count=count, alike=alike),
            low=_BOUNDS[count][0],
            high=_BOUNDS[count][1],
            note=_BOUNDS[count][2],
        )
        for name, trial in (("level of rounds", _level), ("slope of rounds", _slope))
        for count in _BOUNDS
        for alike in (-0.3, 0.0, 0.5, 0.8)
    ]


CASES = (
    *_alike_cases(),
    *(
        CoverageCase(
            statistic="round of the last change",
            case=f"a step of 10 deviations, autocorrelation {alike:g}",
            n=count,
            trial=partial(_change, count=count, alike=alike),
            high=1.0,
            note="whole rounds cannot be cut to 95 %",
        )
        for count in (25, 60)
        for alike in (0.0, 0.5)
    ),
    *(
        CoverageCase(
            statistic="rounds until steady, foretold",
            case=f"decay in {decay:g} rounds",
            n=count,
            trial=partial(_forecast, count=count, decay=decay),
            low=0.89,
            high=1.0,
            note="whole rounds; a decay of which little is seen is guessed",
        )
        for count, decay in ((6, 2.0), (6, 5.0), (8, 5.0), (8, 10.0), (12, 10.0))
    ),
)
