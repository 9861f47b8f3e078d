"""A table on a terminal: the columns that fit, first and last rows, and the count."""

import shutil
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ssdlab.text.quantities import is_missing
from ssdlab.text.terminal import printable, wrapped

if TYPE_CHECKING:
    import pandas as pd

_MOST_COLUMNS: Final = 10
_LONGEST: Final = 30  # of a text in a cell
_FRAME_LINES: Final = 8  # of head, count, and what else is printed
_FEWEST_ROWS: Final = 8
_CUT: Final = "·"
# What is shown where a table has more columns than there is room for.
_WANTED: Final = (
    *("file", "direction", "iops", "bw_bytes_per_s", "lat_mean_ns", "total_ios"),
    *("kind", "place", "meaning", "option", "value", "percentile", "lat_ns", "count"),
    *("lat_max_ns", "job_name", "runtime_ms", "latency", "lat_upper_ns"),
)
_LARGE: Final = 1e6  # six digits would not show the whole part of it


class BoxWriter:
    """Keeps the first and last rows of what it gets, and draws them at the end.

    Rows of a direction without IOs are counted, not drawn.
    """

    def __init__(self) -> None:
        size = shutil.get_terminal_size()
        self._width = size.columns
        self._half = max(_FEWEST_ROWS, size.lines - _FRAME_LINES) // 2
        self._head: pd.DataFrame | None = None
        self._tail: pd.DataFrame | None = None
        self._rows = self._idle = 0

    def write(self, frame: "pd.DataFrame") -> None:
        """Take the rows of a frame."""
        import pandas as pd

        if {"total_ios", "direction"} <= set(frame.columns):
            is_idle = frame["total_ios"].eq(0).fillna(value=False).astype(bool)
            self._idle += int(is_idle.sum())
            frame = frame[~is_idle]
        self._rows += len(frame)
        missing = self._half - (0 if self._head is None else len(self._head))
        first, rest = frame.iloc[:missing], frame.iloc[missing:]
        self._head = pd.concat([self._head, first]) if self._head is not None else first
        if len(rest):
            self._tail = pd.concat([self._tail, rest]).iloc[-self._half :]

    def close(self) -> None:
        """Draw the table."""
        if self._head is None:
            return
        import pandas as pd

        shown = pd.concat([self._head, self._tail])
        names = _choose_columns(shown)
        while len(names) > 1 and self._is_too_wide(shown, names):
            names.remove(max(reversed(names), key=_rank))
        drawn = StringIO()
        console = Console(file=drawn, width=self._width, color_system=None)
        console.print(self._grid(shown, names))
        click.echo(drawn.getvalue(), nl=False)
        count = self._count(len(shown), len(names), len(shown.columns))
        click.echo("\n".join(wrapped(count, width=self._width)))

    def _is_too_wide(self, shown: "pd.DataFrame", names: list[str]) -> bool:
        texts = ((name, *map(_text, shown[name])) for name in names)
        return sum(max(map(len, column)) + 3 for column in texts) + 1 > self._width

    def _grid(self, shown: "pd.DataFrame", names: list[str]) -> Table:
        """Return the rows in a box, the place where some are left out marked."""
        columns = {name: [_text(value) for value in shown[name]] for name in names}
        grid = Table(box=box.SQUARE, show_lines=False)
        for name in names:
            is_number = shown[name].dtype.kind in "iuf"
            grid.add_column(
                Text(printable(name)),
                justify="right" if is_number else "left",
                overflow="ellipsis",
                no_wrap=True,
            )
        for place, row in enumerate(zip(*columns.values(), strict=True)):
            if place == self._half and self._rows > len(shown):
                grid.add_row(*[_CUT] * len(names))
            grid.add_row(*map(Text, row))
        return grid

    def _count(self, rows: int, columns: int, all_columns: int) -> str:
        parts = [f"{self._rows:,} row{'s' if self._rows != 1 else ''}"]
        if rows < self._rows:
            parts.append(f"({rows} shown)")
        if self._idle:
            parts.append(f"and {self._idle:,} without IOs")
        parts.append(f"· {all_columns} columns")
        if columns < all_columns:
            parts.append(f"({columns} shown)")
        return f"{' '.join(parts)} · all: -o FILE"


def _choose_columns(frame: "pd.DataFrame") -> list[str]:
    """Return the columns to show, in the order of the table, at most ten."""
    known = [str(name) for name in frame if not _is_empty(frame[name])]
    chosen = sorted(known, key=_rank)[:_MOST_COLUMNS]
    return [name for name in known if name in chosen]


def _is_empty(column: "pd.Series[Any]") -> bool:
    return bool((column.isna() | column.eq("")).all()) if len(column) else False


def _rank(name: str) -> int:
    """Return the place of a column among those that are wanted; others are last."""
    return _WANTED.index(name) if name in _WANTED else len(_WANTED)


def _text(value: Any) -> str:
    if is_missing(value):
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= _LARGE else f"{value:.6g}"
    words = printable(str(value))
    if len(words) <= _LONGEST:
        return words
    # Names of files differ at their end.
    return f"…{words[1 - _LONGEST :]}" if "/" in words else f"{words[: _LONGEST - 1]}…"
