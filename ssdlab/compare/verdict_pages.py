"""The page of verdicts: which is better, cell by cell, and on what basis."""

from collections.abc import Mapping, Sequence
from typing import Any

from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.missing import missing_cells
from ssdlab.compare.pair_tables import (
    Pair,
    find_pairs,
    pairs_to_show,
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
    MISSING,
    Rules,
    tally_verdicts,
)
from ssdlab.model.spec import label_of_test
from ssdlab.paper.blocks import Block, Page, Plot
from ssdlab.text.table import Table, column, tabulate

_TITLE = "Cell by cell"
_PRIMARY = " (primary)"
_MOST_MISSING = 6  # rows; longer tables are collapsed
_MOST_BARRED = 3  # likewise
_TALLY_NOTE = (
    "“Beats” and “the same”: between the drives; “ahead” and “the same in these runs”: "
    "between these runs only. {errs}. The same: shown to be within {same:g} %. No "
    "verdict: conditions differ, not steady, or inconclusive. No difference shown is "
    "not evidence of equality. A column of zeros is omitted."
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
        return Page(title=_TITLE, blocks=())
    judged, others = find_pairs(table)
    shown = pairs_to_show(table)
    blocks: list[Block] = [tally_table(judged, comparison.rules)] if judged else []
    if others:
        blocks.append(barred_table(others))
    if len(shown) > 1:  # the picture above is of a single pair
        blocks += [
            Plot(figure=plot_differences(pair.rows, looks=comparison.side_looks))
            for pair in shown
            if pair.has_ratio
        ]
    absent = missing_cells(comparison)
    if absent:
        blocks.append(missing_table(absent))
    blocks += [verdict_table(pair, comparison.short_names) for pair in shown]
    return Page(title=_TITLE, blocks=tuple(blocks))


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
    return f"{label_of_test(row.test)} {cell_name(row)}{_PRIMARY * row.is_primary}"
