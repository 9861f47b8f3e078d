"""A sweep of outstanding IOs: IOPS and response time, and demand intensity.

ssdlab experimental, not the RWSW standard.
"""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    DIRECTION_COLORS,
    axis,
    new_figure,
    number_text,
    scaled,
    time_text,
)
from ssdlab.figures.lines import Across, Line, draw_lines
from ssdlab.model.capture import EXPERIMENTAL

if TYPE_CHECKING:
    import pandas as pd

_ART = "Average response time [ms]"


def plot_oio_sweep(frame: "pd.DataFrame") -> go.Figure:
    """Draw IOPS and average response time over outstanding IOs.

    IOPS on the left axis, response time on a logarithmic right one.

    References
    ----------
    .. [1] ssdlab's recollection of the RWSW PTS, which is not the standard.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"oio": [1], "iops": [9e3], "lat_mean_ns": [1e5]})
    >>> plot_oio_sweep(frame).data[0].name
    'IOPS'
    """
    figure = new_figure(
        "IOPS and average response time vs OIO", subtitle=EXPERIMENTAL, height=460
    )
    places = frame["oio"].tolist()
    across = Across(
        column="oio",
        axis=axis(
            "Outstanding IOs, all threads (OIO)", type="log", tickvals=places,
            ticktext=[f"{place:,}" for place in places],
        ),
        hover="OIO %{x}",
    )  # fmt: skip
    rate = Line(
        rows=[frame], column="iops", name="IOPS", color=DIRECTION_COLORS["read"],
        width=2, size=7,
    )  # fmt: skip
    time = Line(
        rows=[frame], column="lat_mean_ns", name=f"{_ART} (right axis)", dash="dot",
        color=COLORS["maximum_latency"], size=7, symbol="diamond",
    )  # fmt: skip
    draw_lines(
        figure, across, [rate], right=[time], titles=("", _ART),
        margin_r=70, showlegend=True,
    )  # fmt: skip
    return figure


def plot_oio_intensity(frame: "pd.DataFrame") -> go.Figure:
    """Draw average response time over IOPS, a point an OIO, with the knee.

    One line in the order of OIO, like demand intensity of DIRTH.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"oio": [1], "iops": [9e3], "lat_mean_ns": [1e5]})
    >>> plot_oio_intensity(frame.assign(is_knee=False)).data[0].text
    ('OIO 1',)
    """
    figure = new_figure("Demand intensity", subtitle=EXPERIMENTAL, height=460)
    across = Across.of("iops")
    line = Line(
        rows=[frame], column="lat_mean_ns", name="OIO 1 to 1,024", size=8,
        color=DIRECTION_COLORS["read"], hover="%{text}: %{x:,.0f} IOPS, ",
        text=[f"OIO {oio:,}" for oio in frame["oio"]],
    )  # fmt: skip
    draw_lines(figure, across, [line], titles=(_ART, ""), showlegend=True)
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
    return figure
