"""What some runs of a comparison did not measure."""

from collections.abc import Sequence

import pandas as pd

from ssdlab.analysis.comparison.pairs import MISSING
from ssdlab.report.blocks import Block, Note
from ssdlab.report.comparison.read import Comparison
from ssdlab.report.text import TEST_TITLES


def missing_notes(comparison: Comparison, *tests: str) -> list[Block]:
    """Say which sides did not measure a test that others did, or that none did."""
    sides, totals = comparison.sides, comparison.totals
    side_of = dict(zip(sides["run_id"], sides["side"], strict=True))
    groups: dict[tuple[str, ...], list[str]] = {}
    for test in tests:
        runs = totals[totals["test"] == test]["run_id"].unique()
        there = {side_of[run] for run in runs}
        absent = tuple(name for name in comparison.side_names if name not in there)
        groups.setdefault(absent, []).append(TEST_TITLES.get(test, test))
    return [
        _note(titles, absent, is_everywhere=len(absent) == len(comparison.side_names))
        for absent, titles in groups.items()
        if absent
    ]


def _note(titles: Sequence[str], absent: Sequence[str], *, is_everywhere: bool) -> Note:
    if is_everywhere:
        return Note(text=f"Measured by no run: {', '.join(titles)}.")
    words = f"Missing of {', '.join(absent)}, not measured: {', '.join(titles)}."
    return Note(text=words, tone="warning")


def without_missing_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """Leave out the pairs of which one did not measure the test at all."""
    is_there = rows["verdict"] != MISSING
    has_any = is_there.groupby([rows["a"], rows["b"], rows["test"]]).transform("any")
    return rows[has_any.astype(bool)]
