"""A sweep of outstanding IOs: IOPS and response time, and demand intensity.

ssdlab experimental, not the RWSW standard.
"""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    DIRECTION_COLORS,
    axis,
    decades_axis,
    lay_out,
    linear_axis,
    new_figure,
    number_text,
    scaled,
    time_text,
)
from ssdlab.model.capture import EXPERIMENTAL

if TYPE_CHECKING:
    import pandas as pd

_HEADROOM = 0.1  # of a decade, so that the last label is clear of the mode bar


def plot_oio_sweep(frame: "pd.DataFrame") -> go.Figure:
    """Draw IOPS and average response time over outstanding IOs.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.streams.replay.summarise_sweep` returns: ``oio``, ``iops``
        [1/s] and ``lat_mean_ns`` [ns].

    Returns
    -------
    plotly.graph_objects.Figure
        IOPS on the left axis, response time on a logarithmic right one.

    References
    ----------
    .. [1] ssdlab's recollection of the RWSW PTS, which is not the standard.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"oio": [1], "iops": [9e3], "lat_mean_ns": [1e5]})
    >>> plot_oio_sweep(frame).data[0].name
    'IOPS'
    """
    figure = new_figure(
        "IOPS and average response time vs OIO", subtitle=EXPERIMENTAL, height=460
    )
    places = frame["oio"].tolist()
    times = scaled(frame["lat_mean_ns"], "lat_mean_ns")
    figure.add_scatter(
        x=places,
        y=scaled(frame["iops"], "iops"),
        name="IOPS",
        mode="lines+markers",
        line={"color": DIRECTION_COLORS["read"], "width": 2},
        marker={"size": 7},
        hovertemplate="OIO %{x}: %{y:,.0f} IOPS<extra></extra>",
    )
    figure.add_scatter(
        x=places,
        y=times,
        name="Average response time [ms] (right axis)",
        yaxis="y2",
        mode="lines+markers",
        line={"color": COLORS["maximum_latency"], "width": 1.8, "dash": "dot"},
        marker={"size": 7, "symbol": "diamond"},
        hovertemplate="OIO %{x}: %{y:,.4~g} ms<extra></extra>",
    )
    right = decades_axis("Average response time [ms]", times)
    right["range"] = [right["range"][0], right["range"][1] + _HEADROOM]
    lay_out(
        figure,
        xaxis=axis(
            "Outstanding IOs, all threads (OIO)",
            type="log",
            tickvals=places,
            ticktext=[f"{place:,}" for place in places],
        ),
        yaxis=linear_axis("IOPS"),
        yaxis2=right | {"overlaying": "y", "side": "right", "showgrid": False},
        margin_r=70,
        showlegend=True,
    )
    return figure


def plot_oio_intensity(frame: "pd.DataFrame") -> go.Figure:
    """Draw average response time over IOPS, a point an OIO, with the knee.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.streams.replay.summarise_sweep` returns: ``oio``, ``iops``
        [1/s], ``lat_mean_ns`` [ns] and ``is_knee``.

    Returns
    -------
    plotly.graph_objects.Figure
        One line in the order of OIO, like demand intensity of DIRTH.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"oio": [1], "iops": [9e3], "lat_mean_ns": [1e5]})
    >>> plot_oio_intensity(frame.assign(is_knee=False)).data[0].text
    ('OIO 1',)
    """
    figure = new_figure("Demand intensity", subtitle=EXPERIMENTAL, height=460)
    times = scaled(frame["lat_mean_ns"], "lat_mean_ns")
    figure.add_scatter(
        x=scaled(frame["iops"], "iops"),
        y=times,
        text=[f"OIO {oio:,}" for oio in frame["oio"]],
        name="OIO 1 to 1,024",
        mode="lines+markers",
        line={"color": DIRECTION_COLORS["read"], "width": 1.8},
        marker={"size": 8},
        hovertemplate="%{text}: %{x:,.0f} IOPS, %{y:,.4~g} ms<extra></extra>",
    )
    for row in frame[frame["is_knee"]].itertuples():
        rate, time_ns = float(str(row.iops)), float(str(row.lat_mean_ns))
        words = f"{number_text(rate)} IOPS, {time_text(time_ns)}"
        figure.add_scatter(
            x=[rate],
            y=scaled([time_ns], "lat_mean_ns"),
            name=f"Knee: OIO {row.oio}, {words}",
            mode="markers",
            marker={
                "symbol": "star",
                "size": 15,
                "color": COLORS["fit"],
                "line": {"color": "white", "width": 1},
            },
            hovertemplate=f"Knee: OIO {row.oio}, {words}<extra></extra>",
        )
    lay_out(
        figure,
        xaxis=linear_axis("IOPS"),
        yaxis=decades_axis("Average response time [ms]", times),
        showlegend=True,
    )
    return figure
