"""Figures as papers print them: size in mm, small type, distinct without colour."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from types import MappingProxyType
from typing import Any, Final, Literal

import plotly.graph_objects as go

from ssdlab.plots.columns import repaint_row, row_edges

# Widths of one and of two columns of IEEE's and ACM's journals.
COLUMN_WIDTHS_MM = MappingProxyType({1: 88.9, 2: 181.9})
PX_PER_MM: Final = 96 / 25.4  # a CSS pixel is 1/96 inch
_PX_PER_PT: Final = 96 / 72
_TEXT_PT: Final = 8.0
_SMALL_PT: Final = 7.0
_HEIGHT_RATIO: Final = MappingProxyType({1: 0.75, 2: 0.5})
_LEGEND_ROW_MM: Final = 5.0
_LETTER_MM: Final = 1.5
_KEY_MM: Final = 14.0  # the sample of a line or marker before its name
_BESIDE_MM: Final = 16.0  # what axes take of the width, and legends with them
_SCENE_SHARE: Final = 0.78  # of its usual size: else axis titles are cut off
_TALL_PX: Final = 620  # of a figure whose height grows with its rows
_SMALLER: Final = 0.8  # type of a paper beside that of the screen
_MARK_PX: Final = 5
_LONE_MARK_PX: Final = 7  # a shape is recognisable from this size on
_LINE_PX: Final = 1.3
_EDGE_PX: Final = 2
_LIGHTEST, _DARKEST = 245, 75  # greys of rows; their sides are darker still
_FONT: Final = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_DASHES: Final = (
    *("solid", "dash", "dot", "dashdot", "longdash", "longdashdot"),
    *("8px,2px,2px,2px,2px,2px", "1px,3px"),
)
_MARKERS: Final = (
    *("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x"),
    *("star", "circle-open", "square-open"),
)
_PATTERNS: Final = ("", "/", "x", "-", ".", "\\", "+", "|")


def publication(
    figure: go.Figure, columns: Literal[1, 2] = 1, *, height_mm: float | None = None
) -> go.Figure:
    """Return a figure as a paper prints it; the original is not changed.

    Parameters
    ----------
    figure : go.Figure
        Any figure of ssdlab.
    columns : {1, 2}, default 1
        How many columns wide it is: 88.9 or 181.9 mm.
    height_mm : float, optional
        Height [mm]; without it three quarters of one column's width or half of two
        columns', and room for the legend; more where there are many rows or panels.

    Returns
    -------
    go.Figure
        Without its title, which is the caption's, in 8 pt sans serif. Each colour of
        lines also has a dash of its own, of markers a shape, of bars a hatching; rows
        of columns in three dimensions, which plotly cannot hatch, are greys far apart
        with black edges. So they remain distinct in grey.

    Raises
    ------
    ValueError
        If ``columns`` is neither 1 nor 2.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> figure = publication(go.Figure(go.Scatter(y=[1, 2], mode="lines")), columns=2)
    >>> round(figure.layout.width)
    687
    """
    if columns not in COLUMN_WIDTHS_MM:
        msg = f"a figure is 1 or 2 columns wide, not {columns}"
        raise ValueError(msg)
    width_mm = COLUMN_WIDTHS_MM[columns]
    printed = go.Figure(figure)
    _name_heights(printed)
    rows = _legend_rows(printed, width_mm - _BESIDE_MM)
    usual = width_mm * _HEIGHT_RATIO[columns] + rows * _LEGEND_ROW_MM
    height = height_mm or max(usual, _tall_mm(printed))
    small = _SMALL_PT * _PX_PER_PT
    printed.update_layout(
        title=None,
        width=width_mm * PX_PER_MM,
        height=height * PX_PER_MM,
        autosize=False,
        font={"family": _FONT, "size": _TEXT_PT * _PX_PER_PT, "color": "black"},
        margin={"l": 40, "r": 8, "t": 10 if not _has_text_above(printed) else 26},
        legend={"font": {"size": small}, "title": {"font": {"size": small}}},
    )
    _set_small_type(printed, small)
    _tell_apart(printed)
    _grey_rows(printed)
    return printed


def _tall_mm(figure: go.Figure) -> float:
    """Return the height [mm] that a figure of many rows or panels needs, else 0."""
    shown = figure.layout.height or 0
    return _SMALLER * shown / PX_PER_MM if shown > _TALL_PX else 0.0


def _name_heights(figure: go.Figure) -> None:
    """Write what a scene's columns mean above it: along a short axis it is left out."""
    for scene in figure.select_scenes():
        title = (scene.zaxis.title.text or "").strip()
        if title:
            scene.zaxis.title.text = ""
            figure.add_annotation(
                text=f"vertical: {title}",
                showarrow=False,
                xref="paper",
                yref="paper",
                x=0,
                y=1,
                xanchor="left",
                yanchor="bottom",
            )


