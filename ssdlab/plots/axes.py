"""Axes of named places, and logarithmic ones about their values."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ssdlab.plots.labels import axis, decades_axis, log_ticks

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
    names = [f"{tick:,.10g}" for tick in ticks]
    ends = [least - pad, most + pad]
    return made | {"range": ends, "tickvals": ticks, "ticktext": names}


def _decades(
    title: str, values: Iterable[float | None]
) -> tuple[dict[str, Any], float, float]:
    """Return an axis over the decades of values, and the logarithms of their ends."""
    known = [value for value in values if value is not None and value > 0]
    least, most = min(known, default=1.0), max(known, default=10.0)
    return decades_axis(title, known), math.log10(least), math.log10(most)
