"""How the drives of a comparison look: one colour a drive, in every figure."""

from collections import Counter
from typing import TYPE_CHECKING

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.analysis.comparison.sides import with_run_word
from ssdlab.figures.classes.looks import RunLook
from ssdlab.figures.drive_colors import drive_colors

if TYPE_CHECKING:
    import pandas as pd

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
_AGAIN = ("triangle-down", "pentagon", "hexagon")  # of repeated runs
_DASHES = ("solid", "dot", "dashdot", "longdash")


def make_side_looks(sides: "pd.DataFrame") -> dict[str, RunLook]:
    """Give each side of a comparison its look.

    Parameters
    ----------
    sides : pandas.DataFrame
        What `ssdlab.analysis.tabulate_sides` returned.

    Returns
    -------
    dict of str to RunLook
        By side; its colour is that of its drive. Sides of the same drive have other
        markers and dashes, and where there is one drive alone other colours as well.
        The lines of models are dashed.
    """
    rows = sides.drop_duplicates("side")
    is_one_drive = len(set(rows["drive"])) == 1
    keys = [str(name) for name in rows["side" if is_one_drive else "drive"]]
    colors = drive_colors(keys)
    looks: dict[str, RunLook] = {}
    for place, (key, row) in enumerate(zip(keys, rows_of(rows), strict=True)):
        again = keys[:place].count(key)
        dashes = ("dash", *_DASHES[1:]) if row.is_model else _DASHES
        looks[str(row.side)] = RunLook(
            run_id=str(row.side),
            name=str(row.side),
            color=colors[key],
            symbol=_SYMBOLS[place % len(_SYMBOLS)],
            dash=dashes[again % len(dashes)],
        )
    return looks


def make_compared_looks(sides: "pd.DataFrame") -> tuple[RunLook, ...]:
    """Give each run of a comparison the look of its side.

    Parameters
    ----------
    sides : pandas.DataFrame
        What `ssdlab.analysis.tabulate_sides` returned.

    Returns
    -------
    tuple of RunLook
        One a run; the name of a repeated one ends in that of the run. Repetitions
        have the colour of their drive, with other markers and dotted lines.
    """
    looks = make_side_looks(sides)
    names = [str(side) for side in sides["side"]]
    counts = Counter(names)
    return tuple(
        _run_look(
            looks[str(row.side)],
            str(row.run_id),
            repeats=counts[str(row.side)],
            again=names[:place].count(str(row.side)),
        )
        for place, row in enumerate(rows_of(sides))
    )


def _run_look(side: RunLook, run_id: str, *, repeats: int, again: int) -> RunLook:
    """Return the look of one run of a side: repetitions are dotted."""
    return RunLook(
        run_id=run_id,
        name=_name(side.name, run_id, repeats=repeats),
        color=side.color,
        symbol=_AGAIN[(again - 1) % len(_AGAIN)] if again else side.symbol,
        dash="dot" if again else side.dash,
    )


def _name(side: str, run_id: str, *, repeats: int) -> str:
    if repeats == 1:
        return side
    bare, mark, kind = side.partition(" (")
    return f"{with_run_word(bare, run_id)}{mark}{kind}"
