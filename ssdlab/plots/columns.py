"""Columns in three dimensions, one per cell, and their scene."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from ssdlab.plots.labels import COLORS, lay_out, shade

_HARD_SPACE = "\N{NO-BREAK SPACE}"
_HALF_WIDTH = 0.36  # of the distance between two columns
_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
# Two triangles a face; corners 0 to 3 are the foot, 4 to 7 the top.
_TRIANGLES = (
    (0, 1, 5), (0, 5, 4),  # front
    (2, 3, 7), (2, 7, 6),  # back
    (1, 2, 6), (1, 6, 5),  # right
    (3, 0, 4), (3, 4, 7),  # left
    (4, 5, 6), (4, 6, 7),  # top
)  # fmt: skip
_EDGES = (0, 1, 5, 4, 0, 3, 7, 4, None, 1, 2, 6, 5, None, 2, 3, None, 6, 7, None)
_COMMON: dict[str, Any] = {
    "gridcolor": COLORS["grid"],
    "showbackground": False,
    "zeroline": False,
    "linecolor": COLORS["axis"],
    "tickfont": {"size": 11},
    "showspikes": False,
}
# Of each triangle. The first three, which must be equal, are those of plotly's legend.
_SHADES = (0.82, 0.82, 0.82, 0.82, 0.62, 0.62, 0.62, 0.62, 1.0, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnRow:
    """One row of columns: height and hover text of each, by the value across.

    ``tick`` names it on the axis that goes into the depth, ``name`` elsewhere.
    """

    name: str
    color: str
    columns: Mapping[int, tuple[float, str]]
    tick: str = ""


def draw_columns(
    figure: go.Figure,
    rows: Sequence[ColumnRow],
    across: Mapping[int, str],
    *,
    titles: tuple[str, str, str],
) -> None:
    """Draw rows of columns, the first in front, and their scene.

    `across` names the places of the first axis; `titles` are those of the axes across,
    into the depth, and up.
    """
    places = {value: place for place, value in enumerate(across)}
    for depth, row in enumerate(rows):
        columns = [(places[value], *told) for value, told in row.columns.items()]
        figure.add_mesh3d(**_mesh(columns, depth, row))
    deep = [row.tick or row.name for row in rows]
    scene = {
        "xaxis": _ground_axis(titles[0], list(across.values())),
        "yaxis": _ground_axis(titles[1], deep),
        "zaxis": _COMMON
        | {
            # One of up to four characters plotly sets across the axis, over its labels.
            "title": {"text": titles[2].ljust(5, _HARD_SPACE), "font": {"size": 13}},
            "rangemode": "tozero",
            "tickformat": ",~r",
        },
        "aspectmode": "manual",
        "aspectratio": {"x": 1.77, "y": 1.4, "z": 0.89},
        "camera": {
            "projection": {"type": "orthographic"},
            "eye": {"x": -0.75, "y": -1.6, "z": 1.15},
            "center": {"x": 0, "y": 0, "z": -0.08},
        },
    }
    lay_out(figure, scene=scene, margin={"l": 0, "r": 0, "t": 56, "b": 0})


def _mesh(
    columns: Sequence[tuple[int, float, str]], depth: int, row: ColumnRow
) -> dict[str, Any]:
    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for place, height, text in columns:
        start = len(vertices)
        corners = [
            (place + x * _HALF_WIDTH, depth + y * _HALF_WIDTH) for x, y in _CORNERS
        ]
        vertices += [(x, y, z) for z in (0.0, height) for x, y in corners]
        faces += [(start + a, start + b, start + c) for a, b, c in _TRIANGLES]
        texts += [text] * 8
    x, y, z = zip(*vertices, strict=True) if vertices else ((), (), ())
    i, j, k = zip(*faces, strict=True) if faces else ((), (), ())
    return {
        "x": x, "y": y, "z": z, "i": i, "j": j, "k": k,
        "text": texts,
        "name": row.name,
        "color": row.color,
        "facecolor": _face_colors(row.color, len(columns)),
        "flatshading": True,
        "showlegend": True,
        "hovertemplate": "%{text}<extra></extra>",
        "lighting": {"ambient": 1.0, "diffuse": 0.0, "specular": 0.0, "fresnel": 0.0},
    }  # fmt: skip


def _face_colors(color: str, count: int) -> list[str]:
    return [shade(color, share) for share in _SHADES] * count


def repaint_row(row: "go.Mesh3d", color: str) -> None:
    """Give a row of columns another colour."""
    row.update(color=color, facecolor=_face_colors(color, len(row.x) // 8))


def row_edges(row: "go.Mesh3d", *, color: str, width: float) -> "go.Scatter3d":
    """Return the edges of a row of columns."""
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


def _ground_axis(title: str, names: Sequence[str]) -> dict[str, Any]:
    return _COMMON | {
        "title": {"text": f"<br>{title}", "font": {"size": 13}},
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "range": [-0.6, len(names) - 0.4],
    }
