"""fio's logs of rates and latencies: of each IO, or averaged over intervals.

A log names neither its kind, its unit nor its columns: the kind stands in its name or
is given, the unit follows from it and from the version of fio, and the columns are told
by the content. What is assumed stands in ``FioLog.issues``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from ssdlab.fio.document import Doubt
from ssdlab.fio.from_json.values import parse_version
from ssdlab.fio.logs.choice import NO_LOG, AddedLog, add_again, add_up
from ssdlab.fio.logs.doubts import LATENCIES, LogReading, find_log_doubts
from ssdlab.fio.logs.files import LOG_REMEDY, LogFile, find_log
from ssdlab.fio.logs.frames import (
    averaged_runs,
    percentiles_frame,
    rows_frame,
    seconds_frame,
)
from ssdlab.fio.logs.layout import Layout
from ssdlab.fio.sources import FioSource
from ssdlab.model.errors import FioOutputError
from ssdlab.system.unpack import MAX_INPUT_BYTES

if TYPE_CHECKING:
    import pandas as pd

LogKind = Literal["bw", "iops", "lat", "clat", "slat"]

# Those that fio prints unless it is told otherwise.
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
_EACH_IO: Final = "Give what write_lat_log made without log_avg_msec."


@dataclass(frozen=True, kw_only=True, eq=False)
class FioLog:
    """A log that was read once, from its first line to its last.

    It holds what the rows add up to, not the rows: ``frame`` reads them.

    Parameters
    ----------
    source : str
        The file, or what stands for it.
    kind : str
        ``bw``, ``iops``, ``lat``, ``slat``, ``clat``; or ``unknown``.
    layout : tuple of str
        Which columns it has, in words.
    row_count : int
        Rows in it.
    is_averaged : bool
        Whether a row is of an interval (``log_avg_msec``), not of an IO.
    issues : tuple of Doubt
        What was assumed and what is wrong with it; a grave one means that rows are
        missing or that numbers may be wrong.
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
        """Every row: ``time_ms``, the value, ``direction`` and what else there is.

        The value is ``lat_ns``, ``slat_ns``, ``clat_ns``, ``iops`` or
        ``bw_bytes_per_s``, and ``value``, as fio wrote it, where the kind is unknown.
        A hexadecimal priority makes ``priority_class``, ``_level`` and ``_hint``.
        """
        return rows_frame(self._file, self._added, kind=self.kind, scale=self._scale)

    def each_io(self) -> "pd.DataFrame":
        """Return the rows of a latency log that has one for each IO.

        Returns
        -------
        DataFrame
            As ``frame``.

        Raises
        ------
        FioOutputError
            If it logs no latencies, or means of intervals.
        """
        reason = "its lines are means of intervals (log_avg_msec)"
        if self.kind not in LATENCIES:
            reason = f"it is no log of latencies but of {self.kind}"
        elif not self.is_averaged:
            return self.frame
        raise FioOutputError(source=self.source, reason=reason, remedy=_EACH_IO)

    def percentiles(self, levels: Sequence[float] = LEVELS) -> "pd.DataFrame":
        """Return percentiles of a latency log by direction.

        Parameters
        ----------
        levels : sequence of float, optional
            Confidence levels [%], greater than 0 and at most 100.

        Returns
        -------
        DataFrame
            ``direction``, ``percentile``, ``lat_ns`` (the middle of the bin of fio's
            histogram), its edges ``lat_lower_ns`` and ``lat_upper_ns``,
            ``is_censored`` where fio's histogram ends, and ``count`` of all rows.

        Raises
        ------
        ValueError
            If it is no log of latencies, or a level is not within (0, 100].
        """
        if self.kind not in LATENCIES:
            msg = f"a log of the kind {self.kind!r} has no latencies"
            raise ValueError(msg)
        return percentiles_frame(self._added.sums, levels, unit_ns=self._scale)

    def seconds(self, interval_s: float = 1) -> "pd.DataFrame":
        """Return what the rows of each interval come to, by direction.

        Parameters
        ----------
        interval_s : float, default 1
            Length of an interval, of whole milliseconds; any but 1 reads the log
            again, an averaged one always and all rows at once [s].

        Returns
        -------
        DataFrame
            ``direction``, ``start_s``, ``count`` of rows, and their mean, least and
            greatest, such as ``lat_mean_ns``. Rows weigh the same. An interval without
            a row has none. It ends before the next one starts. A row of an averaged
            log counts as a whole where its middle is: its time is its end.

        Raises
        ------
        ValueError
            If the interval is not of whole milliseconds.
        """
        interval_ms = round(interval_s * _MS_PER_S)
        if interval_ms < 1 or abs(interval_ms - interval_s * _MS_PER_S) > 1e-6:
            msg = f"an interval of {interval_s} s is not of whole milliseconds"
            raise ValueError(msg)
        runs = self._added.sums.runs
        if self.is_averaged:
            runs = averaged_runs(self._file, self._added, interval_ms=interval_ms)
        elif interval_ms != _MS_PER_S:
            runs = add_again(self._file, self._added, interval_ms=interval_ms).runs
        return seconds_frame(
            runs, kind=self.kind, scale=self._scale, interval_ms=interval_ms
        )


