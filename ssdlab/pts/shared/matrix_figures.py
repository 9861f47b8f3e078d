"""Values over block size and R/W mix: lines, columns and bars."""

from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.model.units import block_size_label, mix_label
from ssdlab.plots.columns import ColumnRow, draw_columns
from ssdlab.plots.heat import FROM_LITTLE_TO_MUCH, add_heat
from ssdlab.plots.labels import (
    DIRECTION_COLORS,
    axis,
    block_size_axis,
    lay_out,
    linear_axis,
    mix_name,
    mix_style,
    new_figure,
)
from ssdlab.plots.lines import Across, Line, draw_lines
from ssdlab.text.numbers import number_text, rounded_text, short_number
from ssdlab.text.quantities import QUANTITIES, scaled, suited_quantity

if TYPE_CHECKING:
    import pandas as pd

_MOST_WIDE = 6  # columns whose numbers have room at the usual size

MatrixMetric = Literal["iops", "lat_mean_ns", "lat_max_ns", "lat_five_nines_ns"]


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
    sizes = block_size_axis(int(size) for size in frame["block_size_bytes"])
    lines = []
    for mix in _mixes(frame)[::-1]:
        rows = frame[frame["read_percent"] == mix].sort_values("block_size_bytes")
        color, symbol = mix_style(mix)
        line = Line(
            rows=[rows], column="iops", name=mix_name(mix), color=color, symbol=symbol,
            width=2, size=8, hover=f"%{{text}}, {mix_name(mix)}: ",
            text=[block_size_label(int(size)) for size in rows["block_size_bytes"]],
        )  # fmt: skip
        lines.append(line)
    across = Across(column="block_size_bytes", axis=sizes, hover="%{text}")
    draw_lines(figure, across, lines, is_log=True)
    return figure


def plot_matrix_heat(
    frame: "pd.DataFrame",
    *,
    metric: MatrixMetric = "iops",
    title: str = "",
    height: int = 380,
) -> go.Figure:
    """Draw a cell of the matrix as a coloured field with its value, writes first.

    The colours are on a logarithmic scale; a cell without a value is empty.

    >>> import pandas as pd
    >>> cell = {"block_size_bytes": [4096], "read_percent": [0], "iops": [5.0e4]}
    >>> plot_matrix_heat(pd.DataFrame(cell)).data[0].text[0][0]
    '50,000'
    """
    quantity = suited_quantity(metric, frame[metric].dropna())
    figure = new_figure(title or f"{quantity.title} by block size and R/W mix")
    sizes = sorted({int(size) for size in frame["block_size_bytes"]}, reverse=True)
    downs = {size: block_size_label(size) for size in sizes}
    acrosses = {mix: mix_label(mix) for mix in _mixes(frame)}
    cells = {}
    values = scaled(frame[metric], quantity)
    is_wide = len(acrosses) > _MOST_WIDE
    places = zip(frame["block_size_bytes"], frame["read_percent"], values, strict=True)
    for size, mix, value in places:
        if value is not None:
            cell = f"{downs[int(size)]}, {mix_name(int(mix))}"
            words = f"{cell}: {number_text(value)} {quantity.unit_or_name}"
            shown = short_number(value) if is_wide else rounded_text(value)
            cells[int(size), int(mix)] = (value, shown, words)
    add_heat(
        figure, cells, (downs, acrosses), letters=10 if is_wide else 12,
        colorscale=FROM_LITTLE_TO_MUCH,
    )  # fmt: skip
    flat = {"type": "category", "showgrid": False, "fixedrange": True}
    across, down = axis("R/W mix", **flat), axis("", **flat)
    lay_out(figure, xaxis=across, yaxis=down, height=height)
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
    quantity = suited_quantity(metric, frame[metric].dropna())
    figure = new_figure(
        title or f"{quantity.name} by block size and R/W mix", height=560
    )
    rows = []
    for mix in _mixes(frame):
        own = frame[frame["read_percent"] == mix]
        columns = {}
        heights = scaled(own[metric], quantity)
        for size, height in zip(own["block_size_bytes"], heights, strict=True):
            if height is not None:
                cell = f"{block_size_label(int(size))}, {mix_name(mix)}"
                words = f"{number_text(height)} {quantity.unit_or_name}"
                columns[int(size)] = height, f"{cell}: {words}"
        row = ColumnRow(
            name=mix_name(mix), color=mix_style(mix)[0], columns=columns,
            tick=mix_label(mix),
        )  # fmt: skip
        rows.append(row)
    sizes = sorted({int(size) for size in frame["block_size_bytes"]})
    names = {size: block_size_label(size) for size in sizes}
    titles = ("Block size", "R/W mix", quantity.title)
    draw_columns(figure, rows, names, titles=titles)
    return figure


def _mixes(frame: "pd.DataFrame") -> list[int]:
    """Return the R/W mixes from writes to reads, the order from front to back."""
    return sorted({int(mix) for mix in frame["read_percent"]})


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
    lay_out(
        figure,
        xaxis=axis("Block size", type="category", showgrid=False),
        yaxis=linear_axis(quantity.title),
        bargap=0.5,
    )
    return figure
