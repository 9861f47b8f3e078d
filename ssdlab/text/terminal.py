"""Text and tables in lines, as wide as a terminal but still readable."""

import re
import textwrap
from collections.abc import Iterable, Sequence

from ssdlab.text.table import Table

_ANY_WIDTH = 10_000
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


def table_lines(table: Table, *, width: int = _ANY_WIDTH) -> list[str]:
    """Return a table in columns: words to the left, numbers to the right.

    If it is too wide, the columns of words are broken first.

    >>> rows = (("1", "850", "steady"), ("2", "1,020", "NOT steady"))
    >>> head = ("round", "IOPS", "state")
    >>> for line in table_lines(Table(caption="", head=head, rows=rows, words=(2,))):
    ...     print(line)
    round   IOPS  state
    1        850  steady
    2      1,020  NOT steady
    """
    from rich.console import Console  # noqa: PLC0415 - takes its time
    from rich.table import Table as Grid  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid = Grid(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(table.head)
    )
    for place, head in enumerate(table.head):
        is_words = place in table.words
        grid.add_column(
            Text(printable(head)),
            justify="left" if is_words or not place else "right",
            overflow="fold",
            no_wrap=not is_words,
        )
    for row in table.rows:
        grid.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(width=width, color_system=None, force_jupyter=False)
    with console.capture() as shown:
        console.print(grid)
    return [line.rstrip() for line in shown.get().splitlines()]


def fact_lines(facts: Iterable[Sequence[str]], *, width: int = _ANY_WIDTH) -> list[str]:
    """Return names and values, in two columns.

    >>> fact_lines([("Average", "6000.8"), ("Verdict", "steady")])
    ['Average  6000.8', 'Verdict  steady']
    """
    rows = tuple((name, words) for name, words in facts)
    return table_lines(
        Table(caption="", head=("", ""), rows=rows, words=(0, 1)), width=width
    )
