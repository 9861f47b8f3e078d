"""IOPS and mean latency over threads and queue depth, of workloads of any kind."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    axis,
    block_size_style,
    lay_out,
    linear_axis,
    mix_name,
    mix_style,
    new_figure,
    scaled,
)
from ssdlab.model.units import block_size_label

if TYPE_CHECKING:
    import pandas as pd

_PANELS = (("iops", "", (0.0, 0.46)), ("lat_mean_ns", "2", (0.56, 1.0)))
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
_LEAST_HEIGHT = 440


def plot_workloads(
    frame: "pd.DataFrame", *, title: str = "IOPS and average latency by TC and QD"
) -> go.Figure:
    """Draw IOPS at the left and average latency at the right, over TC x QD.

    In each panel a line for each access, block size and mix, over the pairs of
    TC and QD by the IOs outstanding.

    >>> import pandas as pd
    >>> cell = {"access": ["rnd"], "block_size_bytes": [4096], "read_percent": [100]}
    >>> cell |= {"threads": [8], "queue_depth": [16], "iops": [1.0e5]}
    >>> figure = plot_workloads(pd.DataFrame(cell).assign(lat_mean_ns=1.28e6))
    >>> figure.data[0].name, figure.data[0].x[0]
    ('RND 4 KiB R/W 100/0', 'T8/Q16')
    """
    known = frame.dropna(subset=["threads", "queue_depth"])
    ordered = known.assign(
        toio=known["threads"].astype(int) * known["queue_depth"].astype(int)
    ).sort_values(["toio", "threads"])
    figure = new_figure(title, subtitle="one mark a cell", height=_LEAST_HEIGHT)
    keys = ["access", "block_size_bytes", "read_percent"]
    has_sizes = ordered["block_size_bytes"].nunique() > 1  # noqa: PD101 - may be none
    for place, (_, rows) in enumerate(ordered.groupby(keys, sort=True)):
        first = rows.iloc[0]
        style = mix_style(int(first["read_percent"]))
        if has_sizes:
            style = block_size_style(int(first["block_size_bytes"]))
        dash = _DASHES[place % len(_DASHES)]
        _add_lines(figure, rows, style=(*style, dash))
    places = list(dict.fromkeys(_pair(row) for row in ordered.itertuples()))
    for metric, number, domain in _PANELS:
        lay_out(
            figure,
            **{
                f"xaxis{number}": axis(
                    "TC/QD, by IOs outstanding",
                    type="category",
                    categoryorder="array",
                    categoryarray=places,
                    domain=list(domain),
                    anchor=f"y{number}",
                ),
                f"yaxis{number}": linear_axis(
                    QUANTITIES[metric].title, anchor=f"x{number}"
                ),
            },
        )
    lay_out(figure, showlegend=True)
    return figure


def _pair(row: Any) -> str:
    return f"T{row.threads}/Q{row.queue_depth}"


def _add_lines(
    figure: go.Figure, rows: "pd.DataFrame", *, style: tuple[str, str, str]
) -> None:
    """Draw one workload in both panels, with one entry in the legend."""
    first = rows.iloc[0]
    size, mix = int(first["block_size_bytes"]), int(first["read_percent"])
    name = f"{str(first['access']).upper()} {block_size_label(size)} {mix_name(mix)}"
    color, symbol, dash = style
    for metric, number, _ in _PANELS:
        quantity = QUANTITIES[metric]
        figure.add_scatter(
            x=[_pair(row) for row in rows.itertuples()],
            y=scaled(rows[metric], metric),
            xaxis=f"x{number}",
            yaxis=f"y{number}",
            name=name,
            legendgroup=name,
            showlegend=not number,
            mode="lines+markers" if len(rows) > 1 else "markers",
            line={"color": color, "width": 2, "dash": dash},
            marker={"symbol": symbol, "size": 8, "line": {"color": COLORS["ink"]}},
            hovertemplate=f"{name}, %{{x}}: %{{y:,.4~g}} {quantity.unit}"
            "<extra></extra>",
        )
