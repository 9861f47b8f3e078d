"""From which round a series is steady, by each rule and by change points."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.stats.interval import Interval
from ssdlab.stats.pelt import (
    BATCH,
    find_truncation,
    locate_last_change,
    segment_series,
)
from ssdlab.stats.trend import estimate_nonnegative_mean
from ssdlab.steadiness.phases import is_long_enough
from ssdlab.steadiness.rules import PTS_RULE, STEADY_RULES, SteadyRule
from ssdlab.steadiness.series import RoundSeries
from ssdlab.steadiness.windows import (
    find_reported_window,
    judge_windows_by_rule,
    take_rule_numbers,
)


def summarise_onsets(series: RoundSeries) -> pd.DataFrame:
    """Return from which round a series is steady, by each rule."""
    rows = [_by_rule(series, rule) for rule in STEADY_RULES.values()]
    rows += [_by_truncation(series), _by_segments(series)]
    frame = pd.DataFrame(rows, columns=_ONSET_COLUMNS)
    frame["difference_ratio"] = frame["level"] / frame["level"].iloc[0] - 1
    return frame


_ONSET_COLUMNS = [
    "rule",
    "title",
    "is_normative",
    "is_steady",
    "first_round",
    "first_low",
    "first_high",
    "decided_after",
    "level",
    "level_low",
    "level_high",
    "difference_ratio",
    "note",
]


def _by_rule(series: RoundSeries, rule: SteadyRule) -> dict[str, Any]:
    row: dict[str, Any] = {
        "rule": rule.name,
        "title": rule.title,
        "is_normative": rule.name == PTS_RULE,
        "is_steady": False,
    }
    if rule.takes_tkperf_numbers and not series.as_tkperf:
        return row | {"is_steady": None, "note": "TKperf has no such cell"}
    windows = judge_windows_by_rule(series, rule)
    if not windows:
        return row | {"note": "fewer rounds than a window needs"}
    if rule.name == PTS_RULE and not series.is_judged:
        return row | {"note": "the run judged no window of these rounds"}
    places, verdict = windows[find_reported_window(series, windows, rule)]
    is_joint = rule.name == PTS_RULE and series.window is not None
    if not (series.is_window_steady if is_joint else verdict.is_steady):
        return row | {"note": "no window is steady"}
    values = take_rule_numbers(series, rule)[places]
    level = estimate_nonnegative_mean(values, called=f"{series.counted}s")
    return (
        row
        | _onset(series, places, level)
        | {
            "decided_after": series.rounds[places[-1]],
        }
    )


def _by_truncation(series: RoundSeries) -> dict[str, Any]:
    row = {"rule": "mser-5", "title": "MSER-5", "is_normative": False}
    if len(series.measured) < 2 * BATCH:
        return row | {"is_steady": None, "note": f"fewer than {2 * BATCH} rounds"}
    cut = find_truncation(series.measured)
    row |= {"is_steady": cut.is_found, "note": cut.note}
    if not cut.is_found:
        return row
    places = np.arange(cut.dropped, len(series.measured))
    level = estimate_nonnegative_mean(np.array(series.measured)[places])
    onset = _onset(series, places, level)
    return row | onset | {"note": cut.note or level.note}


def _by_segments(series: RoundSeries) -> dict[str, Any]:
    row: dict[str, Any] = {"rule": "pelt", "title": "change points (PELT)"}
    row |= {"is_normative": False, "is_steady": False}
    values = np.array(series.measured)
    if not len(values):
        return row | {"note": "no rounds"}
    cut = segment_series(values)
    start = cut.starts[-1]
    if not is_long_enough(len(values) - start, len(values)):
        return row | {"note": "the level changed too late to be called steady"}
    places = np.arange(start, len(values))
    row |= _onset(series, places, estimate_nonnegative_mean(values[start:]))
    if len(cut.starts) > 1:
        change = locate_last_change(values, cut)
        row["first_low"] = series.rounds[int(change.low)]
        row["first_high"] = series.rounds[int(change.high)]
    return row


def _onset(
    series: RoundSeries, places: npt.NDArray[np.int64], level: Interval
) -> dict[str, Any]:
    return {
        "is_steady": True,
        "first_round": series.rounds[places[0]],
        "level": level.estimate,
        "level_low": level.low,
        "level_high": level.high,
        "note": level.note,
    }
