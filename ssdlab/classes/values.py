"""The columns of the nine storage classes, as far as one run measured them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ssdlab.classes.metrics import (
    CLASS_METRICS,
    ClassMetric,
    find_value_conditions,
)
from ssdlab.stats.matrix import select_cells, select_window
from ssdlab.stats.phases import range_name

_LARGE_SHARE = 0.1  # of the user capacity; in the first minute of the nine: at most 9 %
_PRINTED_MEAN = "mean"  # the kind of a row of an imported report, not a round


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """One value with its rounds, its origin, and its doubts."""

    value: float
    rounds: pd.DataFrame
    source: str
    doubts: tuple[str, ...] = ()
    is_steady: bool | None = None
    n_rounds: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Frames:
    measurements: pd.DataFrame
    windows: pd.DataFrame
    steps: pd.DataFrame
    inside: Mapping[str, pd.DataFrame]  # by test, the rounds of its measurement window


def summarise_class_values(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    *,
    steps: pd.DataFrame,
    metrics: Sequence[ClassMetric] = CLASS_METRICS,
) -> pd.DataFrame:
    """Return the columns of the storage classes, as far as one run measured them.

    Notes
    -----
    FOB is the first round of WSAT. IOPS, TP and LAT are of the measurement window:
    the mean over its rounds, and of the maximum latency the maximum. RND 4 KiB 0/100
    is from the end of WSAT only where the test IOPS was not run.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    there = {metric.test for metric in metrics} & {*measurements["test"]}
    inside = {test: select_window(measurements, windows, test) for test in there}
    frames = _Frames(
        measurements=measurements, windows=windows, steps=steps, inside=inside
    )
    names = ["metric", "value", "n_rounds", "is_steady", "source", "conditions"]
    rows = [_row(metric, _find(metric, frames)) for metric in metrics]
    types = {"value": "float64", "n_rounds": "Int64", "is_steady": "boolean"}
    return pd.DataFrame(rows, columns=names).astype(types)


def _row(metric: ClassMetric, found: _Found | str) -> tuple[object, ...]:
    if isinstance(found, str):
        return metric.name, None, 0, None, found, ""
    value = found.value * metric.factor
    conditions = (*found.doubts, *find_value_conditions(metric, found.rounds))
    return (
        metric.name,
        value,
        found.n_rounds,
        found.is_steady,
        found.source,
        "\n".join(conditions),
    )


def _find(metric: ClassMetric, frames: _Frames) -> _Found | str:
    """Return what was found, or why nothing was."""
    if metric.name == "fob_iops":
        return _first_round(metric, frames)
    if metric.test in frames.inside:
        return _window_value(metric, frames)
    if metric.name == "write_iops":
        return _saturated(metric, frames)
    return f"{metric.test.upper()} was not run"


def _of_cell(rows: pd.DataFrame, metric: ClassMetric) -> pd.DataFrame:
    return rows[
        (rows["access"] == metric.access)
        & (rows["block_size_bytes"] == metric.block_size_bytes).fillna(value=False)
        & (rows["read_percent"] == metric.read_percent).fillna(value=False)
    ]


def _window_value(metric: ClassMetric, frames: _Frames) -> _Found | str:
    name = metric.test.upper()
    cell = _of_cell(frames.inside[metric.test], metric)
    if cell.empty:
        return _why_no_window(metric, frames)
    cell = _widest(cell, frames.steps)
    is_printed = cell["kind"] == _PRINTED_MEAN
    rounds = _recorded(cell[~is_printed], metric)
    printed = _recorded(cell[is_printed], metric)
    if rounds.empty and printed.empty:
        return f"{name} did not record it"
    known = printed if rounds.empty else rounds
    values = known[metric.column].astype(float)
    is_steady = _is_steady(known, frames.windows)
    return _Found(
        value=float(values.max() if metric.column == "lat_max_ns" else values.mean()),
        rounds=known,
        source=f"{name}, a window of an imported report"
        if rounds.empty
        else f"measurement window of {name}",
        doubts=(*_of_range(known), *_of_steady(is_steady=is_steady)),
        is_steady=is_steady,
        n_rounds=None if rounds.empty else len(rounds),
    )


def _why_no_window(metric: ClassMetric, frames: _Frames) -> str:
    name = metric.test.upper()
    if _of_cell(select_cells(frames.measurements, metric.test), metric).empty:
        return f"this {name} has no cell {metric.stimulus}"
    return f"no measurement window of {name} was full"


def _recorded(rows: pd.DataFrame, metric: ClassMetric) -> pd.DataFrame:
    return rows[rows[metric.column].notna()]


