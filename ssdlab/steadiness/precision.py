"""The precision of the reported window's numbers, and what more rounds add."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.stats.interval import Interval
from ssdlab.stats.kpss import assess_stationarity
from ssdlab.stats.more_rounds import rounds_to_halve
from ssdlab.stats.pelt import segment_series
from ssdlab.stats.trend import (
    NO_SCATTER,
    estimate_nonnegative_mean,
    fit_line,
    interval_of,
    line_design,
)
from ssdlab.steadiness.rules import PTS_RULE
from ssdlab.steadiness.series import RoundSeries
from ssdlab.steadiness.windows import summarise_fit

FloatArray = npt.NDArray[np.float64]
_FEWEST_STEADY, _FEWEST_FOR_DRIFT = 5, 4
NOTABLE_RATIO = 0.02  # of the level: how far an undetected slower drift may move it


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """The change of a level over some rounds, as a ratio of it."""

    rounds: str
    ratio: Interval

    @property
    def is_sure(self) -> bool:
        """Whether the interval excludes 0."""
        return self.ratio.low > 0 or self.ratio.high < 0

    @property
    def is_notable(self) -> bool:
        """Whether it is more than a fiftieth of the level."""
        return abs(self.ratio.estimate) > NOTABLE_RATIO


def find_drifts(series: RoundSeries, rule: str = PTS_RULE) -> tuple[Drift, ...]:
    """Return the drift of the level in the window, and since the last change.

    One for each part of four rounds or more; a single one if both parts are the same.
    """
    return tuple(
        Drift(rounds=words, ratio=_drift(values, called=f"{step}s"))
        for words, values, step in _parts(series, _window_of(series, rule))
        if len(values) >= _FEWEST_FOR_DRIFT
    )


def _drift(values: FloatArray, *, called: str) -> Interval:
    if not values.any():  # a ratio to 0
        return Interval(estimate=0.0, low=0.0, high=0.0, note=NO_SCATTER)
    across = (len(values) - 1) / float(values.mean())
    return interval_of(fit_line(values), [0.0, across], called=called)


def summarise_precision(series: RoundSeries, rule: str = PTS_RULE) -> pd.DataFrame:
    """Return the precision of the reported window, and what more rounds add."""
    rows = [
        {"rounds": words} | row
        for words, values, step in _parts(series, _window_of(series, rule))
        if len(values) >= _FEWEST_FOR_DRIFT
        for row in _precision_rows(values, step)
    ]
    names = ["rounds", "quantity", "unit", "estimate", "low", "high", "note"]
    return pd.DataFrame(rows, columns=names)


def _window_of(series: RoundSeries, rule: str) -> dict[int, float]:
    """Return the rounds and values of the window that a rule reports.

    For the PTS that is the run's own window; it is not judged again.
    """
    if rule != PTS_RULE or series.window is None:
        fit = summarise_fit(series, rule)
        return dict(zip(fit["round"].astype(int), fit["value"], strict=True))
    first, last = series.window
    sampled = {series.rounds[at]: series.measured[at] for at in series.samples()}
    return {at: value for at, value in sampled.items() if first <= at <= last}


def _parts(
    series: RoundSeries, reported: dict[int, float]
) -> list[tuple[str, FloatArray, str]]:
    """Return label, values and what one value is: window, then the last level."""
    since: tuple[int, ...] = ()
    if len(series.measured) >= _FEWEST_STEADY:
        since = series.rounds[segment_series(series.measured).starts[-1] :]
    window, values = tuple(reported), np.array(list(reported.values()))
    if window and window == since:
        words = f"{window[0]} - {window[-1]}, the window and since the last change"
        return [(words, values, "round")]
    parts = []
    if window:
        words = f"{window[0]} - {window[-1]}, the window"
        parts.append((words, values, series.counted))
    if since:
        words = f"{since[0]} - {since[-1]}, since the last change"
        parts.append((words, np.array(series.measured[-len(since) :]), "round"))
    return parts


def _precision_rows(values: FloatArray, step: str) -> list[dict[str, Any]]:
    line = fit_line(values)
    called = f"{step}s"
    mean = estimate_nonnegative_mean(values, called=called)
    slope = interval_of(line, [0.0, 1.0], called=called)
    error = float(line.combine([0.0, 1.0]).standard_error())
    centered = line_design(len(values))[:, 1]
    plain = _plain_error(values, centered)
    drift = _drift(values, called=called)
    test = assess_stationarity(values)
    return [
        _row("average", "value", mean),
        _row("slope", f"value per {step}", slope),
        _single("standard error of the slope", f"value per {step}", error)
        | {
            "note": f"independent {called} would have {plain / error:.2g} times as much"
            if error > 0
            else ""
        },
        _row(f"drift from first to last {step}", "ratio", drift),
        _single("KPSS: share of steady series as variable as this", "", test.p_value)
        | {"note": test.note},
        _row(
            f"more {called} to halve the interval of the average",
            called,
            rounds_to_halve(values, called=called),
        ),
    ]


def _plain_error(values: FloatArray, centered: FloatArray) -> float:
    """Return the standard error of the slope under independence."""
    squares = float(centered @ centered)
    slope = float(centered @ values) / squares
    rest = values - values.mean() - slope * centered
    return float(np.sqrt(rest @ rest / (len(values) - 2) / squares))


def _row(quantity: str, unit: str, interval: Interval) -> dict[str, Any]:
    return _single(quantity, unit, interval.estimate) | {
        "low": interval.low,
        "high": interval.high,
        "note": interval.note,
    }


def _single(quantity: str, unit: str, estimate: float) -> dict[str, Any]:
    return {"quantity": quantity, "unit": unit, "estimate": estimate, "note": ""}
