"""IOPS and mean latency over threads and queue depth, of workloads of any kind."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.model.units import block_size_label
from ssdlab.plots.labels import (
    COLORS,
    axis,
    block_size_style,
    lay_out,
    mix_name,
    mix_style,
    new_figure,
)
from ssdlab.plots.lines import Across, Line, draw_panel

if TYPE_CHECKING:
    import pandas as pd

_PANELS = (("iops", [0.0, 0.46]), ("lat_mean_ns", [0.56, 1.0]))
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
    threads, depths = known["threads"].astype(int), known["queue_depth"].astype(int)
    pairs = "T" + known["threads"].astype(str) + "/Q" + known["queue_depth"].astype(str)
    known = known.assign(toio=threads * depths, pair=pairs)
    ordered = known.sort_values(["toio", "threads"])
    figure = new_figure(title, subtitle="one marker per cell", height=_LEAST_HEIGHT)
    places = axis(
        "TC/QD, by IOs outstanding", type="category", categoryorder="array",
        categoryarray=list(dict.fromkeys(ordered["pair"])),
    )  # fmt: skip
    across = Across(column="pair", axis=places, hover="%{x}")
    keys = ["access", "block_size_bytes", "read_percent"]
    has_sizes = ordered["block_size_bytes"].nunique() > 1  # noqa: PD101 - may be none
    groups = [rows for _, rows in ordered.groupby(keys, sort=True)]
    for number, (metric, domain) in enumerate(_PANELS, start=1):
        lines = []
        for place, rows in enumerate(groups):
            access, size, mix = rows[keys].iloc[0]
            name = f"{access.upper()} {block_size_label(size)} {mix_name(mix)}"
            color, symbol = block_size_style(size) if has_sizes else mix_style(mix)
            line = Line(
                rows=[rows], column=metric, name=name, color=color, symbol=symbol,
                dash=_DASHES[place % len(_DASHES)], width=2 if len(rows) > 1 else 0,
                size=8, marker={"line": {"color": COLORS["ink"]}},
                hover=f"{name}, %{{x}}: ",
                more={"legendgroup": name, "showlegend": number == 1},
            )  # fmt: skip
            lines.append(line)
        draw_panel(figure, across, lines, number=number, is_log=False, domain=domain)
    lay_out(figure, showlegend=True)
    return figure
