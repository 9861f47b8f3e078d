"""Sums over the rows of a log, in constant memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.bins import BIN_COUNT, bin_index
from ssdlab.fio.logs.layout import Role
from ssdlab.fio.logs.lines import LineForm, Lines

DIRECTIONS: Final = ("read", "write", "trim", "sync")
NO_TIME: Final = -1
MAX_PLACES: Final = 16  # damaged lines that are listed
# As struct run of log_scan_sinks.c: rows of one direction in one interval.
RUN: Final = np.dtype([
    ("interval", np.int64),
    ("direction", np.int64),
    ("count", np.int64),
    ("least", np.int64),
    ("greatest", np.int64),
    ("sum", np.float64),
])
# A sum of whole numbers in float64 is exact below, in whatever order it was made, and
# not below if the true sum is not.
EXACT_BELOW: Final = 2.0**53
_VALUE: Final = 1
_USUAL_DIRECTION: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LogSums:
    """Sums over lines of a log, in the units of the log.

    ``damaged_places`` are the first damaged lines, from 0; bit n of ``nonzero`` is set
    if column n, after the direction, is not 0 throughout. A row of ``counts`` is the
    histogram of a direction in fio's bins; ``runs`` are ascending. ``back_count`` is
    how often a time is before the previous one of its direction; ``first_ms`` and
    ``last_ms`` are by direction, or `NO_TIME`.
    """

    row_count: int
    line_count: int
    damaged_count: int
    damaged_places: tuple[int, ...]
    nonzero: int
    back_count: int
    first_ms: tuple[int, ...]
    last_ms: tuple[int, ...]
    counts: NDArray[np.int64]
    runs: NDArray[np.void]


NO_SUMS: Final = LogSums(
    row_count=0,
    line_count=0,
    damaged_count=0,
    damaged_places=(),
    nonzero=0,
    back_count=0,
    first_ms=(NO_TIME,) * len(DIRECTIONS),
    last_ms=(NO_TIME,) * len(DIRECTIONS),
    counts=np.zeros((len(DIRECTIONS), BIN_COUNT), np.int64),
    runs=np.empty(0, RUN),
)


def merge_sums(parts: Sequence[LogSums]) -> LogSums:
    """Return the sums of consecutive parts."""
    if len(parts) == 1:
        return parts[0]
    places: list[int] = []
    nonzero = before = 0
    for part in parts:
        places += [before + place for place in part.damaged_places]
        nonzero |= part.nonzero
        before += part.line_count
    return LogSums(
        row_count=sum(part.row_count for part in parts),
        line_count=before,
        damaged_count=sum(part.damaged_count for part in parts),
        damaged_places=tuple(places[:MAX_PLACES]),
        nonzero=nonzero,
        **_merge_times(parts),
        counts=sum((part.counts for part in parts), NO_SUMS.counts),
        runs=merge_runs(np.concatenate([NO_SUMS.runs, *(p.runs for p in parts)])),
    )


class _Times(TypedDict):
    back_count: int
    first_ms: tuple[int, ...]
    last_ms: tuple[int, ...]


def _merge_times(parts: Sequence[LogSums]) -> _Times:
    back_count = sum(part.back_count for part in parts)
    first, last = list(NO_SUMS.first_ms), list(NO_SUMS.last_ms)
    for part in parts:
        for direction, (begin, end) in enumerate(
            zip(part.first_ms, part.last_ms, strict=True)
        ):
            if begin == NO_TIME:
                continue
            back_count += begin < last[direction]
            last[direction] = end
            if first[direction] == NO_TIME:
                first[direction] = begin
    return _Times(back_count=back_count, first_ms=tuple(first), last_ms=tuple(last))


def make_runs(
    intervals: NDArray[np.int64],
    directions: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.void]:
    """Return the runs of rows."""
    runs = np.empty(intervals.size, RUN)
    runs["interval"], runs["direction"], runs["count"] = intervals, directions, 1
    runs["least"] = runs["greatest"] = runs["sum"] = values
    return merge_runs(runs)


def merge_runs(runs: NDArray[np.void]) -> NDArray[np.void]:
    """Return runs in ascending order, one for each interval and direction."""
    order = np.lexsort((runs["direction"], runs["interval"]))
    ordered = runs[order]
    same = (ordered["interval"][1:] == ordered["interval"][:-1]) & (
        ordered["direction"][1:] == ordered["direction"][:-1]
    )
    first = np.flatnonzero(np.concatenate([[True], ~same])[: ordered.size])
    merged = ordered[first]
    if first.size < ordered.size:
        for name, operation in (
            ("count", np.add),
            ("sum", np.add),
            ("least", np.minimum),
            ("greatest", np.maximum),
        ):
            merged[name] = operation.reduceat(ordered[name], first)
    return merged


def sum_lines(lines: Lines, form: LineForm, *, interval_ms: int) -> LogSums:
    """Return the sums over lines."""
    rows = lines.numbers[lines.is_row]
    value = rows[:, _VALUE]
    direction = rows[:, form.roles.index(Role.DIRECTION)]
    places = np.flatnonzero(lines.is_damaged)
    noted = [
        column > _USUAL_DIRECTION and role is not Role.PRIORITY
        for column, role in enumerate(form.roles)
    ]
    nonzero = rows.any(axis=0) & np.array(noted)
    cells = direction * BIN_COUNT + bin_index(value)
    counts = np.bincount(cells, minlength=len(DIRECTIONS) * BIN_COUNT)
    times = [rows[direction == code, 0] for code in range(len(DIRECTIONS))]
    return LogSums(
        row_count=len(rows),
        line_count=len(lines.numbers),
        damaged_count=places.size,
        damaged_places=tuple(places[:MAX_PLACES].tolist()),
        nonzero=sum(1 << column for column in np.flatnonzero(nonzero).tolist()),
        back_count=sum(int((np.diff(some) < 0).sum()) for some in times),
        first_ms=tuple(int(some[0]) if some.size else NO_TIME for some in times),
        last_ms=tuple(int(some[-1]) if some.size else NO_TIME for some in times),
        counts=counts.reshape(len(DIRECTIONS), BIN_COUNT),
        runs=make_runs(rows[:, 0] // interval_ms, direction, value),
    )
