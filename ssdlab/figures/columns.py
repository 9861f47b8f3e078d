"""Columns in three dimensions, one a cell, and the scene that they stand in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from ssdlab.figures.labels import COLORS, shade

_HARD_SPACE = "\N{NO-BREAK SPACE}"
_HALF_WIDTH = 0.36  # of the distance between two columns
_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
# Two triangles a face; corners 0 to 3 are the foot, 4 to 7 the top.
_TRIANGLES = (
    (0, 1, 5), (0, 5, 4),  # front
    (1, 2, 6), (1, 6, 5),  # right
    (2, 3, 7), (2, 7, 6),  # back
    (3, 0, 4), (3, 4, 7),  # left
    (4, 5, 6), (4, 6, 7),  # top
)  # fmt: skip
_EDGES = (0, 1, 5, 4, 0, 3, 7, 4, None, 1, 2, 6, 5, None, 2, 3, None, 6, 7, None)
_SHADES = (0.82, 0.82, 0.62, 0.62, 0.82, 0.82, 0.62, 0.62, 1.0, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column of a row: its place from 0, its height, and what its hover says."""

    place: int
    height: float
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SceneAxis:
    """One of the two axes of the ground: its title and the names of its places."""

    title: str
    names: Sequence[str]


def column_row(
    columns: Sequence[Column], depth: int, *, name: str, color: str
) -> go.Mesh3d:
    """Return one row of columns, front to back at `depth`, as a mesh."""
    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for column in columns:
        start = len(vertices)
        corners = [
            (column.place + x * _HALF_WIDTH, depth + y * _HALF_WIDTH)
            for x, y in _CORNERS
        ]
        vertices += [(x, y, z) for z in (0.0, column.height) for x, y in corners]
        faces += [(start + a, start + b, start + c) for a, b, c in _TRIANGLES]
        texts += [column.text] * 8
    x, y, z = zip(*vertices, strict=True) if vertices else ((), (), ())
    i, j, k = zip(*faces, strict=True) if faces else ((), (), ())
    return go.Mesh3d(
        x=x, y=y, z=z, i=i, j=j, k=k,
        text=texts,
        name=name,
        color=color,
        facecolor=_face_colors(color, len(columns)),
        flatshading=True,
        showlegend=True,
        hovertemplate="%{text}<extra></extra>",
        lighting={"ambient": 1.0, "diffuse": 0.0, "specular": 0.0, "fresnel": 0.0},
    )  # fmt: skip


def _face_colors(color: str, count: int) -> list[str]:
    return [shade(color, share) for share in _SHADES] * count


def repaint_row(row: go.Mesh3d, color: str) -> None:
    """Give a row that `column_row` made another colour."""
    row.update(color=color, facecolor=_face_colors(color, len(row.x) // 8))


def row_edges(row: go.Mesh3d, *, color: str, width: float) -> go.Scatter3d:
    """Return the edges of the columns of a row that `column_row` made."""
    path = [
        None if corner is None else start + corner
        for start in range(0, len(row.x), 8)
        for corner in _EDGES
    ]
    x, y, z = (
        [None if place is None else values[place] for place in path]
        for values in (row.x, row.y, row.z)
    )
    return go.Scatter3d(
        x=x,
        y=y,
        z=z,
        mode="lines",
        line={"color": color, "width": width},
        showlegend=False,
        hoverinfo="skip",
    )


def column_scene(across: SceneAxis, deep: SceneAxis, height: str) -> dict[str, Any]:
    """Return the scene of rows of columns; `height` is the title of the third axis."""
    tickformat = "~s" if height == "IOPS" else ",~r"
    return {
        "xaxis": _ground_axis(across),
        "yaxis": _ground_axis(deep),
        "zaxis": _common()
        | {
            "title": {"text": _z_title(height), "font": {"size": 13}},
            "rangemode": "tozero",
            "tickformat": tickformat,
        },
        "aspectmode": "manual",
        "aspectratio": {"x": 1.77, "y": 1.4, "z": 0.89},
        "camera": {
            "projection": {"type": "orthographic"},
            "eye": {"x": -0.75, "y": -1.6, "z": 1.15},
            "center": {"x": 0, "y": 0, "z": -0.08},
        },
    }


def _ground_axis(ground: SceneAxis) -> dict[str, Any]:
    count = len(ground.names)
    return _common() | {
        "title": {"text": f"<br>{ground.title}", "font": {"size": 13}},
        "tickvals": list(range(count)),
        "ticktext": list(ground.names),
        "range": [-0.6, count - 0.4],
    }


def _common() -> dict[str, Any]:
    return {
        "gridcolor": COLORS["grid"],
        "showbackground": False,
        "zeroline": False,
        "linecolor": COLORS["axis"],
        "tickfont": {"size": 11},
        "showspikes": False,
    }


def _z_title(text: str) -> str:
    """Return a title that plotly sets along the axis, clear of the tick labels.

    One of up to four characters it sets across them.
    """
    return text.ljust(5, _HARD_SPACE)
