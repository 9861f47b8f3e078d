"""The grammar of figures: lines, points and bands over quantities, on two axes at most.

Words, units, colours and ticks are those of `ssdlab.figures.labels`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    Quantity,
    lay_out,
    metric_quantity,
    right_axis,
    round_axis,
    scaled,
    span_s,
    time_quantity,
)

if TYPE_CHECKING:
    import pandas as pd

Values = Sequence[float | None]

WINDOW_PAD = 0.3  # of a round, so that a shade holds the points at its ends
# A response time as it is drawn over time: its column, its colour, its name.
RESPONSE_TIMES = (
    ("lat_mean_ns", "average_latency", "Average"),
    ("lat_max_ns", "maximum_latency", "Maximum"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Across:
    """The horizontal axis of lines: what it shows, and how a hover text writes it.

    Without a quantity the column holds whole numbers.
    """

    column: str
    axis: dict[str, Any]
    hover: str
    quantity: Quantity | None = None

    @classmethod
    def rounds(cls, frame: "pd.DataFrame") -> Self:
        """Return the rounds of a frame."""
        rounds = [int(number) for number in frame["round"]]
        return cls(column="round", axis=round_axis(rounds), hover="round %{x}")

    @classmethod
    def time(cls, *frames: "pd.DataFrame") -> Self:
        """Return time in minutes, or in seconds where all of it is short."""
        return cls.of("time_s", time_quantity(max(map(span_s, frames))))

    @classmethod
    def of(cls, column: str, quantity: Quantity | None = None) -> Self:
        """Return a quantity on its own axis."""
        own = quantity or QUANTITIES[column]
        return cls(column=column, axis=own.axis(), hover=own.hover("x"), quantity=own)

    def places(self, rows: "pd.DataFrame") -> list[Any]:
        """Return where rows stand."""
        if self.quantity is None:
            return [int(number) for number in rows[self.column]]
        return scaled(rows[self.column], self.quantity)


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line: its rows, the column that it shows, its name and how it looks.

    It is broken between the parts of its rows, and without a size it has no markers.
    ``of`` names the quantity where the column does not. In a hover text ``hover``
    stands before the value, in place of where the point stands; ``text`` alone is all
    of it. ``marker`` and ``more`` go to plotly.
    """

    rows: "Sequence[pd.DataFrame]"
    column: str
    name: str
    color: str
    of: str = ""
    symbol: str = ""
    dash: str = ""
    width: float = 1.8
    size: float = 0
    hover: str | None = None
    text: Sequence[str] = ()
    marker: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def quantity(self) -> Quantity:
        """What the line shows."""
        return metric_quantity(self.of or self.column)

    def values(self) -> list[float | None]:
        """Return its values in the unit of its axis, None between its parts."""
        return _joined([scaled(rows[self.column], self.quantity) for rows in self.rows])


def response_times(parts: "Sequence[pd.DataFrame]", *, width: float) -> list[Line]:
    """Return average and maximum response time as lines of a right axis."""
    return [
        Line(
            rows=parts, column=column, name=f"{name} [ms] (right axis)",
            hover=f"{name}: ", color=COLORS[color], width=width,
        )
        for column, color, name in RESPONSE_TIMES
    ]  # fmt: skip


def draw_lines(
    figure: go.Figure,
    across: Across,
    left: Sequence[Line],
    *,
    right: Sequence[Line] = (),
    titles: tuple[str, str] = ("", ""),
    is_log: bool | None = None,
    **layout: Any,
) -> None:
    """Draw lines and their axes, each of the kind of its first line's quantity.

    `is_log` decides the kind of the left axis; `titles` are those of left and right
    where a quantity's own does not do; `layout` is added to that of the figure.

    >>> import pandas as pd
    >>> rounds = pd.DataFrame({"round": [1, 2], "bw_bytes_per_s": [5e8, 4e8]})
    >>> line = Line(rows=[rounds], column="bw_bytes_per_s", name="A", color="#0072B2")
    >>> draw_lines(figure := go.Figure(), Across.rounds(rounds), [line])
    >>> figure.data[0].y, figure.layout.yaxis.title.text, figure.data[0].hovertemplate
    ((500.0, 400.0), 'Throughput [MB/s]', 'round %{x}: %{y:,.4~g} MB/s<extra></extra>')
    """
    for line in left:
        _add_line(figure, across, line)
    axes = {"xaxis": across.axis}
    if left:
        axes["yaxis"] = _axis(left, titles[0], is_log=is_log)
    for line in right:
        _add_line(figure, across, line, yaxis="y2")
    if right:
        axes["yaxis2"] = right_axis(_axis(right, titles[1]))
    lay_out(figure, **(axes | layout))


