"""Recovery of write performance from host idle time."""

from typing import Any

import pandas as pd

from ssdlab.stats.matrix import order_rounds

_SEGMENT = r"(wait|baseline)-(\d+)"
_MOST_ERROR_RATIO = 0.1  # of an access: a longer rest is almost another wait state


def summarise_idle_recovery(
    measurements: pd.DataFrame, steps: pd.DataFrame, *, test: str = "hir"
) -> pd.DataFrame:
    """Return what each access of a host idle recovery test did, and when.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    steps : pandas.DataFrame
        The table ``steps``: it holds the waits.
    test : str, default "hir"
        The test.

    Returns
    -------
    pandas.DataFrame
        One row an access after preconditioning, in the order of the run: ``run_id``,
        ``phase``, ``wait_state`` (the k of the wait state, or of the one before a
        baseline), ``is_baseline``, ``round``, ``time_s`` [s] and ``minutes`` [min]
        from the first access to the start of this one, ``runtime_s`` [s], ``iops``
        [1/s], ``lat_mean_ns`` and ``lat_max_ns`` [ns], ``wait_s`` (the idle time
        wanted before it) and ``idle_before_s`` (the measured one) [s], and
        ``is_contiguous``: whether the run continued to it without a break.

    Notes
    -----
    Time counts accesses and idle time. A break of the run counts as long as the wait
    that was wanted there; ``idle_before_s`` holds its actual length.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-all")
    >>> accesses = summarise_idle_recovery(run.measurements, run.steps)
    >>> accesses["wait_s"].dropna().unique().tolist()
    [0.0, 0.5, 1.0, 1.5, 2.5, 5.0]
    """
    table = order_rounds(measurements, steps, test=test)
    parts = table["phase"].str.extract(f"^{_SEGMENT}$")
    table = table[parts[1].notna()].reset_index(drop=True)
    parts = parts.dropna().reset_index(drop=True)
    table["is_baseline"] = parts[0] == "baseline"
    table["wait_state"] = parts[1].astype("Int64")
    gaps = table["idle_before_s"].where(table["is_contiguous"], table["wait_s"])
    is_first = ~table["run_id"].duplicated()
    gaps = gaps.fillna(table["wait_s"]).fillna(0.0).mask(is_first, 0.0)
    ends = (gaps + table["runtime_s"]).groupby(table["run_id"]).cumsum()
    table["time_s"] = ends - table["runtime_s"]
    table["minutes"] = table["time_s"] / 60
    names = ["run_id", "phase", "wait_state", "is_baseline", "round", "time_s"]
    names += ["minutes", "runtime_s", "iops", "lat_mean_ns", "lat_max_ns"]
    return table[[*names, "wait_s", "idle_before_s", "is_contiguous"]]


def summarise_wait_states(accesses: pd.DataFrame) -> pd.DataFrame:
    """Compare the accesses after a rest with those of the baseline without one.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.
    """
    rows = [
        {"run_id": run_id, "wait_state": state, **_compare(group)}
        for (run_id, state), group in accesses.groupby(["run_id", "wait_state"])
    ]
    names = ["run_id", "wait_state", "n_accesses", "n_baseline", "n_left_out", "iops"]
    names += ["iops_baseline", "iops_ratio", "wait_s", "wait_median_s"]
    return pd.DataFrame(rows, columns=[*names, "wait_error_max_s", "gap_max_s"])


def select_compared_accesses(
    group: pd.DataFrame,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the accesses of a wait state that count: after a rest, and without one."""
    is_kept, is_waited = _is_kept(group), _is_waited(group)
    return group[is_waited & is_kept], group[_has_gone_on(group) & is_kept]


def _is_kept(group: pd.DataFrame) -> "pd.Series[bool]":
    error = (group["idle_before_s"] - group["wait_s"]).abs()
    is_wrong = error > _MOST_ERROR_RATIO * group["runtime_s"]
    return group["is_contiguous"].astype(bool) & ~is_wrong.fillna(value=False)


def _is_waited(group: pd.DataFrame) -> "pd.Series[bool]":
    return (group["wait_s"] > 0).astype(bool)


def _has_gone_on(group: pd.DataFrame) -> "pd.Series[bool]":
    return group["is_baseline"].astype(bool) & ~_is_waited(group)


def _compare(group: pd.DataFrame) -> dict[str, Any]:
    is_kept, is_waited = _is_kept(group), _is_waited(group)
    has_gone_on = _has_gone_on(group)
    waited, went_on = group[is_waited], group[has_gone_on]
    rested, baseline = select_compared_accesses(group)
    error = (waited["idle_before_s"] - waited["wait_s"]).abs()
    iops, iops_baseline = rested["iops"].mean(), baseline["iops"].mean()
    return {
        "n_accesses": len(rested),
        "n_baseline": len(baseline),
        "n_left_out": int((~is_kept & (is_waited | has_gone_on)).sum()),
        "iops": iops,
        "iops_baseline": iops_baseline,
        "iops_ratio": iops / iops_baseline,
        "wait_s": waited["wait_s"].max(),
        "wait_median_s": waited["idle_before_s"].median(),
        "wait_error_max_s": error.max(),
        "gap_max_s": went_on["idle_before_s"].max(),
    }
