"""The page of the host: checks before the run, and the host ceiling."""

from collections.abc import Sequence

from ssdlab.findings.ceiling import thread_time_us
from ssdlab.model.host_checks import CheckVerdict, HostCheck
from ssdlab.model.records import CeilingPoint
from ssdlab.model.spec import stimulus_label
from ssdlab.paper.blocks import Block, Note
from ssdlab.paper.context import Context
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
    "fio's null engine completes every IO at once, so no device can give this host "
    "more. A result within 10 % of it is a critical finding: the host may have limited "
    "it."
)


def host_blocks(context: Context) -> tuple[Block, ...]:
    """Return the findings about the host; nothing where it was not examined."""
    checks = context.record.host_checks
    if not checks:
        return ()
    blocks: list[Block] = [_counts(checks)]
    wrong = [check for name in ("bad", "warn") for check in _of(checks, name)]
    if wrong:
        blocks.append(_wrong_table(wrong))
    rest = [check for name in ("good", "unknown") for check in _of(checks, name)]
    if rest:
        blocks.append(_rest_table(rest))
    return tuple(blocks)


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
            column("Stimulus", _stimulus, is_words=True),
            column("IOPS", "iops", number_text),
            column("Time of an IO in one thread", _thread_time),
        ),
        caption="Most IOs that this host can issue",
        note=_NOTE,
    )


def _stimulus(point: CeilingPoint) -> str:
    return stimulus_label("rnd", point.block_size_bytes, point.read_percent)


def _thread_time(point: CeilingPoint) -> str:
    return f"{number_text(thread_time_us(point))} \u00b5s"
