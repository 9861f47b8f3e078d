"""Axes of named places, and logarithmic ones about their values."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from ssdlab.plots.labels import axis, decades_axis, lay_out, log_ticks

_TIMES = (("s", 1e9), ("ms", 1e6), ("μs", 1e3), ("ns", 1.0))
_SPACE = "\N{NO-BREAK SPACE}"
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (0.0, ""))


def named_axis(
    title: str, names: Sequence[str], *, pad: float = 0.6, **more: Any
) -> dict[str, Any]:
    """Return an axis with a name at each place from 0, and room at the ends.

    >>> named_axis("Job", ["01", "02"])["range"]
    [-0.6, 1.6]
    """
    ends = [-pad, len(names) - 1 + pad]
    places = {"tickvals": list(range(len(names))), "ticktext": list(names)}
    return axis(title, **({"range": ends} | places | more))


def add_right_names(figure: go.Figure, names: Sequence[str], **more: Any) -> None:
    """Write a text at the right edge of each place of a vertical axis of names."""
    look: dict[str, Any] = {"overlaying": "y", "side": "right", "showgrid": False}
    look |= {"showline": False, "ticks": "", "tickfont": {"size": 11}}
    spaced = [f"{_SPACE}{name}" for name in names]
    lay_out(figure, yaxis2=named_axis("", spaced, **(look | more)))
    figure.add_scatter(  # an axis without any point is not drawn
        x=[1], y=[0], yaxis="y2", mode="markers", marker={"opacity": 0},
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip


def level_axis(title: str, values: Iterable[float | None]) -> dict[str, Any]:
    """Return a logarithmic axis about its values, no marker cut by its ends.

    It has three labelled ticks or more, such as 100, 1k, 1.5k, 1M.

    >>> level_axis("IOPS", [150.0, 900.0])["ticktext"]
    ['200', '500', '1k']
    """
    made, least, most = _decades(title, values)
    pad = max(most - least, 1.0) * 0.05
    ticks = log_ticks(least - pad, most + pad)
    sizes = (next(one for one in _UNITS if tick >= one[0]) for tick in ticks)
    names = [
        f"{tick / (size or 1):g}{unit}"
        for tick, (size, unit) in zip(ticks, sizes, strict=True)
    ]
    ends = [least - pad, most + pad]
    return made | {"range": ends, "tickvals": ticks, "ticktext": names}


def response_axis(values_ms: Iterable[float | None]) -> dict[str, Any]:
    """Return a logarithmic axis about response times, three labelled ticks or more.

    >>> response_axis([7.0, 190.0])["tickvals"]
    [10.0, 20.0, 50.0, 100.0, 200.0]
    """
    made, least, most = _decades("Response time [ms]", values_ms)
    span, shortest = most - least, 0.5
    pad = max(0.08 * max(span, shortest), (shortest - span) / 2)
    ticks = log_ticks(least - pad, most + pad)
    ends = [least - pad, most + pad]
    return name_times(made | {"range": ends, "tickvals": ticks})


def name_times(made: dict[str, Any]) -> dict[str, Any]:
    """Return an axis of milliseconds whose ticks are times as a person says them.

    >>> name_times(decades_axis("Response time [ms]", [0.02, 1890.0]))["ticktext"]
    ['10 μs', '100 μs', '1 ms', '10 ms', '100 ms', '1 s', '10 s']
    """
    title = made["title"] | {"text": made["title"]["text"].removesuffix(" [ms]")}
    names = [_time_name(tick) for tick in made["tickvals"]]
    return made | {"title": title, "ticktext": names}


def _time_name(value_ms: float) -> str:
    value_ns = value_ms * 1e6 * (1 + 1e-9)  # 0.001 ms is a little less than 1,000 ns
    unit, size = next((one for one in _TIMES if value_ns >= one[1]), _TIMES[-1])
    return f"{value_ms * 1e6 / size:.6g} {unit}"


def _decades(
    title: str, values: Iterable[float | None]
) -> tuple[dict[str, Any], float, float]:
    """Return an axis over the decades of values, and the logarithms of their ends."""
    known = [value for value in values if value is not None and value > 0]
    least, most = min(known, default=1.0), max(known, default=10.0)
    return decades_axis(title, known), math.log10(least), math.log10(most)
