"""Scan a histogram log of any size: by the C kernel, or by numpy."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.histlogs.layout import LAYOUTS
from ssdlab.fio.histlogs.lines import Field, Lines, join_lines, scan_lines, take_lines
from ssdlab.fio.kernels import load_scanner

LineScanner = Callable[[memoryview], Lines]

CHUNK_BYTES: Final = 1 << 20  # a line of fio has at most 41 kB
NAMED_LINES: Final = 5  # of the lines that a doubt is about

_COLUMN_COUNTS = list(LAYOUTS)
_RECORD_ROOM = 1 << 12
_CELL_ROOM = 1 << 16
_NEWLINE = ord("\n")
_NO_NUMBER = ord("?")
_NO_LINES = Lines(
    rows=np.empty((0, len(Field)), np.int64),
    columns=np.empty(0, np.uint16),
    counts=np.empty(0, np.int64),
    line_count=0,
)


class ByteStream(Protocol):
    """A stream that can be read into a buffer, such as an unbuffered file."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Fill the buffer as far as possible; return the number of bytes."""


def choose_scanner(work_bytes: int) -> LineScanner:
    """Return the fastest scanner of this machine for that much work."""
    kernel = load_scanner("histlogs/hist_scan", work_bytes=work_bytes)
    return scan_lines if kernel is None else KernelScanner(kernel)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ScannedLog:
    """The lines that fio can have written, and the number of others.

    ``torn_lines`` are the numbers of the first others. A log that is not ``is_ended``
    has no newline after the last of ``lines``.
    """

    lines: Lines
    is_ended: bool
    torn_count: int
    torn_lines: tuple[int, ...]


def scan_stream(
    stream: ByteStream, scan: LineScanner, *, chunk_bytes: int = CHUNK_BYTES
) -> ScannedLog:
    """Return all lines of a stream that have the number of columns that fio writes.

    A line longer than a chunk is not from fio.
    """
    parts, torn = [_NO_LINES], _Torn()
    is_ended = True
    for text, is_whole in _whole_lines(stream, chunk_bytes):
        parts.append(torn.drop_from(scan(text)))
        is_ended = is_whole or not len(parts[-1].rows)
    return ScannedLog(
        lines=join_lines(parts),
        is_ended=is_ended,
        torn_count=torn.count,
        torn_lines=tuple(torn.first),
    )


def _whole_lines(
    stream: ByteStream, chunk_bytes: int
) -> Iterator[tuple[memoryview, bool]]:
    """Yield complete lines; one without a newline separately, with a flag."""
    buffer = bytearray(chunk_bytes + 1)
    view = memoryview(buffer)
    filled = 0
    while read := stream.readinto(view[filled:chunk_bytes]):
        end = buffer.rfind(b"\n", filled, filled + read) + 1
        filled += read
        if end:
            yield view[:end], True
            view[: filled - end] = view[end:filled]
            filled -= end
        elif filled == chunk_bytes:
            buffer[0], filled = _NO_NUMBER, 1
    if filled:
        buffer[filled] = _NEWLINE
        yield view[: filled + 1], False


class _Torn:
    """Lines that fio cannot have written: counted, and the first ones named."""

    def __init__(self) -> None:
        self.first: list[int] = []
        self.count, self._line_count = 0, 0

    def drop_from(self, lines: Lines) -> Lines:
        """Return the lines that have a number of columns that fio writes."""
        is_torn = ~np.isin(lines.rows[:, Field.COLUMNS], _COLUMN_COUNTS)
        numbers = self._line_count + lines.rows[is_torn, Field.LINE]
        self.count += numbers.size
        self.first += numbers[: NAMED_LINES - len(self.first)].tolist()
        self._line_count += lines.line_count
        return take_lines(lines, ~is_torn) if numbers.size else lines


@dataclass(frozen=True, slots=True)
class KernelScanner:
    """The scanner in C; threads may share it."""

    kernel: ctypes.CDLL

    def __call__(self, text: memoryview) -> Lines:
        """Scan complete lines: the text ends in a newline."""
        parts: list[Lines] = []
        start = 0
        while start < len(text):
            lines, read = self._scan(text[start:])
            parts.append(lines)
            start += read
        return parts[0] if len(parts) == 1 else join_lines([_NO_LINES, *parts])

    def _scan(self, text: memoryview) -> tuple[Lines, int]:
        rows = np.empty((_RECORD_ROOM, len(Field)), np.int64)
        columns = np.empty(_CELL_ROOM, np.uint16)
        counts = np.empty(_CELL_ROOM, np.int64)
        done = np.zeros(3, np.int64)
        scan = self.kernel.scan_hist_lines
        scan.restype = ctypes.c_size_t
        read = scan(
            _address(np.frombuffer(text, np.uint8)),
            ctypes.c_size_t(len(text)),
            _address(rows),
            ctypes.c_size_t(_RECORD_ROOM),
            _address(columns),
            _address(counts),
            ctypes.c_size_t(_CELL_ROOM),
            _address(done),
        )
        row_count, cell_count, line_count = done.tolist()
        lines = Lines(
            rows=rows[:row_count].copy(),
            columns=columns[:cell_count].copy(),
            counts=counts[:cell_count].copy(),
            line_count=line_count,
        )
        return lines, read


def _address(array: NDArray[np.generic]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
