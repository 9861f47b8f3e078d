"""The percentiles of a load: with their intervals, and of each single round."""

import math
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from ssdlab.plots.axes import named_axis, response_axis
from ssdlab.plots.labels import COLORS, new_figure
from ssdlab.plots.lines import (
    TARGET,
    Across,
    Line,
    add_points,
    add_time_mark,
    draw_lines,
    error_bars,
)
from ssdlab.stats.unseen import unseen_text
from ssdlab.text.numbers import number_text, time_text
from ssdlab.text.quantities import Quantity, scaled

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

_CLAIMED = "#0B3C78"
_ALONE = "#E69F00"
_ASIDE = 0.12  # of a place on the axis: between the two intervals of a level
# From the middle outwards; they differ in lightness, too.
_BANDS = ("#0B3C78", "#2B7BBA", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#7A5195")
_SHORT_MIN = 3  # below it an axis has seconds
_MANY = 60  # with more points, markers would hide the line

Place = Literal["round", "minutes"]


def plot_qos_levels(
    frame: "pd.DataFrame",
    *,
    rates: "Mapping[str, float] | None" = None,
    limit_ns: float | None = None,
    title: str = "Percentiles and their 95 % intervals",
) -> go.Figure:
    """Draw percentiles with the interval that is claimed and that of independent IOs.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `ssdlab.analysis.summarise_qos` returns.
    rates : mapping, optional
        ``rates`` of `ssdlab.latency_qos`, for the line below the title.
    limit_ns : float, optional
        The limit of a target [ns].
    title : str, default "Percentiles and their 95 % intervals"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One point per level on a logarithmic axis [ms]; an arrow where it has no upper
        bound; average and maximum as lines. The subtitle says what intervals between
        rounds cannot know.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"marker": "99 %", "percentile": 99.0, "lat_ns": 2e6, "low_ns": 1e6}
    >>> row |= {"high_ns": 3e6, "claimed": "independent IOs", "is_supported": True}
    >>> row |= {"independent_low_ns": 1e6, "independent_high_ns": 3e6, "note": ""}
    >>> row |= {"seen_rounds": math.nan}
    >>> figure = plot_qos_levels(pd.DataFrame([row | {"total_ios": 9}]))
    >>> figure.data[0].name, figure.data[0].y
    ('Claimed: independent IOs', (2.0,))
    """
    levels = frame[frame["percentile"].notna()].reset_index(drop=True)
    words = "; ".join(filter(None, [_rates_text(rates), _unseen_text(levels)]))
    figure = new_figure(title, subtitle=words, height=500)
    claimed = str(levels["claimed"].iloc[0])
    lines = [_intervals(levels, name=f"Claimed: {claimed}", ends=("low_ns", "high_ns"))]
    if claimed != "independent IOs":
        ends = ("independent_low_ns", "independent_high_ns")
        lines.append(_intervals(levels, name="If IOs were independent", ends=ends))
    places = named_axis(
        "Percentile [%]", [f"{level:.10g}" for level in levels["percentile"]],
        range=[-2.0, len(levels) + 0.9],  # words of the lines at both ends
        tickangle=0, showgrid=False,
    )  # fmt: skip
    across = Across(column="place", axis=places, hover="")
    is_weak = ~levels["is_supported"].astype(bool)
    weak = levels[is_weak]
    tops = [1.25 * (value or 0) for value in scaled(weak["lat_ns"], "lat_ns")]
    columns = [frame["lat_ns"], levels["low_ns"], levels["high_ns"]]
    shown = [limit_ns, *(value for own in columns for value in own)]
    drawn = [*tops, *scaled(shown, "lat_ns")]
    known = [value for value in drawn if value is not None and math.isfinite(value)]
    draw_lines(figure, across, lines, yaxis=response_axis(known), showlegend=True)
    if len(weak):
        add_points(
            figure, list(weak.index), tops,
            name="Not supported by the IOs: no upper end",
            marker={"symbol": "triangle-up-open", "size": 11, "color": _CLAIMED},
        )  # fmt: skip
    _mark_times(figure, frame, limit_ns)
    return figure


def _mark_times(
    figure: go.Figure, frame: "pd.DataFrame", limit_ns: float | None
) -> None:
    """Draw average, maximum and target, the labels of the last two away from both."""
    known = dict(zip(frame["marker"], frame["lat_ns"].astype(float), strict=True))
    greatest, limit = known.get("max", 0.0), limit_ns or math.inf
    is_within = greatest <= limit
    below = "top" if is_within and limit_ns else "bottom"
    marks = (
        ("Average", known.get("average"), "average", "bottom"),
        ("Maximum", greatest, "maximum_latency", below),
        (TARGET, limit_ns, "temperature_limit", "bottom" if is_within else "top"),
    )
    for words, value_ns, color, side in marks:
        if value_ns:
            x, at = (1, "right") if words == TARGET else (0, "left")
            add_time_mark(
                figure, value_ns, words=words, color=COLORS[color], along="y",
                x=x, xanchor=at, yanchor=side,
            )  # fmt: skip


def _rates_text(rates: "Mapping[str, float] | None") -> str:
    if rates is None:
        return ""
    return (
        f"{number_text(rates['iops'])} IOPS, "
        f"{number_text(rates['bw_bytes_per_s'] / 1e6)} MB/s, "
        f"max {time_text(rates['lat_max_ns'])}, {rates['total_ios']:,.0f} IOs"
    )


def _unseen_text(levels: "pd.DataFrame") -> str:
    rounds = float(levels["seen_rounds"].iloc[0])
    return "" if math.isnan(rounds) else unseen_text(int(rounds))


def _intervals(levels: "pd.DataFrame", *, name: str, ends: tuple[str, str]) -> Line:
    is_claim = ends[0] == "low_ns"
    color = _CLAIMED if is_claim else _ALONE
    columns = (scaled(levels[column], "lat_ns") for column in ("lat_ns", *ends))
    thickness = 2 if is_claim else 1.2
    bars = error_bars(*columns, color=color, thickness=thickness, width=5)
    supported = levels["is_supported"].astype(bool)
    return Line(
        rows=[levels.assign(place=levels.index + (0 if is_claim else _ASIDE))],
        column="lat_ns", name=name, color=color, width=0, size=9 if is_claim else 6,
        symbol=["circle" if ok else "circle-open" for ok in supported],
        text=_interval_words(levels, ends), more={"error_y": bars},
    )  # fmt: skip


def _interval_words(levels: "pd.DataFrame", ends: tuple[str, str]) -> list[str]:
    low, high = ends
    return [
        f"{row['marker']}: {time_text(float(row['lat_ns']))}<br>"
        f"{time_text(float(row[low]))} to "
        + (
            time_text(float(row[high]))
            if math.isfinite(float(row[high]))
            else "no upper end"
        )
        + f"<br>n = {int(row['total_ios']):,}"
        + (f"<br>{row['note']}" if row["note"] else "")
        for _, row in levels.iterrows()
    ]


def plot_percentile_rounds(
    frame: "pd.DataFrame",
    *,
    x: Place = "round",
    title: str = "Percentiles of each round",
) -> go.Figure:
    """Draw the percentiles of each single round, over rounds or over time.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame ``rounds`` of `ssdlab.latency_qos`.
    x : {"round", "minutes"}, default "round"
        Round, or time under IO up to its end [min], [s] where that is short.
    title : str, default "Percentiles of each round"
        Title of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One line per level, in the rounds whose IOs support it; the area between the
        lowest and the highest level that all rounds support, shaded; and the maximum. A
        level that no round supports is not drawn; the subtitle names it.

    Examples
    --------
    >>> import pandas as pd
    >>> rounds = {"round": [1, 2], "minutes": [1.0, 2.0], "marker": "50 %"}
    >>> rounds |= {"percentile": 50.0, "lat_ns": [1e6, 2e6], "lat_max_ns": [3e6, 4e6]}
    >>> frame = pd.DataFrame(rounds | {"total_ios": 90, "is_supported": True})
    >>> [line.name for line in plot_percentile_rounds(frame).data]
    ['50 %', 'Maximum']
    """
    figure = new_figure(title, subtitle=_support_text(frame), height=460)
    across = Across.rounds(frame)
    if x == "minutes":
        unit, divisor = ("s", 1 / 60) if frame[x].max() < _SHORT_MIN else ("min", 1.0)
        time = Quantity(name="Time under IO", unit=unit, divisor=divisor)
        across = Across.of(x, time)
    known = frame[frame["is_supported"].astype(bool)]
    lines = []
    is_filled = False
    for place, level in enumerate(dict.fromkeys(known["percentile"])):
        rows = frame[frame["percentile"] == level]
        is_supported = rows["is_supported"].astype(bool)
        rows = rows.assign(lat_ns=rows["lat_ns"].where(is_supported))
        is_sound = bool(is_supported.all())
        fill = {"fill": "tonexty", "fillcolor": "rgba(86,180,233,0.14)"}
        more = fill if is_filled and is_sound else {}
        name, color = str(rows["marker"].iloc[0]), _BANDS[place % len(_BANDS)]
        line = _line(rows, across, column="lat_ns", name=name, color=color, more=more)
        lines.append(line)
        is_filled = is_filled or is_sound
    first = frame[frame["percentile"] == frame["percentile"].iloc[0]]
    most = _line(
        first, across, column="lat_max_ns", name="Maximum", dash="dash",
        color=COLORS["range_limit"],
    )  # fmt: skip
    lines.append(most)
    drawn = [value for line in lines for value in line.values()]
    draw_lines(figure, across, lines, yaxis=response_axis(drawn), showlegend=True)
    return figure


def _support_text(frame: "pd.DataFrame") -> str:
    missing = frame[~frame["is_supported"].astype(bool)]
    if missing.empty:
        return ""
    markers = ", ".join(dict.fromkeys(missing["marker"]))
    least, most = (f"{int(end):,}" for end in missing["total_ios"].agg(["min", "max"]))
    many = least if least == most else f"{least} to {most}"
    return f"not drawn: {markers} where a round's {many} IOs do not support it"


def _line(
    rows: "pd.DataFrame",
    across: Across,
    *,
    name: str,
    more: "Mapping[str, Any] | None" = None,
    **look: Any,
) -> Line:
    counts = {"customdata": [int(count) for count in rows["total_ios"]]}
    return Line(
        rows=[rows], of="lat_ns", name=name, width=1.6,
        size=0 if len(rows) > _MANY else 5, hover=f"{name}<br>{across.hover}: ",
        after="<br>n = %{customdata:,}", more=counts | dict(more or {}), **look,
    )  # fmt: skip
