"""The page of conditions: what is compared, and which conditions differ."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison, run_by_id
from ssdlab.compare.conditions import DIFFERS, SAME, is_known, name_conditions
from ssdlab.compare.measured_on import kind_text
from ssdlab.paper.blocks import Block, Note, Page
from ssdlab.plots.names import distinct_texts, shortened
from ssdlab.store.run import Run
from ssdlab.text.table import Table, column, tabulate

_LONGEST_VALUE = 70
_MOST_COLUMNS = 4  # runs side by side


def conditions_page(comparison: Comparison) -> Page:
    """Return what is compared, and which conditions differ."""
    blocks: list[Block] = list(_condition_notes(comparison))
    blocks += [Note(text=words, tone="warning") for words in state_texts(comparison)]
    blocks += [Note(text=words) for words in models_text(comparison)]
    blocks += [sides_table(comparison), answers_table(comparison)]
    table = comparison.conditions
    others = table[table["standing"] != SAME].sort_values(
        "standing", key=lambda column: column != DIFFERS, kind="stable"
    )
    shown = name_conditions(others["condition"])
    every = dict.fromkeys(others["condition"])
    details = [name for name in every if name not in shown]
    if shown:
        blocks.append(differing_table(comparison, shown))
    if details:
        blocks.append(differing_table(comparison, details, of_profiles=True))
    blocks.append(same_table(comparison))
    return Page(title="Conditions", blocks=tuple(blocks))


def state_texts(comparison: Comparison) -> Iterator[str]:
    """Return which runs are read without tables, unfinished, or not at all."""
    if comparison.left_out:
        yield f"Omitted, because they cannot be read: {', '.join(comparison.left_out)}."
    for run in comparison.runs:
        name = run.record.run_id
        if run.state.status != "finished" or run.is_going_on:
            yield f"{name}: {run.standing} What was measured so far counts."
        elif run.make is not None:
            yield f"{name} has no tables and is read from its raw output."


def _condition_notes(comparison: Comparison) -> Iterator[Note]:
    accepted = set(comparison.rules.accepted)
    barring, partly, nowhere = barring_names(comparison.conditions)
    open_names = [name for name in barring if name not in accepted]
    taken = [name for name in (*barring, *partly) if name in accepted]
    unknown = [name for name in partly if name not in accepted]
    if open_names:
        words = (
            f"Conditions that differ: {', '.join(open_names)}. Runs that differ in "
            "them are shown side by side, without a verdict. A difference that does "
            "not matter can be accepted by its name."
        )
        yield Note(text=words, tone="warning")
    if unknown:
        words = (
            f"Not known for every run: {', '.join(unknown)}. They may differ: runs "
            "for which they are known get no verdict against runs for which they are "
            "not, unless that is accepted."
        )
        yield Note(text=words, tone="warning")
    if taken:
        or_unknown = "" if set(taken) <= set(barring) else " or are not known"
        words = (
            f"Accepted as equal, though they differ{or_unknown}: {', '.join(taken)}."
        )
        yield Note(text=words, tone="warning")
    if not (barring or partly):
        yield Note(text=match_text(nowhere), tone="good")
    elif nowhere:
        yield Note(text=f"Not recorded: {', '.join(nowhere)}.")


def match_text(nowhere: Sequence[str]) -> str:
    """Return that all conditions match that are recorded, and which are not.

    >>> match_text(["host"]), match_text([])
    ('Recorded conditions match. Not recorded: host.', 'Recorded conditions match.')
    """
    words = "Recorded conditions match."
    return f"{words} Not recorded: {', '.join(nowhere)}." if nowhere else words


def barring_names(
    conditions: pd.DataFrame,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return what differs, what is known for only some runs, and what for none."""
    barring = conditions[conditions["is_barring"] & (conditions["standing"] != SAME)]
    named = name_conditions(barring["condition"])
    known = barring[barring["value"].map(is_known).astype(bool)]
    differing = set(barring[barring["standing"] == DIFFERS]["condition"])
    partly = set(known["condition"]) - differing
    return (
        tuple(name for name in named if name in differing),
        tuple(name for name in named if name in partly),
        tuple(name for name in named if name not in differing | partly),
    )


