"""Values over block size and R/W mix: lines, columns and bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    DIRECTION_COLORS,
    QUANTITIES,
    axis,
    block_size_axis,
    decades_axis,
    linear_axis,
    mix_name,
    mix_style,
    new_figure,
    number_text,
    scaled,
    shade,
)
from ssdlab.model.units import block_size_label, mix_label

if TYPE_CHECKING:
    import pandas as pd

MatrixMetric = Literal["iops", "lat_mean_ns", "lat_max_ns", "lat_five_nines_ns"]

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
_SHADES = (0.82, 0.82, 0.62, 0.62, 0.82, 0.82, 0.62, 0.62, 1.0, 1.0)


def plot_iops_2d(
    frame: "pd.DataFrame", *, title: str = "IOPS by block size and R/W mix"
) -> go.Figure:
    """Draw IOPS over block size, both logarithmic, one line a R/W mix.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a cell: ``block_size_bytes`` [B], ``read_percent`` [%], ``iops`` [1/s].
    title : str, default "IOPS by block size and R/W mix"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Lines named by R/W mix, 100 % reads first.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 7.

    Examples
    --------
    >>> import pandas as pd
    >>> cell = {"block_size_bytes": [4096], "read_percent": [0], "iops": [5.0e4]}
    >>> plot_iops_2d(pd.DataFrame(cell)).data[0].name
    'R/W 0/100'
    """
    figure = new_figure(title, subtitle="mean over the measurement window", height=460)
    for mix in _mixes(frame)[::-1]:
        rows = frame[frame["read_percent"] == mix].sort_values("block_size_bytes")
        color, symbol = mix_style(mix)
        labels = [block_size_label(int(size)) for size in rows["block_size_bytes"]]
        figure.add_scatter(
            x=[int(size) for size in rows["block_size_bytes"]],
            y=scaled(rows["iops"], "iops"),
            text=labels,
            name=mix_name(mix),
            mode="lines+markers",
            line={"color": color, "width": 2},
            marker={"symbol": symbol, "size": 8},
            hovertemplate=f"%{{text}}, {mix_name(mix)}: %{{y:,.0f}} IOPS"
            "<extra></extra>",
        )
    figure.update_layout(
        xaxis=block_size_axis(int(size) for size in frame["block_size_bytes"]),
        yaxis=decades_axis("IOPS", scaled(frame["iops"], "iops")),
    )
    return figure


def plot_columns_3d(
    frame: "pd.DataFrame", *, metric: MatrixMetric = "iops", title: str = ""
) -> go.Figure:
    """Draw one column a cell: small blocks at the left, writes in front.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a cell: ``block_size_bytes`` [B], ``read_percent`` [%] and the metric
        as stored. A cell without a value has no column.
    metric : {"iops", "lat_mean_ns", "lat_max_ns", "lat_five_nines_ns"}, default "iops"
        The height of the columns.
    title : str, optional
        Title of the figure; without it the name of the metric.

    Returns
    -------
    plotly.graph_objects.Figure
        One mesh a R/W mix; the hover text of a column gives cell and value.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 7 and 9.

    Examples
    --------
    >>> import pandas as pd
    >>> cell = {"block_size_bytes": [4096], "read_percent": [0], "iops": [5.0e4]}
    >>> plot_columns_3d(pd.DataFrame(cell)).data[0].text[0]
    '4 KiB, R/W 0/100: 50,000 IOPS'
    """
    quantity = QUANTITIES[metric]
    sizes = sorted({int(size) for size in frame["block_size_bytes"]})
    mixes = _mixes(frame)
    figure = new_figure(
        title or f"{quantity.name} by block size and R/W mix", height=560
    )
    for depth, mix in enumerate(mixes):
        rows = frame[frame["read_percent"] == mix]
        heights = dict(
            zip(rows["block_size_bytes"], scaled(rows[metric], metric), strict=True)
        )
        columns = [
            (sizes.index(int(s)), h) for s, h in heights.items() if h is not None
        ]
        figure.add_trace(_columns(columns, depth, mix=mix, sizes=sizes, metric=metric))
    figure.update_layout(
        scene=_scene(sizes, mixes, quantity.title),
        margin={"l": 0, "r": 0, "t": 56, "b": 0},
    )
    return figure


def _mixes(frame: "pd.DataFrame") -> list[int]:
    """Return the R/W mixes from writes to reads, the order from front to back."""
    return sorted({int(mix) for mix in frame["read_percent"]})


def _columns(
    columns: Sequence[tuple[int, float]],
    depth: int,
    *,
    mix: int,
    sizes: Sequence[int],
    metric: str,
) -> go.Mesh3d:
    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    texts: list[str] = []
    color = mix_style(mix)[0]
    shades = [shade(color, share) for share in _SHADES]
    unit = QUANTITIES[metric].unit or QUANTITIES[metric].name
    for place, height in columns:
        start = len(vertices)
        corners = [
            (place + x * _HALF_WIDTH, depth + y * _HALF_WIDTH) for x, y in _CORNERS
        ]
        vertices += [(x, y, z) for z in (0.0, height) for x, y in corners]
        faces += [(start + a, start + b, start + c) for a, b, c in _TRIANGLES]
        label = f"{block_size_label(sizes[place])}, {mix_name(mix)}"
        texts += [f"{label}: {number_text(height)} {unit}"] * 8
    x, y, z = zip(*vertices, strict=True) if vertices else ((), (), ())
    i, j, k = zip(*faces, strict=True) if faces else ((), (), ())
    return go.Mesh3d(
        x=x, y=y, z=z, i=i, j=j, k=k,
        text=texts,
        name=mix_name(mix),
        color=color,
        facecolor=shades * len(columns),
        flatshading=True,
        showlegend=True,
        hovertemplate="%{text}<extra></extra>",
        lighting={"ambient": 1.0, "diffuse": 0.0, "specular": 0.0, "fresnel": 0.0},
    )  # fmt: skip


def _z_title(text: str) -> str:
    """Return a title that plotly sets along the axis, clear of the tick labels.

    One of up to four characters it sets across them.
    """
    return text.ljust(5, _HARD_SPACE)


def _scene(sizes: Sequence[int], mixes: Sequence[int], height: str) -> dict[str, Any]:
    common = {
        "gridcolor": COLORS["grid"],
        "showbackground": False,
        "zeroline": False,
        "linecolor": COLORS["axis"],
        "tickfont": {"size": 11},
        "showspikes": False,
    }
    return {
        "xaxis": common
        | {
            "title": {"text": "<br>Block size", "font": {"size": 13}},
            "tickvals": list(range(len(sizes))),
            "ticktext": [block_size_label(size) for size in sizes],
            "range": [-0.6, len(sizes) - 0.4],
        },
        "yaxis": common
        | {
            "title": {"text": "<br>R/W mix", "font": {"size": 13}},
            "tickvals": list(range(len(mixes))),
            "ticktext": [mix_label(mix) for mix in mixes],
            "range": [-0.6, len(mixes) - 0.4],
        },
        "zaxis": common
        | {
            "title": {"text": _z_title(height), "font": {"size": 13}},
            "rangemode": "tozero",
            "tickformat": "~s" if height == "IOPS" else ",~r",
        },
        "aspectmode": "manual",
        "aspectratio": {"x": 1.77, "y": 1.4, "z": 0.89},
        "camera": {
            "projection": {"type": "orthographic"},
            "eye": {"x": -0.75, "y": -1.6, "z": 1.15},
            "center": {"x": 0, "y": 0, "z": -0.08},
        },
    }


def plot_throughput_2d(
    frame: "pd.DataFrame", *, title: str = "Throughput by block size and direction"
) -> go.Figure:
    """Draw the throughput of sequential reads and writes as bars.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a cell: ``block_size_bytes`` [B], ``read_percent`` [%],
        ``bw_bytes_per_s`` [B/s].
    title : str, default "Throughput by block size and direction"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One group of bars a block size: reads and writes, in decimal MB/s.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 8.

    Examples
    --------
    >>> import pandas as pd
    >>> cell = {"block_size_bytes": [131072], "read_percent": [0]}
    >>> frame = pd.DataFrame(cell | {"bw_bytes_per_s": [5.0e8]})
    >>> plot_throughput_2d(frame).data[0].y
    (500.0,)
    """
    quantity = QUANTITIES["bw_bytes_per_s"]
    figure = new_figure(title, subtitle="mean over the measurement window")
    for mix in _mixes(frame)[::-1]:
        rows = frame[frame["read_percent"] == mix].sort_values("block_size_bytes")
        values = scaled(rows["bw_bytes_per_s"], "bw_bytes_per_s")
        direction = {100: "read", 0: "write"}.get(mix, "total")
        figure.add_bar(
            x=[block_size_label(int(size)) for size in rows["block_size_bytes"]],
            y=values,
            text=[number_text(value) if value is not None else "" for value in values],
            textposition="outside",
            cliponaxis=False,
            name=f"{direction} ({mix_label(mix)})",
            marker={"color": DIRECTION_COLORS[direction]},
            hovertemplate=f"%{{x}} {direction}: %{{y:,.1f}} MB/s<extra></extra>",
        )
    figure.update_layout(
        xaxis=axis("Block size", type="category", showgrid=False),
        yaxis=linear_axis(quantity.title),
        bargap=0.5,
    )
    return figure