def _axis(
    lines: Sequence[Line], title: str, *, is_log: bool | None = None
) -> dict[str, Any]:
    """Return the axis of lines of one quantity."""
    own = lines[0].quantity
    kind = own.is_log if is_log is None else is_log
    known = replace(own, is_log=kind)
    drawn = [value for line in lines for value in line.values()]
    made = known.axis(drawn)
    return made | {"title": made["title"] | {"text": title or own.title}}


def _add_line(figure: go.Figure, across: Across, line: Line, **more: Any) -> None:
    texts: dict[str, Any] = {"text": line.text} if len(line.text) else {}
    where = f"{across.hover}: " if line.hover is None else line.hover
    is_told = bool(texts) and line.hover is None
    hover = "%{text}" if is_told else f"{where}{line.quantity.hover('y')}"
    look = {"line": _given(color=line.color, width=line.width, dash=line.dash)}
    if line.size:
        look["marker"] = _given(size=line.size, symbol=line.symbol) | dict(line.marker)
    trace = {
        "x": _joined([across.places(rows) for rows in line.rows]),
        "y": line.values(),
        "name": line.name,
        "mode": "lines+markers" if line.size else "lines",
        "hovertemplate": f"{hover}<extra></extra>",
    }
    figure.add_scatter(**(trace | look | texts | more | dict(line.more)))


def _joined(parts: Sequence[list[Any]]) -> list[Any]:
    """Return the values of all parts, None between any two."""
    spaced = [value for part in parts for value in (*part, None)]
    return spaced[:-1]


def _given(**look: Any) -> dict[str, Any]:
    """Return what is not left to plotly."""
    return {name: value for name, value in look.items() if value not in {"", None}}


def shade(
    figure: go.Figure, begin: float | None, end: float | None, *, color: str = "",
    name: str = "", **more: Any,
) -> None:  # fmt: skip
    """Shade a part of the horizontal axis, by default as a measurement window."""
    named = {"name": name, "showlegend": True} if name else {}
    figure.add_vrect(
        x0=begin,
        x1=end,
        fillcolor=color or COLORS["window"],
        line_width=0,
        layer="below",
        **named,
        **more,
    )


def shade_window(figure: go.Figure, window: tuple[int, int] | None) -> None:
    """Shade the rounds of a measurement window, if there is one."""
    if window:
        first, last = window
        ends = (first - WINDOW_PAD, last + WINDOW_PAD)
        shade(figure, *ends, name="measurement window")


def error_bars(
    middle: Iterable[float | None],
    low: Iterable[float | None],
    high: Iterable[float | None],
    **look: Any,
) -> dict[str, Any]:
    """Return intervals as bars about their middle; no bar to an end that is missing."""
    ends = list(zip(middle, low, high, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [_reach(value, top) for value, _, top in ends],
        "arrayminus": [_reach(bottom, value) for value, bottom, _ in ends],
        **look,
    }


def _reach(near: float | None, far: float | None) -> float:
    reach = math.nan if near is None or far is None else far - near
    return max(0.0, reach) if math.isfinite(reach) else 0.0


def say(figure: go.Figure, words: str) -> None:
    """Write in the middle of a figure why nothing is drawn."""
    figure.add_annotation(
        text=words, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False
    )
