"""Stimulus-sequence variance: A, B, A against B, A, B, and what to do about it."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ssdlab.paper.blocks import Note, Page, Tone
from ssdlab.paper.context import Context
from ssdlab.procedures.facts import procedure_view
from ssdlab.procedures.sequence.figures import plot_sequence
from ssdlab.procedures.sequence.spec import STAGES
from ssdlab.procedures.sequence.summary import (
    ALIKE_RATIO,
    CONFIDENCE_PERCENT,
    STAGE_ROUNDS,
    RatioInterval,
    Repetition,
    estimate_ratio,
    find_order_doubts,
    judge_repetition,
    repetition_text,
    select_last_rounds,
    summarise_stages,
)
from ssdlab.reference.micron import MICRON_SEQUENCES, MICRON_SOURCE
from ssdlab.stats.bottleneck import LEAST_FILLS
from ssdlab.telemetry.strip import strip_under_io
from ssdlab.text.numbers import (
    NOT_MEASURED,
    interval_texts,
    rate_text,
    rounded_text,
    share_text,
)
from ssdlab.text.quantities import span_s, time_quantity
from ssdlab.text.table import Table, column, quantities, quantity, tabulate

_INTERVAL_NOTE = (
    f"The means are of the last {STAGE_ROUNDS} rounds of each stage. The interval is a "
    f"{CONFIDENCE_PERCENT:g} % t-interval of the ratio of two means (delta method on "
    "its logarithm, degrees of freedom by Welch and Satterthwaite). It assumes "
    "independent rounds; those of a drive that still drifts are not, and then it is "
    "too narrow. Means differ if 1 is outside it, and the ratio is more than "
    f"{ALIKE_RATIO:.0%} off. The effect of the order is unknown where the first run "
    f"wrote less than {LEAST_FILLS:g} user capacity before its last {STAGE_ROUNDS} "
    "rounds, where either was not steady, or after a break. All rounds together "
    "include the transition from the previous stage, so their ratio has no interval."
)
_PUBLISHED_NOTE = (
    f"Published: {MICRON_SOURCE}. In its measurement, repeated RND 4 KiB writes gave "
    "similar IOPS, and repeated SEQ 128 KiB writes were lower. It gives neither a "
    "ratio nor the length of the stages; another drive may behave differently."
)
_PURGE = "So purge before each stimulus whose result must be independent."


@dataclass(frozen=True, kw_only=True)
class SequenceResult:
    """The result of one sequence; ``verdict`` is missing before its third stage."""

    test: str
    stages: pd.DataFrame
    interval: RatioInterval | None
    verdict: Repetition | None
    text: str


def sequence_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of one of the sequences; the last one has what both say."""
    found = read_sequence(context, test)
    title = "Both stimuli over time"
    if found is None:
        note = Note(text="No round was finished.", tone="warning")
        return (Page(title=title, blocks=(note,)),)
    figure = plot_sequence(
        found.stages, title=context.title_of(test), last_rounds=STAGE_ROUNDS
    )
    tone: Tone = "plain" if found.verdict == "similar" else "warning"
    page = Page(
        title=title,
        blocks=(
            strip_under_io(
                context,
                figure,
                test=test,
                unit=time_quantity(span_s(found.stages)),
            ),
            _stages_table(context, found),
            *_ratio_blocks(found),
            Note(text=found.text, tone=tone),
            *_published_notes(found),
            _rounds_table(found),
        ),
    )
    if test != context.record.tests[-1]:
        return (page,)
    return (page, _conclusion(context))


def _stages_table(context: Context, found: SequenceResult) -> Table:
    stages = [
        {"number": number, **_stage(context, found, phase)}
        for number, phase in enumerate(STAGES, start=1)
    ]
    return tabulate(
        stages,
        (
            column("Stage", "number", "Stage {}".format),
            column("Stimulus", "stimulus", is_words=True),
            column("Rounds", "rounds"),
            column("First round", "first"),
            column("Mean", "mean"),
            column(f"Mean of last {STAGE_ROUNDS}", "last"),
            column("At its end", "end", is_words=True),
        ),
        caption="The three stages",
    )


