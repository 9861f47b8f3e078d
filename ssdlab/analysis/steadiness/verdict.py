"""What the run itself says of its steady state, by the rule of the PTS."""

import pandas as pd

from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria


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


def pts_verdict_text(windows: pd.DataFrame, test: str) -> str:
    """Say what the PTS says of a test, all its tracking variables taken together.

    Parameters
    ----------
    windows : pandas.DataFrame
        The table ``windows`` of one run.
    test : str
        The test.

    Returns
    -------
    str
        A line; it alone is normative.
    """
    judged = windows[windows["test"] == test]
    if judged.empty:
        return "PTS 2.0.2: no window was judged yet."
    last = judged[judged["round"] == judged["round"].max()]
    rounds = f"rounds {_rounds_text(last)[0]}"
    count = f"all {len(last)} tracking variables" if len(last) > 1 else "one variable"
    if last["is_round_steady"].astype(bool).all():
        return f"PTS 2.0.2: STEADY in {rounds} ({count})."
    unsteady = last[~last["is_steady"].astype(bool)]
    reasons = "; ".join(
        f"{row['tracking']}: {row['reason']}" for _, row in unsteady.iterrows()
    )
    return f"PTS 2.0.2: NOT STEADY, last judged in {rounds}. {reasons}."
