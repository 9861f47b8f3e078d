"""The page of conditions: who is compared, and what was not the same."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.analysis.comparison.conditions import name_conditions
from ssdlab.figures.names import shortened
from ssdlab.report.blocks import Block, Note, Page, Table
from ssdlab.report.comparison.comparison import Comparison, run_by_id
from ssdlab.store.run import Run

_LONGEST_VALUE = 70
_MOST_COLUMNS = 4  # runs beside each other


def conditions_page(comparison: Comparison) -> Page:
    """Return who is compared, and which conditions were not the same."""
    blocks: list[Block] = list(_condition_notes(comparison))
    if comparison.left_out:
        words = f"Left out, as they have no tables: {', '.join(comparison.left_out)}."
        blocks.append(Note(text=f"{words} ssdlab ingest makes them.", tone="warning"))
    unfinished = [
        f"{run.record.run_id} ({run.state.status})"
        for run in comparison.runs
        if run.state.status != "finished"
    ]
    if unfinished:
        words = f"Not finished: {', '.join(unfinished)}. What they measured counts."
        blocks.append(Note(text=words, tone="warning"))
    models = comparison.sides[comparison.sides["is_model"].astype(bool)]["side"]
    if len(models):
        blocks.append(_models_note(list(dict.fromkeys(models)), comparison))
    blocks.append(sides_table(comparison))
    table = comparison.conditions
    differing = table[~table["is_same"]]
    shown = name_conditions(differing["condition"])
    every = dict.fromkeys(differing["condition"])
    details = [name for name in every if name not in shown]
    if shown:
        blocks.append(differing_table(comparison, shown))
    if details:
        blocks.append(differing_table(comparison, details, of_profiles=True))
    blocks.append(same_table(comparison))
    return Page(title="Conditions", blocks=tuple(blocks))


def _condition_notes(comparison: Comparison) -> Iterator[Note]:
    table = comparison.conditions
    accepted = set(comparison.rules.accepted)
    differing = table[~table["is_same"] & table["is_barring"]]["condition"]
    barring = name_conditions(differing)
    open_names = [name for name in barring if name not in accepted]
    taken = [name for name in barring if name in accepted]
    if open_names:
        words = (
            f"Not the same conditions: {', '.join(open_names)}. Runs that differ in "
            "them are shown beside each other, and get no verdict. What is no matter "
            "can be accepted by its name."
        )
        yield Note(text=words, tone="warning")
    if taken:
        words = f"Accepted as equal, though they differ: {', '.join(taken)}."
        yield Note(text=words, tone="warning")
    if not barring:
        words = "The same conditions in all runs, as far as they are recorded."
        yield Note(text=words, tone="good")


def _models_note(names: Sequence[str], comparison: Comparison) -> Note:
    end = "they take no part in any ranking"
    if comparison.include_virtual:
        end = "they are ranked because that was asked for"
    return Note(text=f"No drive: {', '.join(names)}; {end}.", tone="warning")


def sides_table(comparison: Comparison) -> Table:
    """Return who is compared: sides, their runs, and what they are."""
    counts = comparison.findings.groupby(["run_id", "severity"]).size()
    rows = []
    for row in rows_of(comparison.sides):
        run = run_by_id(comparison.runs, row.run_id)
        findings = [
            f"{counts[row.run_id, severity]} {severity}"
            for severity in ("grave", "major", "minor")
            if (row.run_id, severity) in counts.index
        ]
        rows.append((
            str(row.side),
            str(row.run_id),
            "model, no drive" if row.is_model else str(row.kind),
            _short(_identity(run)),
            ", ".join(findings) or "none",
        ))
    return Table(
        caption="What is compared",
        corner="Drive",
        head=("Run", "Kind", "Model, serial number, label", "Findings"),
        rows=tuple(rows),
        words=(0, 1, 2, 3, 4),
        note="Runs of one drive under the same conditions are repetitions of one side.",
    )


def _identity(run: Run) -> str:
    target, label = run.record.target, run.record.label
    words = f"{target.model} {target.serial}".strip()
    return f"{words}: {label}" if label and label not in words else words


def differing_table(
    comparison: Comparison, names: Sequence[str], *, of_profiles: bool = False
) -> Table:
    """Return some conditions that differ, a row each, a column a run."""
    looks = comparison.run_looks
    groups = dict(iter(comparison.conditions.groupby("condition")))
    is_wide = len(looks) > _MOST_COLUMNS
    rows: list[tuple[str, ...]] = []
    for name in names:
        pairs = zip(groups[name]["run_id"], groups[name]["value"], strict=True)
        values = {str(run_id): _short(value) for run_id, value in pairs}
        texts = [values[look.run_id] for look in looks]
        shown = [_by_value([look.name for look in looks], texts)] if is_wide else texts
        rows.append((name, _weight(name, groups[name], comparison), *shown))
    heads = ["Values"] if is_wide else [look.name for look in looks]
    caption = "What the profiles ask for, where they differ"
    return Table(
        caption=caption if of_profiles else "Conditions that differ",
        corner="Condition",
        head=("Compared anyway?", *heads),
        rows=tuple(rows),
        words=tuple(range(len(heads) + 2)),
        is_folded=of_profiles,
    )


def _by_value(names: Sequence[str], values: Sequence[str]) -> str:
    """Return each value once with its runs; the commonest is that of all others.

    >>> _by_value(["a", "b", "c"], ["x", "y", "x"])
    'y: b; x: all others'
    """
    runs: dict[str, list[str]] = {}
    for name, value in zip(names, values, strict=True):
        runs.setdefault(value, []).append(name)
    commonest = max(runs, key=lambda value: len(runs[value]))
    texts = [f"{v}: {', '.join(own)}" for v, own in runs.items() if v != commonest]
    return "; ".join([*texts, f"{commonest}: all others"])


def same_table(comparison: Comparison) -> Table:
    """Return the conditions that are the same in all runs."""
    table = comparison.conditions
    same = table[table["is_same"]].drop_duplicates("condition")
    return Table(
        caption="The same in all runs",
        corner="Condition",
        head=("Value",),
        rows=tuple((str(row.condition), _short(row.value)) for row in rows_of(same)),
        words=(0, 1),
        is_folded=True,
    )


def _weight(name: str, group: pd.DataFrame, comparison: Comparison) -> str:
    if name in comparison.rules.accepted:
        return "yes: accepted"
    if group["is_barring"].iloc[0]:
        return "no"
    return "not in cells that differ" if name.startswith("TC/QD") else "yes"


def _short(value: Any) -> str:
    return shortened(str(value), longest=_LONGEST_VALUE)
