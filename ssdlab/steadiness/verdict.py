"""The run's own verdict on its steady state, by the rule of the PTS."""

import pandas as pd

from ssdlab.model.editions import PTS_2, PTS_E_1
from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria

JUDGED_BY = PTS_2


def summarise_determination(
    windows: pd.DataFrame,
    test: str,
    criteria: SteadyStateCriteria = PTS_CRITERIA,
) -> pd.DataFrame:
    """Return the determination data of each tracking variable's reported window."""
    final = windows[(windows["test"] == test) & windows["is_final"].fillna(value=False)]
    range_ratio = criteria.max_range_ratio or 0.0
    slope_ratio = criteria.max_slope_ratio or 0.0
    steps = criteria.window_rounds - 1
    apart = (final["window_last_round"] - final["window_first_round"]) // steps
    average = final["average"]
    frame = final.assign(
        rounds=_rounds_text(final),
        sample_every=apart,
        first_sample=(final["window_first_round"] - 1) // apart + 1,
        allowed_low=average * (1 - range_ratio / 2),
        allowed_high=average * (1 + range_ratio / 2),
        max_range_ratio=range_ratio,
        allowed_range=average * range_ratio,
        range=final["maximum"] - final["minimum"],
        max_slope_ratio=slope_ratio,
        allowed_slope=average * slope_ratio,
        slope=steps * final["slope_per_round"].abs(),
    )
    return frame[_DETERMINATION].reset_index(drop=True)


_DETERMINATION = [
    "tracking",
    "metric",
    "rounds",
    "sample_every",
    "first_sample",
    "average",
    "allowed_low",
    "allowed_high",
    "minimum",
    "maximum",
    "max_range_ratio",
    "allowed_range",
    "range",
    "range_ratio",
    "is_range_ok",
    "slope_per_round",
    "intercept",
    "max_slope_ratio",
    "allowed_slope",
    "slope",
    "slope_ratio",
    "is_slope_ok",
    "correlation",
    "is_steady",
    "is_round_steady",
]


def summarise_judgements(windows: pd.DataFrame, test: str) -> pd.DataFrame:
    """Return every window that the run judged, and why it was not steady."""
    judged = windows[windows["test"] == test].sort_values("round", kind="stable")
    waits = judged["is_steady"].astype(bool) & ~judged["is_round_steady"].astype(bool)
    reason = judged["reason"].fillna("").mask(waits, "another variable is not steady")
    frame = judged.assign(rounds=_rounds_text(judged), reason=reason)
    names = ["tracking", "metric", "rounds", "average", "range_ratio", "slope_ratio"]
    return frame[[*names, "is_steady", "is_round_steady", "reason"]].reset_index(
        drop=True
    )


def _rounds_text(windows: pd.DataFrame) -> list[str]:
    bounds = windows[["window_first_round", "window_last_round"]].itertuples(
        index=False
    )
    return [f"{first} - {last}" for first, last in bounds]


def pts_verdict_text(
    windows: pd.DataFrame, test: str, spec_version: str = JUDGED_BY
) -> str:
    """Return the verdict of the PTS on a test, all its tracking variables together."""
    by = JUDGED_BY
    if spec_version != by:
        named = spec_version or "no specification"
        by = f"The record names {named}. By {by}"
    if spec_version == PTS_E_1:
        by = f"{by}, whose limits of range and slope are the same"
    judged = windows[windows["test"] == test]
    if judged.empty:
        return f"{by}: no window has been judged yet."
    last = judged[judged["round"] == judged["round"].max()]
    rounds = f"rounds {_rounds_text(last)[0]}"
    count = f"all {len(last)} tracking variables" if len(last) > 1 else "one variable"
    if last["is_round_steady"].astype(bool).all():
        return f"{by}: STEADY in {rounds} ({count})."
    unsteady = last[~last["is_steady"].astype(bool)]
    reasons = "; ".join(
        f"{row['tracking']}: {row['reason']}" for _, row in unsteady.iterrows()
    )
    return f"{by}: NOT STEADY, last judged in {rounds}. {reasons}."
