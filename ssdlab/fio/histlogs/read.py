"""fio's histogram logs (``write_hist_log``): the latency bins of each interval.

fio writes a record when an IO ends ``log_hist_msec`` or more after the last one, with
the IOs of its direction since then. IOs after the last record are in none, so a log has
fewer than fio's JSON of the same run.

Percentiles of the intervals of histogram logs, from merged bins.

The rule is that of `ssdlab.stats.latency.percentiles_from_bins`, which is fio's:
the first bin up to which at least that share of all IOs was counted.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import DIRECTIONS, Doubt
from ssdlab.fio.histlogs.checks import DIRECTION_COUNT
from ssdlab.fio.histlogs.files import LogContent, LogPart, read_parts
from ssdlab.fio.histlogs.layout import HistogramLayout
from ssdlab.fio.histlogs.records import Records, coarsen, pool_records
from ssdlab.fio.histlogs.times import median_span
from ssdlab.fio.sources import FioSources
from ssdlab.model.errors import FioOutputError
from ssdlab.model.schema import Column, Table
from ssdlab.system.unpack import MAX_INPUT_BYTES

if TYPE_CHECKING:
    import pandas as pd


SUMS: Final = DIRECTION_COUNT + 1  # the directions, and all of them merged
_BLOCK_CELLS = 1 << 20  # limits the memory for any number of intervals
_DIRECTION = Column("direction", "string", "read, write or trim", is_key=True)
_LATENCY = (
    Column("lat_ns", "int64", "the bin as fio names it: its middle [ns]"),
    Column("lat_lower_ns", "int64", "lower edge, included [ns]"),
    Column("lat_upper_ns", "int64", "upper edge, excluded [ns]"),
)
_IS_CENSORED = Column("is_censored", "bool", "fio's last bin: it has no upper end")
_COUNT = Column("count", "int64", "IOs in the bin")

HISTOGRAM = Table(
    name="histogram",
    row="one bin of one record of a histogram log that holds an IO",
    columns=(
        Column("file", "string", "the log, or a name for it", is_key=True),
        Column("record", "int64", "the record's line in the log, from 1", is_key=True),
        Column("time_ms", "int64", "end of the record, since the job began [ms]"),
        Column("direction", "string", "read, write or trim"),
        Column("block_size_bytes", "int64", "size of the record's last IO [B]"),
        *_LATENCY,
        _COUNT,
        _IS_CENSORED,
    ),
)

HISTOGRAM_PERCENTILES = Table(
    name="histogram_percentiles",
    row="one percentile of one interval, of all logs pooled",
    columns=(
        Column(
            "direction",
            "string",
            "read, write, trim, or total: all directions merged",
            is_key=True,
        ),
        Column("time_s", "float64", "end of the interval [s]", is_key=True),
        Column("total_ios", "int64", "IOs in it"),
        Column("percentile", "float64", "level [%]", is_key=True),
        *_LATENCY,
        _IS_CENSORED,
    ),
)

HISTOGRAM_BINS = Table(
    name="histogram_bins",
    row="one bin that holds an IO, of all logs and records merged",
    columns=(_DIRECTION, *_LATENCY, _COUNT, _IS_CENSORED),
)
DEFAULT_LEVELS: Final = (50.0, 90.0, 99.0, 99.9, 99.99)

_NAMES = (*DIRECTIONS[:DIRECTION_COUNT], "total")
_MS_PER_S = 1000.0
_NOTHING = Doubt(kind="no-log", place="histogram logs", meaning="there is no file")
_REMEDY = "Use a file made by write_hist_log (NAME_clat_hist.N.log)."
_LEAST_INTERVAL_S = 0.001  # fio's times are whole ms


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class IntervalPercentiles:
    """Percentiles of groups: a group is an interval and a direction with IOs in it.

    ``directions`` count as fio does; the last one is all of them merged. ``columns``
    has a row per group and a column per level: the column of the log at that level.
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
    """Yield the histograms of several rows at a time: first group, (group, column)."""
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
    """Return the groups with IOs, their number, and the column at each level."""
    totals = counts.sum(axis=1)
    groups = np.flatnonzero(totals)
    hundredths = totals[groups].astype(np.longdouble) * (np.longdouble(1) / 100)
    wanted = np.ceil(hundredths[:, None] * levels.astype(np.longdouble))
    wanted = np.minimum(wanted.astype(np.int64), totals[groups, None])
    reached = np.cumsum(counts)
    before = np.cumsum(totals)[groups] - totals[groups]
    columns = np.searchsorted(reached, before[:, None] + wanted) % counts.shape[1]
    return first + groups, totals[groups], columns


