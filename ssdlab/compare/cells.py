"""The cells of several runs, round by round: the input of a comparison."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.model.errors import NoHistogramError
from ssdlab.model.spec import stimulus_label
from ssdlab.pts.compared import METRICS, CellMetric, Compared
from ssdlab.qos.load import Load
from ssdlab.qos.loads import select_loads
from ssdlab.stats.claims import LevelClaim, claim_levels
from ssdlab.stats.clusters import join_rounds
from ssdlab.stats.levels import LevelEstimate, level_of_interval
from ssdlab.stats.matrix import select_window
from ssdlab.stats.phases import range_name
from ssdlab.stats.quantiles import BinnedRounds

CELL = ["test", "metric", "cell"]

_STEP = ["run_id", "step_id"]
_OF_LEVELS = ("log_variance", "log_variance_above", "freedom")
_COLUMNS = [
    "run_id",
    *CELL,
    "access",
    "block_size_bytes",
    "read_percent",
    "threads",
    "queue_depth",
    "round",
    "value",
    "log_variance",
    "log_variance_above",
    "freedom",
    "n_rounds",
    "is_steady",
    "doubt",
    "open_end",
    "is_doubted",
]
FEW_ROUNDS = "too few rounds to estimate the scatter of a percentile"
FEW_IOS = "too few IOs support the percentile"
APART = "rounds vary too much to bound the percentile"


def rows_of(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a frame by name, of no particular type."""
    yield from frame.itertuples(index=False)


def repetitions(row: Any) -> str:
    """Return the number of runs or rounds behind a row, in words.

    >>> from types import SimpleNamespace as Row
    >>> repetitions(Row(n=5, unit="rounds")), repetitions(Row(n=1, unit="runs"))
    ('5 rounds', '1 run')
    """
    return f"{row.n} {str(row.unit).removesuffix('s') if row.n == 1 else row.unit}"


def tabulate_window_cells(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    *,
    bins: pd.DataFrame,
    steps: pd.DataFrame,
    compared: Mapping[str, Compared],
) -> pd.DataFrame:
    """Return the rounds of every cell in which runs can be compared."""
    known = measurements.merge(_doubted(steps), on=_STEP, how="left")
    known["is_doubted"] = known["is_doubted"].eq(other=True)
    parts = [
        part
        for test in sorted(set(measurements["test"].unique()) & compared.keys())
        for part in _tabulate(select_window(known, windows, test), bins, compared[test])
    ]
    found = [part for part in parts if len(part)]
    if not found:
        return pd.DataFrame(columns=_COLUMNS)
    table = pd.concat(found, ignore_index=True)
    table = table.merge(_steady(windows), on=["run_id", "test", "phase"], how="left")
    printed = table["kind"] == "mean"
    rounds = table.loc[~printed, ["run_id", *CELL]].drop_duplicates()
    both = table[["run_id", *CELL]].merge(rounds.assign(has_rounds=True), how="left")
    table = table[~(printed & both["has_rounds"].eq(other=True).to_numpy())]
    table["round"] = table["round"].astype("Int64").mask(table["kind"] == "mean")
    order = {name: place for place, name in enumerate(METRICS)}
    table["place"] = table["metric"].map(order)
    places = ["test", "place", "access", "block_size_bytes", "read_percent", "threads"]
    table = table.sort_values([*places, "queue_depth", "run_id", "round"])
    return table[_COLUMNS].reset_index(drop=True)


def _tabulate(
    window: pd.DataFrame, bins: pd.DataFrame, compared: Compared
) -> Iterator[pd.DataFrame]:
    """Yield the metrics of the cells of one test."""
    for metric in compared.metrics:
        if not metric.level_percent:
            values = window[metric.name].astype("Float64").astype(float)
            rows = window.assign(metric=metric.name, value=values, n_rounds=0)
            unknown = dict.fromkeys(_OF_LEVELS, math.nan)
            rows = rows.assign(**unknown, doubt="", open_end="")
            yield _with_words(rows[np.isfinite(values) & (values > 0)], compared)
    levels = [metric for metric in compared.metrics if metric.level_percent]
    if levels:
        yield _with_words(tabulate_level_cells(window, bins, levels), compared)


