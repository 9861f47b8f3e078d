"""The grammar of figures: lines, points and bands over quantities, on two axes at most.

Words, units, colours and ticks are those of `ssdlab.plots.labels`. Rows are a frame,
or columns by their names.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import plotly.graph_objects as go

from ssdlab.plots.labels import COLORS, lay_out, quantity_axis, right_axis, round_axis
from ssdlab.text.numbers import time_text
from ssdlab.text.quantities import (
    QUANTITIES,
    Quantity,
    metric_quantity,
    scaled,
    span_s,
    time_quantity,
)

if TYPE_CHECKING:
    import pandas as pd

    Rows = pd.DataFrame | Mapping[str, Sequence[Any]]

WINDOW_PAD = 0.3  # of a round, so that a shade holds the points at its ends
TARGET = "Target"
# A response time as it is drawn over time: its column, its colour, its name.
RESPONSE_TIMES = (
    ("lat_mean_ns", "average_latency", "Average"),
    ("lat_max_ns", "maximum_latency", "Maximum"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Across:
    """The horizontal axis of lines: what it shows, and how a hover text writes it.

    Without a quantity the column holds rounds or names.
    """

    column: str
    axis: dict[str, Any]
    hover: str
    quantity: Quantity | None = None

    @classmethod
    def rounds(cls, frame: "Rows") -> Self:
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
        return cls(
            column=column, axis=quantity_axis(own), hover=own.hover("x"), quantity=own
        )

    def places(self, rows: "Rows") -> list[Any]:
        """Return where rows stand."""
        values = rows[self.column]
        if self.quantity is None:
            return [one if isinstance(one, str) else _whole(one) for one in values]
        return scaled(values, self.quantity)


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line: its rows, the column that it shows, its name and how it looks.

    It is broken between the parts of its rows. Without a size it has no markers, and
    without a width it is points alone. ``of`` is the quantity where the column does not
    name it. In a hover text ``hover`` precedes the value, in place of the point's
    position, and ``after`` follows it; ``text`` replaces all of it. ``marker`` and
    ``more`` go to plotly.
    """

    rows: "Sequence[Rows]"
    column: str
    name: str = ""
    color: str
    of: str | Quantity = ""
    symbol: str | Sequence[str] = ""
    dash: str = ""
    width: float = 1.8
    size: float | Sequence[float] = 0
    hover: str | None = None
    after: str = ""
    text: Sequence[str] = ()
    marker: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def quantity(self) -> Quantity:
        """What the line shows."""
        named = self.of or self.column
        return named if isinstance(named, Quantity) else metric_quantity(named)

    def values(self) -> list[float | None]:
        """Return its values in the unit of its axis, None between its parts."""
        return _joined([scaled(rows[self.column], self.quantity) for rows in self.rows])


def finely(metric: str | Quantity) -> Quantity:
    """Return what a metric shows, with five significant digits in a hover text."""
    quantity = metric_quantity(metric) if isinstance(metric, str) else metric
    return replace(quantity, digits=",.5~g")


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
    add_lines(figure, across, left)
    axes = {"xaxis": across.axis}
    if left:
        axes["yaxis"] = _axis(left, titles[0], is_log=is_log)
    add_lines(figure, across, right, yaxis="y2")
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
    made = quantity_axis(known, drawn)
    return made | {"title": made["title"] | {"text": title or own.title}}


def draw_panel(
    figure: go.Figure,
    across: Across,
    lines: Sequence[Line],
    *,
    number: int,
    is_log: bool | None = None,
    **look: Any,
) -> None:
    """Draw lines in one of several panels, by number from 1, with axes of its own.

    `look` is that of the axis across, such as its ``domain``.
    """
    mark = str(number) if number > 1 else ""
    x, y = f"x{mark}", f"y{mark}"
    add_lines(figure, across, lines, xaxis=x, yaxis=y)
    beside = across.axis | {"anchor": y} | look
    up = _axis(lines, "", is_log=is_log) | {"anchor": x}
    lay_out(figure, **{f"xaxis{mark}": beside, f"yaxis{mark}": up})


