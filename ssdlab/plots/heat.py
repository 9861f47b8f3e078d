"""Heat maps whose cells show their values in dark letters, on a logarithmic scale."""

import math
from collections.abc import Mapping
from typing import Any, Final

import plotly.graph_objects as go

CELL_INK: Final = "#1b2733"
# One hue, distinct in grey too; light enough that the letters stay readable.
FROM_LITTLE_TO_MUCH: Final = [[0.0, "#f4f8fb"], [0.5, "#b5d4ea"], [1.0, "#5fa3d3"]]
# Brown to green: distinct with every common form of colour blindness.
FROM_LESS_TO_MORE: Final = [[0.0, "#d8b365"], [0.5, "#f5f5f5"], [1.0, "#5ab4ac"]]
_EMPTY = (0.0, "", "")

Cells = Mapping[tuple[int, int], tuple[float, str, str]]


def add_heat(
    figure: go.Figure,
    cells: Cells,
    axes: tuple[Mapping[int, str], Mapping[int, str]],
    *,
    letters: int = 11,
    gap: int = 1,
    **more: Any,
) -> None:
    """Add a heat map: by place down and across a value, its letters and hover text.

    `axes` name the places down and across; a cell without a value is empty. Without
    a `gap` of pixels between cells, rows that are hardly higher can be seen.
    """
    downs, acrosses = axes
    rows = [[cells.get((a, b), _EMPTY) for b in acrosses] for a in downs]
    figure.add_heatmap(
        x=list(acrosses.values()),
        y=list(downs.values()),
        z=[[math.log10(cell[0]) if cell[0] else None for cell in row] for row in rows],
        text=[[cell[1] for cell in row] for row in rows],
        hovertext=[[cell[2] for cell in row] for row in rows],
        texttemplate="%{text}",
        textfont={"size": letters, "color": CELL_INK},
        hovertemplate="%{hovertext}<extra></extra>",
        hoverongaps=False,
        showscale=False,  # each cell tells its value
        xgap=gap,
        ygap=gap,
        **more,
    )
