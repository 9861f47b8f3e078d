"""The page of write amplification: what the drives wrote for what they were told."""

from collections.abc import Mapping
from typing import Any

from ssdlab.compare.comparison import Comparison
from ssdlab.paper.blocks import Note, Page
from ssdlab.telemetry.pages import AMPLIFICATION_NOTE, amplification_ends
from ssdlab.text.numbers import NOT_MEASURED
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import Table


def amplification_page(comparison: Comparison) -> Page:
    """Return the write amplification of each test of each run that tells it."""
    found = comparison.amplification
    if found.empty:
        return Page(title="Write amplification", blocks=())
    tests = tuple(dict.fromkeys(found["test"]))
    silent, rows = [], []
    for look in comparison.run_looks:
        own = found[found["run_id"] == look.run_id]
        if own.empty:
            silent.append(look.name)
            continue
        by_test = own.set_index("test").to_dict("index")
        rows.append((look.name, *(_cell(by_test.get(test)) for test in tests)))
    table = Table(
        caption="Bytes written to the media per byte that the host wrote",
        head=("Run", *map(str.upper, tests)),
        rows=tuple(rows),
        words=tuple(range(len(tests) + 1)),
        note=AMPLIFICATION_NOTE,
    )
    words = f"Write amplification is not told by the drive: {', '.join(silent)}."
    notes = (Note(text=words),) if silent else ()
    return Page(title="Write amplification", blocks=(table, *notes))


def _cell(row: Mapping[Any, Any] | None) -> str:
    """Return the ratio of a test, and what the units of the counters allow."""
    if row is None or is_missing(row["amplification"]):
        return NOT_MEASURED
    ratio, ends = f"{row['amplification']:.2f}", amplification_ends(row)
    return ratio if ends == f"{ratio} to {ratio}" else f"{ratio} ({ends})"
