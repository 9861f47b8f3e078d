"""The scope of the verdicts of a comparison, and what limits it, in sentences."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ssdlab.compare.cells import CELL, rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.verdicts import (
    FOUND_CELLS,
    FOUND_PERCENT,
    MISSING,
    OTHER_CONDITIONS,
)
from ssdlab.text.numbers import rounded_text

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


def runs_needed(table: pd.DataFrame) -> dict[str, int]:
    """Return by side how many more runs a claim about drives needs, if any."""
    judged = table[~table["verdict"].isin([MISSING, OTHER_CONDITIONS])]
    more = pd.concat([
        judged[[side, f"more_runs_{side}"]].set_axis(["side", "runs"], axis=1)
        for side in "ab"
    ])
    most = more.groupby("side", sort=False)["runs"].max()
    return {str(side): int(count) for side, count in most.items() if count}


def more_runs_text(table: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Return how many more runs a claim about drives needs, and why."""
    needed = runs_needed(table)
    if not needed:
        return ""
    texts = (f"{names[side]} {count}" for side, count in needed.items())
    return (
        "Runs of a drive may be in one of two states, and with so few runs equal "
        "drives would differ too often: for some pairs, claims about drives need "
        f"more runs. Runs still needed: {', '.join(texts)}."
    )


def scope_text(table: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Return that more runs are needed to say something of the drives, or nothing.

    A claim is of these runs alone where it is not one about the drives.
    """
    needed = runs_needed(table)
    if not needed:
        return ""
    texts = (f"{names[side]} {count}" for side, count in needed.items())
    return (
        "This holds for these runs only. To compare the drives, measure them again: "
        f"runs needed of {', '.join(texts)}."
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
