"""How the sides of a comparison look: one colour per drive, one marker per side."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from ssdlab.compare.cells import rows_of
from ssdlab.compare.sides import with_run_word
from ssdlab.plots.looks import LONGEST_NAME, RunLook, drive_colors
from ssdlab.plots.names import distinct_texts

if TYPE_CHECKING:
    import pandas as pd

_SIDE_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
_AGAIN = ("triangle-down", "pentagon", "hexagon")  # of repeated runs
_DASHES = ("solid", "dot", "dashdot", "longdash")


def make_side_looks(sides: "pd.DataFrame") -> dict[str, RunLook]:
    """Give each side of a comparison its look.

    By side; its colour is that of its drive. Sides of the same drive differ in markers
    and dashes, and if there is only one drive also in colour. The lines of models are
    dashed.
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
            symbol=_SIDE_SYMBOLS[place % len(_SIDE_SYMBOLS)],
            dash=dashes[again % len(dashes)],
        )
    return looks


def make_compared_looks(sides: "pd.DataFrame") -> tuple[RunLook, ...]:
    """Give each run of a comparison the look of its side.

    One per run; the name of a repeated one ends in that of the run. Repetitions
    have the colour of their drive, with other markers and dotted lines.
    """
    looks = make_side_looks(sides)
    counts = Counter(map(str, sides["side"]))
    names: dict[str, str] = {}
    own: list[RunLook] = []
    for row in rows_of(sides):
        side, run_id = str(row.side), str(row.run_id)
        bare, mark, kind = side.partition(" (")
        again = f"{with_run_word(bare, run_id)}{mark}{kind}"
        names[run_id] = side if counts[side] == 1 else again
        look = replace(looks[side], run_id=run_id, name=names[run_id])
        earlier = sum(str(one) == side for one in sides["side"][: len(own)])
        if earlier:
            symbol = _AGAIN[(earlier - 1) % len(_AGAIN)]
            look = replace(look, symbol=symbol, dash="dot")
        own.append(look)
    shown = distinct_texts(names.values(), longest=LONGEST_NAME)
    return tuple(replace(look, shown=shown[look.name]) for look in own)
