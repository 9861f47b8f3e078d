"""A comparison as lines of a terminal."""

from collections.abc import Iterator
from typing import Any

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.names import shortened
from ssdlab.report.comparison.missing import without_missing_tests
from ssdlab.report.comparison.read import Comparison
from ssdlab.report.comparison.tables import (
    cell_name,
    p_text,
    ratio_words,
    value_text,
    verdict_words,
)

_VALUE_WIDTH = 46
_HEAD = ("Cell", "A", "B", "A / B, 95 %", "after Holm", "Verdict")


def condition_lines(comparison: Comparison) -> Iterator[str]:
    """Yield who is compared, and under which conditions that differ."""
    yield "Compared:"
    for row in rows_of(comparison.sides):
        mark = ", a model and no drive" if row.is_model else ""
        yield f"  {row.side}: {row.run_id}{mark}"
    for path in comparison.left_out:
        yield f"  left out, without tables: {path} (ssdlab ingest makes them)"
    table = comparison.conditions
    differing = table[~table["is_same"]]
    if differing.empty:
        yield "The same conditions in all runs, as far as they are recorded."
        return
    yield "Conditions that differ:"
    accepted = comparison.rules.accepted
    for name, group in differing.groupby("condition", sort=False):
        is_barring = bool(group["is_barring"].iloc[0]) and name not in accepted
        effect = "no verdict" if is_barring else "compared anyway"
        values = " | ".join(
            shortened(str(value), longest=_VALUE_WIDTH)
            for value in dict.fromkeys(group["value"])
        )
        yield f"  {name} ({effect}): {values}"


def verdict_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the verdicts, a pair after the other."""
    table = comparison.differences
    if table.empty:
        yield "No run measured a cell that can be compared."
        return
    for pair, every in table.groupby(["a", "b"], sort=False):
        yield f"{pair[0]} (A) v {pair[1]} (B)"
        rows = without_missing_tests(every)
        absent = dict.fromkeys(
            f"  {str(row.test).upper()}: missing, {row.reason}"
            for row in rows_of(every[~every.index.isin(rows.index)])
        )
        yield from absent
        if rows.empty:
            yield "  no test that both measured"
            continue
        lines = [_HEAD, *(_cells_of(row) for row in rows_of(rows))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            texts = zip(line, widths, strict=True)
            yield "  " + "  ".join(text.ljust(width) for text, width in texts).rstrip()
        yield ""
    if "rounds" in set(table["unit"].dropna()):
        yield (
            "Unit: rounds of one run each. How a drive differs from one run to the "
            "next is not in these intervals."
        )
    yield (
        "p after Holm, over all cells and pairs. That no difference is shown does not "
        "mean that there is none."
    )


def _cells_of(row: Any) -> tuple[str, ...]:
    words = verdict_words(row)
    reason = shortened(str(row.reason), longest=_VALUE_WIDTH)
    return (
        f"{str(row.test).upper()} {cell_name(row)}",
        value_text(row.value_a, str(row.metric)),
        value_text(row.value_b, str(row.metric)),
        ratio_words(row),
        f"p {p_text(row.p_holm)}",
        words + (f": {reason}" if reason else ""),
    )
