"""Cells of any access, block size, mix, threads and queue depth, one row each."""

from typing import Any

import numpy as np
import pandas as pd

from ssdlab.model.spec import PTS_CRITERIA
from ssdlab.stats.binned import bin_rounds
from ssdlab.stats.claims import claim_levels
from ssdlab.stats.matrix import select_cells

_WORKLOAD = ["access", "block_size_bytes", "read_percent", "threads", "queue_depth"]
_STEP = ["run_id", "step_id"]
_LEVELS = {99.0: "lat_two_nines_ns", 99.99: "lat_four_nines_ns"}
_NOT_MEASURED: tuple[float, object] = (float("nan"), pd.NA)
_SUPPORTED = {99.0: "is_two_nines_supported", 99.99: "is_four_nines_supported"}


def summarise_workloads(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    *,
    percentiles: pd.DataFrame,
    bins: pd.DataFrame,
    test: str = "custom",
) -> pd.DataFrame:
    """Summarise each cell of a test that no table over size and mix can hold."""
    cells = select_cells(measurements, test)
    finals = windows[
        (windows["test"] == test) & windows["is_final"].fillna(value=False)
    ]
    judged = finals.set_index("phase")
    rows = [
        _summarise(group, judged, (percentiles, bins))
        for _, group in cells.groupby(["phase", *_WORKLOAD], dropna=False, sort=False)
    ]
    names = ["phase", *_WORKLOAD, "first_round", "last_round", "n_rounds", "iops"]
    names += ["bw_bytes_per_s", "lat_mean_ns", *_LEVELS.values(), "lat_max_ns"]
    frame = pd.DataFrame(rows, columns=[*names, *_SUPPORTED.values(), "is_steady"])
    for name in (*_SUPPORTED.values(), "is_steady"):
        frame[name] = frame[name].astype("boolean")
    return frame.sort_values(_WORKLOAD).reset_index(drop=True)


def _summarise(
    group: pd.DataFrame,
    judged: pd.DataFrame,
    tails: tuple[pd.DataFrame, pd.DataFrame],
) -> dict[str, object]:
    phase = group["phase"].iloc[0]
    is_judged = phase in judged.index and len(group[_WORKLOAD].drop_duplicates()) == 1
    rounds = group
    if is_judged:
        window = judged.loc[[phase]].iloc[0]
        rounds = group[group["round"].isin(_judged_rounds(window))]
    row: dict[str, object] = {name: group[name].iloc[0] for name in _WORKLOAD}
    for name in ("iops", "bw_bytes_per_s", "lat_mean_ns"):
        row[name] = _mean_of_all(rounds[name])
    return row | {
        "phase": phase,
        "first_round": int(rounds["round"].min()),
        "last_round": int(rounds["round"].max()),
        "n_rounds": len(rounds),
        "lat_max_ns": rounds["lat_max_ns"].max(skipna=False),
        **_nines(rounds, *tails),
        "is_steady": bool(window["is_steady"]) if is_judged else pd.NA,
    }


def _judged_rounds(window: "pd.Series[Any]") -> range:
    """Return the rounds of a window, which are evenly spaced."""
    first, last = int(window["window_first_round"]), int(window["window_last_round"])
    apart = max(1, (last - first) // (PTS_CRITERIA.window_rounds - 1))
    return range(first, last + 1, apart)


def _mean_of_all(values: "pd.Series[float]") -> float:
    """Return the mean, missing as soon as one round lacks the value."""
    return float(values.mean(skipna=False))


def _nines(
    rounds: pd.DataFrame, percentiles: pd.DataFrame, bins: pd.DataFrame
) -> dict[str, object]:
    """Return 99 % and 99.99 % of all IOs; several rounds require bins."""
    steps = rounds[_STEP]
    held = bins[(bins["direction"] == "total") & (bins["count"] > 0)]
    held = held.merge(steps, on=_STEP)
    if held["step_id"].nunique() == len(steps):
        claims = claim_levels(bin_rounds(rounds.sort_values("step_id"), held), _LEVELS)
        found: list[tuple[float, object]] = [
            (one.interval.estimate, one.is_supported) for one in claims
        ]
    elif len(steps) > 1:
        found = [_NOT_MEASURED for _ in _LEVELS]
    else:
        printed = percentiles[percentiles["direction"] == "total"]
        printed = printed.merge(steps, on=_STEP)
        found = [_level(printed, level) for level in _LEVELS]
    values, supported = zip(*found, strict=True)
    return {
        **dict(zip(_LEVELS.values(), values, strict=True)),
        **dict(zip(_SUPPORTED.values(), supported, strict=True)),
    }


def _level(printed: pd.DataFrame, level: float) -> tuple[float, object]:
    is_it = np.isclose(printed["percentile"], level, rtol=0, atol=1e-9)
    found = printed[is_it]
    if found.empty:
        return _NOT_MEASURED
    return float(found["lat_ns"].iloc[0]), found["is_supported"].iloc[0]
