"""IO streams over time, their replay, and a sweep of outstanding IOs.

ssdlab experimental, not the RWSW standard.
"""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.model.capture import EXPERIMENTAL
from ssdlab.plots.labels import COLORS, DIRECTION_COLORS, axis, lay_out, new_figure
from ssdlab.plots.lines import Across, Line, add_points, draw_lines
from ssdlab.plots.names import figure_text
from ssdlab.text.numbers import number_text, time_text
from ssdlab.text.quantities import QUANTITIES, scaled

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito (2008) with yellow darkened; what is not named is grey.
_STREAM_COLORS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#9A8B00", "#222222"),
)
_REST_COLOR = "#C4CBD3"
_LEAST_LABELLED_PERCENT = 6.0
_NATIVE = "#8C8C8C"
_TOLERANCE_S = 1e-6
_ART = "Average response time [ms]"


def plot_stream_map(frame: "pd.DataFrame", *, duration_s: float) -> go.Figure:
    """Draw the share of each stream in each step of a capture: the IO stream map.

    Stacked bars as wide as their steps, the stream with the most IOs at the
    bottom and named where the last step has room; an idle step is a gap.

    References
    ----------
    .. [1] ssdlab's recollection of the RWSW PTS, which is not the standard.

    >>> import pandas as pd
    >>> step = {"step": [1], "start_s": [0.0], "duration_s": [60.0], "ios": [5]}
    >>> frame = pd.DataFrame(step | {"stream": ["RND 4 KiB read"], "rank": [1]})
    >>> plot_stream_map(frame.assign(share_percent=100.0), duration_s=60).data[0].name
    'RND 4 KiB read'
    """
    figure = new_figure("IO stream map", subtitle=EXPERIMENTAL, height=460)
    unit, divisor = ("min", 60.0) if duration_s < 3 * 3600 else ("h", 3600.0)
    if duration_s < 180:
        unit, divisor = "s", 1.0
    for rank, rows in frame.groupby("rank"):
        place = int(str(rank)) - 1
        color = (*_STREAM_COLORS, _REST_COLOR)[min(place, len(_STREAM_COLORS))]
        name = figure_text(str(rows["stream"].iloc[0]))
        widths = rows["duration_s"] / divisor
        figure.add_bar(
            x=(rows["start_s"] / divisor + widths / 2).tolist(),
            y=rows["share_percent"].tolist(),
            width=widths.tolist(),
            customdata=rows[["step", "ios"]].to_numpy().tolist(),
            name=name,
            marker={"color": color, "line": {"width": 0}},
            hovertemplate="step %{customdata[0]}: %{fullData.name}, %{y:.2f} % of IOs "
            "(%{customdata[1]:,})<extra></extra>",
        )
    _name_last_step(figure, frame)
    lay_out(
        figure,
        barmode="stack",
        bargap=0,
        margin={"r": 150},
        xaxis=axis(f"Time since the start [{unit}]", range=[0, duration_s / divisor]),
        yaxis=axis("Share of IOs [%]", range=[0, 100]),
    )
    return figure


def _name_last_step(figure: go.Figure, frame: "pd.DataFrame") -> None:
    """Write the names of the streams next to their part of the last step."""
    last = frame[frame["step"] == frame["step"].max()].sort_values("rank")
    below = 0.0
    for row in last.itertuples():
        share = float(str(row.share_percent))
        if share >= _LEAST_LABELLED_PERCENT:
            figure.add_annotation(
                x=1.01,
                xref="paper",
                xanchor="left",
                y=below + share / 2,
                text=figure_text(str(row.stream)),
                showarrow=False,
                font={"size": 12},
            )
        below += share


def plot_replay(
    frame: "pd.DataFrame", *, metric: str = "iops", native: str = "native_iops"
) -> go.Figure:
    """Draw a value of each replayed step next to that of the capture.

    One line of the replay, and a dotted one of the capture, of the streams that
    were applied. Steps that do not follow one another at once, since an idle one
    is between them, are not joined.

    References
    ----------
    .. [1] ssdlab's recollection of the RWSW PTS, which is not the standard.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"step": [1], "start_s": [0.0], "duration_s": [60.0]})
    >>> frame = frame.assign(iops=90.0, native_iops=30.0)
    >>> [line.name for line in plot_replay(frame).data]
    ['Replay', 'Capture, applied streams']
    """
    quantity = QUANTITIES[metric]
    figure = new_figure(f"Replay: {quantity.name} of each step", subtitle=EXPERIMENTAL)
    lines = [("Replay", metric, DIRECTION_COLORS["read"], "solid")]
    lines += [("Capture, applied streams", native, _NATIVE, "dot")] if native else []
    gaps = _places_after_gaps(frame)
    ends = [*gaps, len(frame)]
    parts = [frame.iloc[a:b] for a, b in zip([0, *gaps], ends, strict=True)]
    drawn = [
        Line(
            rows=parts, column=column, of=metric, name=name, color=color, dash=dash,
            size=6, hover=f"{name}, step %{{x}}: ",
        )
        for name, column, color, dash in lines
    ]  # fmt: skip
    positive = [value for line in drawn for value in line.values() if value]
    is_wide = bool(positive) and max(positive) > 20 * min(positive)
    steps = axis("Step of the capture", tickformat="d")
    across = Across(column="step", axis=steps, hover="step %{x}")
    draw_lines(figure, across, drawn, is_log=is_wide, showlegend=True)
    return figure


def _places_after_gaps(frame: "pd.DataFrame") -> list[int]:
    """Return the places of steps that do not begin where the one before has ended."""
    steps = frame["step"].tolist()
    starts = frame["start_s"].tolist()
    ends = (frame["start_s"] + frame["duration_s"]).tolist()
    return [
        at
        for at in range(1, len(steps))
        if steps[at] > steps[at - 1] + 1 or starts[at] > ends[at - 1] + _TOLERANCE_S
    ]


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
        margin={"r": 70}, showlegend=True,
    )  # fmt: skip
    return figure


def plot_oio_intensity(frame: "pd.DataFrame") -> go.Figure:
    """Draw average response time over IOPS, one point per OIO, with the knee.

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
        name = f"Knee: OIO {row.oio}, {words}"
        edge = {"color": "white", "width": 1}
        add_points(
            figure, [rate], scaled([time_ns], "lat_mean_ns"), text=name, name=name,
            marker={"symbol": "star", "size": 15, "color": COLORS["fit"], "line": edge},
        )  # fmt: skip
    return figure
