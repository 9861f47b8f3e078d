"""Tables over block size and R/W mix, in the orientation of the PTS."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd

from ssdlab.analysis.support_mark import (
    UNSUPPORTED_NOTE,
    has_marks,
    mark_unsupported,
)
from ssdlab.figures.labels import QUANTITIES, number_text
from ssdlab.model.units import block_size_label, mix_label
from ssdlab.report.blocks import Note, Table
from ssdlab.report.context import Context
from ssdlab.report.text import NOT_MEASURED

NO_WINDOW = Note(
    text="There is no full measurement window yet, so there is no mean over it.",
    tone="warning",
)

MEANS_ALONE = Note(
    text="The report that was imported prints rounds of the tracking variable alone, "
    "those of its window. Of every other cell only the mean over the window is known."
)


def has_means(context: Context, test: str, phase: str) -> bool:
    """Tell whether cells of a phase are known only as means that others printed."""
    return bool((context.totals_of(test, phase)["kind"] == "mean").any())


def matrix_table(frame: pd.DataFrame, column: str, *, caption: str) -> Table:
    """Return cells as a grid: small blocks at the top, writes at the left."""
    divisor = QUANTITIES[column].divisor
    return _grid(frame, caption, lambda row: _number(row[column], divisor))


def supported_table(frame: pd.DataFrame, *, caption: str) -> Table:
    """Return the 99.999 % latencies, those that are not supported marked."""
    divisor = QUANTITIES["lat_five_nines_ns"].divisor

    def cell(row: "pd.Series[Any]") -> str:
        text = _number(row["lat_five_nines_ns"], divisor)
        is_there = text != NOT_MEASURED
        supported = row["is_five_nines_supported"]
        return mark_unsupported(text, supported) if is_there else text

    table = _grid(frame, caption, cell)
    return replace(table, note=UNSUPPORTED_NOTE if has_marks(table.rows) else "")


def _grid(
    frame: pd.DataFrame, caption: str, cell: "Callable[[pd.Series[Any]], str]"
) -> Table:
    mixes = sorted({int(mix) for mix in frame["read_percent"]})
    sizes = sorted({int(size) for size in frame["block_size_bytes"]})
    texts = {
        (int(row["block_size_bytes"]), int(row["read_percent"])): cell(row)
        for _, row in frame.iterrows()
    }
    rows = tuple(
        (
            block_size_label(size),
            *(texts.get((size, mix), NOT_MEASURED) for mix in mixes),
        )
        for size in sizes
    )
    head = tuple(mix_label(mix) for mix in mixes)
    return Table(caption=caption, corner="Block size \\ R/W", head=head, rows=rows)


def _number(value: Any, divisor: float) -> str:
    return NOT_MEASURED if pd.isna(value) else number_text(float(value) / divisor)
