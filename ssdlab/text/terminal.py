"""Text and tables in lines, as wide as a terminal but still readable."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO

from ssdlab.text.table import Table

ANY_WIDTH = 10_000
_GAP = 2  # columns between two columns of a table
_MARKS = {"✓": "green", "✗": "red", "?": "yellow"}  # of a verdict
_FIRST_WIDE = 0x300  # combining marks; signs of two columns come much later
_ALSO_NARROW = frozenset("✓✗…≤≥→")
_END = re.compile(r"[ ]+((?:\x1b\[0m)*)[ ]*$")
_SOLID = "\N{NO-BREAK SPACE}"
_NOTHING = re.compile(r"(?!)")


def printable(text: str) -> str:
    """Return text from a device or file, made safe for a terminal."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)


def wrapped(
    text: str,
    *,
    width: int,
    first: str = "",
    rest: str = "",
    whole: re.Pattern[str] = _NOTHING,
) -> list[str]:
    """Return text in lines, broken at spaces only, and not within protected words."""
    lines = textwrap.wrap(
        whole.sub(lambda found: found[0].replace(" ", _SOLID), printable(text)),
        width=width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_SOLID, " ") for line in lines]


def without_columns(table: Table, heads: Sequence[str], *, width: int) -> Table:
    """Return a table that fits, without some of the columns of these heads.

    They are left out one after the other, in this order.

    >>> rows = (("4 KiB", "4,685", "steady"),)
    >>> table = Table(caption="", head=("load", "IOPS", "state"), rows=rows, words=(2,))
    >>> without_columns(table, ["state", "IOPS"], width=15).head
    ('load', 'IOPS')
    """
    for head in heads:
        if _natural_width(table) <= width:
            break
        if head in table.head:
            table = _without(table, table.head.index(head))
    return table


def _natural_width(table: Table) -> int:
    columns = zip(table.head, *table.rows, strict=True)
    return sum(max(map(len, column)) + _GAP for column in columns) - _GAP


def _without(table: Table, place: int) -> Table:
    def cut(row: tuple[str, ...]) -> tuple[str, ...]:
        return (*row[:place], *row[place + 1 :])

    words = tuple(at - (at > place) for at in table.words if at != place)
    rows = tuple(map(cut, table.rows))
    return replace(table, head=cut(table.head), rows=rows, words=words)


def table_lines(
    table: Table, *, width: int = ANY_WIDTH, is_coloured: bool = False
) -> list[str]:
    """Return a table in columns: words to the left, numbers to the right.

    If it is too wide, the columns of words are broken; a number never is, so a line may
    be longer than ``width``. With ``is_coloured`` a
    cell that begins with a mark has its colour; `click.echo` removes that in a file.

    >>> rows = (("1", "850", "steady"), ("2", "1,020", "NOT steady"))
    >>> head = ("round", "IOPS", "state")
    >>> for line in table_lines(Table(caption="", head=head, rows=rows, words=(2,))):
    ...     print(line)
    round   IOPS  state
    1        850  steady
    2      1,020  NOT steady
    """
    if not is_coloured and _natural_width(table) <= width and _is_even(table):
        return _unbroken_lines(table)
    return _drawn_lines(table, width=width, is_coloured=is_coloured)


def _is_even(table: Table) -> bool:
    """Return whether each sign takes one column, and no text ends in a space."""
    cells = [cell for row in (table.head, *table.rows) for cell in row]
    signs = set("".join(cells)) - _ALSO_NARROW
    is_narrow = all(ord(sign) < _FIRST_WIDE for sign in signs)
    return is_narrow and all(cell == cell.strip() for cell in cells)


def _unbroken_lines(table: Table) -> list[str]:
    """Return the lines of a table in which nothing is broken: thousands in no time."""
    shown = [table.head, *table.rows] if any(table.head) else table.rows
    cells = [[printable(cell) for cell in row] for row in shown]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    justify = [
        str.ljust if place in table.words or not place else str.rjust
        for place in range(len(table.head))
    ]
    gap = " " * _GAP
    return [
        gap.join(
            put(cell, width)
            for put, cell, width in zip(justify, row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def _drawn_lines(table: Table, *, width: int, is_coloured: bool) -> list[str]:
    """Return the lines of a table whose words are broken, or of wide signs."""
    from rich.console import Console  # noqa: PLC0415 - takes its time
    from rich.table import Table as Grid  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid = Grid(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=any(table.head)
    )
    for place, head in enumerate(table.head):
        is_words = place in table.words
        grid.add_column(
            Text(printable(head), style="dim" if is_coloured else ""),
            justify="left" if is_words or not place else "right",
            overflow="fold",
            no_wrap=not is_words,
        )
    for row in table.rows:
        grid.add_row(
            *(Text(printable(cell), style=_MARKS.get(cell[:1], "")) for cell in row)
        )
    drawn = StringIO()  # not `capture`, which flushes standard output
    console = Console(
        file=drawn,
        width=max(width, _least_width(table)),
        color_system="standard" if is_coloured else None,
        force_terminal=is_coloured,
        force_jupyter=False,
    )
    console.print(grid)
    return [_trimmed(line) for line in drawn.getvalue().splitlines()]


def _least_width(table: Table) -> int:
    """Return the width of a table whose words are broken wherever they can be."""

    def least(place: int) -> int:
        texts = (row[place] for row in (table.head, *table.rows))
        parts = (
            part
            for text in texts
            for part in (text.split() if place in table.words else [text])
        )
        return max(map(len, parts), default=0)

    return sum(least(place) + _GAP for place in range(len(table.head)))


def _trimmed(line: str) -> str:
    """Return a line without the spaces at its end, which may be before a code."""
    return _END.sub(r"\1", line)


def fact_lines(facts: Iterable[Sequence[str]], *, width: int = ANY_WIDTH) -> list[str]:
    """Return names and values, in two columns.

    >>> fact_lines([("Average", "6000.8"), ("Verdict", "steady")])
    ['Average  6000.8', 'Verdict  steady']
    """
    rows = tuple((name, words) for name, words in facts)
    return table_lines(
        Table(caption="", head=("", ""), rows=rows, words=(0, 1)), width=width
    )
