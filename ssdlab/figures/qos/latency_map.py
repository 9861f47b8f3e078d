"""Response times over time, as a map of where the IOs were."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.figures.labels import axis, decades_axis, lay_out, new_figure, round_axis
from ssdlab.figures.lines import say

if TYPE_CHECKING:
    import pandas as pd

_DECIMALS = 9  # of times: columns that touch must have one edge
_LEAST_SHARE = 1e-3  # percent: paler than this is not told apart
_SCALE = [
    [0.0, "#f2f6fa"],
    [0.25, "#b7d4ea"],
    [0.5, "#56B4E9"],
    [0.75, "#0B3C78"],
    [1.0, "#1b1030"],
]


def plot_latency_map(
    frame: "pd.DataFrame", *, title: str = "Response times over time"
) -> go.Figure:
    """Draw how the IOs of each moment spread over latencies.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.summarise_latency_map` returns.
    title : str, default "Response times over time"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A map: time or round across, response time up, and the share of IOs of its
        column as colour, both logarithmic. Without rows a sentence instead.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = {"start": [0.5], "end": [1.5], "unit": "round", "lat_lower_ns": [1e6]}
    >>> cells |= {"lat_upper_ns": [1.1e6], "count": [9.0], "share_percent": [100.0]}
    >>> figure = plot_latency_map(pd.DataFrame(cells | {"origin": "rounds"}))
    >>> figure.layout.xaxis.title.text, figure.data[0].z[0]
    ('Round', [2.0])
    """
    figure = new_figure(title, height=460)
    if frame.empty:
        say(figure, "Nothing was kept that tells response times over time.")
        lay_out(figure, xaxis={"visible": False}, yaxis={"visible": False})
        return figure
    return _filled_map(figure, frame)


def _filled_map(figure: go.Figure, frame: "pd.DataFrame") -> go.Figure:
    import numpy as np  # noqa: PLC0415 - only the map is a matrix

    is_round = str(frame["unit"].iloc[0]) == "round"
    starts, ends = (
        frame[name].to_numpy(float).round(_DECIMALS) for name in ("start", "end")
    )
    moments = np.unique([starts, ends])  # between two columns may be a gap
    octaves = np.log2(frame["lat_lower_ns"].to_numpy(float))
    step = float(np.log2(frame["lat_upper_ns"].iloc[0]) - octaves[0])
    rows = np.round((octaves - octaves.min()) / step).astype(int)
    columns = np.searchsorted(moments, starts)
    shares = np.full((rows.max() + 1, moments.size - 1), np.nan)
    counts = np.zeros(shares.shape)
    shares[rows, columns] = np.log10(
        np.maximum(frame["share_percent"].to_numpy(float), _LEAST_SHARE)
    )
    counts[rows, columns] = frame["count"].to_numpy(float)
    edges = 2.0 ** (octaves.min() + step * np.arange(rows.max() + 2)) / 1e6
    ticks = [2, 1, 0, -1, -2, -3]
    figure.add_heatmap(
        x=moments.tolist(),
        y=edges.tolist(),
        z=shares.tolist(),
        customdata=counts,
        colorscale=_SCALE,
        zmin=-3,
        zmax=2,
        colorbar={
            "title": {"text": "Share of IOs", "side": "right", "font": {"size": 13}},
            "tickvals": ticks,
            "ticktext": [f"{10.0**power:g} %" for power in ticks],
            "thickness": 14,
        },
        hovertemplate=("round " if is_round else "")
        + "%{x:.4~g}"
        + ("" if is_round else " s")
        + ", %{y:.4~g} ms<br>n = %{customdata:,.0f}<extra></extra>",
    )
    place = (
        round_axis([round(moments[0] + 0.5), round(moments[-1] - 0.5)])
        if is_round
        else axis("Time [s]", range=[float(moments[0]), float(moments[-1])])
    )
    lay_out(
        figure, xaxis=place, yaxis=decades_axis("Response time [ms]", edges.tolist())
    )
    return figure
