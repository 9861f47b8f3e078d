"""Strict reading of a user's series of numbers from a text table.

A verdict on the wrong numbers is worse than none: anything that is not clearly one
column of numbers is an error that names the file, the line and what to do.
"""

import csv
import io
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ssdlab.model.errors import LargeInputError, SeriesError
from ssdlab.model.spec import PTS_CRITERIA
from ssdlab.system.unpack import MAX_INPUT_BYTES, InputTooLargeError, read_held

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WITH_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9.,]*[0-9]")
_NO_NUMBERS = frozenset({"nan", "na", "n/a", "null", "none", "inf", "infinity", ""})
_QUOTED = re.compile(r'"[^"]*"')
_SHOWN_CHARACTERS = 40
_POINT_NOT_COMMA = "Write numbers as 1234.5: a decimal point, no unit, no separators."


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberSeries:
    """One column of numbers, and its source.

    ``column`` is its name in the header; without a header its number, from 1.
    """

    source: str
    column: str
    values: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sheet:
    source: str
    names: tuple[str, ...]
    rows: tuple[_Row, ...]

    def column(self, place: int) -> list[str]:
        return [row.cells[place] for row in self.rows]


def read_series(
    path: str | Path,
    column: str | None = None,
    *,
    min_rows: int = PTS_CRITERIA.window_rounds,
    max_input_bytes: int = MAX_INPUT_BYTES,
) -> NumberSeries:
    """Read one series of numbers from a CSV file."""
    source = "standard input" if str(path) == "-" else str(path)
    content = _read_bytes(path, source, max_input_bytes)
    sheet = _parse_sheet(_decode(content, source), source)
    place = _choose_column(sheet, column)
    values = [_parse_number(sheet, row, place) for row in sheet.rows]
    if len(values) < min_rows:
        raise SeriesError(
            source=source,
            reason=f"{len(values)} rows of numbers are too few",
            remedy=f"Give one value per round, {min_rows} or more.",
        )
    return NumberSeries(
        source=source, column=sheet.names[place], values=np.asarray(values, np.float64)
    )


def _read_bytes(path: str | Path, source: str, max_bytes: int) -> bytes:
    try:
        if str(path) == "-":
            return read_held(sys.stdin.buffer, max_bytes=max_bytes)
        with Path(path).open("rb") as file:
            return read_held(file, max_bytes=max_bytes)
    except InputTooLargeError as error:
        raise SeriesError(
            source=source, reason=str(error), remedy=LargeInputError.REMEDY
        ) from error
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error)
        raise SeriesError(
            source=source,
            reason=f"cannot be read ({words})",
            remedy="Name a CSV file that exists and that you may read.",
        ) from error