def _stage(context: Context, found: SequenceResult, phase: str) -> dict[str, Any]:
    """Return the results of a stage; nothing if it was not started."""
    own = found.stages[found.stages["phase"] == phase]
    if own.empty:
        return dict.fromkeys(("stimulus", "rounds", "first", "mean", "last", "end"))
    values = values_of(found.stages, phase)
    last = select_last_rounds(found.stages, phase)
    metric = str(own["metric"].iloc[0])
    is_steady = is_stage_steady(context, found.test, phase)
    return {
        "stimulus": name_of(found.stages, phase),
        "rounds": len(own),
        "first": rate_text(float(values.iloc[0]), metric),
        "mean": rate_text(float(values.mean()), metric),
        "last": rate_text(float(last.mean()), metric),
        "end": "steady" if is_steady else "NOT steady",
    }


def _ratio_blocks(found: SequenceResult) -> tuple[Table, ...]:
    interval = found.interval
    if interval is None:
        return ()
    rounds = len(values_of(found.stages, STAGES[2]))
    overall = rounded_text(overall_ratio(found.stages))
    texts = interval_texts(interval.ratio, low=interval.low, high=interval.high)
    last = (f"last {STAGE_ROUNDS} rounds", *texts)
    return (
        Table(
            caption=f"Stage 3 / stage 1: {name_of(found.stages, STAGES[0])} again",
            head=(
                "Means of",
                "Ratio",
                "Interval from",
                "to",
                "Repetition",
                "Published",
            ),
            rows=(
                (*last, str(found.verdict), published_of(found)),
                (f"all {rounds} rounds", overall, *(NOT_MEASURED,) * 4),
            ),
            words=(4, 5),
            note=_INTERVAL_NOTE,
        ),
    )


def _published_notes(found: SequenceResult) -> tuple[Note, ...]:
    published = published_of(found)
    return () if published == NOT_MEASURED else (Note(text=_PUBLISHED_NOTE),)


def _conclusion(context: Context) -> Page:
    """Return what both sequences say together."""
    found = [
        sequence
        for test in context.record.tests
        if (sequence := read_sequence(context, test)) is not None
    ]
    is_published = any(published_of(one) != NOT_MEASURED for one in found)
    table = tabulate(
        found,
        (
            column("Sequence", lambda one: context.title_of(one.test)),
            column("Stage 3 / stage 1", _ratio_text),
            column("Repetition", lambda one: one.verdict or None, is_words=True),
            column("Published", published_of, is_words=True),
            column("In words", "text", is_words=True),
        ),
        caption="Both sequences",
        note=_PUBLISHED_NOTE if is_published else "",
    )
    return Page(
        title="What the sequences say",
        blocks=(table, Note(text=_conclusion_text([s.verdict for s in found]))),
    )


def _ratio_text(sequence: SequenceResult) -> str:
    found = sequence.interval
    if found is None:
        return NOT_MEASURED
    return interval_texts(found.ratio, low=found.low, high=found.high)[0]


def _conclusion_text(verdicts: list[Repetition | None]) -> str:
    if {"lower", "higher"} & set(verdicts):
        return (
            "The result of a stimulus on this drive depends on what was written before "
            f"it. {_PURGE}"
        )
    if verdicts == ["similar", "similar"]:
        return (
            "Neither repetition differs: these stimuli, in stages of this length, did "
            "not affect each other on this drive. Another drive or other stimuli may. "
            f"{_PURGE}"
        )
    return (
        "Whether the order matters on this drive is not known for both sequences. "
        f"{_PURGE}"
    )


def _rounds_table(found: SequenceResult) -> Table:
    return tabulate(
        found.stages,
        (
            column("Round", "round"),
            column("Stage", "phase", lambda phase: phase.removeprefix("stage")),
            quantity("time_s", "Minutes"),
            *quantities("iops", "bw_bytes_per_s", "lat_mean_ns", number=rounded_text),
            quantity("drive_fills"),
        ),
        caption=f"Each of {len(found.stages)} rounds",
        is_folded=True,
    )


VIEW = procedure_view(sequence_pages)


def read_sequence(context: Context, test: str) -> SequenceResult | None:
    """Return the result of a sequence, or nothing if no round was finished."""
    stages = summarise_stages(context.totals, context.steps, test=test)
    if stages.empty:
        return None
    first, last = (select_last_rounds(stages, STAGES[at]) for at in (0, 2))
    if not len(last):
        text = "The third stage was not started, so there is no repetition to compare."
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
    """Return what Micron found for the same sequence, or a dash."""
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
