"""One stimulus from its first round to its last, and when it was first steady."""

import numpy as np
import pandas as pd

from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria
from ssdlab.pts.wsat.summary import summarise_saturation
from ssdlab.stats.steady_state import assess_series

_STEP = ["run_id", "step_id"]


def summarise_stimulus(
    measurements: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    percentiles: pd.DataFrame,
    test: str,
    phase: str,
) -> pd.DataFrame:
    """Return what each round of one phase of a test did."""
    rounds = measurements[measurements["phase"] == phase]
    table = summarise_saturation(rounds, steps, percentiles=percentiles, test=test)
    rates = rounds[(rounds["test"] == test) & (rounds["direction"] == "total")]
    own = steps[(steps["test"] == test) & (steps["phase"] == phase)]
    own = own[[*_STEP, "written_bytes", "is_contiguous"]]
    rates = rates[[*_STEP, "round", "bw_bytes_per_s"]].merge(own, on=_STEP, how="left")
    table = table.merge(rates.drop(columns="step_id"), on=["run_id", "round"])
    table["written_bytes"] = table["written_bytes"].astype("Float64").cumsum()
    table["is_contiguous"] = table["is_contiguous"].fillna(value=True).astype(bool)
    return table


def find_first_steady(
    rounds: pd.DataFrame, *, metric: str, criteria: SteadyStateCriteria = PTS_CRITERIA
) -> int | None:
    """Return the round after which a stimulus first was steady, if it ever was.

    The last round of the first steady window. No window spans a gap.
    """
    if rounds.empty:
        return None
    values = rounds[metric].astype("Float64").to_numpy(dtype=float, na_value=np.nan)
    numbers = rounds["round"].to_numpy(dtype=int)
    gaps = np.flatnonzero(~rounds["is_contiguous"].to_numpy(dtype=bool))
    starts = sorted({0, *gaps.tolist()})
    for start, end in zip(starts, [*starts[1:], len(values)], strict=True):
        steady = assess_series(values[start:end], criteria).is_steady
        if steady.any():
            return int(numbers[start + int(np.argmax(steady))])
    return None
