"""Stimulus-sequence variance: A, B, A against B, A, B, and what to do about it."""

from ssdlab.analysis.bottleneck import LEAST_FILLS
from ssdlab.analysis.sequence import (
    ALIKE_RATIO,
    CONFIDENCE_PERCENT,
    STAGE_ROUNDS,
    Repetition,
    select_last_rounds,
)
from ssdlab.figures.labels import span_s, time_quantity
from ssdlab.figures.sequence import plot_sequence
from ssdlab.procedures.sequence import STAGES
from ssdlab.reference.micron import MICRON_SOURCE
from ssdlab.report.blocks import Note, Page, Table, Tone
from ssdlab.report.context import Context
from ssdlab.report.drive_strip import plot_under_io
from ssdlab.report.procedure_facts import procedure_view
from ssdlab.report.rounded import (
    counted_text,
    interval_texts,
    measured_text,
    rate_text,
)
from ssdlab.report.sequence_facts import (
    SequenceResult,
    is_stage_steady,
    name_of,
    overall_ratio,
    published_of,
    read_sequence,
    values_of,
)
from ssdlab.report.text import NOT_MEASURED

_HEAD = (
    "Stimulus",
    "Rounds",
    "First round",
    "Mean",
    f"Mean of last {STAGE_ROUNDS}",
    "At its end",
)
_INTERVAL_NOTE = (
    f"The means are of the last {STAGE_ROUNDS} rounds of each stage. The interval is a "
    f"{CONFIDENCE_PERCENT:g} % t-interval of the ratio of two means (delta method on "
    "its logarithm, degrees of freedom by Welch and Satterthwaite). It takes rounds as "
    "independent; those of a drive that still drifts are not, and then it is too "
    f"narrow. Differing means: 1 is outside it, and the ratio is more than "
    f"{ALIKE_RATIO:.0%} off. The order is not told of where the first run wrote less "
    f"than {LEAST_FILLS:g} user capacity before its last {STAGE_ROUNDS} rounds, where "
    "one of both was not steady, or after a break. All rounds hold the transition from "
    "the stage before, so there is no interval of their ratio."
)
_PUBLISHED_NOTE = (
    f"Published: {MICRON_SOURCE}. In its measurement RND 4 KiB writes gave alike IOPS "
    "when they came again, and SEQ 128 KiB writes were lower. Known here are these "
    "words alone, and neither a ratio nor the length of the stages; another drive may "
    "do otherwise."
)
_PURGE = "So purge before each stimulus whose result is to stand by itself."


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
    tone: Tone = "plain" if found.verdict == "alike" else "warning"
    page = Page(
        title=title,
        blocks=(
            plot_under_io(
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
    rows = []
    for number, phase in enumerate(STAGES, start=1):
        own = found.stages[found.stages["phase"] == phase]
        if own.empty:
            rows.append((f"Stage {number}", *(NOT_MEASURED,) * len(_HEAD)))
            continue
        values = values_of(found.stages, phase)
        last = select_last_rounds(found.stages, phase)
        means = (float(values.iloc[0]), float(values.mean()), float(last.mean()))
        metric = str(own["metric"].iloc[0])
        is_steady = is_stage_steady(context, found.test, phase)
        rows.append((
            f"Stage {number}",
            name_of(found.stages, phase),
            str(len(own)),
            *(rate_text(mean, metric) for mean in means),
            "steady" if is_steady else "NOT steady",
        ))
    return Table(
        caption="The three stages",
        corner="Stage",
        head=_HEAD,
        rows=tuple(rows),
        words=(1, 6),
    )


def _ratio_blocks(found: SequenceResult) -> tuple[Table, ...]:
    interval = found.interval
    if interval is None:
        return ()
    rounds = len(values_of(found.stages, STAGES[2]))
    overall = measured_text(overall_ratio(found.stages), 1)
    texts = interval_texts(interval.ratio, low=interval.low, high=interval.high)
    last = (f"last {STAGE_ROUNDS} rounds", *texts)
    return (
        Table(
            caption=f"Stage 3 by stage 1: {name_of(found.stages, STAGES[0])} again",
            corner="Means of",
            head=("Ratio", "Interval from", "to", "Repetition", "Published"),
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
    lines = tuple(
        (
            context.title_of(sequence.test),
            _ratio_text(sequence),
            sequence.verdict or NOT_MEASURED,
            published_of(sequence),
            sequence.text,
        )
        for sequence in found
    )
    table = Table(
        caption="Both sequences",
        corner="Sequence",
        head=("Stage 3 / stage 1", "Repetition", "Published", "In words"),
        rows=lines,
        words=(2, 3, 4),
        note=_PUBLISHED_NOTE if any(line[3] != NOT_MEASURED for line in lines) else "",
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
            "What a stimulus shows on this drive depends on what was written before "
            f"it. {_PURGE}"
        )
    if verdicts == ["alike", "alike"]:
        return (
            "Neither repetition differs here: these stimuli, in stages of this length, "
            "did not disturb each other on this drive. Another drive or other stimuli "
            f"may. {_PURGE}"
        )
    return (
        "Whether the order matters on this drive is not told for both sequences. "
        f"{_PURGE}"
    )


def _rounds_table(found: SequenceResult) -> Table:
    rows = tuple(
        (
            str(row["round"]),
            str(row["phase"]).removeprefix("stage"),
            counted_text(row["time_s"], 60),
            measured_text(row["iops"], 1),
            measured_text(row["bw_bytes_per_s"], 1e6),
            measured_text(row["lat_mean_ns"], 1e6),
            counted_text(row["drive_fills"], 1),
        )
        for _, row in found.stages.iterrows()
    )
    return Table(
        caption=f"Each of {len(rows)} rounds",
        corner="Round",
        head=("Stage", "Minutes", "IOPS", "MB/s", "Average [ms]", "Drive fills"),
        rows=rows,
        is_folded=True,
    )


VIEW = procedure_view(sequence_pages)
