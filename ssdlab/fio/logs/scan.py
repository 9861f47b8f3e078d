"""Scan a log of any size, in threads: by the C kernel, or by numpy."""

import ctypes
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.bins import BIN_COUNT
from ssdlab.fio.kernels import load_scanner
from ssdlab.fio.logs.files import OpenLog, Span
from ssdlab.fio.logs.layout import MAX_COLUMNS, Role
from ssdlab.fio.logs.lines import LineForm, read_lines
from ssdlab.fio.logs.sums import (
    DIRECTIONS,
    MAX_PLACES,
    NO_SUMS,
    NO_TIME,
    RUN,
    LogSums,
    merge_runs,
    merge_sums,
    sum_lines,
)

_KERNEL_FROM_BYTES: Final = 1 << 16  # less is read faster than the kernel is found
_MOST_THREADS: Final = 8
_BLOCK_BYTES: Final = 4 << 20
_LARGE_BYTES: Final = 4 << 20
_DTYPES: Final[Mapping[Role, np.dtype[Any]]] = {
    Role.DIRECTION: np.dtype(np.int8),
    Role.FLAG: np.dtype(np.int8),
    Role.PRIORITY: np.dtype(np.uint16),
}
_NUMBER_DTYPE: Final[np.dtype[Any]] = np.dtype(np.int64)
# The structures of log_scan_sinks.c.
_MAX_RUNS: Final = 16384
_FAILED: Final = -1
_FULL: Final = -2
_FORM: Final = np.dtype(
    [
        ("columns", np.int32),
        ("roles", np.int32, MAX_COLUMNS),
        ("greatest_value", np.int64),
    ],
    align=True,
)
_SUMS: Final = np.dtype([
    ("rows", np.int64),
    ("lines", np.int64),
    ("damaged", np.int64),
    ("nonzero", np.int64),
    ("runs", np.int64),
    ("backs", np.int64),
    ("first", np.int64, len(DIRECTIONS)),
    ("last", np.int64, len(DIRECTIONS)),
    ("places", np.int64, MAX_PLACES),
    ("counts", np.int64, (len(DIRECTIONS), BIN_COUNT)),
    ("run", RUN, _MAX_RUNS),
])

_T = TypeVar("_T")
_R = TypeVar("_R")
Columns = Sequence[NDArray[Any]]


class LogScanner(Protocol):
    """Reader of the lines that begin in a span of a log."""

    @property
    def form(self) -> LineForm:
        """The format of a line."""

    def add(self, log: OpenLog, span: Span, *, interval_ms: int) -> tuple[LogSums, int]:
        """Return the sums of its rows, and the end of the last complete line."""

    def fill(self, log: OpenLog, span: Span, columns: Columns) -> int:
        """Put its rows into columns; return their number."""


def choose_scanner(form: LineForm, *, size: int) -> LogScanner:
    """Return the fastest scanner of this machine for a log of this size."""
    kernel = None
    if size >= _KERNEL_FROM_BYTES:
        kernel = load_scanner("logs/log_scan", work_bytes=size)
    return NumpyScanner(form) if kernel is None else KernelScanner(form, kernel)


def make_columns(form: LineForm, rows: int) -> Columns:
    """Return columns for that many rows."""
    return [empty_column(rows, _DTYPES.get(role, _NUMBER_DTYPE)) for role in form.roles]