def models_text(comparison: Comparison) -> Iterator[str]:
    """Yield which sides are not drives, and whether they are in the score, if any."""
    sides = comparison.sides.drop_duplicates("side")
    models = sides[sides["is_model"].astype(bool)]
    if models.empty:
        return
    score = "excluded from the score unless include_virtual is set"
    if comparison.include_virtual:
        score = "included in the score on request"
    end = f"; {score}" if comparison.terms else ""
    for kind, own in models.groupby("kind", sort=False):
        names = ", ".join(comparison.short_names[str(name)] for name in own["side"])
        yield f"{_NO_DRIVES[str(kind)]}: {names}{end}."


_NO_DRIVES = {"virtual": "Simulated", "file": "Files, not drives"}


def sides_table(comparison: Comparison) -> Table:
    """Return what is compared: sides, their runs, and their kind."""

    def identity(row: Any) -> str:
        return _short(_identity(run_by_id(comparison.runs, row.run_id)))

    return tabulate(
        rows_of(comparison.sides),
        (
            column("Drive", "side", is_words=True),
            column("Run", "run_id", is_words=True),
            column("Kind", "kind", kind_text, is_words=True),
            column("Model, serial number, label", identity, is_words=True),
        ),
        caption="What is compared",
        note="Runs of one drive under the same conditions are repetitions of one side.",
    )


def answers_table(comparison: Comparison) -> Table:
    """Return the notes on each run: procedure, steady state, doubts."""
    rows = (
        (run.record.run_id, *(words for _, words in run.answers.lines))
        for run in comparison.runs
    )
    return Table(
        caption="Notes on each run",
        head=("Run", "Procedure", "Steady state", "Doubts about the numbers"),
        rows=tuple(rows),
        words=(0, 1, 2, 3),
    )


def _identity(run: Run) -> str:
    target, label = run.record.target, run.record.label
    words = f"{target.model} {target.serial}".strip()
    return f"{words}: {label}" if label and label not in words else words


def differing_table(
    comparison: Comparison, names: Sequence[str], *, of_profiles: bool = False
) -> Table:
    """Return some conditions that differ, one row each, one column per run."""
    looks = comparison.run_looks
    groups = dict(iter(comparison.conditions.groupby("condition")))
    is_wide = len(looks) > _MOST_COLUMNS
    rows: list[tuple[str, ...]] = []
    for name in names:
        pairs = zip(groups[name]["run_id"], groups[name]["value"], strict=True)
        values = {str(run_id): str(value) for run_id, value in pairs}
        shown_values = distinct_texts(values.values(), longest=_LONGEST_VALUE)
        texts = [shown_values[values[look.run_id]] for look in looks]
        shown = [_by_value([look.name for look in looks], texts)] if is_wide else texts
        rows.append((name, _weight(name, groups[name], comparison), *shown))
    heads = ["Values"] if is_wide else [look.name for look in looks]
    caption = "Conditions that differ or are not known"
    if of_profiles:
        caption = "Values of the profiles that differ"
    return Table(
        caption=caption,
        head=("Condition", "Compared anyway?", *heads),
        rows=tuple(rows),
        words=tuple(range(len(heads) + 2)),
        is_folded=of_profiles,
    )


def _by_value(names: Sequence[str], values: Sequence[str]) -> str:
    """Return each value once with its runs; the most common is that of all others.

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
    same = table[table["standing"] == SAME].drop_duplicates("condition")
    return tabulate(
        same,
        (
            column("Condition", "condition", is_words=True),
            column("Value", "value", _short, is_words=True),
        ),
        caption="The same in all runs",
        is_folded=True,
    )


def _weight(name: str, group: pd.DataFrame, comparison: Comparison) -> str:
    if name in comparison.rules.accepted:
        return "yes: accepted"
    if not group["value"].map(is_known).any():
        return "yes, unknown"
    if group["is_barring"].iloc[0]:
        return "no"
    return "not in cells that differ" if name.startswith("TC/QD") else "yes"


def _short(value: Any) -> str:
    return shortened(str(value), longest=_LONGEST_VALUE)
