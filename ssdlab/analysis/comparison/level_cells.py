"""Percentiles of cells of several runs: each of the merged bins of its window."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ssdlab.analysis.comparison.metrics import CellMetric
from ssdlab.analysis.inference.clusters import join_rounds
from ssdlab.analysis.inference.levels import LevelEstimate, level_of_interval
from ssdlab.analysis.inference.quantiles import BinnedRounds
from ssdlab.analysis.qos.claims import LevelClaim, claim_of_level
from ssdlab.analysis.qos.load import Load
from ssdlab.analysis.qos.loads import select_loads
from ssdlab.model.errors import NoHistogramError

FEW_ROUNDS = "too few rounds to tell how a percentile scatters"
FEW_IOS = "too few IOs stand behind the percentile"
APART = "rounds differ too much to bound the percentile"


def tabulate_level_cells(
    window: pd.DataFrame, bins: pd.DataFrame, metrics: Sequence[CellMetric]
) -> pd.DataFrame:
    """Return percentiles of the cells of one test, a row a run, cell and percentile.

    Returns
    -------
    pandas.DataFrame
        The first round of each cell with ``round`` missing, ``metric``, ``value`` [ns],
        ``log_variance`` of its logarithm between rounds downwards and
        ``log_variance_above`` (missing where nothing bounds it) with their ``freedom``,
        ``n_rounds``, ``doubt`` and ``open_end`` (why an end is not bounded) in words,
        and ``is_doubted`` where any round is. A percentile that no run has IOs enough
        for is left out.
    """
    loads = [
        load
        for run_id, own in window[window["kind"] == "cell"].groupby("run_id")
        for load in _loads(own, bins[bins["run_id"] == run_id])
    ]
    if not loads:
        return window.iloc[:0]
    firsts = [load.steps.iloc[[0]] for load in loads for _ in metrics]
    levels = [_level(load, metric) for load in loads for metric in metrics]
    table = pd.concat(firsts, ignore_index=True)
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


def _level(load: Load, metric: CellMetric) -> dict[str, Any]:
    claim = claim_of_level(load.binned, metric.level_percent)
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
    """Return the level of a percentile by the interval that is claimed of it.

    Its degrees of freedom are those of the rounds, joined where there are many.
    """
    freedom = max(1, len(join_rounds(bins).counts) - 1)
    return level_of_interval(claim.interval, freedom=freedom, n_values=claim.rounds)


def _open_end(claim: LevelClaim) -> str:
    if math.isinf(claim.alone.high):
        return FEW_IOS
    is_bounded = claim.interval.low > 0 and math.isfinite(claim.interval.high)
    return "" if is_bounded else APART
