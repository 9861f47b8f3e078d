"""Response times round by round and over time: percentile bands and a map."""

from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    axis,
    decades_axis,
    linear_axis,
    new_figure,
    round_axis,
    scaled,
)

if TYPE_CHECKING:
    import pandas as pd

# From the middle outwards; lightness tells them apart as well.
_BANDS = ("#0B3C78", "#2B7BBA", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#7A5195")
_MANY = 60  # points of a line beyond which markers only hide it
_LEAST_SHARE = 1e-3  # percent: paler than this is not told apart
_SCALE = [
    [0.0, "#f2f6fa"],
    [0.25, "#b7d4ea"],
    [0.5, "#56B4E9"],
    [0.75, "#0B3C78"],
    [1.0, "#1b1030"],
]

Place = Literal["round", "minutes"]


def plot_percentile_rounds(
    frame: "pd.DataFrame",
    *,
    x: Place = "round",
    title: str = "Percentiles of each round",
) -> go.Figure:
    """Draw the percentiles of each round by itself, over rounds or over time.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.summarise_percentile_rounds` returns.
    x : {"round", "minutes"}, default "round"
        Round, or minutes under IO up to its end [min].
    title : str, default "Percentiles of each round"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A line a level, the ground between the lowest and the highest that all rounds
        support shaded, and the maximum. Dotted where a round's IOs are too few.

    Examples
    --------
    >>> import pandas as pd
    >>> rounds = {"round": [1, 2], "minutes": [1.0, 2.0], "marker": "50 %"}
    >>> rounds |= {"percentile": 50.0, "lat_ns": [1e6, 2e6], "lat_max_ns": [3e6, 4e6]}
    >>> frame = pd.DataFrame(rounds | {"total_ios": 90, "is_supported": True})
    >>> [line.name for line in plot_percentile_rounds(frame).data]
    ['50 %', 'Maximum']
    """
    figure = new_figure(title, height=460)
    levels = list(dict.fromkeys(frame["percentile"]))
    drawn: list[float | None] = []
    is_filled = False
    for place, level in enumerate(levels):
        rows = frame[frame["percentile"] == level]
        is_sound = bool(rows["is_supported"].astype(bool).all())
        drawn += scaled(rows["lat_ns"], "lat_ns")
        least = int(rows["total_ios"].min())
        words = "" if is_sound else f" (not supported by a round of {least:,} IOs)"
        style = {
            "color": _BANDS[place % len(_BANDS)],
            "name": f"{rows['marker'].iloc[0]}{words}",
        }
        fill = {"fill": "tonexty", "fillcolor": "rgba(86,180,233,0.14)"}
        more: dict[str, Any] = fill if is_filled and is_sound else {}
        _add_line(
            figure,
            (rows[x], rows["lat_ns"], rows["total_ios"]),
            style | {"dash": "solid" if is_sound else "dot"},
            **more,
        )
        is_filled = is_filled or is_sound
    first = frame[frame["percentile"] == levels[0]]
    drawn += scaled(first["lat_max_ns"], "lat_ns")
    style = {"color": COLORS["range_limit"], "name": "Maximum", "dash": "dash"}
    _add_line(figure, (first[x], first["lat_max_ns"], first["total_ios"]), style)
    rounds = [int(number) for number in first["round"]]
    figure.update_layout(
        xaxis=round_axis(rounds)
        if x == "round"
        else linear_axis("Time under IO [min]"),
        yaxis=decades_axis("Response time [ms]", drawn),
        showlegend=True,
    )
    return figure


def _add_line(
    figure: go.Figure,
    columns: "tuple[pd.Series[Any], pd.Series[Any], pd.Series[Any]]",
    style: dict[str, str],
    **more: Any,
) -> None:
    places, values, counts = columns
    is_long = len(places) > _MANY
    figure.add_scatter(
        x=[float(place) for place in places],
        y=scaled(values, "lat_ns"),
        name=style["name"],
        mode="lines" if is_long else "lines+markers",
        line={"color": style["color"], "width": 1.6, "dash": style["dash"]},
        marker={"size": 5},
        customdata=[int(count) for count in counts],
        hovertemplate=f"{style['name']}<br>%{{x:.4~g}}: %{{y:,.4~g}} ms"
        "<br>n = %{customdata:,}<extra></extra>",
        **more,
    )


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
        figure.add_annotation(
            text="Nothing was kept that tells response times over time.",
            showarrow=False,
            x=0.5,
            y=0.5,
            xref="paper",
            yref="paper",
        )
        figure.update_layout(xaxis={"visible": False}, yaxis={"visible": False})
        return figure
    return _filled_map(figure, frame)


def _filled_map(figure: go.Figure, frame: "pd.DataFrame") -> go.Figure:
    import numpy as np  # noqa: PLC0415 - only the map is a matrix

    is_round = str(frame["unit"].iloc[0]) == "round"
    spans = frame[["start", "end"]].drop_duplicates().sort_values("start")
    starts, ends = spans["start"].to_numpy(float), spans["end"].to_numpy(float)
    octaves = np.log2(frame["lat_lower_ns"].to_numpy(float))
    step = float(np.log2(frame["lat_upper_ns"].iloc[0]) - octaves[0])
    rows = np.round((octaves - octaves.min()) / step).astype(int)
    columns = np.searchsorted(starts, frame["start"].to_numpy(float))
    shares = np.full((rows.max() + 1, starts.size), np.nan)
    counts = np.zeros(shares.shape)
    shares[rows, columns] = np.log10(
        np.maximum(frame["share_percent"].to_numpy(float), _LEAST_SHARE)
    )
    counts[rows, columns] = frame["count"].to_numpy(float)
    edges = 2.0 ** (octaves.min() + step * np.arange(rows.max() + 2)) / 1e6
    ticks = [2, 1, 0, -1, -2, -3]
    figure.add_heatmap(
        x=[*starts, ends[-1]],
        y=edges.tolist(),
        z=shares.tolist(),
        customdata=counts,
        colorscale=_SCALE,
        zmin=-3,
        zmax=2,
        colorbar={
            "title": {"text": "Share of IOs", "side": "right"},
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
        round_axis([round(starts[0] + 0.5), round(ends[-1] - 0.5)])
        if is_round
        else axis("Time [s]", range=[float(starts[0]), float(ends[-1])])
    )
    figure.update_layout(
        xaxis=place, yaxis=decades_axis("Response time [ms]", edges.tolist())
    )
    return figure
