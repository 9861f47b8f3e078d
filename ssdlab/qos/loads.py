"""The loads of a run with latency histograms: a list of them, and a selection."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple

import pandas as pd

from ssdlab.model.errors import NoHistogramError, UnknownNameError
from ssdlab.model.spec import DIRECTIONS, PTS_CRITERIA
from ssdlab.qos.load import Load
from ssdlab.stats.cells import cell_stimulus, named_like
from ssdlab.stats.latency_kind import latency_kind, with_latency_of
from ssdlab.text.numbers import NOT_RECORDED, workers_text

_WORKLOAD = ["access", "block_size_bytes", "read_percent", "threads", "queue_depth"]
_KINDS = ("histogram", "cell")
_ROUNDS = ("window", "all")
_EVERY_ROUND = (
    "every round of the window counts; the steady-state determination uses only five "
    "samples of it, so its average is another quantity"
)
_TESTS_FIRST = ("lat", "wsat")  # the PTS requires a histogram of these two

Loads = tuple[Load, ...]


def summarise_loads(measurements: pd.DataFrame, bins: pd.DataFrame) -> pd.DataFrame:
    """List what was measured with a latency histogram."""
    held = _held_bins(bins, "total")
    found = _find_candidates(measurements, held, direction="total")
    ios = held.groupby("step_id", sort=False)["count"].sum()
    sides = _sides_of(measurements) & _sides_of(bins)
    rows = [
        {
            "test": load.test,
            "phase": load.phase,
            "workload": load.workload,
            "kind": load.kind,
            "directions": ", ".join(
                side
                for side in DIRECTIONS[1:]
                if not sides.isdisjoint((step, side) for step in load.rows["step_id"])
            ),
            "steps": len(load.rows),
            "total_ios": int(ios[load.rows["step_id"]].sum()),
        }
        for load in found
    ]
    names = ["test", "phase", "workload", "kind", "directions", "steps", "total_ios"]
    return pd.DataFrame(rows, columns=names)


def choose_windows(windows: pd.DataFrame, rounds: str) -> pd.DataFrame | None:
    """Return the windows that `select_loads` is to use."""
    if rounds not in _ROUNDS:
        raise UnknownNameError(kind="choice of rounds", name=rounds, known=_ROUNDS)
    return windows if rounds == "window" else None


def select_loads(
    measurements: pd.DataFrame,
    bins: pd.DataFrame,
    windows: pd.DataFrame | None = None,
    *,
    test: str = "",
    workload: str = "",
    direction: str = "total",
) -> Loads:
    """Return the loads of a run selected by test and workload.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run.
    bins : pandas.DataFrame
        The table ``bins``.
    windows : pandas.DataFrame, optional
        The table ``windows``: then only rounds in the reported measurement window
        count, or all of a phase without one, and ``note`` says so. Without it all
        rounds count.
    test : str, default ""
        The test. Without a test and a workload: those of which a test ran a histogram,
        or all if none did.
    workload : str, default ""
        Its first words, such as ``RND 4KiB 0/100``; blanks and case do not matter.
    direction : {"total", "read", "write", "trim"}, default "total"
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
        If there is no such test or workload among those that have one, or no such
        direction.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> tables = (run.measurements, run.bins)
    >>> [load.workload for load in select_loads(*tables, test="wsat")]
    ['RND 4 KiB 0/100 T2/Q16', 'RND 4 KiB 0/100 T2/Q16']
    """
    if direction not in DIRECTIONS:
        raise UnknownNameError(kind="direction", name=direction, known=DIRECTIONS)
    held = _held_bins(bins, direction)
    found = _find_candidates(measurements, held, direction=direction)
    if not found:
        raise NoHistogramError(direction=direction)
    chosen = _named(found, test=test, workload=workload)
    if not test and not workload:
        chosen = _with_histogram(chosen)
    loads = _load_all(chosen, held, direction=direction)
    return tuple(_in_window(load, windows) for load in loads)


def select_load(
    measurements: pd.DataFrame,
    bins: pd.DataFrame,
    *,
    kind: str = "",
    **names: str,
) -> Load:
    """Return the first load selected by test and workload, with all of its rounds."""
    found = select_loads(measurements, bins, None, **names)
    return next((load for load in found if load.kind == kind), found[0])


def workload_label(row: "pd.Series[Any] | dict[str, Any]") -> str:
    """Return a workload in the words of the PTS, with threads and queue depth."""
    label = cell_stimulus(row["access"], row["block_size_bytes"], row["read_percent"])
    workers = workers_text(row["threads"], row["queue_depth"])
    return label if workers == NOT_RECORDED else f"{label} {workers}"


def _held_bins(bins: pd.DataFrame, direction: str) -> pd.DataFrame:
    return bins[(bins["direction"] == direction) & (bins["count"] > 0)]


class _Candidate(NamedTuple):
    """The steps of a possible load, before its bins are looked up."""

    test: str
    phase: str
    workload: str
    kind: str
    rows: pd.DataFrame


def _find_candidates(
    measurements: pd.DataFrame, held: pd.DataFrame, *, direction: str
) -> tuple[_Candidate, ...]:
    steps = measurements[
        (measurements["direction"] == direction)
        & measurements["kind"].isin(_KINDS)
        & measurements["step_id"].isin(held["step_id"].unique())
    ].copy()
    rows = list(zip(*(steps[name] for name in _WORKLOAD), strict=True))
    labels = {
        row: workload_label(dict(zip(_WORKLOAD, row, strict=True)))
        for row in dict.fromkeys(rows)
    }
    steps["workload"] = [labels[row] for row in rows]
    keys = ["test", "phase", "workload", "kind"]
    groups = [
        _Candidate(str(test), str(phase), str(workload), str(kind), group)
        for (test, phase, workload, kind), group in steps.groupby(keys, sort=False)
    ]
    return tuple(sorted(groups, key=_order))


def _load_all(
    chosen: Iterable[_Candidate], held: pd.DataFrame, *, direction: str
) -> Iterator[Load]:
    names = [step for candidate in chosen for step in candidate.rows["step_id"]]
    own_bins = held[held["step_id"].isin(names)]
    by_step = dict(iter(own_bins.groupby("step_id", sort=False)))
    for candidate in chosen:
        group = candidate.rows.sort_values("step_id", kind="stable")
        own = pd.concat([by_step[step] for step in group["step_id"]])
        latency = latency_kind(group, own)
        yield Load(
            test=candidate.test,
            phase=candidate.phase,
            workload=candidate.workload,
            direction=direction,
            kind=candidate.kind,
            steps=with_latency_of(group, latency).reset_index(drop=True),
            bins=own.sort_values(["lat_ns"], kind="stable"),
            latency=latency,
        )


def _order(candidate: _Candidate) -> tuple[int, int]:
    test = candidate.test
    place = _TESTS_FIRST.index(test) if test in _TESTS_FIRST else len(_TESTS_FIRST)
    return place, _KINDS.index(candidate.kind)


def _sides_of(rows: pd.DataFrame) -> set[tuple[str, str]]:
    """Return each step with each of its directions."""
    distinct = rows[["step_id", "direction"]].drop_duplicates()
    return set(distinct.itertuples(index=False, name=None))


def _named(
    found: Sequence[_Candidate], *, test: str, workload: str
) -> tuple[_Candidate, ...]:
    of_test = tuple(load for load in found if test in {"", load.test})
    if not of_test:
        known = sorted({load.test for load in found})
        raise UnknownNameError(kind="test with a histogram", name=test, known=known)
    is_wanted = named_like([load.workload for load in of_test], workload)
    chosen = tuple(compress(of_test, is_wanted))
    if not chosen:
        known = list(dict.fromkeys(load.workload for load in of_test))
        raise UnknownNameError(
            kind="workload with a histogram", name=workload, known=known
        )
    return chosen


def _with_histogram(found: Sequence[_Candidate]) -> tuple[_Candidate, ...]:
    of_runs = {(one.test, one.workload) for one in found if one.kind == "histogram"}
    return tuple(
        one for one in found if not of_runs or (one.test, one.workload) in of_runs
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
    is_sampled = last - first >= 2 * (PTS_CRITERIA.window_rounds - 1)
    notes = [
        "" if is_steady else "the window was not steady",
        _EVERY_ROUND if is_sampled else "",
    ]
    note = "; ".join(filter(None, notes))
    return _with_steps(load, load.steps[inside], note)


def _with_steps(load: Load, steps: pd.DataFrame, note: str) -> Load:
    return replace(
        load,
        steps=steps.reset_index(drop=True),
        bins=load.bins[load.bins["step_id"].isin(steps["step_id"])],
        note=note,
    )
