"""One colour a drive, the same in every figure and beside whatever other drives."""

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

    Two drives of one figure that would draw the same colour get different ones, as
    long as there are no more than eight.

    >>> alone = drive_colors(["S5H9"])["S5H9"]
    >>> drive_colors(["S5H9", "S001"])["S5H9"] == alone
    True
    """
    taken: dict[str, str] = {}
    for drive in sorted(set(drives)):
        start = crc32(drive.encode())
        wanted = [_PALETTE[(start + n) % len(_PALETTE)] for n in range(len(_PALETTE))]
        free = [color for color in wanted if color not in taken.values()]
        taken[drive] = (free or wanted)[0]
    return taken
