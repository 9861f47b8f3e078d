"""The page on the host: what was found when it was examined, the bad first."""

from collections.abc import Sequence

from ssdlab.model.host_checks import CheckVerdict, HostCheck
from ssdlab.report.blocks import Block, Note, Table
from ssdlab.report.context import Context

_WORDS: dict[CheckVerdict, str] = {
    "bad": "bad",
    "warn": "doubtful",
    "good": "good",
    "unknown": "not known",
}
_MENDED = ("Verdict", "What was read", "Why it matters", "What to do")
_READ = ("Verdict", "What was read", "Asked for by")


def host_blocks(context: Context) -> tuple[Block, ...]:
    """Return what was found of the host; nothing where it was not examined."""
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
    counts = ((len(_of(checks, name)), words) for name, words in _WORDS.items())
    parts = ", ".join(f"{count} {words}" for count, words in counts if count)
    is_bad = bool(_of(checks, "bad"))
    noun = "check" if len(checks) == 1 else "checks"
    text = f"{len(checks)} {noun} of the host before the run: {parts}."
    return Note(text=text, tone="warning" if is_bad else "plain")


def _wrong_table(checks: Sequence[HostCheck]) -> Table:
    rows = tuple(
        (
            check.title,
            _WORDS[check.verdict],
            check.read,
            check.why,
            check.remedy or "-",
        )
        for check in checks
    )
    return Table(
        caption="What to look at",
        corner="Check",
        head=_MENDED,
        rows=rows,
        words=(0, 1, 2, 3, 4),
    )


def _rest_table(checks: Sequence[HostCheck]) -> Table:
    rows = tuple(
        (check.title, _WORDS[check.verdict], check.read, check.source or "-")
        for check in checks
    )
    return Table(
        caption=f"Good, or not known: {len(rows)}",
        corner="Check",
        head=_READ,
        rows=rows,
        words=(0, 1, 2, 3),
        is_folded=True,
    )
