"""Reading of histogram logs, one after the other, into records."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from ssdlab.fio.document import DIRECTIONS, Doubt
from ssdlab.fio.histlogs.checks import (
    DIRECTION_COUNT,
    check_log,
    find_layout,
    name_lines,
)
from ssdlab.fio.histlogs.layout import HistogramLayout
from ssdlab.fio.histlogs.records import Records, take_records
from ssdlab.fio.histlogs.scan import (
    NAMED_LINES,
    ByteStream,
    LineScanner,
    ScannedLog,
    choose_scanner,
    scan_stream,
)
from ssdlab.fio.logs.files import require_unpacked
from ssdlab.fio.sources import FioSources, NamedSource, doubt_unread, list_sources
from ssdlab.model.errors import FioOutputError
from ssdlab.system.unpack import (
    GZIP_MAGIC,
    MAX_INPUT_BYTES,
    ZSTD_MAGIC,
    DamagedArchiveError,
)

_WORTH_THREADS_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LogContent:
    """The plausible records of one log: at least one."""

    name: str
    layout: HistogramLayout
    records: Records


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LogPart:
    """One log: its content, if any, and its doubts."""

    name: str
    content: LogContent | None
    doubts: tuple[Doubt, ...]


def read_parts(
    sources: FioSources, *, max_bytes: int = MAX_INPUT_BYTES
) -> tuple[LogPart, ...]:
    """Read logs, several at a time; what cannot be read is a doubt."""
    named = tuple(list_sources(sources, max_bytes=max_bytes))
    work_bytes = sum(map(_size, named))
    read = partial(_read_part, scan=choose_scanner(work_bytes))
    threads = min(len(named), cpu_count() or 1)
    if threads <= 1 or work_bytes < _WORTH_THREADS_BYTES:
        return tuple(map(read, range(len(named)), named))
    with ThreadPoolExecutor(threads) as pool:
        return tuple(pool.map(read, range(len(named)), named))


def _read_part(number: int, source: NamedSource, *, scan: LineScanner) -> LogPart:
    name = source.name
    try:
        log, found = _scan_source(source, scan)
    except FioOutputError as error:
        found = (doubt_unread(error, place=name),)
        return LogPart(name=name, content=None, doubts=found)
    layout = find_layout(log.lines)
    if layout is None:
        doubts = (*found, _no_log(name, log))
        return LogPart(name=name, content=None, doubts=doubts)
    is_kept, doubts = check_log(log, layout, source=name)
    if not is_kept.any():
        return LogPart(name=name, content=None, doubts=(*found, *doubts))
    records = take_records(log.lines, is_kept, file=number)
    return LogPart(
        name=name,
        content=LogContent(name=name, layout=layout, records=records),
        doubts=(*found, *doubts, *_doubts_of_time(name, records)),
    )


def _scan_source(
    source: NamedSource, scan: LineScanner
) -> tuple[ScannedLog, tuple[Doubt, ...]]:
    with source.open() as file:
        head = _head(file)
        require_unpacked(source.name, head)
        if head and not head.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
            return scan_stream(cast("ByteStream", file), scan), ()
        pieces = _Pieces(source.pieces(file))
        log = scan_stream(pieces, scan)
    if pieces.damage is None:
        return log, ()
    meaning = f"the archive is damaged ({pieces.damage}): what follows is lost"
    return log, (_grave("truncated-archive", source.name, meaning),)


def _head(file: BinaryIO) -> bytes:
    """Return the beginning, if the file can be rewound; else nothing."""
    if not (file.seekable() and hasattr(file, "readinto")):
        return b""
    place = file.tell()
    head = file.read(max(len(GZIP_MAGIC), len(ZSTD_MAGIC)))
    file.seek(place)
    return head


class _Pieces:
    """Pieces of an archive or a pipe, to be read into a buffer; any damage."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._left = pieces, memoryview(b"")
        self.damage: DamagedArchiveError | None = None

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer with the next piece; return the number of bytes."""
        try:
            while not self._left:
                self._left = memoryview(next(self._pieces))
        except StopIteration:
            return 0
        except DamagedArchiveError as error:
            self.damage = error
            return 0
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _size(source: NamedSource) -> int:
    if isinstance(source.given, bytes):
        return len(source.given)
    try:
        return source.given.stat().st_size if isinstance(source.given, Path) else 0
    except (OSError, ValueError):
        return 0


def _grave(kind: str, place: str, meaning: str) -> Doubt:
    return Doubt(kind=kind, place=place, meaning=meaning, is_grave=True)


def _no_log(name: str, log: ScannedLog) -> Doubt:
    if not log.torn_count:
        meaning = "the log is empty: no IO ended log_hist_msec or more after its start"
        return _grave("empty-log", name, meaning)
    place = name_lines(name, log.torn_lines, log.torn_count)
    return _grave("no-log", place, "it is not a histogram log of fio; left out")


def _doubts_of_time(name: str, records: Records) -> Iterator[Doubt]:
    for number, direction in enumerate(DIRECTIONS[:DIRECTION_COUNT]):
        is_of = records.directions == number
        is_back = np.diff(records.time_ms[is_of], prepend=0) < 0
        if is_back.any():
            meaning = (
                f"the time of {direction} records goes back: several threads or runs, "
                "one after the other; they are pooled as if they ran together"
            )
            numbers = records.lines[is_of][is_back]
            first = numbers[:NAMED_LINES].tolist()
            place = name_lines(name, first, numbers.size)
            yield Doubt(kind="time-goes-back", place=place, meaning=meaning)
