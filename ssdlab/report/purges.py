"""The page of the purges: what each did, and the evidence that it worked."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from ssdlab.paper.blocks import Block, Note
from ssdlab.paper.context import Context
from ssdlab.text.numbers import NOT_RECORDED, or_unknown, seconds_text
from ssdlab.text.table import Table, column, tabulate

_NOTE = (
    "Duration: the whole step, including marking and reading back. Verification: the "
    "last fact of its record, after the purge; the complete record is below."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Purge:
    """One purge: the facts of its record, the first of which is the method."""

    step_id: str
    test: str
    took_s: float
    facts: tuple[str, ...]
    doubt: str


def purge_blocks(context: Context) -> tuple[Block, ...]:
    """Return what each purge of the run did and found; nothing where there is none."""
    purges = tuple(_purges(context))
    if not purges:
        return ()
    return (*_notes(context, purges), _table(context, purges), *_records(purges))


def _purges(context: Context) -> Iterator[_Purge]:
    steps = context.steps
    for _, step in steps[steps["kind"] == "purge"].iterrows():
        step_id, doubt = str(step["step_id"]), step["warnings"]
        yield _Purge(
            step_id=step_id,
            test=context.title_of(str(step["test"])),
            took_s=float(step["duration_s"]),
            facts=tuple(context.run.purge_record(step_id).splitlines()),
            doubt="" if pd.isna(doubt) else str(doubt).strip(),
        )


def _notes(context: Context, purges: tuple[_Purge, ...]) -> Iterator[Note]:
    doubted = sum(bool(purge.doubt) for purge in purges)
    if doubted:
        text = (
            f"{doubted} of {len(purges)} purges may not have worked, or cannot be "
            "shown to have worked."
        )
        yield Note(text=text, tone="warning")
    choice = context.record.purge_choice
    if choice is not None and choice.why.strip():
        yield Note(text=f"Why this method: {choice.why.strip().removesuffix('.')}.")


def _table(context: Context, purges: tuple[_Purge, ...]) -> Table:
    method = or_unknown(context.record.purge_method)
    return tabulate(
        purges,
        (
            column("Step", "step_id", is_words=True),
            column("Test", "test", is_words=True),
            column(
                "Method", lambda p: p.facts[0] if p.facts else method, is_words=True
            ),
            column("Duration", "took_s", seconds_text),
            column("Verification", _verification, is_words=True),
            column("Warnings", lambda purge: purge.doubt or "none", is_words=True),
        ),
        caption="Each purge" if len(purges) > 1 else "The purge",
        note=_NOTE,
    )


def _verification(purge: _Purge) -> str:
    return purge.facts[-1] if len(purge.facts) > 1 else NOT_RECORDED


def _records(purges: tuple[_Purge, ...]) -> Iterator[Table]:
    rows = tuple(
        ("" if place else purge.step_id, fact)
        for purge in purges
        for place, fact in enumerate(purge.facts)
    )
    if rows:
        yield Table(
            caption="The record of every purge",
            head=("Step", "Action or fact"),
            rows=rows,
            words=(0, 1),
            is_folded=True,
        )
