"""Figures as papers print them: size in mm, small type, told apart without colour."""

import math
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, Final, Literal

import plotly.graph_objects as go

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
_SCENE_SHARE: Final = 0.78  # of its usual size: titles of its axes are cut off else
_MARK_PX: Final = 5
_LONE_MARK_PX: Final = 7  # a shape is told apart from this size on
_LINE_PX: Final = 1.3
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
    """Return a figure as a paper prints it; the one given stays as it is.

    Parameters
    ----------
    figure : go.Figure
        Any figure of ssdlab.
    columns : {1, 2}, default 1
        How many columns wide it is: 88.9 or 181.9 mm.
    height_mm : float, optional
        Height [mm]; without it three quarters of one column's width or half of two
        columns', and room for the legend.

    Returns
    -------
    go.Figure
        Without its title, which is the caption's, in 8 pt sans serif. Each colour of
        lines also has a dash of its own, of markers a shape, of bars a hatching, so
        that it can be told apart in grey.

    Raises
    ------
    ValueError
        If the paper has not so many columns.

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
    height = height_mm or width_mm * _HEIGHT_RATIO[columns] + rows * _LEGEND_ROW_MM
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
    return printed


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
    figure.update_xaxes(**look, linecolor="black", tickcolor="black")
    figure.update_yaxes(**look, linecolor="black", tickcolor="black")
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
    """Give each colour a dash, a marker and a hatching of its own, in order."""
    lines = list(_colors(figure, "line"))
    markers = list(_colors(figure, "marker"))
    for trace in figure.data:
        if trace.type in {"scatter", "scattergl"}:
            _dash(trace, lines)
            _mark(trace, markers)
        elif trace.type == "bar" and isinstance(trace.marker.color, str):
            place = markers.index(trace.marker.color) % len(_PATTERNS)
            trace.marker.pattern.shape = trace.marker.pattern.shape or _PATTERNS[place]


def _colors(figure: go.Figure, part: str) -> Iterable[str]:
    """Yield the colours of lines or markers, each once, in the order of traces."""
    colors = (
        getattr(trace, part).color
        for trace in figure.data
        if trace.type in {"scatter", "scattergl", "bar"} and part in trace
    )
    return dict.fromkeys(color for color in colors if isinstance(color, str))


def _dash(trace: Any, colors: list[str]) -> None:
    if "lines" not in (trace.mode or "lines") or trace.line.color not in colors:
        return
    if trace.line.dash in {None, "solid"}:
        trace.line.dash = _DASHES[colors.index(trace.line.color) % len(_DASHES)]
    trace.line.width = min(trace.line.width or _LINE_PX, 1.5 * _LINE_PX)


def _mark(trace: Any, colors: list[str]) -> None:
    if "markers" not in (trace.mode or "") or trace.marker.color not in colors:
        return
    if trace.marker.symbol in {None, "circle"}:
        place = colors.index(trace.marker.color)
        trace.marker.symbol = _MARKERS[place % len(_MARKERS)]
    if not hasattr(trace.marker.size, "__len__"):
        most = _MARK_PX if "lines" in trace.mode else _LONE_MARK_PX
        trace.marker.size = min(trace.marker.size or most, most)
