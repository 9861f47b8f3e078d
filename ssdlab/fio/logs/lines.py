"""The format of a log line of fio, and many lines at once in numpy.

A line is a number for each column of the layout, separated by a comma and any blanks;
trailing blanks, tabs and carriage returns are ignored, and so are blank lines. Any
other line is damaged. ``log_scan.c`` does the same in C.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.logs.layout import LIMITS, Role

MAX_LINE_BYTES: Final = 4096
VALUE: Final = 1
_BLANKS: Final = b" \t\r"
_DECIMAL: Final = re.compile(rb"[ \t]*([0-9]+)[ \t]*")
_HEXADECIMAL: Final = re.compile(rb"[ \t]*0[xX]([0-9a-fA-F]+)[ \t]*")
_NEWLINE, _COMMA, _ZERO, _X = b"\n,0x"
_MOST_DIGITS: Final = 18  # of a number that cannot go beyond 2^63
_NO_DIGIT: Final = 99
_DIGITS: Final = np.full(256, _NO_DIGIT, np.int64)
_DIGITS[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
_DIGITS[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)


@dataclass(frozen=True, kw_only=True, slots=True)
class LineForm:
    """What each column may contain, and the limit of a value or maximum."""

    roles: tuple[Role, ...]
    greatest_value: int

    def limit(self, column: int) -> int:
        """Return the limit of the number in a column."""
        role = self.roles[column]
        if column == VALUE or role is Role.MAXIMUM:
            return self.greatest_value
        return LIMITS[role]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Lines:
    """Lines that were read: one row of ``numbers`` each, and which are not rows."""

    numbers: NDArray[np.int64]
    is_row: NDArray[np.bool_]
    is_damaged: NDArray[np.bool_]


def read_line(line: bytes, form: LineForm) -> tuple[int, ...] | None:
    """Return the numbers of one line, or ``None`` if it is damaged."""
    if len(line) > MAX_LINE_BYTES:
        return None
    cells = line.rstrip(_BLANKS).split(b",")
    if len(cells) != len(form.roles):
        return None
    numbers: list[int] = []
    for column, (cell, role) in enumerate(zip(cells, form.roles, strict=True)):
        number = _read_cell(cell, role)
        if number is None or number > form.limit(column):
            return None
        if role is Role.MAXIMUM and number < numbers[VALUE]:
            return None
        numbers.append(number)
    return tuple(numbers)


def _read_cell(cell: bytes, role: Role) -> int | None:
    is_priority = role is Role.PRIORITY
    match = (_HEXADECIMAL if is_priority else _DECIMAL).fullmatch(cell)
    return int(match[1], 16 if is_priority else 10) if match else None


def read_lines(text: bytes, form: LineForm) -> Lines:
    """Return all lines of a text that ends in a newline."""
    plain = text.replace(b"\r\n", b"\n").replace(b", ", b",")
    data = np.frombuffer(plain, np.uint8)
    separators = np.flatnonzero((data == _NEWLINE) | (data == _COMMA))
    ends = np.flatnonzero(data[separators] == _NEWLINE)
    numbers = np.zeros((ends.size, len(form.roles)), np.int64)
    is_row = np.diff(ends, prepend=-1) == len(form.roles)
    rows = np.flatnonzero(is_row)
    backwards = np.arange(len(form.roles))[::-1]
    stops = separators[ends[rows][:, np.newaxis] - backwards]
    starts = np.empty_like(stops)
    starts[:, 1:] = stops[:, :-1] + 1
    starts[:, 0] = np.where(
        ends[rows] < len(form.roles),
        0,
        separators[ends[rows] - len(form.roles)] + 1,
    )
    for column, role in enumerate(form.roles):
        found, is_good = _read_column(
            data, starts[:, column], stops[:, column], role=role
        )
        numbers[rows, column] = found
        is_row[rows] &= is_good & (found <= form.limit(column))
        if role is Role.MAXIMUM:
            is_row[rows] &= found >= numbers[rows, VALUE]
    return _with_odd_lines(text, form, numbers=numbers, is_row=is_row)


def _read_column(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    *,
    role: Role,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the numbers between, and which of them are certain."""
    base = 10
    is_good = np.ones(starts.size, np.bool_)
    if role is Role.PRIORITY:
        base = 16
        is_good = (stops - starts > 2) & (data[starts] == _ZERO)
        is_good &= data[np.minimum(starts + 1, data.size - 1)] == _X
        starts = starts + 2
    lengths = stops - starts
    is_good &= (lengths > 0) & (lengths <= _MOST_DIGITS * 10 // base)
    numbers = np.zeros(starts.size, np.int64)
    for place in range(int(np.max(lengths, initial=0, where=is_good))):
        is_inside = is_good & (place < lengths)
        digits = _DIGITS[data[np.where(is_inside, starts + place, 0)]]
        is_good &= ~is_inside | (digits < base)
        numbers = np.where(is_inside, numbers * base + digits, numbers)
    return numbers, is_good


def _with_odd_lines(
    text: bytes,
    form: LineForm,
    *,
    numbers: NDArray[np.int64],
    is_row: NDArray[np.bool_],
) -> Lines:
    """Read the lines that are not in fio's own format one by one."""
    is_damaged = np.zeros(is_row.size, np.bool_)
    odd = np.flatnonzero(~is_row).tolist()
    lines: Sequence[bytes] = text.split(b"\n") if odd else ()
    for place in odd:
        line = lines[place]
        row = read_line(line, form)
        if row is not None:
            numbers[place], is_row[place] = row, True
        else:
            is_blank = len(line) <= MAX_LINE_BYTES and not line.strip(_BLANKS)
            is_damaged[place] = not is_blank
    return Lines(numbers=numbers, is_row=is_row, is_damaged=is_damaged)