def frame_of(table: Table, columns: Mapping[str, Any]) -> "pd.DataFrame":
    """Return a frame with the columns of a table, each in its type."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    return pd.DataFrame({
        column.name: pd.Series(columns[column.name], dtype=column.dtype)
        for column in table.columns
    })


def pick(names: tuple[str, ...], numbers: Any) -> "pd.Series[str]":
    """Return the names that have the numbers."""
    import pandas as pd  # noqa: PLC0415 - as in frame_of

    return pd.Series(names, dtype="string").take(numbers).reset_index(drop=True)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioHistogramLog:
    """Histogram logs of one or several jobs, pooled.

    ``layout`` describes the columns, in words in ``layout.words``. Read ``issues``:
    each is a doubt about the numbers, and a grave one names lines that were left out of
    all sums.
    """

    files: tuple[str, ...]
    layout: HistogramLayout
    records: Records
    issues: tuple[Doubt, ...]

    @property
    def record_ms(self) -> int:
        """The median time from one record to the next [ms]; 0 if unknown."""
        keys = self.records.file_numbers * DIRECTION_COUNT + self.records.directions
        return median_span(self.records.time_ms, keys)

    @property
    def frame(self) -> "pd.DataFrame":
        """Every non-empty bin of every record: the table `HISTOGRAM`."""
        records = self.records
        owners = records.record_of_cells
        columns = {
            "file": pick(self.files, records.file_numbers[owners]),
            "record": records.lines[owners],
            "time_ms": records.time_ms[owners],
            "direction": pick(_NAMES, records.directions[owners]),
            "block_size_bytes": records.block_size_bytes[owners],
            **self._latency_of(records.columns),
            "count": records.counts,
        }
        return frame_of(HISTOGRAM, columns)

    def merged(self) -> "pd.DataFrame":
        """Return one histogram per direction: the table `HISTOGRAM_BINS`."""
        records = self.records
        counts = np.zeros((DIRECTION_COUNT, self.layout.column_count), np.int64)
        for direction, row in enumerate(counts):
            is_of = np.repeat(records.directions == direction, records.cell_sizes)
            np.add.at(row, records.columns[is_of], records.counts[is_of])
        directions, columns = np.nonzero(counts)
        rows = {
            "direction": pick(_NAMES, directions),
            **self._latency_of(columns),
            "count": counts[directions, columns],
        }
        return frame_of(HISTOGRAM_BINS, rows)

    def percentiles(
        self,
        levels: Sequence[float] = DEFAULT_LEVELS,
        *,
        interval_s: float | None = 1.0,
    ) -> "pd.DataFrame":
        """Return percentiles of all logs pooled, by direction and total.

        Notes
        -----
        A record counts as a whole in the interval of its middle. Records that are
        longer than the intervals leave some of them without rows: `record_ms`.
        """
        wanted = np.asarray(levels, dtype=np.float64)
        if not wanted.size or not ((wanted > 0) & (wanted <= 100)).all():
            msg = "levels are required, each greater than 0 and at most 100 %"
            raise ValueError(msg)
        found = find_percentiles(
            self.records,
            _intervals(self.records, interval_s),
            levels=wanted,
            column_count=self.layout.column_count,
        )
        ends = (found.intervals + 1) * (interval_s or self._end_s())
        columns = {
            "direction": pick(_NAMES, np.repeat(found.directions, wanted.size)),
            "time_s": np.repeat(ends, wanted.size),
            "total_ios": np.repeat(found.total_ios, wanted.size),
            "percentile": np.tile(wanted, found.directions.size),
            **self._latency_of(found.columns.ravel()),
        }
        return frame_of(HISTOGRAM_PERCENTILES, columns)

    def _latency_of(self, columns: NDArray[np.integer[Any]]) -> dict[str, NDArray[Any]]:
        every = np.arange(self.layout.column_count)
        lower, upper = self.layout.edges(every)
        return {
            "lat_ns": self.layout.values(every)[columns],
            "lat_lower_ns": lower[columns],
            "lat_upper_ns": upper[columns],
            "is_censored": self.layout.is_last(every)[columns],
        }

    def _end_s(self) -> float:
        return float(self.records.time_ms.max()) / _MS_PER_S


def read_fio_histogram_log(
    source: FioSources, *, max_input_bytes: int = MAX_INPUT_BYTES
) -> FioHistogramLog:
    r"""Read histogram logs of fio (``NAME_clat_hist.N.log``) of any version.

    Parameters
    ----------
    source : path, bytes or binary file, or a sequence of them
        The log of one job, or those of several, which are pooled; compressed or not.
        Of a folder all files are read; ``"-"`` is standard input.
        The bins (1856 in ns, or 1216 in us before fio 2.99) and the coarseness follow
        from the number of columns.
    max_input_bytes : int, default 512 MiB
        The most that is read of a log that is packed or not a regular file [B].

    Returns
    -------
    FioHistogramLog
        Its ``frame`` is the tidy table; ``merged()`` and ``percentiles()`` add the
        bins of all logs; ``issues`` are the doubts.

    Raises
    ------
    FioOutputError
        If none of them can be read and has a plausible record, or logs of fio before
        and after 2.99 would be pooled.

    Notes
    -----
    Implausible lines are left out and named: see `ssdlab.fio.histlogs.checks`. So is a
    file among several that is not a histogram log.

    Examples
    --------
    >>> line = b"1001, 0, 4096" + b", 0" * 28 + b", 7\n"
    >>> log = read_fio_histogram_log(line)
    >>> log.layout.words
    '29 columns: the 1856 bins in ns of fio 2.99 and later, coarseness 6'
    >>> log.merged()["count"].tolist()
    [7]
    """
    parts = read_parts(source, max_bytes=max_input_bytes)
    logs = [part.content for part in parts if part.content is not None]
    if not logs:
        failure = _failure_of(parts)
        raise failure
    layout = _common_layout(logs)
    records = pool_records([_fit(log, layout) for log in logs])
    doubts = (doubt for part in parts for doubt in part.doubts)
    return FioHistogramLog(
        files=tuple(part.name for part in parts),
        layout=layout,
        records=records,
        issues=(*doubts, *_doubts_of_pool(logs, records, layout)),
    )


def _intervals(records: Records, interval_s: float | None) -> NDArray[np.int64]:
    """Return the number of the interval of each record's middle."""
    if interval_s is None:
        return np.zeros_like(records.time_ms)
    if not (math.isfinite(interval_s) and interval_s >= _LEAST_INTERVAL_S):
        msg = f"an interval must be at least {_LEAST_INTERVAL_S} s, not {interval_s}"
        raise ValueError(msg)
    twice_middle_ms = records.start_ms + records.time_ms
    return (twice_middle_ms // (2 * _MS_PER_S * interval_s)).astype(np.int64)


def _failure_of(parts: Sequence[LogPart]) -> FioOutputError:
    doubt = next((doubt for part in parts for doubt in part.doubts), _NOTHING)
    return _refuse(doubt.place, doubt.meaning)


def _refuse(name: str, reason: str) -> FioOutputError:
    return FioOutputError(source=name, reason=reason, remedy=_REMEDY)


def _common_layout(logs: Sequence[LogContent]) -> HistogramLayout:
    """Return the coarsest layout, to which the others can be reduced."""
    layouts = {log.layout: log.name for log in logs}
    if len({layout.unit_ns for layout in layouts}) > 1:
        reason = "it is of fio before 2.99 and others are not: their bins differ"
        early = max(layouts, key=lambda layout: layout.unit_ns)
        failure = _refuse(layouts[early], reason)
        raise failure
    return max(layouts, key=lambda layout: layout.coarseness)


def _fit(log: LogContent, layout: HistogramLayout) -> Records:
    if log.layout == layout:
        return log.records
    return coarsen(log.records, layout=log.layout, coarseness=layout.coarseness)


def _doubts_of_pool(
    logs: Sequence[LogContent], records: Records, layout: HistogramLayout
) -> Iterator[Doubt]:
    if any(log.layout != layout for log in logs):
        meaning = f"logs of different coarseness; all are read as {layout.words}"
        yield Doubt(kind="several-coarsenesses", place="columns", meaning=meaning)
    if layout.unit_ns > 1:
        meaning = "latencies are in whole us"
        yield Doubt(kind="microseconds", place="columns", meaning=meaning)
    meaning = (
        "fio does not log IOs that end after the last record of their direction "
        f"(the last of all is at {records.time_ms.max()} ms)"
    )
    yield Doubt(kind="end-not-logged", place="end", meaning=meaning)
