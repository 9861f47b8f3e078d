"""How the drives of a comparison look: one colour a drive, in every figure."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.analysis.comparison.sides import with_run_word
from ssdlab.figures.classes.looks import LONGEST_NAME, RunLook
from ssdlab.figures.drive_colors import drive_colors
from ssdlab.figures.names import distinct_texts

if TYPE_CHECKING:
    import pandas as pd

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
_AGAIN = ("triangle-down", "pentagon", "hexagon")  # of repeated runs
_DASHES = ("solid", "dot", "dashdot", "longdash")


def make_side_looks(sides: "pd.DataFrame") -> dict[str, RunLook]:
    """Give each side of a comparison its look.

    By side; its colour is that of its drive. Sides of the same drive have other
    markers and dashes, and where there is one drive alone other colours as well.
    The lines of models are dashed.
    """
    rows = sides.drop_duplicates("side")
    is_one_drive = len(set(rows["drive"])) == 1
    keys = [str(name) for name in rows["side" if is_one_drive else "drive"]]
    colors = drive_colors(keys)
    shown = distinct_texts(map(str, rows["side"]), longest=LONGEST_NAME)
    looks: dict[str, RunLook] = {}
    for place, (key, row) in enumerate(zip(keys, rows_of(rows), strict=True)):
        again = keys[:place].count(key)
        dashes = ("dash", *_DASHES[1:]) if row.is_model else _DASHES
        looks[str(row.side)] = RunLook(
            run_id=str(row.side),
            name=str(row.side),
            shown=shown[str(row.side)],
            color=colors[key],
            symbol=_SYMBOLS[place % len(_SYMBOLS)],
            dash=dashes[again % len(dashes)],
        )
    return looks


def make_compared_looks(sides: "pd.DataFrame") -> tuple[RunLook, ...]:
    """Give each run of a comparison the look of its side.

    One a run; the name of a repeated one ends in that of the run. Repetitions
    have the colour of their drive, with other markers and dotted lines.
    """
    looks = make_side_looks(sides)
    order = [str(side) for side in sides["side"]]
    counts = Counter(order)
    names = {
        str(row.run_id): _name(str(row.side), str(row.run_id), counts[str(row.side)])
        for row in rows_of(sides)
    }
    shown = distinct_texts(names.values(), longest=LONGEST_NAME)
    return tuple(
        replace(
            _run_look(looks[str(row.side)], order[:place].count(str(row.side))),
            run_id=str(row.run_id),
            name=names[str(row.run_id)],
            shown=shown[names[str(row.run_id)]],
        )
        for place, row in enumerate(rows_of(sides))
    )


def _run_look(side: RunLook, again: int) -> RunLook:
    """Return the look of one run of a side: repetitions are dotted."""
    if not again:
        return side
    return replace(side, symbol=_AGAIN[(again - 1) % len(_AGAIN)], dash="dot")


def _name(side: str, run_id: str, repeats: int) -> str:
    if repeats == 1:
        return side
    bare, mark, kind = side.partition(" (")
    return f"{with_run_word(bare, run_id)}{mark}{kind}"