def _legend_rows(figure: go.Figure, width_mm: float) -> int:
    """Return how many rows a legend below takes; places are as wide as the widest."""
    shown = [trace for trace in figure.data if trace.showlegend is not False]
    names = {str(trace.name) for trace in shown if trace.name}
    if figure.layout.showlegend is False or len(names) < 2:
        return 0
    widest = max(map(len, names)) * _LETTER_MM + _KEY_MM
    return math.ceil(len(names) / max(1, width_mm // widest))


def _has_text_above(figure: go.Figure) -> bool:
    return any((note.y or 0) >= 1 for note in figure.layout.annotations)


def _set_small_type(figure: go.Figure, small: float) -> None:
    text = _TEXT_PT * _PX_PER_PT
    look = {"tickfont": {"size": small}, "title": {"font": {"size": text}}}
    figure.update_xaxes(**look, linecolor="black", tickcolor="black", tickangle=None)
    figure.update_yaxes(**look, linecolor="black", tickcolor="black")
    if any("scene" in trace for trace in figure.data):  # else one would be added
        figure.update_scenes(xaxis=look, yaxis=look, zaxis=look)
        figure.for_each_scene(_make_room)
    figure.update_annotations(font={"size": small})
    figure.update_coloraxes(colorbar=look)
    for trace in figure.data:
        if "colorbar" in trace:
            trace.update(colorbar=look)


def _make_room(scene: Any) -> None:
    """Make a scene smaller than its place, in which its large type must fit too."""
    aspect = scene.aspectratio
    if aspect.x:
        shares = {name: _SCENE_SHARE * aspect[name] for name in "xyz"}
        scene.update(aspectmode="manual", aspectratio=shares)


def _tell_apart(figure: go.Figure) -> None:
    """Give each colour a dash, a marker and a hatching that no other has, in order."""
    drawn = [trace for trace in figure.data if trace.type in {"scatter", "scattergl"}]
    dashes = _looks(_colors(figure, "line"), _DASHES, {t.line.dash for t in drawn})
    symbols = [t.marker.symbol for t in drawn if isinstance(t.marker.symbol, str)]
    markers = list(_colors(figure, "marker"))
    shapes = _looks(markers, _MARKERS, set(symbols))
    for trace in figure.data:
        if trace.type in {"scatter", "scattergl"}:
            _dash(trace, dashes)
            _mark(trace, shapes)
        elif trace.type == "bar" and isinstance(trace.marker.color, str):
            place = markers.index(trace.marker.color) % len(_PATTERNS)
            trace.marker.pattern.shape = trace.marker.pattern.shape or _PATTERNS[place]


def _looks(
    colors: Iterable[str], known: Sequence[str], taken: set[str]
) -> dict[str, str]:
    """Return a look for each color; but for the plain one none that is taken."""
    free = [look for look in known if look == known[0] or look not in taken]
    return dict(zip(colors, cycle(free), strict=False))


def _grey_rows(figure: go.Figure) -> None:
    """Paint rows of columns from light in front to dark behind, with their edges."""
    rows = [row for row in figure.data if row.type == "mesh3d" and row.facecolor]
    for row, grey in zip(rows, _greys(len(rows)), strict=True):
        repaint_row(row, grey)
    figure.add_traces([row_edges(row, color="black", width=_EDGE_PX) for row in rows])


def _greys(count: int) -> Iterable[str]:
    step = (_LIGHTEST - _DARKEST) / max(1, count - 1)
    levels = (round(_LIGHTEST - step * place) for place in range(count))
    return (f"#{level:02x}{level:02x}{level:02x}" for level in levels)


def _colors(figure: go.Figure, part: str) -> Iterable[str]:
    """Yield the colours of lines or markers, each once, in the order of traces."""
    colors = (
        getattr(trace, part).color
        for trace in figure.data
        if trace.type in {"scatter", "scattergl", "bar"} and part in trace
    )
    return dict.fromkeys(color for color in colors if isinstance(color, str))


def _dash(trace: Any, looks: Mapping[str, str]) -> None:
    if "lines" not in (trace.mode or "lines") or trace.line.color not in looks:
        return
    if trace.line.dash in {None, "solid"}:
        trace.line.dash = looks[trace.line.color]
    trace.line.width = min(trace.line.width or _LINE_PX, 1.5 * _LINE_PX)


def _mark(trace: Any, looks: Mapping[str, str]) -> None:
    if "markers" not in (trace.mode or "") or trace.marker.color not in looks:
        return
    if trace.marker.symbol in {None, "circle"}:
        trace.marker.symbol = looks[trace.marker.color]
    if not hasattr(trace.marker.size, "__len__"):
        most = _MARK_PX if "lines" in trace.mode else _LONE_MARK_PX
        trace.marker.size = min(trace.marker.size or most, most)
