"""The lines of a histogram log as numbers, without zeros.

A line is ``time, direction, block size, count, ... count``: whole numbers separated by
commas, with optional blanks. Any other line has `NO_NUMBERS` columns. Numbers of more
than 18 digits are `TOO_GREAT`. ``hist_scan.c`` does the same, faster.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_COLUMNS: Final = 1856  # of fio 2.99 and later, without grouping
NO_NUMBERS: Final = -1
TOO_GREAT: Final = (1 << 63) - 1

_KEYS = 3
_MAX_DIGITS = 18  # more may not fit into 64 bits
_BLANKS = b" \t\r"
_COMMA, _NEWLINE, _ZERO = b",\n0"


class Field(IntEnum):
    """The numbers of one line; cells are the non-zero counts."""

    LINE = 0
    TIME_MS = 1
    DIRECTION = 2
    BLOCK_SIZE_BYTES = 3
    COLUMNS = 4
    CELLS_END = 5


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Lines:
    """Non-blank lines, one row each by `Field`, and all their cells in order.

    ``Field.LINE`` counts from 1, including blank lines; ``line_count`` is their number.
    A line of more than `MAX_COLUMNS` columns has no cells.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.uint16]
    counts: NDArray[np.int64]
    line_count: int

    @property
    def cell_sizes(self) -> NDArray[np.int64]:
        """The number of cells of each line."""
        return np.diff(self.rows[:, Field.CELLS_END], prepend=0)


def take_lines(lines: Lines, is_taken: NDArray[np.bool_]) -> Lines:
    """Return some of the lines, and their cells."""
    sizes = lines.cell_sizes
    is_cell_taken = np.repeat(is_taken, sizes)
    rows = lines.rows[is_taken]
    rows[:, Field.CELLS_END] = np.cumsum(sizes[is_taken])
    return Lines(
        rows=rows,
        columns=lines.columns[is_cell_taken],
        counts=lines.counts[is_cell_taken],
        line_count=lines.line_count,
    )


def join_lines(parts: Sequence[Lines]) -> Lines:
    """Concatenate lines."""
    rows = np.concatenate([part.rows for part in parts])
    sizes = [len(part.rows) for part in parts]
    lines_before = np.cumsum([0, *(part.line_count for part in parts)])
    cells_before = np.cumsum([0, *(part.counts.size for part in parts)])
    rows[:, Field.LINE] += np.repeat(lines_before[:-1], sizes)
    rows[:, Field.CELLS_END] += np.repeat(cells_before[:-1], sizes)
    return Lines(
        rows=rows,
        columns=np.concatenate([part.columns for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        line_count=int(lines_before[-1]),
    )


def scan_lines(text: memoryview) -> Lines:
    """Scan complete lines: the text ends in a newline."""
    return _scan_regular(text) or _scan_each(bytes(text))


def _scan_regular(text: memoryview) -> Lines | None:
    """Scan lines that are all records, or return ``None``."""
    data = np.frombuffer(text, np.uint8)
    is_digit = data - np.uint8(_ZERO) < 10
    starts, ends = _runs(is_digit)
    separators = np.flatnonzero((data == _COMMA) | (data == _NEWLINE))
    if not (
        starts.size == separators.size
        and (starts < separators).all()
        and (starts[1:] > separators[:-1]).all()
        and _are_blanks(data, is_digit, separators)
    ):
        return None
    line_ends = np.flatnonzero(data[separators] == _NEWLINE)
    firsts = np.concatenate([[0], line_ends[:-1] + 1])
    numbers = _Numbers(data, starts, ends - starts)
    column_counts = line_ends - firsts + 1 - _KEYS
    if column_counts.min() < 1 or numbers.digits.max() > _MAX_DIGITS:
        return None
    keys = [numbers.of(firsts + key) for key in range(_KEYS)]
    cells = np.flatnonzero((numbers.digits > 1) | (data[starts] != _ZERO))
    lines = np.searchsorted(line_ends, cells)
    columns = cells - firsts[lines] - _KEYS
    counts = numbers.of(cells)
    is_kept = (columns >= 0) & (counts > 0) & (column_counts[lines] <= MAX_COLUMNS)
    cells_end = np.searchsorted(lines[is_kept], np.arange(firsts.size), side="right")
    line_numbers = np.arange(1, firsts.size + 1)
    return Lines(
        rows=np.column_stack([line_numbers, *keys, column_counts, cells_end]),
        columns=columns[is_kept].astype(np.uint16),
        counts=counts[is_kept],
        line_count=firsts.size,
    )


def _runs(is_inside: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the starts and ends of runs of true values."""
    starts, ends = is_inside.copy(), is_inside.copy()
    starts[1:] &= ~is_inside[:-1]
    ends[:-1] &= ~is_inside[1:]
    return np.flatnonzero(starts), np.flatnonzero(ends) + 1


def _are_blanks(
    data: NDArray[np.uint8], is_digit: NDArray[np.bool_], separators: NDArray[np.intp]
) -> bool:
    """Tell whether all but digits and separators are blanks."""
    blanks = sum(int(np.count_nonzero(data == blank)) for blank in _BLANKS)
    return blanks + int(np.count_nonzero(is_digit)) + separators.size == data.size


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """The positions of the numbers in a text."""

    data: NDArray[np.uint8]
    starts: NDArray[np.intp]
    digits: NDArray[np.intp]

    def of(self, cells: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the numbers of some cells."""
        values = np.zeros(cells.size, np.int64)
        starts, digits = self.starts[cells], self.digits[cells]
        for digit in range(int(digits.max(initial=0))):
            some = np.flatnonzero(digits > digit)
            values[some] *= 10
            values[some] += self.data[starts[some] + digit] - np.uint8(_ZERO)
        return values


def _scan_each(text: bytes) -> Lines:
    """Scan lines of any kind, one by one."""
    rows: list[tuple[int, ...]] = []
    columns: list[int] = []
    counts: list[int] = []
    lines = text.split(b"\n")[:-1]
    for number, line in enumerate(lines, start=1):
        if not line.strip(_BLANKS):
            continue
        values = tuple(_values(line))
        keys, cells = values[:_KEYS], values[_KEYS:]
        if not cells:
            rows.append((number, 0, 0, 0, NO_NUMBERS, len(counts)))
            continue
        if len(cells) <= MAX_COLUMNS:
            some = [column for column, count in enumerate(cells) if count]
            columns += some
            counts += [cells[column] for column in some]
        rows.append((number, *keys, len(cells), len(counts)))
    return Lines(
        rows=np.array(rows, np.int64).reshape(-1, len(Field)),
        columns=np.array(columns, np.uint16),
        counts=np.array(counts, np.int64),
        line_count=len(lines),
    )


def _values(line: bytes) -> Iterator[int]:
    """Return the numbers of a line, none if one of its cells is not a number."""
    cells = [cell.strip(_BLANKS) for cell in line.split(b",")]
    if all(cell.isdigit() for cell in cells):
        for cell in cells:
            digits = cell.lstrip(b"0")
            yield TOO_GREAT if len(digits) > _MAX_DIGITS else int(digits or b"0")
