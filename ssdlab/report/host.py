"""The page of the host: checks before the run, and the host ceiling."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from ssdlab.findings.ceiling import thread_time_us
from ssdlab.model.host_checks import CheckVerdict, HostCheck
from ssdlab.model.io_engine import engine_of
from ssdlab.model.records import CeilingPoint
from ssdlab.model.spec import stimulus_label
from ssdlab.paper.blocks import Block, Note
from ssdlab.paper.context import Context
from ssdlab.procedures.rwsw.facts import StreamNames, stream_names
from ssdlab.stats.cells import cell_stimulus
from ssdlab.stats.phases import phase_label
from ssdlab.telemetry.processor import summarise_processor
from ssdlab.text.numbers import number_text
from ssdlab.text.table import WORKERS, Table, column, tabulate

_WORDS: dict[CheckVerdict, str] = {
    "bad": "bad",
    "warn": "warning",
    "good": "good",
    "unknown": "unknown",
}
_CHECK = (
    column("Check", "title", is_words=True),
    column("Verdict", lambda check: _WORDS[check.verdict], is_words=True),
    column("What was read", "read", is_words=True),
)
_NOTE = (
    "Each point reads or writes /dev/zero by the IO engine of the run, or has fio's "
    "null engine, so no device can give this host more. A result within 10 % of it is "
    "a critical finding: the host may have limited it."
)
_PROCESSOR_NOTE = (
    "Time of fio's threads, user and system, over all IOs of the window. Interrupts, "
    "kernel threads (sqthread_poll) and the server of a virtual SSD are not in it. "
    "IOPS per core = 1 s / processor time per IO."
)
_MOST_SHOWN = 12


def host_blocks(context: Context) -> tuple[Block, ...]:
    """Return the findings about the host, and what an IO cost it, as far as known."""
    checks = context.record.host_checks
    blocks: list[Block] = [_counts(checks)] if checks else []
    wrong = [check for name in ("bad", "warn") for check in _of(checks, name)]
    if wrong:
        blocks.append(_wrong_table(wrong))
    rest = [check for name in ("good", "unknown") for check in _of(checks, name)]
    if rest:
        blocks.append(_rest_table(rest))
    cost = processor_table(context)
    return (*blocks, cost) if cost else tuple(blocks)


def _of(checks: Sequence[HostCheck], verdict: str) -> list[HostCheck]:
    return [check for check in checks if check.verdict == verdict]


def _counts(checks: Sequence[HostCheck]) -> Note:
    counts = {name: len(_of(checks, name)) for name in _WORDS}
    nouns = _WORDS | ({"warn": "warnings"} if counts["warn"] > 1 else {})
    parts = ", ".join(f"{n} {nouns[name]}" for name, n in counts.items() if n)
    is_bad = bool(_of(checks, "bad"))
    noun = "check" if len(checks) == 1 else "checks"
    text = f"{len(checks)} {noun} of the host before the run: {parts}."
    return Note(text=text, tone="warning" if is_bad else "plain")


def _wrong_table(checks: Sequence[HostCheck]) -> Table:
    return tabulate(
        checks,
        (
            *_CHECK,
            column("Why it matters", "why", is_words=True),
            column("What to do", lambda check: check.remedy or None, is_words=True),
        ),
        caption="What to look at",
    )


def _rest_table(checks: Sequence[HostCheck]) -> Table:
    return tabulate(
        checks,
        (
            *_CHECK,
            column("Asked for by", lambda check: check.source or None, is_words=True),
        ),
        caption=f"Good, or unknown: {len(checks)}",
        is_folded=True,
    )


def ceiling_table(context: Context) -> Table | None:
    """Return the host ceiling, if it was measured."""
    points = context.record.host_ceiling
    if not points:
        return None
    return tabulate(
        points,
        (
            WORKERS,
            column("IO engine", "engine", is_words=True),
            column("Stimulus", _stimulus, is_words=True),
            column("IOPS", "iops", number_text),
            column("Time of an IO in one thread", _thread_time),
        ),
        caption="Most IOs that this host can issue",
        note=_NOTE,
    )


def processor_table(context: Context) -> Table | None:
    """Return what an IO of each stimulus cost the host, where fio reports it."""
    found = summarise_processor(context.totals, context.windows)
    if found.empty:
        return None
    asked, streams = context.record.asked.tests, stream_names(context)
    names = {test.test_id: context.name_of(test.test_id) for test in asked}
    return tabulate(
        found.itertuples(),
        (
            column("Test", lambda row: names.get(row.test, row.test), is_words=True),
            column("Phase", lambda row: phase_label(row.phase), is_words=True),
            column("Stimulus", partial(_stimulus_of, streams), is_words=True),
            WORKERS,
            column("IOPS", "iops", number_text),
            column("CPU per IO [\u00b5s]", "cpu_us_per_io", number_text),
            column("IOPS per core", "iops_per_core", number_text),
        ),
        caption=f"Processor time of {len(found)} stimuli, by "
        f"{engine_of(context.run.cell_options) or 'an unknown engine'}",
        note=_PROCESSOR_NOTE,
        is_folded=len(found) > _MOST_SHOWN,
    )


def _stimulus_of(streams: StreamNames, row: Any) -> str:
    return streams.get((row.test, row.phase)) or cell_stimulus(
        row.access, row.block_size_bytes, row.read_percent
    )


def _stimulus(point: CeilingPoint) -> str:
    return stimulus_label("rnd", point.block_size_bytes, point.read_percent)


def _thread_time(point: CeilingPoint) -> str:
    return f"{number_text(thread_time_us(point))} \u00b5s"
