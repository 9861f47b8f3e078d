"""Health of the drive: a strip under a figure over time, or a separate figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.model.telemetry import POWER
from ssdlab.plots.labels import COLORS, axis, lay_out, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines, shade
from ssdlab.plots.names import figure_text
from ssdlab.stats.downsample import reduce_series
from ssdlab.text.quantities import QUANTITIES, Quantity, scaled, span_s, time_quantity

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.telemetry.trace import DriveTrace

_STRIP_HEIGHT = 190  # pixels of the strip and of the room above it
_ROOM = 0.18  # of the strip's part of the height, between it and the plot above
_FRAME = 104  # pixels of a figure that are margins
_LEAST_BAND = 0.025  # of the width: a narrower test has no room for its name
_LONGEST_NAME, _LONGEST_TITLE = 14, 100
_HEADROOM = 1.3  # of the greatest power, for the names of tests
_BANDS = ("rgba(91,107,123,0.10)", "rgba(91,107,123,0.02)")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Look:
    """How one reading is drawn."""

    column: str
    name: str
    of_what: str
    color: str
    line: dict[str, str]


_LOOKS = (
    _Look(
        column="temperature_celsius",
        name="Temperature",
        of_what="°C",
        color="temperature",
        line={"shape": "hv"},
    ),
    _Look(
        column="written_bytes",
        name="Written, by its counter",
        of_what="GB written",
        color="written",
        line={"dash": "dot"},
    ),
)
_LIMITS = (  # the attribute of a trace, its name, its dash
    ("warning_celsius", "warning", "dash"),
    ("critical_celsius", "critical", "solid"),
)


def add_drive_strip(
    figure: go.Figure, trace: "DriveTrace", *, unit: Quantity
) -> go.Figure:
    """Return a figure over time with a strip under it: the health of the drive.

    A higher figure: below what was there, on the same axis of time, temperature
    [°C] on the left and bytes written by the drive's own counter [GB] on the
    right. Times at which the drive was throttled are shaded in both parts.

    >>> import pandas as pd
    >>> from ssdlab.telemetry.trace import DriveTrace
    >>> readings = pd.DataFrame({"time_s": [0.0, 60.0], "written_bytes": [0.0, 2e9]})
    >>> trace = DriveTrace(readings=readings.assign(temperature_celsius=[40.0, 45.0]))
    >>> plot = new_figure("IOPS vs time").add_scatter(x=[0, 1], y=[9, 4], name="IOPS")
    >>> figure = add_drive_strip(plot, trace, unit=QUANTITIES["time_s"])
    >>> [line.name for line in figure.data]
    ['IOPS', 'Temperature', 'Written, by its counter (right axis)']
    """
    whole = go.Figure(figure)
    height = int(whole.layout.height) + _STRIP_HEIGHT
    strip = _STRIP_HEIGHT / (height - _FRAME)
    plot_begin = strip + _ROOM * strip
    for place in _axes_of(whole):
        whole.layout[place].domain = [plot_begin, 1]
    left, right = _free_axes(whole)
    _add_readings(whole, trace, unit=unit, axes=(left, right))
    lay_out(
        whole,
        **{
            "height": height,
            "showlegend": True,
            "xaxis": {"anchor": _short(left)},
            left: {"domain": [0, strip]},
            right: {"domain": [0, strip]},
        },
    )
    _shade_throttled(whole, trace, unit=unit)
    return whole


def plot_stalls(frame: "pd.DataFrame", *, title: str) -> go.Figure:
    """Draw the IOPS of every interval of a stimulus, and its stalls.

    ``frame`` has ``time_s``, ``iops`` and ``is_stalled``. Of a long series each column
    of pixels keeps its least and its greatest value; every stalled interval is drawn.

    >>> import pandas as pd
    >>> rates = pd.DataFrame({"time_s": [1.0, 2.0, 3.0], "iops": [900.0, 10.0, 910.0]})
    >>> figure = plot_stalls(rates.assign(is_stalled=[False, True, False]), title="LAT")
    >>> [line.name for line in figure.data]
    ['IOPS', 'Stalled (1 interval)']
    """
    kept = reduce_series(frame["time_s"], frame["iops"])
    stalled = frame[frame["is_stalled"].astype(bool)]
    noun = "interval" if len(stalled) == 1 else "intervals"
    title = figure_text(title, longest=_LONGEST_TITLE)
    figure = new_figure(title, subtitle=kept.note, height=340)
    lines = [
        Line(
            rows=[{"time_s": kept.x.tolist(), "iops": kept.y.tolist()}],
            column="iops", name="IOPS", color=COLORS["measured"], width=1.2,
        ),
        Line(
            rows=[stalled], column="iops", name=f"Stalled ({len(stalled):,} {noun})",
            color=COLORS["maximum_latency"], symbol="x", width=0, size=7,
        ),
    ]  # fmt: skip
    draw_lines(figure, Across.time(frame), lines, showlegend=True)
    lay_out(figure, yaxis={"rangemode": "tozero"})
    return figure


def plot_power(
    frame: "pd.DataFrame", spans: Sequence[tuple[str, float, float]]
) -> go.Figure:
    """Draw the power of a drive over a run; bands name its tests.

    ``frame`` has ``time_s`` and ``power_watts``; ``spans`` are name, begin and end [s]
    of each test.

    >>> import pandas as pd
    >>> readings = {"time_s": [0.0, 1.0, 2.0], "power_watts": [2.0, 5.5, 5.4]}
    >>> figure = plot_power(pd.DataFrame(readings), [("IOPS", 0.0, 2.0)])
    >>> figure.layout.yaxis.title.text
    'Power [W]'
    """
    kept = reduce_series(frame["time_s"], frame[POWER])
    unit = time_quantity(span_s(frame))
    figure = new_figure("Power during the run", subtitle=kept.note, height=320)
    line = Line(
        rows=[{"time_s": kept.x.tolist(), POWER: kept.y.tolist()}],
        column=POWER, name="Power", color=COLORS["measured"], width=1.2,
    )  # fmt: skip
    draw_lines(figure, Across.of("time_s", unit), [line])
    _add_bands(figure, spans, span_s(frame), unit=unit)
    lay_out(figure, yaxis={"range": [0, _HEADROOM * float(frame[POWER].max())]})
    return figure


def _axes_of(figure: go.Figure) -> list[str]:
    """Return the vertical axes of a figure as its layout names them."""
    used = {str(line.yaxis or "y") for line in figure.data} | {"y"}
    return [f"yaxis{name.removeprefix('y')}" for name in sorted(used)]


def _free_axes(figure: go.Figure) -> tuple[str, str]:
    numbers = [int(name.removeprefix("yaxis") or "1") for name in _axes_of(figure)]
    return f"yaxis{max(numbers) + 1}", f"yaxis{max(numbers) + 2}"


def _short(axis_name: str) -> str:
    return axis_name.replace("axis", "")


def _add_readings(
    figure: go.Figure, trace: "DriveTrace", *, unit: Quantity, axes: tuple[str, str]
) -> None:
    """Draw the readings: the first on the left axis, the other on the right one."""
    reported = [look for look in _LOOKS if trace.readings[look.column].notna().any()]
    for look, axis_name, side in zip(
        reported, axes, ("", " (right axis)"), strict=False
    ):
        values = scaled(trace.readings[look.column], look.column)
        figure.add_scatter(
            x=scaled(trace.readings["time_s"], unit),
            y=values,
            name=f"{look.name}{side}",
            yaxis=_short(axis_name),
            mode="lines",
            line={"color": COLORS[look.color], "width": 1.8} | look.line,
            hovertemplate=f"%{{x:,.4~g}} {unit.unit}: %{{y:,.4~g}} {look.of_what}"
            "<extra></extra>",
        )
        lay_out(figure, **{axis_name: _axis_of(look, trace, values)})
        if look.column == "temperature_celsius":
            _add_limits(figure, trace, values, axis_name=_short(axis_name))
    if len(reported) > 1:
        side_axis = {"overlaying": _short(axes[0]), "side": "right"}
        own_ticks = {"tickmode": "auto", "showgrid": False}
        lay_out(figure, **{axes[1]: side_axis | own_ticks})


def _axis_of(
    look: _Look, trace: "DriveTrace", values: Sequence[float | None]
) -> dict[str, Any]:
    """Return the axis of a line: that of temperature holds the limits drawn as well."""
    title = QUANTITIES[look.column].title
    if look.column != "temperature_celsius":
        return axis(title, rangemode="tozero", tickformat=",~r", nticks=5)
    known = [value for value in values if value is not None]
    shown = [*known, *(limit for limit, _, _ in _drawn_limits(trace, max(known)))]
    return axis(title, range=[min(shown) - 3, max(shown) + 5], nticks=5)


def _drawn_limits(
    trace: "DriveTrace", most_celsius: float
) -> list[tuple[float, str, str]]:
    """Return the limits that are drawn: the critical one only if it is near."""
    limits = [
        (float(limit), name, dash)
        for attribute, name, dash in _LIMITS
        if (limit := getattr(trace, attribute)) is not None
    ]
    return [
        (limit, name, dash)
        for place, (limit, name, dash) in enumerate(limits)
        if not place or most_celsius >= limits[place - 1][0]
    ]


def _add_limits(
    figure: go.Figure,
    trace: "DriveTrace",
    warm: Sequence[float | None],
    *,
    axis_name: str,
) -> None:
    most = max(value for value in warm if value is not None)
    for limit, name, dash in _drawn_limits(trace, most):
        figure.add_shape(
            type="line",
            xref="paper",
            x0=0,
            x1=1,
            yref=axis_name,
            y0=limit,
            y1=limit,
            line={"color": COLORS["temperature_limit"], "width": 1.2, "dash": dash},
        )
        figure.add_annotation(
            xref="paper",
            x=0.005,
            xanchor="left",
            yref=axis_name,
            y=limit,
            yanchor="bottom",
            text=f"{name} {limit:g} °C",
            showarrow=False,
            font={"size": 11, "color": COLORS["temperature_limit"]},
        )


def _shade_throttled(figure: go.Figure, trace: "DriveTrace", *, unit: Quantity) -> None:
    """Shade when the drive was throttled, over the whole height of the figure."""
    for place, (begin_s, end_s) in enumerate(trace.throttled):
        figure.add_shape(
            type="rect",
            xref="x",
            x0=begin_s / unit.divisor,
            x1=end_s / unit.divisor,
            yref="paper",
            y0=0,
            y1=1,
            fillcolor=COLORS["throttled"],
            line={"width": 0},
            layer="below",
            name="throttled by temperature",
            showlegend=not place,
        )


def plot_drive_health(
    trace: "DriveTrace",
    spans: Sequence[tuple[str, float, float]] = (),
    *,
    title: str = "The drive over the whole run",
) -> go.Figure:
    """Draw the health of the drive over the whole run.

    Temperature [°C] on the left, bytes written by the drive's own counter [GB] on
    the right; a band a test.

    >>> import pandas as pd
    >>> from ssdlab.telemetry.trace import DriveTrace
    >>> readings = pd.DataFrame({"time_s": [0.0, 60.0], "written_bytes": [0.0, 2e9]})
    >>> trace = DriveTrace(readings=readings.assign(temperature_celsius=[40.0, 45.0]))
    >>> plot_drive_health(trace, [("IOPS", 0.0, 60.0)]).layout.annotations[0].text
    'IOPS'
    """
    figure = new_figure(title, height=340)
    ends = [end_s for _, _, end_s in spans]
    whole_s = max([*ends, span_s(trace.readings)])
    unit = time_quantity(whole_s)
    _add_readings(figure, trace, unit=unit, axes=("yaxis", "yaxis2"))
    _add_bands(figure, spans, whole_s, unit=unit)
    _shade_throttled(figure, trace, unit=unit)
    _make_room_for_names(figure)
    lay_out(
        figure,
        xaxis=axis(unit.title, range=[0, whole_s / unit.divisor], tickformat=",~r"),
        showlegend=True,
    )
    return figure


def _add_bands(
    figure: go.Figure,
    spans: Sequence[tuple[str, float, float]],
    whole_s: float,
    *,
    unit: Quantity,
) -> None:
    """Shade the time of each test, and name those that are wide enough."""
    for place, (name, begin_s, end_s) in enumerate(spans):
        is_wide = end_s - begin_s >= _LEAST_BAND * whole_s
        shade(
            figure,
            begin_s / unit.divisor,
            end_s / unit.divisor,
            color=_BANDS[place % 2],
            annotation_text=figure_text(name, longest=_LONGEST_NAME) if is_wide else "",
            annotation_position="top left",
            annotation_font_size=11,
            annotation_textangle=-90,
        )


def _make_room_for_names(figure: go.Figure) -> None:
    """Raise the top of a fixed axis, so that names of tests stand above the lines."""
    if figure.layout.yaxis.range:
        low, high = figure.layout.yaxis.range
        lay_out(figure, yaxis={"range": [low, high + 0.3 * (high - low)]})
