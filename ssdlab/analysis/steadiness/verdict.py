"""What the run itself says of its steady state, and in words how sure that is."""

import pandas as pd

from ssdlab.analysis.steadiness.fit import (
    STEADY,
    summarise_onsets,
    summarise_phases,
    summarise_precision,
)
from ssdlab.analysis.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.analysis.steadiness.series import RoundSeries
from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria

NOTABLE_RATIO = 0.02  # of the level: what a slower drift may make of it unseen


def summarise_determination(
    windows: pd.DataFrame,
    test: str,
    criteria: SteadyStateCriteria = PTS_CRITERIA,
) -> pd.DataFrame:
    """Return the determination data of each tracking variable's reported window.

    Parameters
    ----------
    windows : pandas.DataFrame
        The table ``windows`` of one run.
    test : str
        The test.
    criteria : SteadyStateCriteria, default PTS_CRITERIA
        The limits that the run was judged by.

    Returns
    -------
    pandas.DataFrame
        One row a tracking variable: ``tracking``, ``rounds`` of the window,
        ``average``, ``allowed_low`` and ``allowed_high`` (90 and 110 % of it),
        ``minimum``, ``maximum``, ``range_ratio``, ``is_range_ok``,
        ``slope_per_round``, ``intercept``, ``slope_ratio``, ``is_slope_ok``,
        ``correlation``, ``is_steady`` and ``is_round_steady`` (all at once).

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 7 to 9,
       steady state determination data.
    """
    final = windows[(windows["test"] == test) & windows["is_final"].fillna(value=False)]
    half = (criteria.max_range_ratio or 0.0) / 2
    frame = final.assign(
        rounds=_rounds_text(final),
        allowed_low=final["average"] * (1 - half),
        allowed_high=final["average"] * (1 + half),
    )
    return frame[_DETERMINATION].reset_index(drop=True)


_DETERMINATION = [
    "tracking",
    "rounds",
    "average",
    "allowed_low",
    "allowed_high",
    "minimum",
    "maximum",
    "range_ratio",
    "is_range_ok",
    "slope_per_round",
    "intercept",
    "slope_ratio",
    "is_slope_ok",
    "correlation",
    "is_steady",
    "is_round_steady",
]


def summarise_judgements(windows: pd.DataFrame, test: str) -> pd.DataFrame:
    """Return every window that the run judged, and why it was not steady.

    Parameters
    ----------
    windows : pandas.DataFrame
        The table ``windows`` of one run.
    test : str
        The test.

    Returns
    -------
    pandas.DataFrame
        One row a judgement, the earliest first: ``tracking``, ``rounds``,
        ``average``, ``range_ratio``, ``slope_ratio``, ``is_steady``,
        ``is_round_steady`` and ``reason``; that of a steady variable in a window
        where another is not says so.
    """
    judged = windows[windows["test"] == test].sort_values("round", kind="stable")
    waits = judged["is_steady"].astype(bool) & ~judged["is_round_steady"].astype(bool)
    reason = judged["reason"].fillna("").mask(waits, "another variable is not steady")
    frame = judged.assign(rounds=_rounds_text(judged), reason=reason)
    names = ["tracking", "rounds", "average", "range_ratio", "slope_ratio"]
    return frame[[*names, "is_steady", "is_round_steady", "reason"]].reset_index(
        drop=True
    )


def _rounds_text(windows: pd.DataFrame) -> list[str]:
    bounds = windows[["window_first_round", "window_last_round"]].itertuples(
        index=False
    )
    return [f"{first} - {last}" for first, last in bounds]


def steadiness_text(series: RoundSeries, rule: str = PTS_RULE) -> str:
    """Say what the PTS says, and apart from it what lies beyond its rule.

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
    lines = [f"PTS 2.0.2: {_verdict(onsets, PTS_RULE)}"]
    if rule != PTS_RULE:
        title = find_steady_rule(rule).title
        lines.append(f"{title}: {_verdict(onsets, rule)}")
    lines.append("Beyond the PTS:")
    phases = summarise_phases(series)
    if phases.empty:
        return "\n".join([*lines, "  no rounds were measured"])
    parts = [
        f"{part['phase'].iloc[0]} {part['first_round'].min()} - "
        f"{part['last_round'].max()}"
        for _, part in phases.groupby(
            phases["phase"].ne(phases["phase"].shift()).cumsum()
        )
    ]
    lines.append(f"  change points see {', '.join(parts)}")
    lines += [f"  {words}" for words in _doubts(series, onsets, phases, rule=rule)]
    return "\n".join(lines)


def _verdict(onsets: pd.DataFrame, rule: str) -> str:
    row = onsets.loc[[rule]].iloc[0]
    if row["is_steady"] is None:
        return f"not asked: {row['note']}"
    if not row["is_steady"]:
        return f"NOT steady: {row['note']}"
    return f"steady in rounds {row['first_round']:.0f} - {row['decided_after']:.0f}"


def _doubts(
    series: RoundSeries, onsets: pd.DataFrame, phases: pd.DataFrame, *, rule: str
) -> list[str]:
    """Name where the advice differs from the verdict of the PTS."""
    says_steady = bool(onsets.loc[PTS_RULE, "is_steady"])
    is_settled = phases["phase"].iloc[-1] == STEADY
    words = []
    if says_steady != is_settled:
        words.append("they disagree with the verdict of the PTS")
    apart = float(onsets["difference_ratio"].astype(float)["pelt"])
    if says_steady and is_settled and abs(apart) > NOTABLE_RATIO:
        words.append(f"their level is {apart:+.1%} from that of the PTS window")
    precision = summarise_precision(series, rule)
    drifts = precision[precision["unit"] == "ratio"]
    for _, row in drifts.iterrows():
        is_sure = row["low"] > 0 or row["high"] < 0
        is_sure &= abs(row["estimate"]) > NOTABLE_RATIO
        said = "the level still drifts" if is_sure else "no drift is shown beyond doubt"
        words.append(
            f"{row['rounds']}: {said}, {row['estimate']:+.1%} "
            f"(95 %: {row['low']:+.1%} to {row['high']:+.1%})"
        )
    return words
