"""Plausibility checks of histogram log lines; others are left out and named.

fio prints differences of its counters, so a counter that decreased, or uninitialised
memory, shows as a huge number. What is recognised:

- a line that is not whole numbers, or has another number of columns than most;
- an impossible direction, time or block size;
- a count that no counter of fio can reach: 2^31 before fio 2.99 (32 bits), else 2^40;
- more IOs than one in 10 ns over the longest time between two records of its
  direction: fio reads the clock for each, which takes longer;
- a last line without its newline, if it is the only one or its last count is not 0:
  it may have been truncated there.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import Doubt
from ssdlab.fio.histlogs.layout import LAYOUTS, HistogramLayout
from ssdlab.fio.histlogs.lines import Field, Lines
from ssdlab.fio.histlogs.scan import NAMED_LINES, ScannedLog
from ssdlab.fio.histlogs.times import find_starts

DIRECTION_COUNT: Final = 3  # read, write, trim

_MAX_NUMBER = 1 << 48
_MAX_COUNTS = {1: 1 << 40, 1000: 1 << 31}  # by unit_ns
_MAX_IOS_PER_MS = 100_000  # one in 10 ns

_Mask = NDArray[np.bool_]


def find_layout(lines: Lines) -> HistogramLayout | None:
    """Return the layout of most lines, or ``None`` if no line has one."""
    names, numbers = np.unique(lines.rows[:, Field.COLUMNS], return_counts=True)
    return LAYOUTS[int(names[numbers.argmax()])] if names.size else None


def check_log(
    log: ScannedLog, layout: HistogramLayout, *, source: str
) -> tuple[_Mask, tuple[Doubt, ...]]:
    """Tell which lines are plausible records, and what is wrong with the others."""
    lines = log.lines
    is_kept = np.ones(len(lines.rows), np.bool_)
    doubts = []
    if log.torn_count:
        place = name_lines(source, log.torn_lines, log.torn_count)
        doubts.append(_grave("torn-line", place, "not the numbers that fio writes"))
    for kind, meaning, is_bad in _find_faults(log, layout):
        numbers = lines.rows[is_bad & is_kept, Field.LINE]
        is_kept &= ~is_bad
        if numbers.size:
            first = numbers[:NAMED_LINES].tolist()
            place = name_lines(source, first, numbers.size)
            doubts.append(_grave(kind, place, meaning))
    return is_kept, tuple(doubts)


def name_lines(source: str, first: Sequence[int], count: int) -> str:
    """Describe the positions of lines: the first few of them."""
    named = ", ".join(map(str, first))
    more = count - len(first)
    rest = f" and {more} more" if more > 0 else ""
    return f"{source}, line{'s' if count > 1 else ''} {named}{rest}"


def _grave(kind: str, place: str, meaning: str) -> Doubt:
    text = f"{meaning}: left out of all sums"
    return Doubt(kind=kind, place=place, meaning=text, is_grave=True)


def _find_faults(
    log: ScannedLog, layout: HistogramLayout
) -> Iterator[tuple[str, str, _Mask]]:
    lines = log.lines
    is_other = lines.rows[:, Field.COLUMNS] != layout.column_count
    meaning = f"not the {layout.column_count} columns of most lines"
    yield "torn-line", meaning, is_other
    if not log.is_ended:
        yield "torn-line", "the end is cut off", _may_be_cut(lines, layout)
    numbers = lines.rows[:, [Field.TIME_MS, Field.BLOCK_SIZE_BYTES]]
    is_wrong = (numbers > _MAX_NUMBER).any(axis=1)
    is_wrong |= lines.rows[:, Field.DIRECTION] >= DIRECTION_COUNT
    yield "garbage-record", "an impossible direction, time or size", is_wrong
    greatest = _MAX_COUNTS[layout.unit_ns]
    is_huge = np.zeros(len(lines.rows), np.bool_)
    cells = np.flatnonzero(lines.counts >= greatest)
    is_huge[np.searchsorted(lines.rows[:, Field.CELLS_END], cells, "right")] = True
    yield "garbage-record", f"an impossible count of {greatest} or more", is_huge
    is_wrong |= is_other | is_huge
    meaning = f"more than {_MAX_IOS_PER_MS} IOs per ms, impossible for a thread"
    yield "garbage-record", meaning, _is_too_fast(lines, ~is_wrong)


def _may_be_cut(lines: Lines, layout: HistogramLayout) -> _Mask:
    """Tell whether the last line may be truncated; 0 begins no other number."""
    may_be = np.zeros(len(lines.rows), np.bool_)
    last_cells = lines.columns[lines.columns.size - lines.cell_sizes[-1] :]
    may_be[-1] = may_be.size == 1 or (last_cells == layout.column_count - 1).any()
    return may_be


def _is_too_fast(lines: Lines, is_sound: _Mask) -> _Mask:
    """Tell which sound records hold more IOs than possible in their time."""
    is_fast = np.zeros(len(lines.rows), np.bool_)
    totals = _totals(lines)
    rows = np.flatnonzero(is_sound)
    times, directions = lines.rows[rows][:, [Field.TIME_MS, Field.DIRECTION]].T
    spans = times - find_starts(times, directions)
    longest = np.zeros(DIRECTION_COUNT)
    np.maximum.at(longest, directions, spans)
    is_fast[rows] = totals[rows] > (longest[directions] + 1) * _MAX_IOS_PER_MS
    return is_fast


def _totals(lines: Lines) -> NDArray[np.int64]:
    """Return the IOs of each line; meaningless if a count is."""
    totals = np.zeros(len(lines.rows), np.int64)
    sizes = lines.cell_sizes
    some = np.flatnonzero(sizes)
    if some.size:
        starts = lines.rows[some, Field.CELLS_END] - sizes[some]
        totals[some] = np.add.reduceat(lines.counts, starts)
    return totals