def _with_words(rows: pd.DataFrame, compared: Compared) -> pd.DataFrame:
    words = [_cell_words(row, by_workers=compared.by_workers) for row in rows_of(rows)]
    return rows.assign(cell=words)


def _cell_words(row: Any, *, by_workers: bool) -> str:
    words = str(row.phase)
    if not pd.isna(row.read_percent):
        size = 0 if pd.isna(row.block_size_bytes) else int(row.block_size_bytes)
        words = stimulus_label(row.access, size, int(row.read_percent))
    if by_workers:
        words = f"{words} T{row.threads}/Q{row.queue_depth}"
    active = range_name(str(row.phase))
    return f"{words} {active}" if active else words


def _steady(windows: pd.DataFrame) -> pd.DataFrame:
    """Return for each phase whether its last window was steady."""
    final = windows[windows["is_final"].fillna(value=False)]
    judged = final.dropna(subset=["is_round_steady"])
    names = ["run_id", "test", "phase"]
    table = judged.groupby(names, as_index=False).agg(
        is_steady=("is_round_steady", "all")
    )
    return table.astype({"is_steady": "boolean"})


def _doubted(steps: pd.DataFrame) -> pd.DataFrame:
    """Return the steps in which fio or the target reported errors."""
    complaints = steps["warnings"].fillna("")
    return steps.loc[complaints != "", _STEP].assign(is_doubted=True)


def tabulate_level_cells(
    window: pd.DataFrame, bins: pd.DataFrame, metrics: Sequence[CellMetric]
) -> pd.DataFrame:
    """Return the percentiles of one test: a row per run, cell and percentile."""
    loads = [
        load
        for run_id, own in window[window["kind"] == "cell"].groupby("run_id")
        for load in _loads(own, bins[bins["run_id"] == run_id])
    ]
    if not loads:
        return window.iloc[:0]
    firsts = pd.concat([load.steps.iloc[[0]] for load in loads])
    levels = [level for load in loads for level in _levels(load, metrics)]
    places = np.repeat(np.arange(len(loads)), len(metrics))
    table = firsts.iloc[places].reset_index(drop=True)
    table["round"] = table["round"].mask(table["round"].notna())
    table[list(levels[0])] = pd.DataFrame(levels)
    proved = table.groupby(["phase", "metric"])["is_proved"].transform("any")
    return table[proved.astype(bool)].drop(columns="is_proved")


def _loads(window: pd.DataFrame, bins: pd.DataFrame) -> Sequence[Load]:
    own = bins[bins["step_id"].isin(window["step_id"])]
    try:
        return select_loads(window, own)
    except NoHistogramError:
        return ()


def _levels(load: Load, metrics: Sequence[CellMetric]) -> Iterator[dict[str, Any]]:
    claims = claim_levels(load.binned, [metric.level_percent for metric in metrics])
    for metric, claim in zip(metrics, claims, strict=True):
        yield _level(load, metric, claim)


def _level(load: Load, metric: CellMetric, claim: LevelClaim) -> dict[str, Any]:
    level = level_of_percentile(load.binned, claim)
    return {
        "metric": metric.name,
        "value": claim.interval.estimate,
        "log_variance": level.variance if claim.is_of_rounds else math.nan,
        "log_variance_above": level.variance_above if claim.is_of_rounds else math.nan,
        "freedom": level.freedom,
        "n_rounds": claim.rounds,
        "doubt": "" if claim.is_of_rounds else FEW_ROUNDS,
        "open_end": _open_end(claim),
        "is_doubted": bool(load.steps["is_doubted"].any()),
        "is_proved": math.isfinite(claim.alone.high),
    }


def level_of_percentile(bins: BinnedRounds, claim: LevelClaim) -> LevelEstimate:
    """Return the level of a percentile from the interval that is claimed for it.

    Its degrees of freedom are those of the rounds, joined if there are many.
    """
    freedom = max(1, len(join_rounds(bins).counts) - 1)
    return level_of_interval(claim.interval, freedom=freedom, n_values=claim.rounds)


def _open_end(claim: LevelClaim) -> str:
    if math.isinf(claim.alone.high):
        return FEW_IOS
    is_bounded = claim.interval.low > 0 and math.isfinite(claim.interval.high)
    return "" if is_bounded else APART
