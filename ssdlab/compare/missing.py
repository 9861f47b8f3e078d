"""What some runs of a comparison did not measure."""

import pandas as pd

from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.texts import cell_name, first_of
from ssdlab.compare.verdicts import MISSING
from ssdlab.paper.blocks import Block, Note
from ssdlab.pts.suite import title_of

_SHOWN = 3
_UNJUDGED = "measured, but no window of rounds was judged"


def missing_notes(comparison: Comparison, *tests: str) -> list[Block]:
    """Return which tests some sides did not measure; what none did is not missing."""
    sides, totals = comparison.sides, comparison.totals
    side_of = dict(zip(sides["run_id"], sides["side"], strict=True))
    groups: dict[tuple[str, ...], list[str]] = {}
    for test in tests:
        runs = totals[totals["test"] == test]["run_id"].unique()
        there = {side_of[run] for run in runs}
        absent = tuple(name for name in comparison.side_names if name not in there)
        if there:
            groups.setdefault(absent, []).append(title_of(test))
    return [
        Note(text=f"{', '.join(titles)}: not measured by {', '.join(absent)}.")
        for absent, titles in groups.items()
        if absent
    ]


def missing_cells(
    comparison: Comparison, *, shown: int = _SHOWN
) -> list[tuple[str, str, str]]:
    """Return which cells a side did not measure that another did, each of them once."""
    differences = comparison.differences
    lacking = differences[differences["verdict"] == MISSING]
    side = lacking["b"].where(lacking["value_b"].isna(), lacking["a"])
    named = lacking.assign(side=side).drop_duplicates([
        "side",
        "test",
        "metric",
        "cell",
    ])
    measured = _tests_of_sides(differences)
    unjudged = _tests_of_runs(comparison)
    whole: dict[tuple[str, str], list[str]] = {}
    parts = []
    for (name, test), rows in named.groupby(["side", "test"], sort=False):
        title = title_of(str(test))
        if (name, test) not in measured:
            words = _UNJUDGED if (name, test) in unjudged else "not measured"
            whole.setdefault((str(name), words), []).append(title)
            continue
        cells = first_of([cell_name(row) for row in rows_of(rows)], shown=shown)
        plural = "s" if len(rows) > 1 else ""
        parts.append((str(name), title, f"{len(rows)} cell{plural}: {cells}"))
    none = [(name, ", ".join(tests), words) for (name, words), tests in whole.items()]
    return [*none, *parts]


def _tests_of_runs(comparison: Comparison) -> set[tuple[str, str]]:
    """Return which sides measured anything of each test."""
    joined = comparison.totals[["run_id", "test"]].merge(comparison.sides)
    return {(str(row.side), str(row.test)) for row in rows_of(joined)}


def _tests_of_sides(differences: pd.DataFrame) -> set[tuple[str, str]]:
    """Return which sides measured any cell of each test."""
    return {
        (str(side), str(test))
        for letter in "ab"
        for side, test in differences[differences[f"value_{letter}"].notna()][
            [letter, "test"]
        ].itertuples(index=False)
    }
