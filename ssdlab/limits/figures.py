"""The figure of a check: each value with its interval, relative to its bound."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import plotly.graph_objects as go

from ssdlab.plots.axes import level_axis, named_axis
from ssdlab.plots.labels import COLORS, lay_out, new_figure
from ssdlab.plots.lines import add_points, error_bars
from ssdlab.plots.names import distinct_texts, figure_text, full_text
from ssdlab.qos.halves import Verdict

_LOOKS: Final[Mapping[Verdict, tuple[str, str]]] = {
    "met": ("#009E73", "circle"),
    "not met": ("#D55E00", "x"),
    "cannot be told": ("#7b8794", "diamond-open"),
}
_FARTHEST: Final = 1000.0  # times the bound: what is farther is drawn there
_LONGEST_NAME: Final = 46


@dataclass(frozen=True, kw_only=True, slots=True)
class Margin:
    """A value and its interval as ratios to the bound; more than 1 is better."""

    name: str
    verdict: Verdict
    value: float
    low: float
    high: float
    hover: str


def margin_of(
    ends: tuple[float, float, float], bounds: tuple[float, float]
) -> tuple[float, float, float]:
    """Return value, low and high relative to the nearer bound, so that more is better.

    >>> margin_of((8.0, 4.0, 16.0), (float("-inf"), 16.0))
    (2.0, 1.0, 4.0)
    """
    value, low, high = ends
    bound = min(bounds, key=lambda end: abs(end - value))
    if bound == bounds[0]:
        return value / bound, low / bound, high / bound
    return tuple(_ratio(bound, end) for end in (value, high, low))  # type: ignore[return-value] # three


def _ratio(bound: float, end: float) -> float:
    return bound / end if end > 0 else math.inf


def plot_margins(margins: Sequence[Margin], *, title: str) -> go.Figure:
    """Draw how far each value, with its interval, is from its limit."""
    texts = distinct_texts([one.name for one in margins], longest=_LONGEST_NAME)
    names = [figure_text(texts[one.name], longest=_LONGEST_NAME) for one in margins]
    figure = new_figure(
        figure_text(title, longest=120),
        subtitle="times the limit, with the interval that decides; right of the line "
        "is within the limit",
        height=170 + 26 * len(names),
    )
    known = [end for one in margins for end in (one.value, one.low, one.high)]
    least = min([1.0, *(end for end in known if end > 0)]) / 2
    drawn: list[float] = [1.0]
    for verdict, (color, symbol) in _LOOKS.items():
        own = [(at, one) for at, one in enumerate(margins) if one.verdict == verdict]
        if not own:
            continue
        parts = [
            [_clipped(getattr(one, end), least) for _, one in own]
            for end in ("value", "low", "high")
        ]
        drawn += [number for part in parts for number in part]
        add_points(
            figure,
            parts[0],
            [at for at, _ in own],
            name=verdict,
            text=[full_text(one.hover) for _, one in own],
            marker={"color": color, "symbol": symbol, "size": 9},
            error_x=error_bars(*parts, color=color, thickness=1.5, width=4),
        )
    figure.add_vline(x=1.0, line={"color": COLORS["ink"], "width": 1.2})
    lay_out(
        figure,
        xaxis=level_axis("Times better than the limit", drawn),
        yaxis=named_axis("", names, range=[len(names) - 0.4, -0.6], showgrid=False),
    )
    return figure


def _clipped(ratio: float, least: float) -> float:
    """Return a ratio that can be drawn; an open end is drawn a little beyond all."""
    return min(max(ratio, least, 1 / _FARTHEST), _FARTHEST)
