"""fio's logs of rates and latencies: of each IO, or averaged over intervals.

A log names neither its kind, its unit nor its columns: the kind is in its name or is
given, the unit follows from it and from the version of fio, and the columns follow from
the content. Assumptions are in ``FioLog.issues``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import Doubt
from ssdlab.fio.from_json.values import is_known_version, parse_version
from ssdlab.fio.logs.choice import (
    NO_LOG,
    THREADS,
    AddedLog,
    Adder,
    add_again,
    add_up,
)
from ssdlab.fio.logs.files import LOG_REMEDY, LogFile, find_log
from ssdlab.fio.logs.frames import (
    averaged_runs,
    bins_frame,
    ending_runs,
    percentiles_frame,
    rows_frame,
    seconds_frame,
)
from ssdlab.fio.logs.layout import Layout, describe_choice
from ssdlab.fio.logs.sums import DIRECTIONS, EXACT_BELOW, NO_TIME, LogSums
from ssdlab.fio.sources import FioSource
from ssdlab.model.errors import FioOutputError
from ssdlab.system.unpack import MAX_INPUT_BYTES

if TYPE_CHECKING:
    import pandas as pd


LATENCIES = frozenset({"lat", "slat", "clat"})
_RATES_OF_AN_IO: Mapping[str, str] = {
    "iops": "its value is 1: the IOPS of a second are the number of its rows",
    "bw": "its value is the block size over the latency: the data rate of a second is "
    "the sum of its block sizes, not a mean of its rows",
}
LogKind = Literal["bw", "iops", "lat", "clat", "slat"]

# Those that fio prints by default.
LEVELS: Final = (
    *(1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0),
    *(90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99),
)
_KIND: Final = re.compile(r"_(bw|iops|lat|slat|clat)(?:\.\d+)?\.log(?:\.[^/]*)?$")
_NANOSECONDS_SINCE: Final = (2, 99)
_NANOSECOND_FIO: Final = "fio-3.0"
_NS_PER_US: Final = 1000
_KIB: Final = 1024
_MS_PER_S: Final = 1000
_FEWEST_COLUMNS_OF_3: Final = 4
_EACH_IO: Final = "Use a log made by write_lat_log without log_avg_msec."


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LogReading:
    """How a log was read; ``others`` are layouts that would fit as well.

    ``damage`` is what is wrong with its archive, if anything.
    """

    kind: str
    layout: Layout
    others: tuple[Layout, ...]
    fio_version: str | None
    unit_ns: int
    sums: LogSums
    rest: bytes
    damage: str

    def is_zero(self, place: int) -> bool:
        """Tell whether a column after the direction is 0 throughout."""
        return not self.sums.nonzero >> place & 1

    @property
    def is_averaged(self) -> bool:
        """Whether lines are of intervals, which have a block size of 0."""
        if "block size" not in self.layout or not self.sums.row_count:
            return False
        return self.is_zero(self.layout.index("block size"))

    @property
    def is_of_each_io(self) -> bool:
        """Whether lines are of single IOs, which have a block size."""
        has_rows = "block size" in self.layout and self.sums.row_count > 0
        return has_rows and not self.is_averaged


def find_log_doubts(reading: LogReading) -> tuple[Doubt, ...]:
    """Return every doubt about a log."""
    lines = _of_lines(reading.sums, reading.rest)
    return (*_of_archive(reading), *lines, *_of_meaning(reading), *_of_time(reading))


def _of_archive(reading: LogReading) -> Iterator[Doubt]:
    if reading.damage:
        meaning = f"the archive is damaged ({reading.damage}): what follows is lost"
        yield Doubt(
            kind="truncated-archive", place="file", meaning=meaning, is_grave=True
        )


def _of_lines(sums: LogSums, rest: bytes) -> Iterator[Doubt]:
    if sums.damaged_count:
        numbers = ", ".join(str(place + 1) for place in sums.damaged_places)
        more = ", ..." if sums.damaged_count > len(sums.damaged_places) else ""
        meaning = (
            f"{sums.damaged_count} lines are damaged and were left out: lines "
            f"{numbers}{more}"
        )
        yield Doubt(kind="damaged-lines", place="file", meaning=meaning, is_grave=True)
    if rest:
        yield Doubt(
            kind="cut-short",
            place=f"line {sums.line_count + 1}",
            meaning="the last line has no end and was left out",
            is_grave=True,
        )
    if not sums.row_count:
        meaning = "the log has no rows: nothing was measured"
        yield Doubt(kind="no-rows", place="file", meaning=meaning)
    inexact = int((sums.runs["sum"] >= EXACT_BELOW).sum())
    if inexact:
        meaning = f"in {inexact} seconds the sum is too large to be exact: no mean"
        yield Doubt(kind="inexact-sum", place="file", meaning=meaning)


def _of_meaning(reading: LogReading) -> Iterator[Doubt]:
    if reading.kind == "unknown":
        yield Doubt(
            kind="unknown-kind",
            place="file",
            meaning="neither its name nor the caller says what it logs: its values are "
            "as fio wrote them",
        )
    if not reading.sums.row_count:
        return
    if reading.kind in LATENCIES:
        yield from _of_unit(reading)
    if len(reading.layout) > 4:
        yield _of_columns(reading)
    if reading.is_averaged:
        yield Doubt(
            kind="averaged",
            place="file",
            meaning="the block size is 0 throughout: a row is of an interval, which "
            "ends at its time, not of an IO, and so are percentiles; its value is the "
            "mean, or with log_max_value the maximum",
        )
    if reading.is_of_each_io and (words := _RATES_OF_AN_IO.get(reading.kind)):
        meaning = f"a row is of an IO, and {words}"
        yield Doubt(kind="rate-of-each-io", place="file", meaning=meaning)


def _of_time(reading: LogReading) -> Iterator[Doubt]:
    if not reading.sums.back_count:
        return
    meaning = (
        f"the time goes back {reading.sums.back_count} times: several threads or "
        "runs, one after the other; a row is of one of them"
    )
    if reading.kind not in LATENCIES:
        meaning += ", so their rates must be added"
    yield Doubt(kind="time-goes-back", place="file", meaning=meaning)


def _of_unit(reading: LogReading) -> Iterator[Doubt]:
    if reading.unit_ns > 1:
        meaning = "latencies are in whole us"
        yield Doubt(kind="microseconds", place="file", meaning=meaning)
    version = reading.fio_version
    is_told = version is not None and is_known_version(version)
    if is_told or not may_be_microseconds(reading.layout):
        return
    if len(reading.layout) < 4:
        meaning = "a log of three columns is of fio before 2.99, which logged us"
    else:
        meaning = (
            "latencies are read as ns; fio before 2.99 wrote us into a log with these "
            "columns: specify the version of fio"
        )
    yield Doubt(
        kind="unit-assumed",
        place="file",
        meaning=meaning,
        is_grave=len(reading.layout) > 3,
    )


def may_be_microseconds(layout: Sequence[str]) -> bool:
    """Tell whether a fio before 2.99 wrote such columns: it logged no priority."""
    return not {"priority", "priority flag"}.intersection(layout)


def _of_columns(reading: LogReading) -> Doubt:
    is_zero = [reading.is_zero(place) for place in range(len(reading.layout))]
    words = describe_choice(reading.layout, is_zero=is_zero, others=reading.others)
    kind = "ambiguous-columns" if reading.others else "columns"
    directions = {layout.index("direction") for layout in reading.others}
    is_grave = not directions <= {reading.layout.index("direction")}
    return Doubt(kind=kind, place="file", meaning=words, is_grave=is_grave)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LogEnds:
    """Rows of a log by interval and direction, the latter as fio's number for it."""

    intervals: NDArray[np.int64]
    directions: NDArray[np.int64]
    sums: NDArray[np.float64]
    means: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class FioLog:
    """A log that was read once, from its first line to its last.

    It holds sums over the rows, not the rows: ``frame`` reads them.

    Parameters
    ----------
    source : str
        The file, or a name for it.
    kind : str
        ``bw``, ``iops``, ``lat``, ``slat``, ``clat``; or ``unknown``.
    layout : tuple of str
        Its columns, in words.
    row_count : int
        Rows in it.
    is_averaged : bool
        Whether a row is of an interval (``log_avg_msec``), not of an IO.
    issues : tuple of Doubt
        Assumptions and problems; a grave one means that rows are missing or that
        numbers may be wrong.
    """

    source: str
    kind: str
    layout: Layout
    row_count: int
    is_averaged: bool
    issues: tuple[Doubt, ...]
    _file: LogFile = field(repr=False)
    _added: AddedLog = field(repr=False)
    _scale: int = field(repr=False)

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """Every row: ``time_ms``, the value, ``direction`` and any other columns.

        The value is ``lat_ns``, ``slat_ns``, ``clat_ns``, ``iops`` or
        ``bw_bytes_per_s``, or ``value``, as fio wrote it, if the kind is unknown.
        A hexadecimal priority makes ``priority_class``, ``_level`` and ``_hint``.
        """
        return rows_frame(self._file, self._added, kind=self.kind, scale=self._scale)

    @property
    def has_syncs(self) -> bool:
        """Whether a row is of a sync, which is no read, write or trim."""
        return self._added.sums.first_ms[DIRECTIONS.index("sync")] != NO_TIME

    def each_io(self) -> "pd.DataFrame":
        """Return the rows of a latency log that has one for each IO."""
        reason = "its lines are means of intervals (log_avg_msec)"
        if self.kind not in LATENCIES:
            reason = f"it is a log of {self.kind}, not of latencies"
        elif not self.is_averaged:
            return self.frame
        raise FioOutputError(source=self.source, reason=reason, remedy=_EACH_IO)

    def percentiles(self, levels: Sequence[float] = LEVELS) -> "pd.DataFrame":
        """Return percentiles of a latency log by direction."""
        self._require_latencies()
        return percentiles_frame(self._added.sums, levels, unit_ns=self._scale)

    def bins(self) -> "pd.DataFrame":
        """Return the histogram of a latency log by direction, in fio's bins."""
        self._require_latencies()
        return bins_frame(self._added.sums, unit_ns=self._scale)

    def _require_latencies(self) -> None:
        if self.kind not in LATENCIES:
            msg = f"a log of kind {self.kind!r} has no latencies"
            raise ValueError(msg)

    def seconds(self, interval_s: float = 1) -> "pd.DataFrame":
        """Return the summary of each interval, by direction."""
        interval_ms = round(interval_s * _MS_PER_S)
        if interval_ms < 1 or abs(interval_ms - interval_s * _MS_PER_S) > 1e-6:
            msg = f"an interval of {interval_s} s is not in whole milliseconds"
            raise ValueError(msg)
        runs = self._added.sums.runs
        if self.is_averaged:
            runs = averaged_runs(self._file, self._added, interval_ms=interval_ms)
        elif interval_ms != _MS_PER_S:
            runs = add_again(self._file, self._added, interval_ms=interval_ms).runs
        return seconds_frame(
            runs, kind=self.kind, scale=self._scale, interval_ms=interval_ms
        )

    def ends(self, interval_ms: int) -> LogEnds:
        """Return sum and mean of the rows that end near each multiple of an interval.

        By ascending interval and direction, in the units of ``frame``.
        """
        runs = ending_runs(self._file, self._added, interval_ms=interval_ms)
        sums = runs["sum"] * self._scale
        return LogEnds(
            intervals=runs["interval"],
            directions=runs["direction"],
            sums=sums,
            means=sums / runs["count"],
        )


