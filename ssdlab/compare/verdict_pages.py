"""The page of verdicts: which is better, cell by cell, and on what basis."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ssdlab.compare.cells import CELL, rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.missing import missing_cells
from ssdlab.compare.pair_tables import (
    Pair,
    find_pairs,
    pairs_to_show,
    sum_text,
    why_text,
)
from ssdlab.compare.row_figures import plot_differences
from ssdlab.compare.texts import (
    cell_name,
    p_text,
    ratio_words,
    unit_text,
    value_text,
    verdict_words,
)
from ssdlab.compare.verdicts import (
    CONTROLS,
    FOUND_CELLS,
    FOUND_PERCENT,
    MISSING,
    OTHER_CONDITIONS,
    Rules,
    tally_verdicts,
)
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.text.numbers import rounded_text
from ssdlab.text.table import Table, column, tabulate

_BY_ROUNDS = (
    "No drive was measured twice under the same conditions, so the unit is the round "
    "of one run, and claims are limited to these runs. The intervals do not include "
    "how a drive differs from one run to the next, or one unit of a model from "
    "another. To compare drives, measure each of them several times."
)
_ONE_DRIVE = (
    "All runs are of one drive under the same conditions: differences are between "
    "runs, not drives."
)
_BY_RUNS = (
    "If a drive of a pair was measured several times, the unit is the run: “beats” "
    "and “the same” are claimed for the drives, and the intervals include what "
    "measuring again would change. The runs of a cell never count as less scattered "
    "than those of all cells of its metric, and a drive with a single run borrows the "
    "scatter of the other of its pair. Else the unit is the round of one run each. "
    "“Ahead” is claimed only for these runs, by their rounds."
)
_PRIMARY = " (primary)"
_MOST_MISSING = 6  # rows; longer tables are collapsed
_MOST_BARRED = 3  # likewise
_TALLY_NOTE = (
    "“Beats” and “the same” hold for the drives, “ahead” and “the same in these "
    "runs” only for these runs. Each kind of claim {errs}. The same: shown to be "
    "within {same:g} %. No verdict: conditions differ, not steady, or scatter "
    "unknown. That no difference is shown does not mean that there is none. First "
    "and second are the drives of the row. A column of zeros is omitted."
)
_TALLY_HEAD = (
    "Cells",
    "First beats second",
    "Second beats first",
    "The same",
    "First ahead",
    "Second ahead",
    "Same in these runs",
    "No difference",
    "No verdict",
    "Missing",
)


def verdicts_page(comparison: Comparison) -> Page:
    """Return which is better, in brief and then cell by cell."""
    table = comparison.differences
    if table.empty:
        note = Note(text="The runs have no cells that can be compared.", tone="warning")
        return Page(title="Who is better", blocks=(note,))
    judged, others = find_pairs(table)
    shown = pairs_to_show(table)
    blocks: list[Block] = [tally_table(judged, comparison.rules)] if judged else []
    if others:
        words = sum_text(others, len(judged) + len(others))
        blocks.append(Note(text=words, tone="warning"))
        blocks.append(barred_table(others))
    first, *more = claim_texts(comparison)
    blocks += [Note(text=first, tone="warning"), *(Note(text=one) for one in more)]
    blocks += [
        Plot(figure=plot_differences(pair.rows, looks=comparison.side_looks))
        for pair in shown
        if pair.has_ratio
    ]
    absent = missing_cells(comparison)
    if absent:
        blocks.append(missing_table(absent))
    blocks += [verdict_table(pair, comparison.short_names) for pair in shown]
    return Page(title="Who is better", blocks=tuple(blocks))


def missing_table(absent: Sequence[tuple[str, str, str]]) -> Table:
    """Return which cells a side lacks that another has."""
    return Table(
        caption="Missing: measured only by another",
        head=("Drive", "Test", "Missing"),
        rows=tuple(absent),
        words=(0, 1, 2),
        note="What was not measured is missing, never 0.",
        is_folded=len(absent) > _MOST_MISSING,
    )


def claim_texts(comparison: Comparison) -> list[str]:
    """Return the scope of the verdicts, and how much runs of one drive differ."""
    is_repeated = bool(comparison.sides["side"].duplicated().any())
    is_one_drive = len(set(comparison.sides["drive"])) == 1
    texts = [_ONE_DRIVE if is_one_drive else _BY_ROUNDS]
    if is_repeated:
        texts = [_BY_RUNS, *(repeats_text(row) for row in rows_of(comparison.repeats))]
    found = [more_runs_text(comparison.differences, comparison.short_names)]
    found += [power_text(comparison.differences), primary_text(comparison)]
    return [*texts, *filter(None, found)]


def repeats_text(row: Any) -> str:
    """Return in how many cells the runs of one drive differ, and by how much."""
    middle, most = map(rounded_text, (row.median_percent, row.max_percent))
    runs = (
        f"In {row.n_cells} cells the {row.n_runs} runs of {row.side} differ by "
        f"{middle} % in the median and {most} % at most"
    )
    if not row.n_differing:
        return f"{runs}; in none is it shown to be more than their rounds explain."
    plural = "s" if row.n_differing > 1 else ""
    return (
        f"{runs}, and in {row.n_differing} cell{plural} by more than their rounds "
        "explain: there, rounds alone would have named a winner between a drive and "
        "itself."
    )


def more_runs_text(table: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Return how many more runs a claim about drives needs."""
    judged = table[~table["verdict"].isin([MISSING, OTHER_CONDITIONS])]
    more = pd.concat([
        judged[[side, f"more_runs_{side}"]].set_axis(["side", "runs"], axis=1)
        for side in "ab"
    ])
    most = more.groupby("side", sort=False)["runs"].max()
    texts = [f"{names[str(side)]} {count}" for side, count in most.items() if count]
    if not texts:
        return ""
    return (
        "Runs of a drive may be in one of two states, and with so few runs equal "
        "drives would differ too often: for some pairs, claims about drives need "
        f"more runs. Runs still needed: {', '.join(texts)}."
    )


