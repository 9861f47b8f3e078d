"""Recovery of write performance from another stimulus."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ssdlab.model.spec import Stimulus
from ssdlab.stats.matrix import order_rounds

_GROUP = r"group-(\d+)"


def summarise_cross_stimulus(
    measurements: pd.DataFrame, steps: pd.DataFrame, *, test: str = "xsr"
) -> pd.DataFrame:
    """Return what each round of a cross stimulus recovery test did.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    steps : pandas.DataFrame
        The table ``steps``: it holds the gaps between rounds.
    test : str, default "xsr"
        The test.

    Returns
    -------
    pandas.DataFrame
        One row a round, in the order of the run: ``run_id``, ``group`` (the access
        group, from 1), ``phase``, ``access``, ``block_size_bytes`` [B],
        ``read_percent`` [%], ``round`` (in its group), ``time_s`` [s] and ``minutes``
        [min] under IO from the first round to the end of this one, ``runtime_s`` [s],
        ``bw_bytes_per_s`` [B/s], ``lat_mean_ns`` (ART) and ``lat_max_ns`` (MRT) [ns],
        ``idle_before_s`` [s] and ``is_contiguous``: whether the run continued to it
        without a break.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-all")
    >>> rounds = summarise_cross_stimulus(run.measurements, run.steps)
    >>> rounds["phase"].unique().tolist()
    ['group-1', 'group-2', 'group-3']
    """
    table = order_rounds(measurements, steps, test=test)
    groups = table["phase"].str.extract(f"^{_GROUP}$")[0]
    table = table[groups.notna()].reset_index(drop=True)
    table["group"] = groups.dropna().reset_index(drop=True).astype("Int64")
    table["time_s"] = table.groupby("run_id")["runtime_s"].cumsum()
    table["minutes"] = table["time_s"] / 60
    names = ["run_id", "group", "phase", "access", "block_size_bytes", "read_percent"]
    names += ["round", "time_s", "minutes", "runtime_s", "bw_bytes_per_s"]
    names += ["lat_mean_ns", "lat_max_ns", "idle_before_s"]
    return table[[*names, "is_contiguous"]]


def summarise_access_groups(
    rounds: pd.DataFrame, *, phases: Sequence[Stimulus] = ()
) -> pd.DataFrame:
    """Summarise each access group, with the recovery of group 3.

    Notes
    -----
    Group 3 has recovered at the end of its first round whose throughput reaches the
    mean of group 1; a round is a minute. If none does, the time is missing and
    ``is_recovered`` false.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.
    """
    wanted = {phase.phase_id: phase.max_rounds for phase in phases}
    rows = []
    for run_id, run in rounds.groupby("run_id"):
        goal = float(run[run["group"] == 1]["bw_bytes_per_s"].mean())
        rows += [
            {"run_id": run_id, "group": number, **_group(group, wanted)}
            | (_recovery(group, goal) if number == 3 else {})
            for number, group in run.groupby("group")
        ]
    names = ["run_id", "group", "access", "block_size_bytes", "read_percent"]
    names += ["n_rounds", "n_rounds_wanted", "bw_mean_bytes_per_s"]
    names += ["bw_end_bytes_per_s", "lat_mean_peak_ns", "lat_max_peak_ns"]
    names += ["idle_before_s", "idle_max_s", "is_recovered", "recovery_round"]
    names += ["recovery_s", "recovery_minutes", "best_ratio", "is_unbroken"]
    types = {"is_recovered": "boolean", "recovery_round": "Int64"}
    types |= dict.fromkeys(("recovery_s", "recovery_minutes", "best_ratio"), "float64")
    return pd.DataFrame(rows, columns=names).astype(types)


def _group(group: pd.DataFrame, wanted: dict[str, int]) -> dict[str, Any]:
    first, throughput = group.iloc[0], group["bw_bytes_per_s"]
    n_wanted = wanted.get(str(first["phase"]), len(group))
    has_ended = len(group) >= n_wanted
    return {
        "access": first["access"],
        "block_size_bytes": first["block_size_bytes"],
        "read_percent": first["read_percent"],
        "n_rounds": len(group),
        "n_rounds_wanted": n_wanted,
        "bw_mean_bytes_per_s": throughput.mean(),
        "bw_end_bytes_per_s": throughput.iloc[-1] if has_ended else float("nan"),
        "lat_mean_peak_ns": group["lat_mean_ns"].max(),
        "lat_max_peak_ns": group["lat_max_ns"].max(),
        "idle_before_s": first["idle_before_s"],
        "idle_max_s": group["idle_before_s"].iloc[1:].max(),
        "is_unbroken": bool(group["is_contiguous"].all()),
    }


def _recovery(group: pd.DataFrame, goal: float) -> dict[str, Any]:
    """Return when the throughput of a group first reached a goal [B/s]."""
    throughput = group["bw_bytes_per_s"]
    if not goal > 0 or throughput.isna().all():
        return {}
    reached = group[throughput >= goal]
    found: dict[str, Any] = {"is_recovered": not reached.empty}
    found["best_ratio"] = throughput.max() / goal
    if reached.empty:
        return found
    spent_s = float(group["runtime_s"].cumsum()[reached.index[0]])
    found |= {"recovery_s": spent_s, "recovery_minutes": spent_s / 60}
    return found | {"recovery_round": reached["round"].iloc[0]}


def recovery_headline(groups: pd.DataFrame) -> str:
    """Say in a few words when one run had recovered, or how far it came.

    >>> third = {"group": [3], "is_recovered": [False], "best_ratio": [0.99499]}
    >>> recovery_headline(pd.DataFrame(third))
    'recovered to 99.4 % of the former mean'
    """
    third = groups[groups["group"] == 3]
    if third.empty or pd.isna(third["is_recovered"].iloc[0]):
        return "recovery not measured"
    row = third.iloc[0]
    if not row["is_recovered"]:
        return f"recovered to {ratio_text(row['best_ratio'])} of the former mean"
    seconds = float(row["recovery_s"])
    spent = f"{seconds:.1f} s" if seconds < 59.5 else f"{seconds / 60:.1f} min"
    return f"recovered after {spent}"


def ratio_text(ratio: float) -> str:
    """Return a ratio below 1 in percent, never rounded up to all of it.

    >>> ratio_text(0.9999)
    '99.9 %'
    """
    return f"{math.floor(1000 * ratio) / 10:.1f} %"


def recovery_text(groups: pd.DataFrame) -> str:
    """Say when one run had recovered or how far it came, and what that is based on.

    >>> third = {"group": [3], "is_recovered": [True], "recovery_s": [240.0]}
    >>> recovery_text(pd.DataFrame(third | {"recovery_round": [4]}))
    'recovered after 4.0 min: round 4 of group 3 reaches the mean of group 1'
    """
    headline = recovery_headline(groups)
    third = groups[groups["group"] == 3]
    if third.empty or pd.isna(third["is_recovered"].iloc[0]):
        return f"{headline}: group 3 has no round to compare with group 1"
    row = third.iloc[0]
    basis = (
        f"round {row['recovery_round']} of group 3 reaches the mean of group 1"
        if row["is_recovered"]
        else f"the best of {row['n_rounds']} rounds of group 3, against the mean of "
        "group 1"
    )
    after = "" if _are_unbroken(groups) else ", after a break of the run"
    return f"{headline}: {basis}{after}"


def is_recovery_known(groups: pd.DataFrame) -> bool:
    """Tell whether a run shows how far it recovered, without any break."""
    return bool(groups["is_recovered"].notna().any()) and _are_unbroken(groups)


def _are_unbroken(groups: pd.DataFrame) -> bool:
    """Tell so of all groups; those that do not say count as unbroken."""
    return "is_unbroken" not in groups or bool(groups["is_unbroken"].all())
