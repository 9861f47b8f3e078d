"""Colours, axes and ticks of every figure, decided once."""

import math
from collections.abc import Iterable, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any

import plotly.graph_objects as go

from ssdlab.model.units import block_size_label, mix_label
from ssdlab.plots.figure import Figure, plain_of
from ssdlab.text.quantities import Quantity

KIB = 1024

CONFIG = MappingProxyType({
    "displaylogo": False,
    "showSendToCloud": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg"},
})


# Okabe and Ito (2008), with yellow darkened to stand on white: distinct with every
# common form of colour blindness. Each block size also has a marker of its own.
_BLOCK_SIZES = MappingProxyType({
    KIB // 2: ("#CC79A7", "circle"),
    4 * KIB: ("#D55E00", "square"),
    8 * KIB: ("#E69F00", "diamond"),
    16 * KIB: ("#9A8B00", "triangle-up"),
    32 * KIB: ("#009E73", "triangle-down"),
    64 * KIB: ("#56B4E9", "cross"),
    128 * KIB: ("#0072B2", "x"),
    1024 * KIB: ("#222222", "star"),
})
_OTHER_SIZES = ("#7A5195", "#8C564B", "#607D8B", "#AA4466")

# From writes, orange, through grey to reads, blue; lightness distinguishes them as
# well.
_MIXES = MappingProxyType({
    0: ("#A33B00", "square"),
    5: ("#E06C0A", "diamond"),
    35: ("#E3AE5C", "triangle-down"),
    50: ("#8C8C8C", "circle"),
    65: ("#7DB3D8", "triangle-up"),
    95: ("#2B7BBA", "x"),
    100: ("#0B3C78", "star"),
})
DIRECTION_COLORS = MappingProxyType({
    "read": "#2B6CB0",
    "write": "#C85000",
    "total": "#333333",
})

COLORS = MappingProxyType({
    "ink": "#1b2733",
    "grid": "#e3e8ee",
    "axis": "#7b8794",
    "measured": "#0b3c5d",
    "average": "#222222",
    "fit": "#d40000",
    "range_limit": "#5b6b7b",
    "slope_limit": "#b36b00",
    "window": "rgba(0,114,178,0.10)",
    "average_latency": "#0072B2",
    "five_nines_latency": "#E69F00",
    "maximum_latency": "#D55E00",
    "confidence": "#b34700",
    "temperature": "#CC79A7",
    "temperature_limit": "#A1260D",
    "written": "#009E73",
    "throttled": "rgba(213,94,0,0.22)",
    "fit_band": "rgba(212,0,0,0.13)",
    "forecast_band": "rgba(0,114,178,0.18)",
})
# Of a series of rounds, split at change points.
PHASE_COLORS = MappingProxyType({
    "FOB": "#CC79A7",
    "transition": "#E69F00",
    "steady": "#0072B2",
    "not settled": "#7b8794",
})

_MOST_ROUNDS = 15  # between the first and the last, if each has a tick
_MOST_CHOSEN = 12  # ticks that are read one by one
_HEADROOM = 0.04  # of a logarithmic axis, between its end and the nearest value
_FEWEST_TICKS = 3  # of a logarithmic axis: with fewer no value can be read from it

FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, "
    "'DejaVu Sans', sans-serif"
)


def block_size_style(block_size_bytes: int) -> tuple[str, str]:
    """Return colour and marker of a block size, the same in every figure."""
    known = _BLOCK_SIZES.get(block_size_bytes)
    if known:
        return known
    place = int(math.log2(block_size_bytes)) % len(_OTHER_SIZES)
    return _OTHER_SIZES[place], "pentagon"


def mix_style(read_percent: int) -> tuple[str, str]:
    """Return colour and marker of a R/W mix; another mix has those of its neighbour."""
    nearest = min(_MIXES, key=lambda known: abs(known - read_percent))
    return _MIXES[nearest]


def shade(color: str, share: float) -> str:
    """Return a colour darkened to a share of its light.

    >>> shade("#804020", 0.5)
    'rgb(64,32,16)'
    """
    parts = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgb({','.join(str(round(part * share)) for part in parts)})"


def mix_name(read_percent: int) -> str:
    """Return a R/W mix as a legend names it, such as ``R/W 65/35``."""
    return f"R/W {mix_label(read_percent)}"


def new_figure(title: str, *, subtitle: str = "", height: int = 420) -> go.Figure:
    """Return an empty figure in the common look: white ground, readable ticks."""
    layout = {
        "title": {
            "text": title,
            "subtitle": {"text": subtitle, "font": {"size": 12}},
            "x": 0,
            "xref": "container",  # beside long names of rows it would be cut off
            "pad": {"l": 12},
            "font": {"size": 16},
        },
        "font": {"family": FONT, "size": 13, "color": COLORS["ink"]},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "hovermode": "closest",
        "height": height,
        "margin": {"l": 64, "r": 16, "t": 64, "b": 40},
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 0.01,
            "yref": "container",
            "yanchor": "bottom",
        },
        "hoverlabel": {"font": {"family": FONT}},
        "modebar": {"color": COLORS["axis"], "bgcolor": "rgba(255,255,255,0.7)"},
    }
    return Figure(layout=layout)


def lay_out(figure: go.Figure, **layout: Any) -> None:
    """Add to the layout of a figure, mappings to those that are there.

    `update_layout` does so too, and takes five times as long.
    """
    plain = plain_of(figure)
    if plain is not None:
        plain["layout"] = _added(plain["layout"], layout)
        return
    known = figure.layout.to_plotly_json()
    for name, value in layout.items():
        figure.layout[name] = _added(known.get(name), value)


