"""Write saturation: the fall from fresh-out-of-box to steady state."""

from typing import TYPE_CHECKING, Literal

import plotly.graph_objects as go

from ssdlab.plots.labels import (
    COLORS,
    DIRECTION_COLORS,
    new_figure,
)
from ssdlab.plots.lines import Across, Line, add_points, draw_lines, shade
from ssdlab.text.quantities import scaled

if TYPE_CHECKING:
    import pandas as pd

Progress = Literal["time_s", "total_written_bytes", "drive_fills"]
Scale = Literal["linear", "log"]

_NAMES = {"time_s": "time", "total_written_bytes": "TGBW", "drive_fills": "drive fills"}
_IOPS = (
    ("iops", "total", "Reads and writes"),
    ("read_iops", "read", "Reads"),
    ("write_iops", "write", "Writes"),
)
_LATENCIES = (
    ("lat_mean_ns", "average_latency", "Average"),
    ("lat_five_nines_ns", "five_nines_latency", "99.999 %"),
    ("lat_max_ns", "maximum_latency", "Maximum"),
)


def plot_saturation(
    frame: "pd.DataFrame",
    *,
    x: Progress = "time_s",
    iops_scale: Scale = "linear",
    stimulus: str = "",
    window: tuple[int, int] | None = None,
    is_fresh: bool = False,
) -> go.Figure:
    """Draw IOPS of a write saturation test over time or over what was written.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a round: ``iops`` [1/s] and the column named by `x`; of a mix
        ``read_iops`` and ``write_iops`` [1/s] too.
    x : {"time_s", "total_written_bytes", "drive_fills"}, default "time_s"
        Time since the first write [s], which is drawn in minutes if it is long, total
        bytes written [B], or those by user capacity.
    iops_scale : {"linear", "log"}, default "linear"
        Scale of the IOPS axis; PTS-E 1.1 asks for both.
    stimulus : str, default ""
        What was run, for the title: ``RND 8 KiB 65/35 T4/Q32``.
    window : tuple of int, optional
        First and last round of the steady window, which is shaded; needs ``round``.
    is_fresh : bool, default False
        Whether the drive was fresh out of the box (FOB) in the first round, which is
        then marked.

    Returns
    -------
    plotly.graph_objects.Figure
        One line, one point a round; of a mix one line more for reads and for writes.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 10.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"time_s": [60.0, 120.0], "iops": [9.0e4, 2.0e4]})
    >>> plot_saturation(frame).data[0].x
    (60.0, 120.0)
    """
    scale_name = ", log IOPS" if iops_scale == "log" else ""
    figure = new_figure(f"{_title(stimulus)}: IOPS vs {_NAMES[x]}{scale_name}")
    rates = [rate for rate in _IOPS if rate[0] in frame]
    if len(rates) == 1:
        rates = [("iops", "write", "IOPS")]
    lines = [
        Line(
            rows=[frame], column=column, of="iops", name=name,
            color=DIRECTION_COLORS[direction], width=1.5, size=4,
        )
        for column, direction, name in rates
    ]  # fmt: skip
    across = Across.time(frame) if x == "time_s" else Across.of(x)
    draw_lines(figure, across, lines, is_log=iops_scale == "log")
    if is_fresh:
        mark_fresh(figure, across, frame)
    if window:
        shade_window(figure, across, frame[frame["round"].between(*window)])
    return figure


def mark_fresh(figure: go.Figure, across: Across, frame: "pd.DataFrame") -> None:
    """Mark the first round, that of a fresh drive (FOB)."""
    first = frame.iloc[:1]
    add_points(
        figure, across.places(first), scaled(first["iops"], "iops"), name="FOB",
        text=f"FOB, {across.hover}: %{{y:,.4~g}} IOPS",
        marker={"color": COLORS["measured"], "size": 11, "symbol": "diamond-open"},
    )  # fmt: skip


def shade_window(figure: go.Figure, across: Across, rounds: "pd.DataFrame") -> None:
    """Shade the rounds of the steady window of a write saturation, if there are any."""
    if rounds.empty:
        return
    places = across.places(rounds)
    shade(figure, places[0], places[-1])
    figure.add_annotation(
        text="steady window", showarrow=False, x=places[-1], y=1, xref="x",
        yref="y domain", xanchor="right", yanchor="top",
    )  # fmt: skip


def _title(stimulus: str) -> str:
    return ", ".join(filter(None, ["Write saturation", stimulus]))


def plot_saturation_latency(
    frame: "pd.DataFrame", *, x: Progress = "drive_fills", stimulus: str = ""
) -> go.Figure:
    """Draw response times, and IOPS on a second axis, of a write saturation test.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a round: ``iops`` [1/s], ``lat_mean_ns``, ``lat_five_nines_ns``,
        ``lat_max_ns`` [ns] and the column named by `x`. A response time without a
        column is left out, and a 99.999 % where ``is_five_nines_supported`` is false.
    x : {"time_s", "total_written_bytes", "drive_fills"}, default "drive_fills"
        What the horizontal axis shows.
    stimulus : str, default ""
        What was run, for the title.

    Returns
    -------
    plotly.graph_objects.Figure
        Average, 99.999 % and maximum response time on a logarithmic axis [ms]; IOPS
        on the second axis.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 10.

    Examples
    --------
    >>> import pandas as pd
    >>> fall = {"drive_fills": [0.1, 0.2], "iops": [9.0e4, 2.0e4]}
    >>> frame = pd.DataFrame(fall | {"lat_mean_ns": [1.0e6, 5.0e6]})
    >>> [line.name for line in plot_saturation_latency(frame).data]
    ['Average [ms]', 'IOPS (right axis)']
    """
    shown, left_out = _without_unsupported(frame)
    rounds = f"for {left_out} of {len(frame)} rounds: too few IOs"
    figure = new_figure(
        f"{_title(stimulus)}: response times and IOPS vs {_NAMES[x]}",
        subtitle=f"99.999 % not drawn {rounds}" if left_out else "",
        height=460,
    )
    times = [
        Line(
            rows=[shown], column=column, name=f"{name} [ms]", hover=f"{name}: ",
            color=COLORS[color], size=3 if shown[column].isna().any() else 0,
        )
        for column, color, name in _LATENCIES
        if column in shown and shown[column].notna().any()
    ]  # fmt: skip
    rate = Line(
        rows=[frame], column="iops", name="IOPS (right axis)", hover="",
        color=COLORS["average"], width=1.2, dash="dot",
    )  # fmt: skip
    titles = ("Response time [ms]", "")
    draw_lines(
        figure, Across.of(x), times, right=[rate], titles=titles, hovermode="x unified"
    )
    return figure


def _without_unsupported(frame: "pd.DataFrame") -> tuple["pd.DataFrame", int]:
    """Leave 99.999 % out where too few IOs stand behind it, and count those rounds."""
    column, mark = "lat_five_nines_ns", "is_five_nines_supported"
    if column not in frame or mark not in frame:
        return frame, 0
    is_weak = ~frame[mark].astype("boolean").fillna(value=True).astype(bool)
    values = frame[column].astype("Float64").astype(float)
    left_out = int((is_weak & values.notna()).sum())
    return frame.assign(**{column: values.mask(is_weak)}), left_out
