"""Loads: what was run alike and kept its latency histogram, round after round.

A load is a workload of one phase of one test, in one direction. Its steps are the
rounds of the measurement window, all rounds, or the one long run of a histogram.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.analysis.inference.quantiles import BinnedRounds
from ssdlab.model.errors import NoHistogramError, UnknownNameError
from ssdlab.model.spec import stimulus_label

_STEP = ["run_id", "step_id"]
_WORKLOAD = ["access", "block_size_bytes", "read_percent", "threads", "queue_depth"]
_LOAD = ["run_id", "test", "phase", "kind", *_WORKLOAD]
_KINDS = ("histogram", "cell")
_TESTS_FIRST = ("lat", "wsat")  # the PTS asks these two for a histogram

Loads = tuple["Load", ...]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Load:
    """Steps of one workload, and their histograms.

    Attributes
    ----------
    test, phase, workload, direction : str
        Where it was run and what it is, such as ``RND 4 KiB 0/100 T1/Q1``.
    kind : {"cell", "histogram"}
        Rounds, or the long run of a histogram.
    steps : pandas.DataFrame
        The rows of ``measurements``, oldest first, one a step.
    bins : pandas.DataFrame
        The rows of ``bins`` of these steps and this direction, by ascending latency.
    note : str
        Why these rounds, in words; empty where they are those of the window.
    """

    test: str
    phase: str
    workload: str
    direction: str
    kind: str
    steps: pd.DataFrame
    bins: pd.DataFrame
    note: str = ""

    @property
    def label(self) -> str:
        """Test, phase and workload in one line."""
        side = "" if self.direction == "total" else f", {self.direction}s"
        return f"{self.test.upper()} {self.phase}, {self.workload}{side}"

    @property
    def what(self) -> str:
        """Whether it is of rounds or of one run."""
        count = len(self.steps)
        if self.kind == "histogram":
            return "one long run" if count == 1 else f"{count} long runs"
        return f"{count} rounds" if count > 1 else "one round"

    def binned(self) -> BinnedRounds:
        """Return the counts as arrays: a row a step, a column a bin.

        Returns
        -------
        BinnedRounds
            The greatest bin ends where the recorded maximum is, if that is beyond it.
        """
        held = self.bins
        named = held["lat_ns"].to_numpy(np.int64)
        names, places = np.unique(named, return_inverse=True)
        order = {step: row for row, step in enumerate(self.steps["step_id"])}
        rows = held["step_id"].map(order).to_numpy(np.intp)
        counts = np.zeros((len(order), names.size), np.int64)
        np.add.at(counts, (rows, places), held["count"].to_numpy(np.int64))
        lower = np.full(names.size, np.inf)
        upper = np.zeros(names.size)
        np.minimum.at(lower, places, held["lat_lower_ns"].to_numpy(float))
        np.maximum.at(upper, places, held["lat_upper_ns"].to_numpy(float))
        upper[-1] = self._end_of_last_bin(float(lower[-1]), float(upper[-1]))
        return BinnedRounds(names=names, lower=lower, upper=upper, counts=counts)

    def _end_of_last_bin(self, lower: float, upper: float) -> float:
        greatest = self.greatest_ns
        return max(lower, greatest) if np.isfinite(greatest) else upper

    @property
    def greatest_ns(self) -> float:
        """The greatest latency that was recorded [ns]; NaN if none was."""
        return float(self.steps["lat_max_ns"].astype(float).max())

    @property
    def is_censored(self) -> bool:
        """Whether the greatest latency lies beyond the end of the greatest bin."""
        return bool(self.greatest_ns > float(self.bins["lat_upper_ns"].max()))


def summarise_loads(measurements: pd.DataFrame, bins: pd.DataFrame) -> pd.DataFrame:
    """List what was measured with a latency histogram.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run.
    bins : pandas.DataFrame
        The table ``bins``.

    Returns
    -------
    pandas.DataFrame
        One row a load: ``test``, ``phase``, ``workload``, ``kind`` (cell or
        histogram), ``directions``, ``steps`` (rounds or long runs) and ``total_ios``
        in their histograms. Those of the tests LAT and WSAT come first.
    """
    rows = [
        {
            "test": load.test,
            "phase": load.phase,
            "workload": load.workload,
            "kind": load.kind,
            "directions": _directions(load, measurements, bins),
            "steps": len(load.steps),
            "total_ios": int(load.bins["count"].sum()),
        }
        for load in _all_loads(measurements, bins, direction="total")
    ]
    names = ["test", "phase", "workload", "kind", "directions", "steps", "total_ios"]
    return pd.DataFrame(rows, columns=names)


def select_loads(
    measurements: pd.DataFrame,
    bins: pd.DataFrame,
    windows: pd.DataFrame | None = None,
    *,
    test: str = "",
    workload: str = "",
    direction: str = "total",
) -> Loads:
    """Return the loads of a run that a test and a workload name.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run.
    bins : pandas.DataFrame
        The table ``bins``.
    windows : pandas.DataFrame, optional
        The table ``windows``: then rounds count that are in the reported measurement
        window, or all of a phase that has none, and ``note`` says so. Without it all
        rounds count.
    test : str, default ""
        The test. Without a test and a workload: those that a test ran a histogram of,
        or every one if none did.
    workload : str, default ""
        Its first words, such as ``RND 4KiB 0/100``; blanks and case do not matter.
    direction : {"total", "read", "write"}, default "total"
        Which IOs.

    Returns
    -------
    tuple of Load
        Long runs first, in the order of `summarise_loads`.

    Raises
    ------
    NoHistogramError
        If the run has no histogram, or none in that direction.
    UnknownNameError
        If there is no such test or workload among those that have one.
    """
    found = tuple(_all_loads(measurements, bins, direction=direction))
    if not found:
        raise NoHistogramError(direction=direction)
    chosen = _named(found, test=test, workload=workload)
    if not test and not workload:
        chosen = _with_histogram(chosen)
    return tuple(_in_window(load, windows) for load in chosen)


def select_load(
    measurements: pd.DataFrame,
    bins: pd.DataFrame,
    *,
    kind: str = "",
    **names: str,
) -> Load:
    """Return the first load that a test and a workload name, with all of its rounds.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run.
    bins : pandas.DataFrame
        The table ``bins``.
    kind : {"", "cell", "histogram"}, default ""
        Rounds or a long run, if there are both; the long run where nothing is said.
    **names : str
        ``test``, ``workload`` and ``direction``, as in `select_loads`.

    Returns
    -------
    Load
        One of the other kind where there is none of this one.

    Raises
    ------
    NoHistogramError
        If the run has no histogram, or none in that direction.
    UnknownNameError
        If there is no such test or workload among those that have one.
    """
    found = select_loads(measurements, bins, None, **names)
    return next((load for load in found if load.kind == kind), found[0])


def workload_label(row: "pd.Series[Any] | dict[str, Any]") -> str:
    """Return a workload in the words of the PTS, with threads and queue depth."""
    known = {name: 0 if pd.isna(row[name]) else row[name] for name in _WORKLOAD}
    label = stimulus_label(
        str(known["access"]),
        int(known["block_size_bytes"]),
        int(known["read_percent"]),
    )
    if not known["threads"]:
        return label
    return f"{label} T{int(known['threads'])}/Q{int(known['queue_depth'])}"


def _all_loads(
    measurements: pd.DataFrame, bins: pd.DataFrame, *, direction: str
) -> Iterator[Load]:
    held = bins[(bins["direction"] == direction) & (bins["count"] > 0)]
    steps = measurements[
        (measurements["direction"] == direction)
        & measurements["kind"].isin(_KINDS)
        & measurements["step_id"].isin(held["step_id"].unique())
    ].copy()
    steps["workload"] = [workload_label(row) for _, row in steps[_WORKLOAD].iterrows()]
    by_step = dict(iter(held.groupby("step_id", sort=False)))
    keys = ["test", "phase", "workload", "kind"]
    groups = [
        (str(test), str(phase), str(workload), str(kind), group)
        for (test, phase, workload, kind), group in steps.groupby(keys, sort=False)
    ]
    for test, phase, workload, kind, rows in sorted(groups, key=_order):
        group = rows.sort_values("step_id", kind="stable")
        parts = [by_step[step] for step in group["step_id"]]
        yield Load(
            test=test,
            phase=phase,
            workload=workload,
            direction=direction,
            kind=kind,
            steps=group.reset_index(drop=True),
            bins=pd.concat(parts).sort_values(["lat_ns"], kind="stable"),
        )


def _order(group: tuple[Any, ...]) -> tuple[int, int]:
    test, _, _, kind, _ = group
    place = _TESTS_FIRST.index(test) if test in _TESTS_FIRST else len(_TESTS_FIRST)
    return place, _KINDS.index(kind)


def _directions(load: Load, measurements: pd.DataFrame, bins: pd.DataFrame) -> str:
    steps = load.steps["step_id"]
    with_bins = bins.loc[bins["step_id"].isin(steps), "direction"].unique()
    there = measurements.loc[measurements["step_id"].isin(steps), "direction"].unique()
    return ", ".join(
        side for side in ("read", "write") if side in with_bins and side in there
    )


def _named(found: Loads, *, test: str, workload: str) -> Loads:
    of_test = tuple(load for load in found if test in {"", load.test})
    if not of_test:
        known = sorted({load.test for load in found})
        raise UnknownNameError(kind="test with a histogram", name=test, known=known)
    wanted = _squeezed(workload)
    exact = tuple(load for load in of_test if _squeezed(load.workload) == wanted)
    chosen = exact or tuple(
        load for load in of_test if _squeezed(load.workload).startswith(wanted)
    )
    if not chosen:
        known = list(dict.fromkeys(load.workload for load in of_test))
        raise UnknownNameError(
            kind="workload with a histogram", name=workload, known=known
        )
    return chosen


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _with_histogram(loads: Loads) -> Loads:
    of_runs = {(load.test, load.workload) for load in loads if load.kind == "histogram"}
    return tuple(
        load for load in loads if not of_runs or (load.test, load.workload) in of_runs
    )


def _in_window(load: Load, windows: pd.DataFrame | None) -> Load:
    if load.kind == "histogram" or windows is None:
        return load
    final = windows[
        (windows["test"] == load.test)
        & (windows["phase"] == load.phase)
        & windows["is_final"].fillna(value=False).astype(bool)
    ]
    if final.empty:
        return _with_steps(load, load.steps, "no round was judged: all count")
    first, last = final["window_first_round"].min(), final["window_last_round"].max()
    inside = load.steps["round"].between(first, last).fillna(value=False).astype(bool)
    if not inside.any():
        return _with_steps(load, load.steps, "none of its rounds is in the window")
    is_steady = bool(final["is_round_steady"].fillna(value=False).all())
    note = "" if is_steady else "the window was not steady"
    return _with_steps(load, load.steps[inside], note)


def _with_steps(load: Load, steps: pd.DataFrame, note: str) -> Load:
    return Load(
        test=load.test,
        phase=load.phase,
        workload=load.workload,
        direction=load.direction,
        kind=load.kind,
        steps=steps.reset_index(drop=True),
        bins=load.bins[load.bins["step_id"].isin(steps["step_id"])],
        note=note,
    )
