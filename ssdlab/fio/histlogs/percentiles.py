"""Percentiles of the intervals of histogram logs, from merged bins.

The rule is that of `ssdlab.analysis.latency.percentiles_from_bins`, which is fio's:
the first bin up to which at least that share of all IOs was counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.histlogs.checks import DIRECTION_COUNT
from ssdlab.fio.histlogs.records import Records

SUMS: Final = DIRECTION_COUNT + 1  # the directions, and all of them merged

_BLOCK_CELLS = 1 << 20  # bounds the memory whatever the number of intervals


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class IntervalPercentiles:
    """Percentiles of groups: a group is an interval and a direction with IOs in it.

    ``directions`` count as fio does; the last one is all of them merged. ``columns``
    has a row a group and a column a level: the column of the log at that level.
    """

    intervals: NDArray[np.int64]
    directions: NDArray[np.int64]
    total_ios: NDArray[np.int64]
    columns: NDArray[np.int64]


def find_percentiles(
    records: Records,
    intervals: NDArray[np.int64],
    *,
    levels: NDArray[np.float64],
    column_count: int,
) -> IntervalPercentiles:
    """Return the columns at each level [%] of each interval, by direction and total."""
    names, rows = np.unique(intervals, return_inverse=True)
    blocks = _count_blocks(records, rows, column_count=column_count)
    found = [_search(first, counts, levels=levels) for first, counts in blocks]
    groups, totals, columns = (
        np.concatenate(part) for part in zip(*found, strict=True)
    )
    return IntervalPercentiles(
        intervals=names[groups // SUMS],
        directions=groups % SUMS,
        total_ios=totals,
        columns=columns,
    )


def _count_blocks(
    records: Records, rows: NDArray[np.int64], *, column_count: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield the histograms of some rows at a time: first group, (group, column)."""
    height = max(1, _BLOCK_CELLS // (SUMS * column_count))
    order = np.argsort(rows, kind="stable")
    sizes = records.cell_sizes
    starts = records.cells_end - sizes
    for first in range(0, int(rows.max(initial=-1)) + 1, height):
        begin, end = np.searchsorted(rows[order], [first, first + height])
        some = order[begin:end]
        cells = _ranges(starts[some], sizes[some])
        groups = (rows[some] - first) * SUMS + records.directions[some]
        counts = np.zeros((height * SUMS, column_count), np.int64)
        where = np.repeat(groups, sizes[some]), records.columns[cells]
        np.add.at(counts, where, records.counts[cells])
        by_direction = counts.reshape(height, SUMS, column_count)
        by_direction[:, -1] = by_direction[:, :-1].sum(axis=1)
        yield first * SUMS, counts


def _ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges, one range after the other."""
    ends = np.cumsum(sizes)
    return np.asarray(
        np.arange(int(sizes.sum())) + np.repeat(starts - (ends - sizes), sizes)
    )


def _search(
    first: int, counts: NDArray[np.int64], *, levels: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the groups that hold IOs, how many, and the column at each level."""
    totals = counts.sum(axis=1)
    groups = np.flatnonzero(totals)
    hundredths = totals[groups].astype(np.longdouble) * (np.longdouble(1) / 100)
    wanted = np.ceil(hundredths[:, None] * levels.astype(np.longdouble))
    wanted = np.minimum(wanted.astype(np.int64), totals[groups, None])
    reached = np.cumsum(counts)
    before = np.cumsum(totals)[groups] - totals[groups]
    columns = np.searchsorted(reached, before[:, None] + wanted) % counts.shape[1]
    return first + groups, totals[groups], columns
