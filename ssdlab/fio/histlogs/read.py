"""fio's histogram logs (``write_hist_log``): the latency bins of each interval.

fio writes a record when an IO ends ``log_hist_msec`` or more after the last one, and
counts in it the IOs of its direction since then. IOs after the last record are in none,
so that a log holds fewer than fio's JSON of the same run.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import DIRECTIONS, Doubt
from ssdlab.fio.histlogs.checks import DIRECTION_COUNT
from ssdlab.fio.histlogs.files import LogContent, LogPart, read_parts
from ssdlab.fio.histlogs.layout import HistogramLayout
from ssdlab.fio.histlogs.percentiles import find_percentiles
from ssdlab.fio.histlogs.records import Records, coarsen, pool_records
from ssdlab.fio.histlogs.tables import (
    HISTOGRAM,
    HISTOGRAM_BINS,
    HISTOGRAM_PERCENTILES,
    frame_of,
    pick,
)
from ssdlab.fio.histlogs.times import median_span
from ssdlab.fio.sources import FioSources
from ssdlab.model.errors import FioOutputError
from ssdlab.system.unpack import MAX_INPUT_BYTES

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_LEVELS: Final = (50.0, 90.0, 99.0, 99.9, 99.99)

_NAMES = (*DIRECTIONS[:DIRECTION_COUNT], "total")
_MS_PER_S = 1000.0
_NOTHING = Doubt(kind="no-log", place="histogram logs", meaning="there is no file")
_REMEDY = "Give a file that write_hist_log made (NAME_clat_hist.N.log)."
_LEAST_INTERVAL_S = 0.001  # fio's times are whole ms


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioHistogramLog:
    """Histogram logs of one job or of several, pooled.

    ``layout`` tells what the columns are, and says it in ``layout.words``. Read
    ``issues``: each is a doubt about the numbers, and a grave one names lines that were
    left out of all sums.
    """

    files: tuple[str, ...]
    layout: HistogramLayout
    records: Records
    issues: tuple[Doubt, ...]

    @property
    def record_ms(self) -> int:
        """The median time from one record to the next [ms]; 0 if it is not known."""
        keys = self.records.file_numbers * DIRECTION_COUNT + self.records.directions
        return median_span(self.records.time_ms, keys)

    @property
    def frame(self) -> "pd.DataFrame":
        """Every bin of every record that holds an IO: the table `HISTOGRAM`."""
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
        """Return one histogram a direction: the table `HISTOGRAM_BINS`."""
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

        Parameters
        ----------
        levels : sequence of float
            Levels [%], greater than 0 and at most 100.
        interval_s : float or None, default 1.0
            Length of the intervals, from the start of the job [s]; ``None``: one
            interval, from the start to the last record.

        Returns
        -------
        pandas.DataFrame
            The table `HISTOGRAM_PERCENTILES`. An interval in which no IO was counted
            has no row.

        Raises
        ------
        ValueError
            If a level or the interval cannot be.

        Notes
        -----
        A record counts as a whole in the interval that holds its middle. Records that
        are longer than the intervals leave some of them without rows: `record_ms`.
        """
        wanted = np.asarray(levels, dtype=np.float64)
        if not wanted.size or not ((wanted > 0) & (wanted <= 100)).all():
            msg = "levels are needed, each more than 0 and at most 100 %"
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
        The number of columns tells the bins (1856 in ns, or 1216 in us before fio
        2.99) and the coarseness.
    max_input_bytes : int, default 512 MiB
        The most that is read of a log that is packed or no plain file [B].

    Returns
    -------
    FioHistogramLog
        Its ``frame`` is the tidy table; ``merged()`` and ``percentiles()`` add the
        bins of all logs; ``issues`` are the doubts.

    Raises
    ------
    FioOutputError
        If none of them can be read and has a record that can be true, or logs of fio
        before and after 2.99 are to be pooled.

    Notes
    -----
    What cannot be true is left out and named: see `ssdlab.fio.histlogs.checks`. So is
    a file of many that is no histogram log.

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
    """Return the number of the interval that holds the middle of each record.

    Raises
    ------
    ValueError
        If the interval is shorter than fio's times can tell.
    """
    if interval_s is None:
        return np.zeros_like(records.time_ms)
    if not (math.isfinite(interval_s) and interval_s >= _LEAST_INTERVAL_S):
        msg = f"an interval has at least {_LEAST_INTERVAL_S} s, not {interval_s}"
        raise ValueError(msg)
    twice_middle_ms = records.start_ms + records.time_ms
    return (twice_middle_ms // (2 * _MS_PER_S * interval_s)).astype(np.int64)


def _failure_of(parts: Sequence[LogPart]) -> FioOutputError:
    doubt = next((doubt for part in parts for doubt in part.doubts), _NOTHING)
    return _refuse(doubt.place, doubt.meaning)


def _refuse(name: str, reason: str) -> FioOutputError:
    return FioOutputError(source=name, reason=reason, remedy=_REMEDY)


def _common_layout(logs: Sequence[LogContent]) -> HistogramLayout:
    """Return the coarsest layout, into which the others can be added up.

    Raises
    ------
    FioOutputError
        If their bins are of two kinds.
    """
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
        meaning = f"logs of several coarsenesses; all are read as {layout.words}"
        yield Doubt(kind="several-coarsenesses", place="columns", meaning=meaning)
    if layout.unit_ns > 1:
        meaning = "latencies were kept in whole us"
        yield Doubt(kind="microseconds", place="columns", meaning=meaning)
    meaning = (
        "fio logs no IO that ends after the last record of its direction "
        f"(the last of all is at {records.time_ms.max()} ms)"
    )
    yield Doubt(kind="end-not-logged", place="end", meaning=meaning)
