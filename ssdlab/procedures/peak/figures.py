"""Rates and latencies of single jobs, side by side on logarithmic axes."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.model.units import block_size_label
from ssdlab.plots.axes import named_axis
from ssdlab.plots.labels import COLORS, DIRECTION_COLORS, lay_out, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines, draw_panel
from ssdlab.plots.names import figure_text
from ssdlab.text.quantities import Quantity

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 440
_LONGEST_NAME = 60
_PLACE = Quantity(name="Job", unit="", divisor=1.0)
_ASIDE = 0.14  # of the distance between two jobs, so that no mark hides another
_PANELS = (("iops", [0.0, 0.43]), ("bw_bytes_per_s", [0.57, 1.0]))
_LEVELS = (
    ("lat_mean_ns", "mean", COLORS["average_latency"], "circle"),
    ("lat_two_nines_ns", "99 %", COLORS["ink"], "diamond"),
    ("lat_four_nines_ns", "99.99 %", COLORS["five_nines_latency"], "triangle-up"),
    ("lat_max_ns", "maximum", COLORS["maximum_latency"], "star"),
)


def plot_peak_rates(
    frame: "pd.DataFrame", *, title: str = "IOPS and throughput by job"
) -> go.Figure:
    """Draw IOPS at the left and throughput at the right, one dot per job.

    Both axes are logarithmic, so marks stand for values and no bars begin at 0.

    >>> import pandas as pd
    >>> job = {"job": ["01"], "access": ["rnd"], "block_size_bytes": [4096]}
    >>> job |= {"read_percent": [0], "threads": [1], "queue_depth": [1]}
    >>> figure = plot_peak_rates(pd.DataFrame(job).assign(iops=5e4, bw_bytes_per_s=2e8))
    >>> figure.data[0].x[0], figure.data[0].y[0], figure.data[1].y[0]
    (0, 50000.0, 200.0)
    """
    figure = new_figure(title, subtitle="MB/s are decimal", height=_HEIGHT)
    placed = frame.assign(place=range(len(frame)))
    is_read = placed["read_percent"] > 0
    sides = (("write", "square", placed[~is_read]), ("read", "circle", placed[is_read]))
    jobs = named_axis("Job", list(frame["job"]), pad=0.5)
    across = Across(column="place", axis=jobs, hover="")
    for number, (metric, domain) in enumerate(_PANELS, start=1):
        lines = [
            Line(
                rows=[rows], column=metric, name=name, width=0, size=12, symbol=symbol,
                color=DIRECTION_COLORS[name], hover="%{text}<br>", text=_names(rows),
                more={
                    "legendgroup": name, "showlegend": number == 1, "cliponaxis": False,
                },
            )
            for name, symbol, rows in sides
            if len(rows)
        ]  # fmt: skip
        draw_panel(figure, across, lines, number=number, is_log=True, domain=domain)
    lay_out(figure, showlegend=True)
    return figure


def plot_peak_latencies(
    frame: "pd.DataFrame", *, title: str = "Latency by job"
) -> go.Figure:
    """Draw mean, 99 %, 99.99 % and maximum of the latency of each job.

    One colour and marker per percentile; hollow where there are too few IOs.

    >>> import pandas as pd
    >>> job = {"job": ["01"], "access": ["rnd"], "block_size_bytes": [4096]}
    >>> job |= {"read_percent": [0], "threads": [1], "queue_depth": [1]}
    >>> job |= {"lat_mean_ns": [2e4], "lat_two_nines_ns": [5e4], "lat_max_ns": [1e6]}
    >>> job |= {"is_two_nines_supported": [True], "is_four_nines_supported": [False]}
    >>> figure = plot_peak_latencies(pd.DataFrame(job).assign(lat_four_nines_ns=9e4))
    >>> [(line.name, line.y[0], line.marker.symbol[0]) for line in figure.data[1:3]]
    [('99 %', 0.05, 'diamond'), ('99.99 %', 0.09, 'triangle-up-open')]
    """
    figure = new_figure(
        title,
        subtitle="hollow marker: too few IOs for this percentile",
        height=_HEIGHT,
    )
    jobs = named_axis("Job", list(frame["job"]), pad=0.5, showgrid=False)
    across = Across(column="place", axis=jobs, hover="", quantity=_PLACE)
    lines = []
    for level, (column, name, color, symbol) in enumerate(_LEVELS):
        places = [at + _ASIDE * (level - 1.5) for at in range(len(frame))]
        line = Line(
            rows=[frame.assign(place=places)], column=column, of="lat_ns", name=name,
            color=color, width=0, size=10, symbol=_symbols(frame, column, symbol),
            hover=f"%{{text}}<br>{name} ", text=_names(frame),
            marker={"line": {"color": color, "width": 2}}, more={"cliponaxis": False},
        )  # fmt: skip
        lines.append(line)
    draw_lines(figure, across, lines, showlegend=True)
    return figure


def _names(rows: "pd.DataFrame") -> list[str]:
    """Return what each job is, such as ``job 02, write RND 4 KiB, T4/Q128``."""
    texts = []
    for row in rows.itertuples():
        direction = "read" if row.read_percent else "write"
        size = block_size_label(int(str(row.block_size_bytes)))
        stimulus = f"{direction} {str(row.access).upper()} {size}"
        texts.append(f"job {row.job}, {stimulus}, T{row.threads}/Q{row.queue_depth}")
    return [figure_text(text, longest=_LONGEST_NAME) for text in texts]


def _symbols(frame: "pd.DataFrame", column: str, symbol: str) -> list[str]:
    known = column.replace("lat_", "is_").replace("_ns", "_supported")
    if known not in frame:
        return [symbol] * len(frame)
    supported = frame[known].fillna(value=False).astype(bool)
    return [symbol if is_it else f"{symbol}-open" for is_it in supported]
