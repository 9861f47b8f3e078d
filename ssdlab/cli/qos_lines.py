"""Percentiles and verdicts in lines that a terminal has room for."""

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ssdlab.cli.group import printable

if TYPE_CHECKING:
    import pandas as pd

_MOST_WIDTH = 120
_LEAST_NOTE = 38  # letters: in a narrower column words are hard to read
_GAP = "  "
_FIRST = ("Level", "Response time [ms]", "95 % interval [ms]")


def terminal_width() -> int:
    """Return how wide lines may be: as the terminal, and no wider than one reads."""
    return min(shutil.get_terminal_size().columns, _MOST_WIDTH)


def wrapped_lines(text: str, width: int) -> list[str]:
    """Return a text of several lines, each broken at blanks where it is too long."""
    return [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(
            printable(line), width, subsequent_indent=_GAP, break_on_hyphens=False
        )
    ]


def table_lines(shown: "pd.DataFrame", width: int) -> list[str]:
    """Return a table of percentiles; what there is no room for is left out.

    Level, value, interval and notes are always there; of what stands beside the
    interval as many columns as fit.
    """
    heads = {str(name): _short(str(name)) for name in shown.columns}
    sizes = {
        name: max([len(head), *(len(str(cell)) for cell in shown[name])])
        for name, head in heads.items()
    }
    beside = {name: size for name, size in sizes.items() if name != "Note"}
    names = _fitting(beside, width)
    used = sum(sizes[name] + len(_GAP) for name in names)
    room = max(_LEAST_NOTE, width - used)
    lines = [_line([heads[name] for name in names], [sizes[name] for name in names])]
    for row in shown.to_dict("records"):
        cells = _line([str(row[name]) for name in names], [sizes[n] for n in names])
        notes = textwrap.wrap(str(row["Note"]), room) or [""]
        lines.append(f"{cells}{_GAP}{notes[0]}")
        lines += [f"{'':{used}}{note}" for note in notes[1:]]
    return [printable(line).rstrip() for line in lines]


def column_lines(shown: "pd.DataFrame") -> list[str]:
    """Return a table in columns as wide as their longest cells, words to the left."""
    cells = [[str(name), *map(str, shown[name])] for name in shown.columns]
    sizes = [max(map(len, column)) for column in cells]
    return [
        printable(
            _GAP.join(
                f"{cell:>{size}}" if name == "IOs" else f"{cell:<{size}}"
                for name, cell, size in zip(shown.columns, row, sizes, strict=True)
            )
        ).rstrip()
        for row in zip(*cells, strict=True)
    ]


def _fitting(sizes: Mapping[str, int], width: int) -> list[str]:
    """Return the first columns, as many as leave room for notes."""
    names: list[str] = []
    used = 0
    for name, size in sizes.items():
        used += size + len(_GAP)
        if name not in _FIRST and width - used < _LEAST_NOTE:
            break
        names.append(name)
    return names


def _short(head: str) -> str:
    return {"Response time [ms]": "ms", "Level": ""}.get(
        head, head.removesuffix(" [ms]")
    )


def _line(cells: Sequence[str], sizes: Sequence[int]) -> str:
    """Return cells in a line: the level and its value to the right, others left."""
    return _GAP.join(
        f"{cell:>{size}}" if place < 2 else f"{cell:<{size}}"
        for place, (cell, size) in enumerate(zip(cells, sizes, strict=True))
    )