def read_fio_log(
    source: FioSource,
    *,
    kind: LogKind | None = None,
    fio_version: str | None = None,
    max_input_bytes: int = MAX_INPUT_BYTES,
) -> FioLog:
    r"""Read a log made by ``write_bw_log``, ``write_iops_log`` or ``write_lat_log``.

    It is read once, in constant memory; a packed one, or one that is not a regular
    file, is kept in memory.

    Parameters
    ----------
    source : path, bytes or binary file
        The log or its path; optionally packed by gzip or zstd.
    kind : {"bw", "iops", "lat", "clat", "slat"}, optional
        What it logs; by default from its name.
    fio_version : str, optional
        The fio that wrote it, as fio prints it; before 2.99 latencies were in us.
    max_input_bytes : int, default 512 MiB
        The most that is kept of a log that is packed or not a regular file [B].

    Returns
    -------
    FioLog
        Its ``frame``, ``percentiles``, ``seconds`` and ``issues``.

    Raises
    ------
    FioOutputError
        If it cannot be read, or most of its lines are not of a log.

    Examples
    --------
    >>> lines = b"0, 20500, 0, 4096, 0\n1, 40500, 0, 4096, 0\n"
    >>> log = read_fio_log(lines, kind="lat")
    >>> log.layout
    ('time', 'value', 'direction', 'block size', 'priority flag')
    >>> log.percentiles([50.0])["lat_ns"].tolist()
    [20608.0]
    """
    file = find_log(source, max_bytes=max_input_bytes)
    return read_log_file(file, kind=kind, fio_version=fio_version)


