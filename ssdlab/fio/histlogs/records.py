"""The records of histogram logs by column, many files as one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.histlogs.layout import HistogramLayout
from ssdlab.fio.histlogs.lines import Field, Lines, take_lines
from ssdlab.fio.histlogs.times import find_starts


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Records:
    """Records, one element each, and their cells: the non-zero counts, in order.

    ``file_numbers`` and ``directions`` count from 0: read, write, trim; ``lines`` from
    1. The cells of a record end before ``cells_end``.
    """

    file_numbers: NDArray[np.int64]
    lines: NDArray[np.int64]
    start_ms: NDArray[np.int64]
    time_ms: NDArray[np.int64]
    directions: NDArray[np.int64]
    block_size_bytes: NDArray[np.int64]
    cells_end: NDArray[np.int64]
    columns: NDArray[np.uint16]
    counts: NDArray[np.int64]

    @property
    def cell_sizes(self) -> NDArray[np.int64]:
        """The number of cells of each record."""
        return np.diff(self.cells_end, prepend=0)

    @property
    def record_of_cells(self) -> NDArray[np.int64]:
        """The record that each cell belongs to."""
        return np.repeat(np.arange(self.lines.size), self.cell_sizes)


def take_records(lines: Lines, is_kept: NDArray[np.bool_], *, file: int) -> Records:
    """Return the lines of a file that are kept."""
    kept = lines if is_kept.all() else take_lines(lines, is_kept)
    rows = kept.rows
    time_ms, directions = rows[:, Field.TIME_MS], rows[:, Field.DIRECTION]
    return Records(
        file_numbers=np.full(len(rows), file),
        lines=rows[:, Field.LINE],
        start_ms=find_starts(time_ms, directions),
        time_ms=time_ms,
        directions=directions,
        block_size_bytes=rows[:, Field.BLOCK_SIZE_BYTES],
        cells_end=rows[:, Field.CELLS_END],
        columns=kept.columns,
        counts=kept.counts,
    )


def coarsen(records: Records, *, layout: HistogramLayout, coarseness: int) -> Records:
    """Return records with their columns summed to a greater coarseness."""
    columns = records.columns >> np.uint16(coarseness - layout.coarseness)
    owners = records.record_of_cells
    is_first = np.ones(columns.size, np.bool_)
    is_first[1:] = (columns[1:] != columns[:-1]) | (owners[1:] != owners[:-1])
    firsts = np.flatnonzero(is_first)
    counts = np.add.reduceat(records.counts, firsts) if firsts.size else records.counts
    sizes = np.bincount(owners[firsts], minlength=records.lines.size)
    return replace(
        records, cells_end=np.cumsum(sizes), columns=columns[firsts], counts=counts
    )


def pool_records(parts: Sequence[Records]) -> Records:
    """Return the records of several files, of one layout, as one."""
    before = np.cumsum([0, *(part.counts.size for part in parts)])[:-1]
    shifted = [
        part.cells_end + cells for part, cells in zip(parts, before, strict=True)
    ]
    return Records(
        file_numbers=np.concatenate([part.file_numbers for part in parts]),
        lines=np.concatenate([part.lines for part in parts]),
        start_ms=np.concatenate([part.start_ms for part in parts]),
        time_ms=np.concatenate([part.time_ms for part in parts]),
        directions=np.concatenate([part.directions for part in parts]),
        block_size_bytes=np.concatenate([part.block_size_bytes for part in parts]),
        cells_end=np.concatenate(shifted),
        columns=np.concatenate([part.columns for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
    )
