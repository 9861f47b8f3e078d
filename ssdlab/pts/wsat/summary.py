"""Write saturation: how a drive declines from fresh out of box, and where it ends."""

from typing import Literal

import pandas as pd

from ssdlab.model.spec import Stimulus
from ssdlab.model.units import duration_label
from ssdlab.stats.matrix import select_cells

_STEP = ["run_id", "step_id"]
_DIRECTIONS = ("read", "write")
_SIDE_VALUES = ["iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"]
_NINES = {
    99.9: "lat_three_nines_ns",
    99.99: "lat_four_nines_ns",
    99.999: "lat_five_nines_ns",
}
_SUPPORTED = {
    "lat_three_nines_ns": "is_three_nines_supported",
    "lat_four_nines_ns": "is_four_nines_supported",
    "lat_five_nines_ns": "is_five_nines_supported",
}


def summarise_saturation(
    measurements: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    percentiles: pd.DataFrame,
    test: str = "wsat",
) -> pd.DataFrame:
    """Return what each round of a write saturation did.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    steps : pandas.DataFrame
        The table ``steps``: it holds what was written since the purge.
    percentiles : pandas.DataFrame
        The table ``percentiles``.
    test : str, default "wsat"
        The test.

    Returns
    -------
    pandas.DataFrame
        One row a round: ``run_id``, ``round``, ``time_s`` [s] and ``minutes`` [min]
        under IO up to its end, ``iops`` [1/s], ``lat_mean_ns``,
        ``lat_three_nines_ns``, ``lat_four_nines_ns``, ``lat_five_nines_ns``,
        ``lat_max_ns`` [ns], ``is_three_nines_supported``,
        ``is_four_nines_supported``, ``is_five_nines_supported`` (the IOs of the round
        bound the level from above), ``total_written_bytes`` [B], ``tgbw`` (total
        gigabytes written, decimal) [GB] and ``drive_fills``. What was not recorded is
        missing.

    Notes
    -----
    Time counts while the drive is under IO, so that a run that was interrupted and
    resumed shows no artificial plateau.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 10.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> rounds = summarise_saturation(
    ...     run.measurements, run.steps, percentiles=run.percentiles
    ... )
    >>> len(rounds)
    50
    """
    rounds = select_cells(measurements, test)
    names = [*_STEP, "round", "runtime_s", "iops", "lat_mean_ns", "lat_max_ns"]
    written = steps[[*_STEP, "total_written_bytes", "drive_fills"]]
    table = rounds[names].merge(written, on=_STEP, how="left")
    for level, name in _NINES.items():
        rows = percentiles[
            (percentiles["direction"] == "total")
            & ((percentiles["percentile"] - level).abs() < 1e-9)
        ]
        nines = rows[[*_STEP, "lat_ns", "is_supported"]].rename(
            columns={"lat_ns": name, "is_supported": _SUPPORTED[name]}
        )
        table = table.merge(nines, on=_STEP, how="left")
    table = table.sort_values(["run_id", "round"]).reset_index(drop=True)
    table["time_s"] = table.groupby("run_id")["runtime_s"].cumsum()
    table["minutes"] = table["time_s"] / 60
    table["tgbw"] = table["total_written_bytes"].astype("Float64").astype(float) / 1e9
    columns = ["run_id", "round", "time_s", "minutes", "iops", "lat_mean_ns"]
    columns += [*_NINES.values(), "lat_max_ns", *_SUPPORTED.values()]
    return table[[*columns, "total_written_bytes", "tgbw", "drive_fills"]]


def summarise_saturation_directions(
    measurements: pd.DataFrame, *, test: str = "wsat"
) -> pd.DataFrame:
    """Return reads and writes separately in each round of a mixed write saturation.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 10.
    """
    cells = measurements[
        (measurements["test"] == test)
        & (measurements["kind"] == "cell")
        & measurements["round"].notna()
    ]
    place = ["run_id", "round", "read_percent"]
    reads, writes = (_side(cells, name).set_index(place) for name in _DIRECTIONS)
    how: Literal["outer", "inner"] = "outer" if len(reads) and len(writes) else "inner"
    table = reads.join(writes, how=how).reset_index()
    counts = table[[f"{name}_total_ios" for name in _DIRECTIONS]].astype(float)
    of_all = counts["read_total_ios"] / counts.sum(axis=1, skipna=False)
    table["read_ios_percent"] = 100 * of_all
    names = [f"{name}_{value}" for name in _DIRECTIONS for value in _SIDE_VALUES]
    ordered = table.sort_values(["run_id", "round"]).reset_index(drop=True)
    return ordered[[*place, "read_ios_percent", *names]]


def _side(cells: pd.DataFrame, direction: str) -> pd.DataFrame:
    """Return the rounds of one direction, their columns named for it."""
    rows = cells[cells["direction"] == direction]
    values = rows[["total_ios", *_SIDE_VALUES]].add_prefix(f"{direction}_")
    return rows[["run_id", "round", "read_percent"]].join(values)


def summarise_wsat_ends(
    saturation: pd.DataFrame, windows: pd.DataFrame, *, phase: Stimulus
) -> pd.DataFrame:
    """Return the start and end of a write saturation, and why it stopped.

    Notes
    -----
    FOB is the first round: right after a purge comes the peak.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 10.
    """
    judged = windows[windows["phase"] == phase.phase_id]
    final = judged[judged["is_final"].fillna(value=False)]
    steady_runs = set(final[final["is_round_steady"].fillna(value=False)]["run_id"])
    rows = []
    for run_id, rounds in saturation.groupby("run_id"):
        ordered = rounds.sort_values("round")
        fob, end = float(ordered["iops"].iloc[0]), float(ordered["iops"].iloc[-1])
        is_steady = run_id in steady_runs
        rows.append({
            "run_id": run_id,
            "n_rounds": len(ordered),
            "iops_fob": fob,
            "iops_end": end,
            "end_to_fob_ratio": end / fob,
            "is_steady": is_steady,
            "stop_reason": _stop_reason(ordered, phase, is_steady=is_steady),
        })
    names = ["run_id", "n_rounds", "iops_fob", "iops_end", "end_to_fob_ratio"]
    return pd.DataFrame(rows, columns=[*names, "is_steady", "stop_reason"])


def _stop_reason(rounds: pd.DataFrame, phase: Stimulus, *, is_steady: bool) -> str:
    fills, limit = rounds["drive_fills"].max(), phase.capacity_multiple
    spent_s = len(rounds) * phase.round_seconds
    rules = (
        (is_steady, "steady state reached"),
        (
            limit is not None and pd.notna(fills) and fills >= limit,
            f"{limit:g} x user capacity written",
        ),
        (
            spent_s >= phase.time_limit_s,
            f"time limit of {duration_label(phase.time_limit_s)}",
        ),
    )
    held = [words for holds, words in rules if holds]
    return " and ".join(held) or "ended before a stop rule held"