def _decode(content: bytes, source: str) -> str:
    remedy = "Save the table as CSV in UTF-8."
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SeriesError(
            source=source, reason=f"line {line} is not text in UTF-8", remedy=remedy
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SeriesError(
            source=source, reason=f"line {line} holds a zero byte", remedy=remedy
        )
    return text


def _parse_sheet(text: str, source: str) -> _Sheet:
    rows = _parse_rows(text, source)
    if not rows:
        raise SeriesError(
            source=source, reason="is empty", remedy="Give one value per round."
        )
    width = len(rows[0].cells)
    for row in rows:
        if len(row.cells) != width:
            _raise_for_width(source, row, width)
    if _has_header(rows):
        return _Sheet(source=source, names=rows[0].cells, rows=tuple(rows[1:]))
    names = tuple(str(place) for place in range(1, width + 1))
    return _Sheet(source=source, names=names, rows=tuple(rows))


def _parse_rows(text: str, source: str) -> list[_Row]:
    """Split into rows; blank lines count between rows, not before or after them."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=_find_separator(text),
        skipinitialspace=True,
        strict=True,
    )
    rows = []
    try:
        for cells in reader:
            stripped = tuple(cell.strip() for cell in cells)
            rows.append(_Row(reader.line_num, stripped or ("",)))
    except csv.Error as error:
        raise SeriesError(
            source=source,
            reason=f"line {reader.line_num} is not CSV ({error})",
            remedy="Fix the quotes around its cells.",
        ) from error
    filled = [place for place, row in enumerate(rows) if any(row.cells)]
    return rows[filled[0] : filled[-1] + 1] if filled else []


def _find_separator(text: str) -> str:
    """Return the first of tab, semicolon, comma that the first two lines agree on."""
    lines = [_QUOTED.sub("", line) for line in text.splitlines() if line.strip()][:2]
    for separator in ("\t", ";"):
        counts = {line.count(separator) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return separator
    return ","


def _raise_for_width(source: str, row: _Row, width: int) -> None:
    if not any(row.cells):
        raise SeriesError(
            source=source,
            reason=f"line {row.line} is empty: a round without a value",
            remedy="Measure that round again, or give only the rounds after it.",
        )
    found = len(row.cells)
    raise SeriesError(
        source=source,
        reason=f"line {row.line} has {found} cells, the first has {width}",
        remedy=f"Give each row the same number of cells. {_POINT_NOT_COMMA}",
    )


def _has_header(rows: Sequence[_Row]) -> bool:
    """Tell whether the first row names the columns.

    It does if it holds no number, or a word above a number.
    """
    first = rows[0].cells
    second = rows[1].cells if len(rows) > 1 else ("",) * len(first)
    if not any(_is_numeric(cell) for cell in first):
        return True
    return any(
        not _is_numeric(above) and _NUMBER.fullmatch(below)
        for above, below in zip(first, second, strict=True)
    )


def _is_numeric(cell: str) -> bool:
    """Tell whether a cell fits a column of numbers, even if it is empty."""
    if _NUMBER.fullmatch(cell) or _WITH_COMMA.fullmatch(cell):
        return True
    return cell.lower().lstrip("+-") in _NO_NUMBERS


def _choose_column(sheet: _Sheet, column: str | None) -> int:
    if column is not None:
        return _find_column(sheet, column)
    if len(sheet.names) == 1:
        return 0
    found = _number_columns(sheet)
    if not found or _columns_of(sheet, _WITH_COMMA):
        raise _no_numbers(sheet, found)
    if len(found) == 1:
        return found[0]
    raise SeriesError(
        source=sheet.source,
        reason=f"has more than one column of numbers: {_listed(sheet, found)}",
        remedy=f"Name the one to judge, such as --column {sheet.names[found[-1]]!r}.",
    )


def _find_column(sheet: _Sheet, column: str) -> int:
    found = [place for place, name in enumerate(sheet.names) if name == column]
    if len(found) == 1:
        return found[0]
    many = "more than one column" if found else "no column"
    raise SeriesError(
        source=sheet.source,
        reason=f"has {many} named {_shown(column)}",
        remedy=f"Choose one of: {_listed(sheet, range(len(sheet.names)))}.",
    )


def _no_numbers(sheet: _Sheet, found: Sequence[int]) -> SeriesError:
    """Return the error for a table without a readable column of numbers."""
    reasons = []
    if not found:
        every = _listed(sheet, range(len(sheet.names)))
        reasons.append(f"has no column of numbers among {every}")
    counting = [] if found else _columns_of(sheet, _NUMBER)
    if counting:
        reasons.append(f"{_listed(sheet, counting)} only numbers the rows")
    commas = _columns_of(sheet, _WITH_COMMA)
    if commas:
        reasons.append(f"has numbers with a comma in {_listed(sheet, commas)}")
    remedy = f"{_POINT_NOT_COMMA} Or name the column to judge: --column NAME."
    return SeriesError(source=sheet.source, reason="; ".join(reasons), remedy=remedy)


def _number_columns(sheet: _Sheet) -> list[int]:
    """Return the columns that are mostly numbers, except those that number the rows."""
    found = _columns_of(sheet, _NUMBER)
    return [place for place in found if not _counts_rows(sheet.column(place))]


def _columns_of(sheet: _Sheet, form: re.Pattern[str]) -> list[int]:
    """Return the columns in which more than half of the cells match a pattern."""
    found = []
    for place in range(len(sheet.names)):
        cells = sheet.column(place)
        if 2 * sum(bool(form.fullmatch(cell)) for cell in cells) > len(cells):
            found.append(place)
    return found


def _listed(sheet: _Sheet, places: Iterable[int]) -> str:
    return ", ".join(_shown(sheet.names[place]) for place in places)


def _counts_rows(cells: Sequence[str]) -> bool:
    if not cells[0].isdecimal() or len(cells[0]) > 18:
        return False
    first = int(cells[0])
    return all(cell == str(number) for number, cell in enumerate(cells, start=first))


def _parse_number(sheet: _Sheet, row: _Row, place: int) -> float:
    cell = row.cells[place]
    if _NUMBER.fullmatch(cell) and math.isfinite(float(cell)):
        return float(cell)
    reason = f"{_shown(cell)} is not a number"
    remedy = _POINT_NOT_COMMA
    if cell.lower().lstrip("+-") in _NO_NUMBERS or _NUMBER.fullmatch(cell):
        reason = f"{_shown(cell)} is not finite" if cell else "the cell is empty"
        remedy = "Measure that round again, or give only the rounds after it."
    raise SeriesError(
        source=sheet.source,
        reason=f"line {row.line}, column {_shown(sheet.names[place])}: {reason}",
        remedy=remedy,
    )


def _shown(text: str) -> str:
    """Return the user's text quoted, without control characters, shortened."""
    cut = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
    return repr(cut)