def empty_column(rows: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an empty array; a large one without the huge pages of numpy.

    In a virtual machine these were measured to take five times as long.
    """
    size = rows * dtype.itemsize
    if size < _LARGE_BYTES or not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.empty(rows, dtype)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return np.frombuffer(mmap.mmap(-1, size, flags=flags), dtype)


def run_over(function: Callable[[_T], _R], parts: Sequence[_T]) -> Iterable[_R]:
    """Return the results of a function for each part, run in threads.

    Meanwhile pandas is imported, which any use of the result will need.
    """
    if len(parts) == 1:
        return [function(parts[0])]
    with ThreadPoolExecutor(min(_MOST_THREADS, processors(), len(parts))) as pool:
        results = pool.map(function, parts)
        import_module("pandas")
        return list(results)


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class NumpyScanner:
    """The scanner in numpy; it works anywhere."""

    form: LineForm

    def add(self, log: OpenLog, span: Span, *, interval_ms: int) -> tuple[LogSums, int]:
        """Return the sums of its rows, and the end of the last complete line."""
        parts, ended = [NO_SUMS], span[0]
        for text, end in _whole_lines(log, span):
            lines = read_lines(text, self.form)
            parts.append(sum_lines(lines, self.form, interval_ms=interval_ms))
            ended = end
        return merge_sums(parts), ended

    def fill(self, log: OpenLog, span: Span, columns: Columns) -> int:
        """Put its rows into columns; return their number."""
        done = 0
        for text, _ in _whole_lines(log, span):
            lines = read_lines(text, self.form)
            rows = lines.numbers[lines.is_row]
            if done + len(rows) > len(columns[0]):
                return done + len(rows)
            for column, numbers in zip(columns, rows.T, strict=True):
                column[done : done + len(rows)] = numbers
            done += len(rows)
        return done


def _whole_lines(log: OpenLog, span: Span) -> Iterator[tuple[bytes, int]]:
    """Yield the lines of a span, many at once, and where they end.

    A last line without an end is left out. One longer than the read size is replaced by
    another damaged one.
    """
    begin, end = span
    while begin < end and (text := log.read(begin, min(_BLOCK_BYTES, end - begin))):
        size = text.rfind(b"\n") + 1
        if size:
            begin += size
            yield text[:size], begin
            continue
        newline = log.newline(begin)
        if newline is None:
            return
        begin = newline + 1
        yield b"x\n", begin


class KernelScanner:
    """The scanner in C; threads may share it."""

    def __init__(self, form: LineForm, kernel: ctypes.CDLL) -> None:
        self.form = form
        self._layout = np.zeros(1, _FORM)
        self._layout["columns"] = len(form.roles)
        self._layout["roles"][0, : len(form.roles)] = form.roles
        self._layout["greatest_value"] = form.greatest_value
        self._add, self._fill = kernel.log_add, kernel.log_columns
        self._add.restype = self._fill.restype = ctypes.c_int64

    def add(self, log: OpenLog, span: Span, *, interval_ms: int) -> tuple[LogSums, int]:
        """Return the sums of its rows, and the end of the last complete line."""
        parts: list[LogSums] = []
        begin, end = span
        while True:
            sums = np.zeros((), _SUMS)
            sums["first"] = sums["last"] = NO_TIME
            done = self._add(
                *self._where(log, (begin, end)),
                ctypes.c_int64(interval_ms),
                ctypes.c_void_p(sums.ctypes.data),
            )
            _require_read(done)
            parts.append(_taken(sums))
            if done >= end or done == begin:
                return merge_sums(parts), done
            begin = done

    def fill(self, log: OpenLog, span: Span, columns: Columns) -> int:
        """Put its rows into columns; return their number."""
        to = (ctypes.c_void_p * MAX_COLUMNS)(*(c.ctypes.data for c in columns))
        room = len(columns[0])
        done = self._fill(*self._where(log, span), to, ctypes.c_int64(room))
        if done == _FULL:
            return room + 1
        _require_read(done)
        return int(done)

    def _where(self, log: OpenLog, span: Span) -> tuple[object, ...]:
        source = _Source(log.content, log.size, log.fd)
        begin, end = span
        return (
            ctypes.byref(source),
            ctypes.c_int64(begin),
            ctypes.c_int64(end),
            ctypes.c_void_p(self._layout.ctypes.data),
        )


class _Source(ctypes.Structure):
    _fields_ = (
        ("bytes", ctypes.c_char_p),
        ("size", ctypes.c_int64),
        ("fd", ctypes.c_int32),
    )


def _require_read(done: int) -> None:
    if done == _FAILED:
        msg = "the log could not be read"
        raise OSError(msg)


def _taken(sums: NDArray[np.void]) -> LogSums:
    damaged = int(sums["damaged"])
    return LogSums(
        row_count=int(sums["rows"]),
        line_count=int(sums["lines"]),
        damaged_count=damaged,
        damaged_places=tuple(sums["places"][: min(damaged, MAX_PLACES)].tolist()),
        nonzero=int(sums["nonzero"]),
        back_count=int(sums["backs"]),
        first_ms=tuple(sums["first"].tolist()),
        last_ms=tuple(sums["last"].tolist()),
        counts=sums["counts"].copy(),
        runs=merge_runs(sums["run"][: int(sums["runs"])]),
    )