def add_lines(
    figure: go.Figure, across: Across, lines: Iterable[Line], **more: Any
) -> None:
    """Add lines to a figure whose axes are set."""
    for line in lines:
        texts: dict[str, Any] = {"text": line.text} if len(line.text) else {}
        where = f"{across.hover}: " if line.hover is None else line.hover
        is_told = bool(texts) and line.hover is None
        hover = "%{text}" if is_told else f"{where}{line.quantity.hover('y')}"
        modes = ["lines"] * bool(line.width) + ["markers"] * bool(line.size)
        look: dict[str, Any] = {}
        if line.width:
            look["line"] = _given(color=line.color, width=line.width, dash=line.dash)
        if line.size:
            own = {} if line.width else {"color": line.color}
            given = _given(size=line.size, symbol=line.symbol)
            look["marker"] = own | given | dict(line.marker)
        trace = {
            "x": _joined([across.places(rows) for rows in line.rows]),
            "y": line.values(),
            "name": line.name or None,
            "mode": "+".join(modes),
            "hovertemplate": f"{hover}{line.after}<extra></extra>",
        }
        figure.add_scatter(**(trace | look | texts | more | dict(line.more)))


def add_points(
    figure: go.Figure,
    x: Sequence[Any],
    y: Sequence[Any],
    *,
    text: str | Sequence[str] = "",
    marker: Mapping[str, Any],
    **more: Any,
) -> None:
    """Add points at given places, with a hover text of all, of each, or none."""
    hover: dict[str, Any] = {"hoverinfo": "skip"}
    if isinstance(text, str) and text:
        hover = {"hovertemplate": f"{text}<extra></extra>"}
    elif text:
        hover = {"hovertemplate": "%{text}<extra></extra>", "text": text}
    figure.add_scatter(x=x, y=y, mode="markers", marker=marker, **hover, **more)


def add_tie(figure: go.Figure, x: Sequence[Any], y: Sequence[Any], **more: Any) -> None:
    """Add a line that connects points and has no hover text."""
    figure.add_scatter(
        x=x, y=y, mode="lines", hoverinfo="skip", **({"showlegend": False} | more)
    )


def add_band(
    figure: go.Figure,
    x: Sequence[Any],
    ends: tuple[Sequence[Any], Sequence[Any]],
    **more: Any,
) -> None:
    """Fill the area between two lines, from the lower to the upper."""
    low, high = ends
    around = [*high, *low[::-1]]
    look = {"fill": "toself", "line": {"width": 0}}
    add_tie(figure, [*x, *x[::-1]], around, **look, **more)


def _whole(number: Any) -> int | float:
    """Return a number without decimals where it has none."""
    return int(number) if number == int(number) else float(number)


def _joined(parts: Sequence[list[Any]]) -> list[Any]:
    """Return the values of all parts, None between any two."""
    spaced = [value for part in parts for value in (*part, None)]
    return spaced[:-1]


def _given(**look: Any) -> dict[str, Any]:
    """Return the settings that are not left to plotly."""
    return {name: value for name, value in look.items() if value not in ("", None)}


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
        line={"width": 0},
        layer="below",
        **named,
        **more,
    )


def shade_window(
    figure: go.Figure,
    window: tuple[int, int] | None,
    *,
    name: str = "measurement window",
) -> None:
    """Shade the rounds of a measurement window, if there is one."""
    if window:
        first, last = window
        shade(figure, first - WINDOW_PAD, last + WINDOW_PAD, name=name)


def add_time_mark(
    figure: go.Figure,
    value_ns: float,
    *,
    words: str,
    color: str,
    along: Literal["x", "y"],
    **place: Any,
) -> None:
    """Draw a line across at a response time of a logarithmic axis, with its words.

    `place` says where along the line the words stand.
    """
    value, other = value_ns / 1e6, "y" if along == "x" else "x"
    ends = {f"{other}ref": "paper", f"{other}0": 0, f"{other}1": 1}
    at = {f"{along}0": value, f"{along}1": value}
    line = {"color": color, "width": 1.2, "dash": "dot"}
    figure.add_shape(type="line", line=line, **ends, **at)
    where = {f"{other}ref": "paper", along: math.log10(value), **place}
    figure.add_annotation(
        text=f"{words} {time_text(value_ns)}", showarrow=False, **where,
        font={"color": color, "size": 12}, bgcolor="rgba(255,255,255,0.75)",
    )  # fmt: skip


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
