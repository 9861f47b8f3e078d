"""A colour for each drive, by its own name; up to eight of a figure are told apart."""

from collections.abc import Iterable
from zlib import crc32

# Okabe and Ito (2008), with yellow darkened to stand on white.
_PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#9A8B00",
    "#222222",
)


def drive_colors(drives: Iterable[str]) -> dict[str, str]:
    """Return a colour for each drive, drawn from its own name.

    A drive has that colour in every figure, unless one that comes before it by name
    draws the same: then it has the next that is free. Past eight drives colours repeat.

    >>> alone = drive_colors(["S5H9"])["S5H9"]
    >>> drive_colors(["S5H9", "S001"])["S5H9"] == alone
    True
    """
    drawn = {drive: crc32(drive.encode()) % len(_PALETTE) for drive in set(drives)}
    first: dict[int, str] = {}
    for drive in sorted(drawn):
        first.setdefault(drawn[drive], drive)
    places = {drive: place for place, drive in first.items()}
    for drive in sorted(drawn.keys() - places.keys()):
        wanted = [(drawn[drive] + n) % len(_PALETTE) for n in range(len(_PALETTE))]
        free = [place for place in wanted if place not in places.values()]
        places[drive] = (free or wanted)[0]
    return {drive: _PALETTE[place] for drive, place in places.items()}
