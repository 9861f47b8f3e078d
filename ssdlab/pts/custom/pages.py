"""Imported workloads of no test of the PTS: every cell in a table and a plot."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ssdlab.model.units import block_size_label, mix_label
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.pts.custom.figures import plot_workloads
from ssdlab.pts.custom.summary import summarise_workloads
from ssdlab.pts.shared.own_windows import windows_table
from ssdlab.pts.shared.view import View
from ssdlab.text.numbers import exact_text
from ssdlab.text.table import (
    Table,
    column,
    explain_marks,
    percentile,
    quantities,
    quantity,
    tabulate,
)

_TITLE = "Every cell"


def _rounds(row: Mapping[str, Any]) -> str:
    first, last = int(row["first_round"]), int(row["last_round"])
    return f"{first} - {last}" if last > first else str(first)


_COLUMNS = (
    column("Access", "access", str.upper),
    column("Block size", "block_size_bytes", block_size_label),
    column("R/W", "read_percent", mix_label),
    column("TC", "threads", missing="?"),
    column("QD", "queue_depth", missing="?"),
    column("Rounds", _rounds),
    *quantities("iops", "bw_bytes_per_s", "lat_mean_ns", number=exact_text),
    percentile("lat_two_nines_ns", number=exact_text),
    percentile("lat_four_nines_ns", number=exact_text),
    quantity("lat_max_ns", number=exact_text),
)
_NOTE = (
    "Means of the rounds named; a cell of five or more rounds is averaged over its "
    "last five. Percentiles of several rounds come from merged bins, and are missing "
    "where fio kept none; those of one round may be as printed by fio, and are of "
    "completion latency (clat) if it printed no others."
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
        note = Note(text="No cells.", tone="warning")
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
    table = tabulate(frame, _COLUMNS, caption=f"All {len(frame)} cells", note=_NOTE)
    return explain_marks(table)


VIEW = View(pages=custom_pages)