def read_log_file(
    file: LogFile,
    *,
    kind: str | None = None,
    fio_version: str | None = None,
    adder: Adder = THREADS,
) -> FioLog:
    """Read a log that was found; the adder sums up its parts."""
    kind = kind or _kind_of(file.name)
    is_latency = kind in LATENCIES
    unit_ns = _unit_ns(fio_version) if is_latency else 1
    scale = _KIB if kind == "bw" else unit_ns
    added = add_up(file, scale=scale, interval_ms=_MS_PER_S, adder=adder)
    if is_latency and not fio_version and len(added.layout) < _FEWEST_COLUMNS_OF_3:
        scale = unit_ns = _NS_PER_US
        added = add_up(file, scale=scale, interval_ms=_MS_PER_S, adder=adder)
    reading = LogReading(
        kind=kind,
        layout=added.layout,
        others=added.others,
        fio_version=fio_version,
        unit_ns=unit_ns,
        sums=added.sums,
        rest=added.rest,
        damage=file.damage,
    )
    return FioLog(
        source=file.name,
        kind=kind,
        layout=added.layout,
        row_count=added.sums.row_count,
        is_averaged=reading.is_averaged,
        issues=find_log_doubts(reading),
        _file=file,
        _added=added,
        _scale=scale,
    )


def _kind_of(name: str) -> str:
    match = _KIND.search(name)
    return match[1] if match else "unknown"


def _unit_ns(fio_version: str | None) -> int:
    is_old = fio_version and parse_version(fio_version) < _NANOSECONDS_SINCE
    return _NS_PER_US if is_old else 1


def parse_log(text: str, *, kind: LogKind, source: str = "fio log") -> FioLog:
    """Parse a complete log of fio 3.x, with or without a final line end."""
    content = f"{text}\n".encode(errors="replace")
    file = LogFile(name=source, path=None, content=content, size=len(content))
    log = read_log_file(file, kind=kind, fio_version=_NANOSECOND_FIO)
    why = [issue.meaning for issue in log.issues if issue.is_grave]
    if log.row_count and len(log.layout) < _FEWEST_COLUMNS_OF_3:
        why.append("it has no block size, so it is from an older fio")
    if log.has_syncs:
        why.append("a direction is not read, write or trim")
    if why:
        raise FioOutputError(
            source=source, reason=f"{NO_LOG} ({why[0]})", remedy=f"{LOG_REMEDY}."
        )
    return log
