"""How drives, runs and storage classes look: one colour each, in every figure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ssdlab.plots.lines import Line
from ssdlab.plots.names import distinct_texts, figure_text, full_text

if TYPE_CHECKING:
    import pandas as pd

LONGEST_NAME = 34  # of a run in figures: fits model numbers and the kind of run
# Okabe and Ito (2008), with yellow darkened to stand on white; those of runs without
# black and yellow, and runs past the last have the next marker. None is a marker of a
# group of classes.
_DRIVE_COLORS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#9A8B00", "#222222"),
)
_RUN_COLORS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#B8860B", "#56B4E9")
_RUN_SYMBOLS = ("diamond", "star", "x", "cross", "pentagon", "hourglass")
GROUP_LOOKS = {
    "HDD & SSHD": ("#94a3b3", "triangle-up"),
    "Client SSD": ("#64748b", "square"),
    "Enterprise SSD": ("#2f3b4a", "circle"),
}
_OTHER_GROUP = ("#64748b", "hexagon")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLook:
    """A run in figures: its name, which says whether it is a model, and its colour.

    ``shown`` is its name as short as figures need it, and no other run's.
    """

    run_id: str
    name: str
    color: str
    symbol: str
    dash: str = "solid"
    shown: str = ""

    @property
    def text(self) -> str:
        """Its name as plotly may show it: escaped, and no longer than fits."""
        return figure_text(self.shown or self.name, longest=LONGEST_NAME)

    @property
    def full(self) -> str:
        """Its whole name, as a hover may show it."""
        return full_text(self.name)


def make_run_looks(
    names: Iterable[tuple[str, str]], *, virtual: Iterable[str] = ()
) -> tuple[RunLook, ...]:
    """Give each run one colour for all figures, in the order of the runs."""
    models, listed = set(virtual), list(names)
    shown = distinct_texts((name for _, name in listed), longest=LONGEST_NAME)
    return tuple(
        RunLook(
            run_id=run_id,
            name=name,
            shown=shown[name],
            color=_RUN_COLORS[place % len(_RUN_COLORS)],
            symbol=_RUN_SYMBOLS[place // len(_RUN_COLORS) % len(_RUN_SYMBOLS)],
            dash="dash" if run_id in models else "solid",
        )
        for place, (run_id, name) in enumerate(listed)
    )


def run_line(
    rows: "pd.DataFrame",
    column: str,
    look: RunLook,
    *,
    text: Sequence[str],
    **more: Any,
) -> Line:
    """Return the line of a run in its look, each point with its own hover text."""
    return Line(
        rows=[rows], column=column, name=look.text, color=look.color, dash=look.dash,
        symbol=look.symbol, text=text, marker={"color": look.color}, **more,
    )  # fmt: skip


def group_look(group: str) -> tuple[str, str]:
    """Return the neutral colour and the marker of a group of storage classes."""
    return GROUP_LOOKS.get(group, _OTHER_GROUP)


def drive_colors(drives: Iterable[str]) -> dict[str, str]:
    """Return a colour for each drive, drawn from its own name.

    A drive has that colour in every figure, unless one that comes before it by name
    draws the same: then it has the next that is free. Past eight drives colours repeat.

    >>> alone = drive_colors(["S5H9"])["S5H9"]
    >>> drive_colors(["S5H9", "S001"])["S5H9"] == alone
    True
    """
    drawn = {drive: crc32(drive.encode()) % len(_DRIVE_COLORS) for drive in set(drives)}
    first: dict[int, str] = {}
    for drive in sorted(drawn):
        first.setdefault(drawn[drive], drive)
    places = {drive: place for place, drive in first.items()}
    for drive in sorted(drawn.keys() - places.keys()):
        wanted = [
            (drawn[drive] + n) % len(_DRIVE_COLORS) for n in range(len(_DRIVE_COLORS))
        ]
        free = [place for place in wanted if place not in places.values()]
        places[drive] = (free or wanted)[0]
    return {drive: _DRIVE_COLORS[place] for drive, place in places.items()}
