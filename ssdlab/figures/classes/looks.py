"""How runs and the nine storage classes look in every figure about them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ssdlab.figures.labels import decades_axis, log_ticks
from ssdlab.figures.lines import Line
from ssdlab.figures.names import distinct_texts, figure_text, full_text

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito (2008) without black and yellow; runs past the last have the next
# marker. None is a marker of a group of classes.
_COLORS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#B8860B", "#56B4E9")
_SYMBOLS = ("diamond", "star", "x", "cross", "pentagon", "hourglass")
_PAD_RATIO = 0.05
LONGEST_NAME = 34  # of a run in figures: model numbers and what it is fit

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
            color=_COLORS[place % len(_COLORS)],
            symbol=_SYMBOLS[place // len(_COLORS) % len(_SYMBOLS)],
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


def _si_ticks(ticks: Sequence[float]) -> list[str]:
    """Return short names of ticks: 100, 1k, 1.5k, 1M.

    >>> _si_ticks([0.1, 100.0, 1500.0, 1e6])
    ['0.1', '100', '1.5k', '1M']
    """
    names = []
    for tick in ticks:
        size, unit = next(
            ((s, u) for s, u in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if tick >= s),
            (1.0, ""),
        )
        names.append(f"{tick / size:g}{unit}")
    return names


def level_axis(title: str, values: Iterable[float | None]) -> dict[str, Any]:
    """Return a logarithmic axis about its values, no marker cut by its ends.

    It has three labelled ticks or more.
    """
    known = [value for value in values if value is not None and value > 0]
    made = decades_axis(title, known)
    least = math.log10(min(known, default=1.0))
    most = math.log10(max(known, default=10.0))
    pad = max(most - least, 1.0) * _PAD_RATIO
    low, high = least - pad, most + pad
    ticks = log_ticks(low, high)
    return made | {
        "range": [low, high],
        "tickvals": ticks,
        "ticktext": _si_ticks(ticks),
    }
