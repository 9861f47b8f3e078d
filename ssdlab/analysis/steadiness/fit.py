"""How steady a series of rounds is: windows by a rule, and what lies beyond the rule.

The verdict of the PTS is that of its rule alone. Everything else here is advice that
stands beside it, each number with its interval.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.analysis.inference.change_points import locate_last_change, segment_series
from ssdlab.analysis.inference.interval import Interval
from ssdlab.analysis.inference.onset import BATCH, find_truncation
from ssdlab.analysis.inference.stationarity import assess_stationarity
from ssdlab.analysis.inference.trend import (
    estimate_mean,
    fit_line,
    interval_of,
    line_design,
    rounds_to_halve,
)
from ssdlab.analysis.steadiness.rules import (
    PTS_RULE,
    STEADY_RULES,
    SteadyRule,
    find_steady_rule,
)
from ssdlab.analysis.steadiness.series import RoundSeries
from ssdlab.analysis.steady_state import SteadyStateVerdict, assess_steady_state

FOB, TRANSITION, STEADY, UNSETTLED = "FOB", "transition", "steady", "not settled"

FloatArray = npt.NDArray[np.float64]
Judged = list[tuple[npt.NDArray[np.int64], SteadyStateVerdict]]

_FEWEST_STEADY = 5
_STEADY_SHARE = 0.25  # of all rounds, that the last segment holds if it is steady


def judge_windows_by_rule(series: RoundSeries, rule: SteadyRule) -> Judged:
    """Judge every window of a series by a rule; none spans a gap.

    Parameters
    ----------
    series : RoundSeries
        The series; only its samples count.
    rule : SteadyRule
        The rule.

    Returns
    -------
    list of tuple
        The places of each window's rounds, and its verdict; its line counts rounds,
        or samples as the table ``windows`` does. Empty if the rule has no numbers.
    """
    values = _numbers(series, rule)
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


def _numbers(series: RoundSeries, rule: SteadyRule) -> FloatArray:
    """Return the numbers that a rule is asked of."""
    taken = series.as_tkperf if rule.takes_tkperf_numbers else series.measured
    return np.array(taken, dtype=np.float64)


def _is_whole(series: RoundSeries, places: npt.NDArray[np.int64]) -> bool:
    """Tell whether no gap lies inside a window, and no round of it is missing."""
    first, last = series.rounds[places[0]], series.rounds[places[-1]]
    if last - first != (len(places) - 1) * series.sample_every:
        return False
    return not any(first < start <= last for start in series.segment_starts)


def summarise_windows(series: RoundSeries, rule: str = PTS_RULE) -> pd.DataFrame:
    """Judge every window by a rule, and tell what its mean and drift are worth.

    Parameters
    ----------
    series : RoundSeries
        The series.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule.

    Returns
    -------
    pandas.DataFrame
        One row a window, the earliest first: its first and last round, ``average``,
        ``range_ratio``, ``slope_ratio``, ``is_steady`` and ``reason`` of the rule;
        ``mean_low`` and ``mean_high``, the interval of the level;
        ``drift_ratio`` with ``drift_low`` and ``drift_high``, what the level gains or
        loses in one more window [ratio of the average]; ``is_reported``, the window
        whose mean the rule reports; ``difference_ratio`` to that mean; and ``note``
        on the intervals.

    Examples
    --------
    >>> rounds = (150.0, 100.0, 101.0, 99.0, 100.0, 100.0)
    >>> series = RoundSeries(test="iops", phase="rounds", tracking="RND 4 KiB 0/100",
    ...     metric="iops", rounds=(1, 2, 3, 4, 5, 6), measured=rounds)
    >>> summarise_windows(series)["is_steady"].tolist()
    [False, True]
    """
    chosen = find_steady_rule(rule)
    judged = judge_windows_by_rule(series, chosen)
    reported = _reported_place(series, judged, chosen)
    rows = [
        _window_row(series, places, verdict) | {"is_reported": place == reported}
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


def _reported_place(series: RoundSeries, judged: Judged, rule: SteadyRule) -> int:
    """Return the place of the window whose mean the rule reports.

    That is the run's own where the rule is the PTS's, which waits for all tracking
    variables at once; else the first steady one; else the last.
    """
    if rule.name == PTS_RULE and series.window:
        for place, (places, _) in enumerate(judged):
            if (series.rounds[places[0]], series.rounds[places[-1]]) == series.window:
                return place
    steady = [place for place, (_, verdict) in enumerate(judged) if verdict.is_steady]
    return steady[0] if steady else len(judged) - 1


def _window_row(
    series: RoundSeries, places: npt.NDArray[np.int64], verdict: SteadyStateVerdict
) -> dict[str, Any]:
    values = np.array(series.measured)[places]
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
    mean = estimate_mean(values)
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
    """Return the reported window's values, its fitted line and what the line is worth.

    Parameters
    ----------
    series : RoundSeries
        The series.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule that chooses the window.

    Returns
    -------
    pandas.DataFrame
        One row a round of the window, none without a window: ``round``, ``value``,
        ``average``, ``fit`` on the least-squares line, ``fit_low`` and ``fit_high``,
        the 95 % interval of the true line there, ``residual``.

    Notes
    -----
    The line is the one of the rule. Its interval allows for autocorrelation, so its
    middle may differ from the line by a little; it is moved to enclose it.
    """
    chosen = find_steady_rule(rule)
    judged = judge_windows_by_rule(series, chosen)
    if not judged:
        return pd.DataFrame(columns=_FIT_COLUMNS)
    places, verdict = judged[_reported_place(series, judged, chosen)]
    values = _numbers(series, chosen)[places]
    line = np.linspace(verdict.fit_first, verdict.fit_last, len(places))
    mixture = fit_line(values).combine(line_design(len(places)))
    return pd.DataFrame({
        "round": [series.rounds[place] for place in places],
        "value": values,
        "average": verdict.average,
        "fit": line,
        "fit_low": np.minimum(line, mixture.quantile(0.025)),
        "fit_high": np.maximum(line, mixture.quantile(0.975)),
        "residual": values - line,
    })[_FIT_COLUMNS]


_FIT_COLUMNS = ["round", "value", "average", "fit", "fit_low", "fit_high", "residual"]


def summarise_phases(series: RoundSeries) -> pd.DataFrame:
    """Cut a series where its level changes, and name the parts.

    Parameters
    ----------
    series : RoundSeries
        The series; every round counts, samples or not.

    Returns
    -------
    pandas.DataFrame
        One row a part: ``phase`` (FOB, transition, steady, not settled), first and
        last round, ``rounds``, ``level`` with ``level_low`` and ``level_high``, and
        ``note``. The last part is steady if it has five rounds and a quarter of all,
        and the first of a write saturation is that of the fresh drive.
    """
    values = np.array(series.measured)
    if not len(values):
        return pd.DataFrame(columns=_PHASE_COLUMNS)
    cut = segment_series(values)
    last = len(cut.bounds) - 1
    rows = []
    for place, (start, end) in enumerate(cut.bounds):
        level = estimate_mean(values[start:end])
        phase = TRANSITION
        if place == last:
            phase = STEADY if _is_long(end - start, len(values)) else UNSETTLED
        elif place == 0 and series.starts_fresh:
            phase = FOB
        rows.append((
            phase,
            series.rounds[start],
            series.rounds[end - 1],
            end - start,
            level.estimate,
            level.low,
            level.high,
            level.note,
        ))
    return pd.DataFrame(rows, columns=_PHASE_COLUMNS)


_PHASE_COLUMNS = [
    "phase",
    "first_round",
    "last_round",
    "rounds",
    "level",
    "level_low",
    "level_high",
    "note",
]


def _is_long(rounds: int, total: int) -> bool:
    return rounds >= max(_FEWEST_STEADY, _STEADY_SHARE * total)


def summarise_onsets(series: RoundSeries) -> pd.DataFrame:
    """Tell from which round a series is steady, by each rule.

    Parameters
    ----------
    series : RoundSeries
        The series.

    Returns
    -------
    pandas.DataFrame
        One row a rule: ``rule``, ``title``, ``is_normative`` (that of the PTS alone),
        ``is_steady``, ``first_round`` with ``first_low`` and ``first_high`` where the
        rule has an interval, ``decided_after``, ``level`` with ``level_low`` and
        ``level_high`` of the rounds that the rule would report,
        ``difference_ratio`` to the level of the PTS, and ``note``.
    """
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
        return row | {"is_steady": None, "note": "TKperf takes no such cell"}
    windows = judge_windows_by_rule(series, rule)
    if not windows:
        return row | {"note": "fewer rounds than a window has"}
    places, verdict = windows[_reported_place(series, windows, rule)]
    is_joint = rule.name == PTS_RULE and series.window is not None
    if not (series.is_window_steady if is_joint else verdict.is_steady):
        return row | {"note": "no window is steady"}
    level = estimate_mean(_numbers(series, rule)[places])
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
    level = estimate_mean(np.array(series.measured)[places])
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
    if not _is_long(len(values) - start, len(values)):
        return row | {"note": "the level changed too late to call it steady"}
    places = np.arange(start, len(values))
    row |= _onset(series, places, estimate_mean(values[start:]))
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


def summarise_precision(series: RoundSeries, rule: str = PTS_RULE) -> pd.DataFrame:
    """Tell how sure the reported window's numbers are, and what more rounds bring.

    Parameters
    ----------
    series : RoundSeries
        The series.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule that chooses the window.

    Returns
    -------
    pandas.DataFrame
        One row a quantity: ``rounds`` it is of, ``quantity``, ``unit`` (value, value
        per round, ratio, rounds or nothing), ``estimate``, ``low``, ``high`` and
        ``note``. Of the window, then of all rounds since PELT's last change.
    """
    fit = summarise_fit(series, rule)
    parts = []
    if len(fit):
        words = f"window, {fit['round'].iloc[0]} - {fit['round'].iloc[-1]}"
        parts.append((words, fit["value"].to_numpy(dtype=np.float64)))
    if len(series.measured) >= _FEWEST_STEADY:
        start = segment_series(series.measured).starts[-1]
        words = f"since the last change, {series.rounds[start]} - {series.rounds[-1]}"
        parts.append((words, np.array(series.measured[start:])))
    rows = [
        {"rounds": words} | row
        for words, values in parts
        if len(values) >= 4
        for row in _precision_rows(values)
    ]
    names = ["rounds", "quantity", "unit", "estimate", "low", "high", "note"]
    return pd.DataFrame(rows, columns=names)


def _precision_rows(values: FloatArray) -> list[dict[str, Any]]:
    line = fit_line(values)
    mean = estimate_mean(values)
    slope = interval_of(line, [0.0, 1.0])
    error = float(line.combine([0.0, 1.0]).standard_error())
    across = len(values) - 1
    centered = line_design(len(values))[:, 1]
    plain = _plain_error(values, centered)
    drift = interval_of(line, [0.0, across / mean.estimate])
    test = assess_stationarity(values)
    return [
        _row("level", "value", mean),
        _row("slope", "value per round", slope),
        _single("standard error of the slope", "value per round", error)
        | {
            "note": f"independent rounds would have {plain / error:.2g} times as much"
            if error > 0
            else ""
        },
        _row("drift from first to last round", "ratio", drift),
        _single(
            "stationarity (KPSS), share of steady series as restless", "", test.p_value
        )
        | {"note": test.note},
        _row(
            "more rounds to halve the interval of the level",
            "rounds",
            rounds_to_halve(values),
        ),
    ]


def _plain_error(values: FloatArray, centered: FloatArray) -> float:
    """Return the standard error of the slope if rounds were independent."""
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
