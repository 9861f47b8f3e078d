"""Response time histogram with confidence levels."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.plots.axes import name_times
from ssdlab.plots.labels import COLORS, axis, decades_axis, lay_out, new_figure
from ssdlab.plots.lines import add_points
from ssdlab.text.numbers import number_text, time_text
from ssdlab.text.quantities import scaled

if TYPE_CHECKING:
    import pandas as pd

_MARKS = {
    "average": ("circle", "#000000"),
    "99 %": ("triangle-up", "#009E73"),
    "99.9 %": ("square", "#0072B2"),
    "99.99 %": ("diamond", "#7A5195"),
    "99.999 %": ("star", "#D55E00"),
    "99.9999 %": ("pentagon", "#CC79A7"),
    "max": ("x", COLORS["fit"]),
}
_BELOW_ONE = -0.2  # log10: a bin with one IO must be visible on the logarithmic axis
_OTHER_MARK = ("hexagon", "#607D8B")


def plot_confidence(
    frame: "pd.DataFrame",
    markers: "pd.DataFrame",
    measurement: "Mapping[str, Any] | pd.Series[Any]",
    *,
    title: str = "Response time histogram and confidence levels",
) -> go.Figure:
    """Draw a response time histogram with its confidence levels.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per bin, ascending, as in `ssdlab.analysis.summarise_curve`:
        ``lat_lower_ns``, ``lat_upper_ns`` [ns], ``count``, ``confidence_percent``.
    markers : pandas.DataFrame
        One row per marker, as in `ssdlab.analysis.summarise_qos`:
        ``marker``, ``lat_ns`` [ns], ``confidence_percent``, ``is_supported``.
    measurement : mapping or pandas.Series
        The row of the table ``measurements`` that the bins belong to: ``iops``,
        ``bw_bytes_per_s``, ``lat_mean_ns``, ``lat_max_ns``, ``total_ios``.
    title : str, default "Response time histogram and confidence levels"
        Title of the figure; IOPS, MB/s and maximum response time follow it.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars, one per bin; the cumulative curve on the second axis; markers at average,
        99, 99.9, 99.99, 99.999 % and maximum. The name of a level that the number of
        IOs does not support says so.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 9 and 10.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = {"lat_lower_ns": [1000], "lat_upper_ns": [1016], "count": [7]}
    >>> bins = pd.DataFrame(bins | {"confidence_percent": [100.0]})
    >>> marker = {"marker": ["max"], "lat_ns": [1010.0], "is_supported": [True]}
    >>> markers = pd.DataFrame(marker | {"confidence_percent": [100.0]})
    >>> step = {"iops": 7.0, "bw_bytes_per_s": 28672.0, "lat_max_ns": 1010.0}
    >>> figure = plot_confidence(bins, markers, step | {"total_ios": 7})
    >>> figure.data[2].name
    'max: 1.010 μs'
    """
    rate = number_text(float(measurement["bw_bytes_per_s"]) / 1e6)
    longest = time_text(float(measurement["lat_max_ns"]))
    rates = f"{number_text(float(measurement['iops']))} IOPS, {rate} MB/s"
    figure = new_figure(title, subtitle=f"{rates}, max {longest}", height=580)
    lower = scaled(frame["lat_lower_ns"], "lat_ns")
    upper = scaled(frame["lat_upper_ns"], "lat_ns")
    counts = [int(count) for count in frame["count"]]
    edges = [(a, b) for a, b in zip(lower, upper, strict=True) if a and b]
    figure.add_bar(
        x=[(a + b) / 2 for a, b in edges],
        width=[b - a for a, b in edges],
        y=counts[len(counts) - len(edges) :],
        name="IO count",
        marker={"color": "#8fb8d8", "line": {"width": 0}},
        hovertemplate="%{x:.4~g} ms: %{y:,} IOs<extra></extra>",
    )
    figure.add_scatter(
        x=upper,
        y=[float(share) for share in frame["confidence_percent"]],
        name="Confidence level",
        yaxis="y2",
        mode="lines",
        line={"color": COLORS["confidence"], "width": 2, "shape": "hv"},
        hovertemplate="%{y:.5~f} % within %{x:.4~g} ms<extra></extra>",
    )
    _add_markers(figure, markers, int(measurement["total_ios"]))
    cumulative = {"overlaying": "y", "side": "right", "tickmode": "auto"}
    tops = [1.0, *(float(count) for count in counts)]
    ends = [_BELOW_ONE, math.ceil(math.log10(max(counts, default=10) + 1))]
    lay_out(
        figure,
        xaxis=name_times(decades_axis("Response time [ms]", [*lower, *upper])),
        yaxis=decades_axis("IO count", tops) | {"range": ends},
        yaxis2=axis("Cumulative [%]", range=[0, 103], showgrid=False, **cumulative),
        barmode="overlay",
        bargap=0,
    )
    return figure


def _add_markers(figure: go.Figure, markers: "pd.DataFrame", total_ios: int) -> None:
    for marker, lat_ns, percent, supported in zip(
        markers["marker"].astype(str),
        markers["lat_ns"].astype(float),
        markers["confidence_percent"].astype(float),
        markers["is_supported"].astype(bool),
        strict=True,
    ):
        weak = f"not supported by {total_ios:,} IOs"
        words = time_text(lat_ns) if supported else weak
        symbol, color = _MARKS.get(marker, _OTHER_MARK)
        name = f"{marker}: {words}"
        edge = {"color": "white" if supported else color, "width": 1}
        add_points(
            figure, scaled([lat_ns], "lat_ns"), [percent], text=name, name=name,
            yaxis="y2",
            marker={
                "symbol": symbol if supported else f"{symbol}-open",
                "color": color, "size": 11, "line": edge,
            },
        )  # fmt: skip
