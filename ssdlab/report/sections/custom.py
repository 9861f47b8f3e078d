"""Imported workloads of no test of the PTS: every cell in a table and a plot."""

from typing import Any

import pandas as pd

from ssdlab.analysis.support_mark import (
    UNSUPPORTED_NOTE,
    has_marks,
    mark_unsupported,
)
from ssdlab.analysis.workloads import summarise_workloads
from ssdlab.figures.labels import QUANTITIES
from ssdlab.figures.workloads import plot_workloads
from ssdlab.model.units import block_size_label, mix_label
from ssdlab.report.blocks import Block, Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.own_windows import windows_table
from ssdlab.report.text import NOT_MEASURED, exact_text, is_missing
from ssdlab.report.view import View

_TITLE = "Every cell"
_HEAD = (
    "Block size",
    "R/W",
    "TC",
    "QD",
    "Rounds",
    "IOPS",
    "MB/s",
    "Average [ms]",
    "99 % [ms]",
    "99.99 % [ms]",
    "Max [ms]",
)
_DIVISORS = {
    "iops": 1.0,
    "bw_bytes_per_s": QUANTITIES["bw_bytes_per_s"].divisor,
    "lat_mean_ns": 1e6,
    "lat_two_nines_ns": 1e6,
    "lat_four_nines_ns": 1e6,
    "lat_max_ns": 1e6,
}
_SUPPORTED = {
    "lat_two_nines_ns": "is_two_nines_supported",
    "lat_four_nines_ns": "is_four_nines_supported",
}
_NOTE = (
    "Means of the rounds named; a cell of five rounds or more is averaged over its "
    "last five. Levels of several rounds are of their merged bins, and missing where "
    "fio kept none; those of one round may be as fio printed them, and then are of "
    "completion latency (clat) where it printed no others."
)


def custom_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of imported workloads."""
    frame = summarise_workloads(
        context.totals,
        context.windows,
        percentiles=context.percentiles,
        bins=context.bins,
    )
    if frame.empty:
        note = Note(text="There is no cell.", tone="warning")
        return (Page(title=_TITLE, blocks=(note,)),)
    blocks: list[Block] = [_cells_table(frame)]
    if frame["threads"].notna().any() and frame["queue_depth"].notna().any():
        blocks.insert(0, Plot(figure=plot_workloads(frame)))
    pages = [Page(title=_TITLE, blocks=tuple(blocks))]
    finals = context.final_windows(test)
    if finals:
        table = windows_table(finals, context.totals_of(test, "rounds"))
        pages.append(Page(title="Steady state of each cell", blocks=(table,)))
    return tuple(pages)


def _cells_table(frame: pd.DataFrame) -> Table:
    rows = tuple(_row(row) for _, row in frame.iterrows())
    note = f"{_NOTE} {UNSUPPORTED_NOTE}" if has_marks(rows) else _NOTE
    return Table(
        caption=f"All {len(rows)} cells",
        corner="Access",
        head=_HEAD,
        rows=rows,
        note=note,
    )


def _row(row: "pd.Series[Any]") -> tuple[str, ...]:
    first, last = int(row["first_round"]), int(row["last_round"])
    return (
        str(row["access"]).upper(),
        block_size_label(int(row["block_size_bytes"])),
        mix_label(int(row["read_percent"])),
        "?" if is_missing(row["threads"]) else str(row["threads"]),
        "?" if is_missing(row["queue_depth"]) else str(row["queue_depth"]),
        f"{first} - {last}" if last > first else str(first),
        *(_cell(row, name, divisor) for name, divisor in _DIVISORS.items()),
    )


def _cell(row: "pd.Series[Any]", name: str, divisor: float) -> str:
    text = _number(row[name], divisor)
    if text == NOT_MEASURED or name not in _SUPPORTED:
        return text
    return mark_unsupported(text, row[_SUPPORTED[name]])


def _number(value: Any, divisor: float) -> str:
    return NOT_MEASURED if is_missing(value) else exact_text(float(value) / divisor)


VIEW = View(pages=custom_pages)