def _added(known: Any, value: Any) -> Any:
    """Return a value of a layout with what is added to it."""
    if not (isinstance(known, dict) and isinstance(value, dict)):
        return value
    return known | {name: _added(known.get(name), one) for name, one in value.items()}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """Return an axis with its title, a light grid and a line."""
    return {
        "title": {"text": title, "standoff": 8, "font": {"size": 13}},
        "gridcolor": COLORS["grid"],
        "linecolor": COLORS["axis"],
        "showline": True,
        "ticks": "outside",
        "tickcolor": COLORS["axis"],
        "zeroline": False,
        "automargin": True,
        "tickfont": {"size": 12},
    } | more


def quantity_axis(
    quantity: Quantity, values: Iterable[float | None] = ()
) -> dict[str, Any]:
    """Return the axis of a quantity, from zero or over the decades of the values."""
    if quantity.is_log:
        return decades_axis(quantity.title, values)
    return linear_axis(quantity.title)


def linear_axis(title: str, **more: Any) -> dict[str, Any]:
    """Return an axis from zero with thousands separated."""
    return axis(title, rangemode="tozero", tickformat=",~r", **more)


def round_axis(rounds: Sequence[int]) -> dict[str, Any]:
    """Return an axis that marks rounds by whole numbers, every one when they fit."""
    first, last = (min(rounds), max(rounds)) if rounds else (1, 5)
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    step = next(step for step in steps if last - first <= _MOST_ROUNDS * step)
    return axis(
        "Round",
        tick0=first if step == 1 else 0,
        dtick=step,
        range=[first - 0.4, last + 0.4],
        tickformat="d",
    )


def chosen_round_axis(rounds: Sequence[int]) -> dict[str, Any]:
    """Return an axis with a tick at each of a few rounds, such as those of samples."""
    distinct = sorted(set(rounds))
    if not 1 < len(distinct) <= _MOST_CHOSEN:
        return round_axis(rounds)
    pad = 0.04 * (distinct[-1] - distinct[0])
    ends = [distinct[0] - max(0.4, pad), distinct[-1] + max(0.4, pad)]
    return axis("Round", tickvals=distinct, range=ends, tickformat="d")


def block_size_axis(sizes: Iterable[int]) -> dict[str, Any]:
    """Return a logarithmic axis whose ticks are the block sizes by name."""
    ordered = sorted(set(sizes))
    ends = [math.log10(ordered[0] / 1.4), math.log10(ordered[-1] * 1.4)]
    return axis(
        "Block size",
        type="log",
        tickvals=ordered,
        ticktext=[block_size_label(size) for size in ordered],
        range=ends,
    )


def right_axis(own: dict[str, Any]) -> dict[str, Any]:
    """Return an axis as the right one of two, its top label below the buttons."""
    right = own | {"overlaying": "y", "side": "right", "showgrid": False}
    if "range" not in own:
        return right | {"tickmode": "auto"}
    low, high = own["range"]
    return right | {"range": [low, high + 0.1 * (high - low)]}


def decades_axis(title: str, values: Iterable[float | None]) -> dict[str, Any]:
    """Return a logarithmic axis over whole decades, one label a decade.

    A value near the end of a decade has room between it and the frame.

    >>> low, high = decades_axis("IOPS", [200.0, 9600.0])["range"]
    >>> low, round(high, 3)
    (2, 4.062)
    """
    positive = [value for value in values if value is not None and value > 0]
    least = math.log10(min(positive, default=2.0))
    most = math.log10(max(positive, default=5.0))
    low = math.floor(least)
    high = max(low + 1, math.ceil(most))
    pad = _HEADROOM * (high - low)
    decades = [10.0**power for power in range(low, high + 1)]
    return axis(
        title,
        type="log",
        tickvals=decades,
        ticktext=[f"{decade:,.10g}" for decade in decades],
        range=[min(low, least - pad), max(high, most + pad)],
        minor={
            "dtick": "D1",
            "ticks": "outside",
            "ticklen": 3,
            "tickcolor": COLORS["axis"],
        },
    )


def log_ticks(low: float, high: float) -> list[float]:
    """Return at least three round ticks between two powers of ten.

    They are decades where three fit, else 1, 2 and 5 of each decade, else even steps.

    >>> log_ticks(0, 2), log_ticks(0, 1)
    ([1.0, 10.0, 100.0], [1.0, 2.0, 5.0, 10.0])
    """
    powers = range(math.floor(low), math.floor(high) + 1)
    for parts in ((1,), (1, 2, 5)):
        ticks = [float(f"{part}e{power}") for power in powers for part in parts]
        shown = [tick for tick in ticks if low <= math.log10(tick) <= high]
        if len(shown) >= _FEWEST_TICKS:
            return shown
    return _even_ticks(10.0**low, 10.0**high)


def _even_ticks(least: float, most: float) -> list[float]:
    """Return multiples of the widest step of 1, 2 or 5 that leaves three or more."""
    widest = (most - least) / _FEWEST_TICKS
    power = math.floor(math.log10(widest))
    step = max(part for part in (1, 2, 5) if part * 10.0**power <= widest)
    size = step * 10.0**power
    places = range(math.ceil(least / size), math.floor(most / size) + 1)
    return [float(f"{place * step}e{power}") for place in places]
