"""The windows of a series by a rule, and the precision of their means and drifts."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.stats.steady_state import assess_steady_state
from ssdlab.stats.trend import (
    estimate_nonnegative_mean,
    fit_line,
    interval_of,
    line_design,
)
from ssdlab.stats.window_verdict import SteadyStateVerdict
from ssdlab.steadiness.rules import PTS_RULE, SteadyRule, find_steady_rule
from ssdlab.steadiness.series import RoundSeries

FloatArray = npt.NDArray[np.float64]
Judged = list[tuple[npt.NDArray[np.int64], SteadyStateVerdict]]


def judge_windows_by_rule(series: RoundSeries, rule: SteadyRule) -> Judged:
    """Judge every window of a series by a rule; none spans a gap.

    Return the positions of each window's rounds, and its verdict; its line counts
    rounds, or samples as the table ``windows`` does. Empty if the rule has no numbers.
    """
    values = take_rule_numbers(series, rule)
    places = series.samples() if len(values) else np.zeros(0, dtype=np.int64)
    width = rule.criteria.window_rounds
    found = []
    for end in range(width, len(places) + 1):
        chosen = places[end - width : end]
        if not _is_whole(series, chosen):
            continue
        first = series.rounds[chosen[0]]
        number = (first - series.first_sample) // series.sample_every + 1
        verdict = assess_steady_state(
            values[chosen],
            rule.criteria,
            first_round=number if series.sample_every > 1 else first,
        )
        found.append((chosen, verdict))
    return found


def take_rule_numbers(series: RoundSeries, rule: SteadyRule) -> FloatArray:
    """Return the numbers that a rule is applied to.

    These are the measured ones, or those that TKperf would have taken; empty if none.
    """
    taken = series.as_tkperf if rule.takes_tkperf_numbers else series.measured
    return np.array(taken, dtype=np.float64)


def _is_whole(series: RoundSeries, places: npt.NDArray[np.int64]) -> bool:
    """Return whether a window has no gap inside and no missing round."""
    first, last = series.rounds[places[0]], series.rounds[places[-1]]
    if last - first != (len(places) - 1) * series.sample_every:
        return False
    return not any(first < start <= last for start in series.segment_starts)


def find_reported_window(series: RoundSeries, judged: Judged, rule: SteadyRule) -> int:
    """Return the position of the window whose mean the rule reports.

    For the rule of the PTS, which waits for all tracking variables at once, that is the
    run's own; else the first steady one; else the last.
    """
    if rule.name == PTS_RULE and series.window:
        for place, (places, _) in enumerate(judged):
            if (series.rounds[places[0]], series.rounds[places[-1]]) == series.window:
                return place
    steady = [place for place, (_, verdict) in enumerate(judged) if verdict.is_steady]
    return steady[0] if steady else len(judged) - 1


def summarise_windows(series: RoundSeries, rule: str = PTS_RULE) -> pd.DataFrame:
    """Judge every window by a rule, and add the intervals of its mean and drift."""
    chosen = find_steady_rule(rule)
    judged = judge_windows_by_rule(series, chosen)
    reported = find_reported_window(series, judged, chosen)
    rows = [
        _window_row(series, chosen, places, verdict=verdict)
        | {"is_reported": place == reported}
        for place, (places, verdict) in enumerate(judged)
    ]
    frame = pd.DataFrame(rows, columns=_WINDOW_COLUMNS)
    average = frame.loc[frame["is_reported"].astype(bool), "average"]
    if len(average):
        frame["difference_ratio"] = frame["average"] / average.iloc[0] - 1
    return frame


_WINDOW_COLUMNS = [
    "window_first_round",
    "window_last_round",
    "average",
    "range_ratio",
    "slope_ratio",
    "is_steady",
    "reason",
    "mean_low",
    "mean_high",
    "drift_ratio",
    "drift_low",
    "drift_high",
    "is_reported",
    "difference_ratio",
    "note",
]


def _window_row(
    series: RoundSeries,
    rule: SteadyRule,
    places: npt.NDArray[np.int64],
    *,
    verdict: SteadyStateVerdict,
) -> dict[str, Any]:
    values = take_rule_numbers(series, rule)[places]
    row = {
        "window_first_round": series.rounds[places[0]],
        "window_last_round": series.rounds[places[-1]],
        "average": verdict.average,
        "range_ratio": verdict.range_ratio,
        "slope_ratio": verdict.slope_ratio,
        "is_steady": verdict.is_steady,
        "reason": verdict.reason,
        "difference_ratio": np.nan,
    }
    if not np.isfinite(values).all():
        return row | {"note": "values are missing"}
    mean = estimate_nonnegative_mean(values, called=f"{series.counted}s")
    drift = interval_of(fit_line(values), [0.0, len(values) - 1.0])
    return row | {
        "mean_low": mean.low,
        "mean_high": mean.high,
        "drift_ratio": drift.estimate / mean.estimate,
        "drift_low": drift.low / mean.estimate,
        "drift_high": drift.high / mean.estimate,
        "note": mean.note,
    }


def summarise_fit(series: RoundSeries, rule: str = PTS_RULE) -> pd.DataFrame:
    """Return the reported window's values, its fitted line and the line's interval."""
    chosen = find_steady_rule(rule)
    judged = judge_windows_by_rule(series, chosen)
    if not judged:
        return pd.DataFrame(columns=_FIT_COLUMNS)
    places, verdict = judged[find_reported_window(series, judged, chosen)]
    values = take_rule_numbers(series, chosen)[places]
    line = np.linspace(verdict.fit_first, verdict.fit_last, len(places))
    mixture = fit_line(values).combine(line_design(len(places)))
    return pd.DataFrame({
        "round": [series.rounds[place] for place in places],
        "value": values,
        "average": verdict.average,
        "fit": line,
        "fit_low": mixture.quantile(0.025),
        "fit_high": mixture.quantile(0.975),
        "residual": values - line,
    })[_FIT_COLUMNS]


_FIT_COLUMNS = ["round", "value", "average", "fit", "fit_low", "fit_high", "residual"]
