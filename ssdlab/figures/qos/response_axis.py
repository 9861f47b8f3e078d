"""An axis of response times that is no longer than they need."""

import math
from collections.abc import Iterable
from typing import Any

from ssdlab.figures.labels import decades_axis, log_ticks

_PAD_RATIO, _LEAST_SPAN = 0.08, 0.5


def response_axis(values_ms: Iterable[float | None]) -> dict[str, Any]:
    """Return a logarithmic axis about response times, three labelled ticks or more.

    >>> response_axis([7.0, 190.0])["tickvals"]
    [10.0, 20.0, 50.0, 100.0, 200.0]
    """
    known = [value for value in values_ms if value is not None and value > 0]
    made = decades_axis("Response time [ms]", known)
    least, most = (
        math.log10(min(known, default=1.0)),
        math.log10(max(known, default=10)),
    )
    pad = max(most - least, _LEAST_SPAN) * _PAD_RATIO
    pad = max(pad, (_LEAST_SPAN - (most - least)) / 2)
    low, high = least - pad, most + pad
    ticks = log_ticks(low, high)
    names = [f"{tick:,.10g}" for tick in ticks]
    return made | {"range": [low, high], "tickvals": ticks, "ticktext": names}