def read_fio_log(
    source: FioSource,
    *,
    kind: LogKind | None = None,
    fio_version: str | None = None,
    max_input_bytes: int = MAX_INPUT_BYTES,
) -> FioLog:
    r"""Read a log that ``write_bw_log``, ``write_iops_log`` or ``write_lat_log`` made.

    It is read once, in a memory that does not grow with it; a packed one, and one that
    is no plain file, is held whole.

    Parameters
    ----------
    source : path, bytes or binary file
        The log or where it is; packed by gzip or zstd or not.
    kind : {"bw", "iops", "lat", "clat", "slat"}, optional
        What it logs; else its name tells.
    fio_version : str, optional
        The fio that wrote it, as fio says; before 2.99 latencies were in us.
    max_input_bytes : int, default 512 MiB
        The most that is held of a log that is packed or no plain file [B].

    Returns
    -------
    FioLog
        Its ``frame``, ``percentiles``, ``seconds`` and ``issues``.

    Raises
    ------
    FioOutputError
        If it cannot be read, or most of its lines are none of a log.

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
    return _read(file, kind or _kind_of(file.name), fio_version)


def _read(file: LogFile, kind: str, fio_version: str | None) -> FioLog:
    is_latency = kind in LATENCIES
    unit_ns = _unit_ns(fio_version) if is_latency else 1
    scale = _KIB if kind == "bw" else unit_ns
    added = add_up(file, scale=scale, interval_ms=_MS_PER_S)
    if is_latency and not fio_version and len(added.layout) < _FEWEST_COLUMNS_OF_3:
        scale = unit_ns = _NS_PER_US
        added = add_up(file, scale=scale, interval_ms=_MS_PER_S)
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
    """Return a log of fio 3.x that is whole, with the end of its last line or without.

    Raises
    ------
    FioOutputError
        If a line is not one of a fio log.
    """
    content = f"{text}\n".encode(errors="replace")
    file = LogFile(name=source, path=None, content=content, size=len(content))
    log = _read(file, kind, _NANOSECOND_FIO)
    why = [issue.meaning for issue in log.issues if issue.is_grave]
    if log.row_count and len(log.layout) < _FEWEST_COLUMNS_OF_3:
        why.append("it has no block size, so it is of an older fio")
    if (log.frame["direction"] == "sync").any():
        why.append("a direction is none of read, write and trim")
    if why:
        raise FioOutputError(
            source=source, reason=f"{NO_LOG} ({why[0]})", remedy=f"{LOG_REMEDY}."
        )
    return log
