"""Tables over block size and R/W mix, in the orientation of the PTS."""

import pandas as pd

from ssdlab.model.units import block_size_label, mix_label
from ssdlab.paper.blocks import Note
from ssdlab.paper.context import Context
from ssdlab.text.numbers import number_text
from ssdlab.text.quantities import Quantity
from ssdlab.text.table import Column, Table, explain_marks, grid, percentile, quantity

NO_WINDOW = Note(
    text="The measurement window is not full yet, so it has no mean.",
    tone="warning",
)

MEANS_ALONE = Note(
    text="The imported report prints rounds of the tracking variable only, those of "
    "its window. For every other cell only the mean over the window is known."
)


def has_means(context: Context, test: str, phase: str) -> bool:
    """Tell whether cells of a phase are known only as means of an imported report."""
    return bool((context.totals_of(test, phase)["kind"] == "mean").any())


def matrix_table(
    frame: pd.DataFrame, name: str, *, caption: str, unit: Quantity | None = None
) -> Table:
    """Return cells as a grid: small blocks at the top, writes at the left."""
    return _grid(frame, quantity(name, unit=unit), caption=caption)


def supported_table(frame: pd.DataFrame, *, caption: str) -> Table:
    """Return the 99.999 % latencies, those that are not supported marked."""
    levels = percentile("lat_five_nines_ns", number=number_text)
    return explain_marks(_grid(frame, levels, caption=caption))


def _grid(frame: pd.DataFrame, value: Column, *, caption: str) -> Table:
    return grid(
        frame,
        ("block_size_bytes", "read_percent"),
        value,
        corner="Block size \\ R/W",
        labels=(block_size_label, mix_label),
        caption=caption,
    )
