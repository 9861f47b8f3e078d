"""Analysis beyond the rule of the PTS, in words: advice, not a verdict."""

from dataclasses import dataclass

import pandas as pd

from ssdlab.stats.pelt import segment_series
from ssdlab.stats.trend import LEVEL_CLAIM
from ssdlab.steadiness.onsets import summarise_onsets
from ssdlab.steadiness.phases import (
    STEADY,
    UNSETTLED,
    is_long_enough,
    summarise_phases,
)
from ssdlab.steadiness.precision import NOTABLE_RATIO, Drift, find_drifts
from ssdlab.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.steadiness.series import RoundSeries

_SHORT = " (too few rounds after the last change to call them steady)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """Evidence against a verdict of the PTS that rounds are steady.

    ``drift`` is the greatest one that is certain and notable, in the window or since
    the last change of level.
    """

    is_confirmed: bool
    drift: Drift | None

    @property
    def words(self) -> str:
        """The advice in words; empty if nothing contradicts the verdict."""
        said = [] if self.is_confirmed else ["change points do not confirm it"]
        if self.drift is not None:
            found = self.drift.ratio
            said.append(
                f"still drifts, {100 * found.estimate:+.1f} % over rounds "
                f"{self.drift.rounds}"
            )
        return "; ".join(said)


def find_advice(series: RoundSeries) -> Advice:
    """Return the evidence against the verdict of the PTS that a series is steady.

    Notes
    -----
    This is advice, not a verdict, and not part of the standard: the rule of the PTS
    accepts a level that settles slowly while it is still far from its final value.
    """
    if not series.is_window_steady or not series.measured:
        return Advice(is_confirmed=True, drift=None)
    drifts = [one for one in find_drifts(series) if one.is_sure and one.is_notable]
    start = segment_series(series.measured).starts[-1]
    count = len(series.measured)
    return Advice(
        is_confirmed=is_long_enough(count - start, count),
        drift=max(drifts, key=lambda one: abs(one.ratio.estimate), default=None),
    )


def steadiness_text(series: RoundSeries, rule: str = PTS_RULE) -> str:
    """Return the verdict of the PTS on a cell, then the analysis beyond its rule."""
    onsets = summarise_onsets(series).set_index("rule")
    lines = [f"By PTS 2.0.2: {_verdict(onsets, PTS_RULE)}"]
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
        f"{LEVEL_CLAIM}.",
    ]
    return "\n".join([*lines, *(f"  {words}" for words in told)])


def _verdict(onsets: pd.DataFrame, rule: str) -> str:
    row = onsets.loc[[rule]].iloc[0]
    if row["is_steady"] is None:
        return f"not judged: {row['note']}"
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
        return ["By them it is steady, by the PTS it is not."]
    apart = float(onsets["difference_ratio"].astype(float)["pelt"])
    if not says_steady or not abs(apart) > NOTABLE_RATIO:
        return []
    far = f"{100 * apart:+.1f} %"
    return [f"Since the last change the level differs by {far} from the PTS window."]


def _drift_words(series: RoundSeries, rule: str) -> list[str]:
    return [f"{_drift(drift)}." for drift in find_drifts(series, rule)]


def _drift(drift: Drift) -> str:
    """Return whether a drift is certain, and whether it matters."""
    found = drift.ratio
    said = "no drift is shown"
    if drift.is_sure:
        said = (
            "the level still drifts"
            if drift.is_notable
            else "the level drifts a little"
        )
    return (
        f"Rounds {drift.rounds}: {said}, {100 * found.estimate:+.1f} % over them "
        f"(95 %: {100 * found.low:+.1f} to {100 * found.high:+.1f} %)"
    )