def _widest(rounds: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    """Keep one phase: of several active ranges the widest, on a tie the first."""
    spans = steps.groupby("phase")["range_bytes"].max()
    phases = [str(name) for name in rounds["phase"].unique()]
    widest = max(phases, key=lambda name: _number(spans.get(name)))
    return rounds[rounds["phase"] == widest]


def _number(value: Any) -> float:
    return 0.0 if value is None or pd.isna(value) else float(value)


def _is_steady(rounds: pd.DataFrame, windows: pd.DataFrame) -> bool | None:
    first = rounds.iloc[0]
    judged = windows[
        (windows["test"] == first["test"])
        & (windows["phase"] == first["phase"])
        & windows["is_final"].fillna(value=False)
    ]
    verdicts = judged["is_round_steady"].dropna()
    return bool(verdicts.all()) if len(verdicts) else None


def _of_steady(*, is_steady: bool | None) -> tuple[str, ...]:
    if is_steady is None:
        return ("steady state: not judged",)
    return () if is_steady else ("steady state NOT achieved",)


def _of_range(rounds: pd.DataFrame) -> tuple[str, ...]:
    active = range_name(str(rounds["phase"].iloc[0]))
    return (f"active range: {active}, one of several measured",) if active else ()


def _saturation_rounds(metric: ClassMetric, frames: _Frames) -> pd.DataFrame:
    """Return the rounds of the WSAT of RND 4 KiB writes, in their order."""
    rounds = _of_cell(select_cells(frames.measurements, "wsat"), metric)
    if rounds.empty:
        return rounds
    first = rounds.sort_values("step_id")["phase"].iloc[0]
    own: pd.DataFrame = rounds[rounds["phase"] == first]
    return own.sort_values("round")


def _why_no_saturation(metric: ClassMetric, frames: _Frames) -> str:
    if (frames.measurements["test"] == "wsat").any():
        return f"no round of WSAT is {metric.stimulus}"
    return "WSAT was not run"


def _first_round(metric: ClassMetric, frames: _Frames) -> _Found | str:
    rounds = _saturation_rounds(metric, frames)
    if rounds.empty:
        return _why_no_saturation(metric, frames)
    first = rounds[rounds["round"] == 1]
    if first.empty or pd.isna(first["iops"].iloc[0]):
        return "the first round of WSAT was not recorded"
    return _Found(
        value=float(first["iops"].iloc[0]),
        rounds=first,
        source="first round of WSAT",
        n_rounds=1,
        doubts=(*_of_purge(frames.steps), *_of_share(first, frames.steps)),
    )


def _of_purge(steps: pd.DataFrame) -> tuple[str, ...]:
    own = steps[steps["test"] == "wsat"]
    if (own["kind"] == "purge").any():
        return ()
    return ("FOB: no purge is recorded before it",)


def _of_share(first: pd.DataFrame, steps: pd.DataFrame) -> tuple[str, ...]:
    """Say when the first round wrote so much that it is not just a peak."""
    ids: Sequence[str] = first["step_id"].tolist()
    fills = steps[steps["step_id"].isin(ids)]["drive_fills"].dropna()
    if fills.empty or float(fills.max()) <= _LARGE_SHARE:
        return ()
    percent = 100 * float(fills.max())
    return (f"FOB: its round wrote {percent:.0f} % of the user capacity",)


def _saturated(metric: ClassMetric, frames: _Frames) -> _Found | str:
    """Return the end of WSAT: the mean of its window, or its last round."""
    rounds = _saturation_rounds(metric, frames)
    if rounds.empty:
        return f"IOPS was not run, and {_why_no_saturation(metric, frames)}"
    instead = "from WSAT, as the test IOPS was not run"
    judged = frames.windows[
        (frames.windows["test"] == "wsat")
        & (frames.windows["phase"] == rounds["phase"].iloc[0])
        & (frames.windows["metric"] == "iops")
        & frames.windows["is_final"].fillna(value=False)
        & frames.windows["average"].notna()
    ]
    if len(judged):
        is_steady = _is_steady(rounds, frames.windows)
        return _Found(
            value=float(judged["average"].iloc[0]),
            rounds=rounds.iloc[-1:],
            source="end of WSAT, mean of the samples of its last window",
            doubts=(instead, *_of_steady(is_steady=is_steady)),
            is_steady=is_steady,
        )
    last = rounds.dropna(subset=["iops"]).iloc[-1:]
    if last.empty:
        return "IOPS was not run, and WSAT did not record it"
    return _Found(
        value=float(last["iops"].iloc[0]),
        rounds=last,
        source="end of WSAT, its last round",
        doubts=(instead, "steady state: not judged"),
        n_rounds=1,
    )
