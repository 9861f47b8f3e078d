"""What came of a sequence of stimuli, and what was published of the same one."""

import math
from dataclasses import dataclass

import pandas as pd

from ssdlab.analysis.sequence import (
    RatioInterval,
    Repetition,
    estimate_ratio,
    find_order_doubts,
    judge_repetition,
    repetition_text,
    select_last_rounds,
    summarise_stages,
)
from ssdlab.procedures.sequence import STAGES
from ssdlab.reference.micron import MICRON_SEQUENCES
from ssdlab.report.context import Context
from ssdlab.report.rounded import share_text
from ssdlab.report.text import NOT_MEASURED


@dataclass(frozen=True, kw_only=True)
class SequenceResult:
    """What came of one sequence; ``verdict`` is missing before its third stage."""

    test: str
    stages: pd.DataFrame
    interval: RatioInterval | None
    verdict: Repetition | None
    text: str


def read_sequence(context: Context, test: str) -> SequenceResult | None:
    """Return what came of a sequence, or nothing if no round was finished."""
    stages = summarise_stages(context.totals, context.steps, test=test)
    if stages.empty:
        return None
    first, last = (select_last_rounds(stages, STAGES[at]) for at in (0, 2))
    if not len(last):
        text = "The third stage was not begun, so there is no repetition to compare."
        return SequenceResult(
            test=test, stages=stages, interval=None, verdict=None, text=text
        )
    interval = estimate_ratio(last, first)
    doubts = find_order_doubts(
        stages,
        first=STAGES[0],
        capacity_bytes=context.record.target.capacity_bytes,
        is_steady=[is_stage_steady(context, test, STAGES[at]) for at in (0, 2)],
    )
    text = repetition_text(interval, stimulus=name_of(stages, STAGES[0]), doubts=doubts)
    return SequenceResult(
        test=test,
        stages=stages,
        interval=interval,
        verdict=judge_repetition(interval, doubts),
        text=f"{text} {_overall_text(stages)}".strip(),
    )


def values_of(stages: pd.DataFrame, phase: str) -> "pd.Series[float]":
    """Return the metric of each round of a stage."""
    values = stages[stages["phase"] == phase]["value"]
    return values.astype("Float64").astype(float)


def overall_ratio(stages: pd.DataFrame) -> float:
    """Return the mean of all rounds of stage 3 by that of stage 1, if equally many."""
    first, last = (values_of(stages, STAGES[at]) for at in (0, 2))
    if len(first) != len(last) or not first.mean() > 0:
        return float("nan")
    return float(last.mean() / first.mean())


def _overall_text(stages: pd.DataFrame) -> str:
    """Say how the whole repetition compares, its transition included."""
    ratio = overall_ratio(stages)
    if math.isnan(ratio):
        return ""
    return (
        "Over all its rounds, the transition included, the second run gives "
        f"{share_text(ratio)} of the first."
    )


def name_of(stages: pd.DataFrame, phase: str) -> str:
    """Return the stimulus of a stage with its TC/QD."""
    return str(stages[stages["phase"] == phase]["stimulus"].iloc[0])


def is_stage_steady(context: Context, test: str, phase: str) -> bool:
    """Tell whether a stage was steady in its last rounds."""
    finals = context.final_windows(test, phase)
    return bool(finals) and all(one.is_round_steady for one in finals)


def published_of(found: SequenceResult) -> str:
    """Return what Micron found of the same sequence, or the sign of none."""
    stages = found.stages
    names = [
        name_of(stages, phase).rpartition(" ")[0]
        for phase in STAGES[:2]
        if (stages["phase"] == phase).any()
    ]
    for published in MICRON_SEQUENCES:
        if names == [published.first, published.second]:
            return published.repetition
    return NOT_MEASURED
