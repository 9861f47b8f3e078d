"""In words, what lies beyond the rule of the PTS: advice, not a verdict."""

from typing import Any

import pandas as pd

from ssdlab.analysis.steadiness.onsets import summarise_onsets
from ssdlab.analysis.steadiness.phases import STEADY, UNSETTLED, summarise_phases
from ssdlab.analysis.steadiness.precision import summarise_precision
from ssdlab.analysis.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.analysis.steadiness.series import RoundSeries

NOTABLE_RATIO = 0.02  # of the level: what a slower drift may make of it unseen
_SHORT = " (too few rounds after the last change to call them steady)"


def steadiness_text(series: RoundSeries, rule: str = PTS_RULE) -> str:
    """Say what the PTS says of a cell, and apart from it what lies beyond its rule.

    Parameters
    ----------
    series : RoundSeries
        The series.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        A rule whose verdict is told as well.

    Returns
    -------
    str
        A line a fact; the first is the verdict of the PTS.
    """
    onsets = summarise_onsets(series).set_index("rule")
    lines = [f"By the rule of PTS 2.0.2: {_verdict(onsets, PTS_RULE)}"]
    if rule != PTS_RULE:
        title = find_steady_rule(rule).title
        lines.append(f"{title}: {_verdict(onsets, rule)}")
    lines.append("Beyond the PTS:")
    phases = summarise_phases(series)
    if phases.empty:
        return "\n".join([*lines, "  No rounds were measured."])
    told = [
        _phases_words(phases),
        *_level_words(onsets, phases),
        *_drift_words(series, rule),
    ]
    return "\n".join([*lines, *(f"  {words}" for words in told)])


def _verdict(onsets: pd.DataFrame, rule: str) -> str:
    row = onsets.loc[[rule]].iloc[0]
    if row["is_steady"] is None:
        return f"not asked: {row['note']}"
    if not row["is_steady"]:
        return f"NOT steady: {row['note']}"
    return f"steady in rounds {row['first_round']:.0f} - {row['decided_after']:.0f}"


def _phases_words(phases: pd.DataFrame) -> str:
    joined = phases["phase"].ne(phases["phase"].shift()).cumsum()
    parts = [
        f"rounds {part['first_round'].min()} - {part['last_round'].max()} "
        f"{part['phase'].iloc[0]}"
        for _, part in phases.groupby(joined)
    ]
    short = _SHORT if phases["phase"].iloc[-1] == UNSETTLED else ""
    return f"Change points: {', '.join(parts)}{short}."


def _level_words(onsets: pd.DataFrame, phases: pd.DataFrame) -> list[str]:
    """Name where change points and the verdict of the PTS differ."""
    says_steady = bool(onsets.loc[PTS_RULE, "is_steady"])
    is_settled = phases["phase"].iloc[-1] == STEADY
    if says_steady and not is_settled:
        return ["They do not confirm the verdict of the PTS."]
    if is_settled and not says_steady:
        return ["They call it steady, the PTS does not."]
    apart = float(onsets["difference_ratio"].astype(float)["pelt"])
    if not says_steady or not abs(apart) > NOTABLE_RATIO:
        return []
    far = f"{100 * apart:+.1f} %"
    return [f"Since the last change the level is {far} from the PTS window's."]


def _drift_words(series: RoundSeries, rule: str) -> list[str]:
    precision = summarise_precision(series, rule)
    drifts = precision[precision["unit"] == "ratio"]
    return [f"{_drift(row)}." for _, row in drifts.iterrows()]


def _drift(row: "pd.Series[Any]") -> str:
    """Say whether a drift is sure, and whether it matters."""
    is_sure = row["low"] > 0 or row["high"] < 0
    is_notable = abs(row["estimate"]) > NOTABLE_RATIO
    said = "no drift is shown"
    if is_sure:
        said = "the level still drifts" if is_notable else "the level drifts a little"
    return (
        f"Rounds {row['rounds']}: {said}, {100 * row['estimate']:+.1f} % over them "
        f"(95 %: {100 * row['low']:+.1f} to {100 * row['high']:+.1f} %)"
    )