def power_text(table: pd.DataFrame) -> str:
    """Return how large a difference must be to be found with few runs."""
    by_runs = table[table["p_drives"].notna()]
    if by_runs.empty or int(by_runs[["n_a", "n_b"]].max().max()) >= max(FOUND_PERCENT):
        return ""
    found = ", ".join(
        f"{percent:g} % with {runs} runs per side"
        for runs, percent in FOUND_PERCENT.items()
    )
    return (
        f"{len(by_runs)} comparisons are judged together, by few runs: only large "
        f"differences are found. For drives that scatter by 1 % from run to run, a "
        f"difference in one of {FOUND_CELLS} cells is found in four of five trials "
        f"if it is {found}."
    )


def primary_text(comparison: Comparison) -> str:
    """Return which cells were declared primary, and what that gives them."""
    rules, table = comparison.rules, comparison.differences
    if not rules.primary:
        return ""
    named = ", ".join(one.text for one in rules.primary)
    count = len(table.loc[table["is_primary"], CELL].drop_duplicates())
    cells = f"{count} cell{'' if count == 1 else 's'}"
    return (
        f"Declared as primary: {named} ({cells}). They may use half of the error "
        "of the whole table, which holds only if they were chosen before the runs."
    )


def tally_table(judged: Sequence[Pair], rules: Rules) -> Table:
    """Return for each pair in how many cells each side is better."""
    counts = [list(tally_verdicts(pair.rows).values()) for pair in judged]
    kept = [place for place in range(len(_TALLY_HEAD)) if any(c[place] for c in counts)]
    return Table(
        caption="Number of cells in which each drive is better",
        head=("First vs. second", *(_TALLY_HEAD[place] for place in kept)),
        rows=tuple(
            (pair.title, *(str(own[place]) for place in kept))
            for pair, own in zip(judged, counts, strict=True)
        ),
        words=(0,),
        note=_TALLY_NOTE.format(errs=CONTROLS[rules.control], same=rules.same_percent),
    )


def barred_table(others: Sequence[Pair]) -> Table:
    """Return the pairs without any verdict, one line each, with the reason."""
    return tabulate(
        others,
        (
            column("Pair", "title", is_words=True),
            column("Cells of both", lambda one: (one.rows["verdict"] != MISSING).sum()),
            column("Why", why_text, is_words=True),
        ),
        caption="Pairs without a verdict, and why",
        note="Their values are in the tables of the tests below.",
        is_folded=len(others) > _MOST_BARRED,
    )


def verdict_table(pair: Pair, names: Mapping[str, str]) -> Table:
    """Return the verdicts of a pair, one per cell; ``names`` are short, by side."""
    rows = pair.rows[pair.rows["verdict"] != MISSING]
    has_reasons = bool((rows["reason"] != "").any())
    first, second = names[pair.a], names[pair.b]
    return tabulate(
        rows_of(rows),
        (
            column("Cell", _primary_name, is_words=True),
            column(first, lambda row: value_text(row.value_a, str(row.metric))),
            column(second, lambda row: value_text(row.value_b, str(row.metric))),
            column(f"{first} / {second} (95 %)", ratio_words),
            column("p", p_text),
            column("n", unit_text),
            column("Verdict", lambda row: verdict_words(row, names), is_words=True),
            *([column("Why not", "reason", is_words=True)] if has_reasons else []),
        ),
        caption=f"{pair.title}, cell by cell",
        note="Ratios with the 95 % interval of each single cell; p adjusted over all "
        "cells and pairs of this comparison. n: rounds of one run each, or runs.",
        is_folded=True,
    )


def _primary_name(row: Any) -> str:
    return f"{str(row.test).upper()} {cell_name(row)}{_PRIMARY * row.is_primary}"
