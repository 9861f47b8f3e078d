"""Numbers and facts as the words of the report."""

import math
from datetime import datetime
from typing import Any

from ssdlab.figures.labels import QUANTITIES, number_text, time_text
from ssdlab.model.units import capacity_label

NOT_RECORDED = "not recorded"
NOT_MEASURED = "-"


def exact_text(value: float) -> str:
    """Return a number with three decimals, more where that keeps four digits.

    >>> exact_text(6000.8), exact_text(0.0123456)
    ('6,000.800', '0.01235')
    """
    if not math.isfinite(value):
        return "n/a"
    digits = 3 if value == 0 else max(3, 3 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def metric_text(value: float, metric: str) -> str:
    """Return a stored value in the unit of its axis, such as ``512.3 MB/s``."""
    if metric.startswith("lat_"):
        return time_text(value)
    quantity = QUANTITIES[metric]
    return f"{number_text(value / quantity.divisor)} {unit_of(metric)}"


def unit_of(metric: str) -> str:
    """Return the unit that a value of a metric is printed with."""
    return QUANTITIES[metric].unit_or_name


def percent_text(ratio: float) -> str:
    """Return a ratio as percent with three decimals."""
    return f"{ratio * 100:.3f} %" if math.isfinite(ratio) else "n/a"


def or_unknown(text: object) -> str:
    """Return a recorded text, or words that say that there is none."""
    words = str(text).strip()
    return NOT_RECORDED if words in {"", "None", "nan", "<NA>"} else words


def seconds_text(value: float) -> str:
    """Return a short time, such as ``14.2 ms`` or ``1.24 s``."""
    if not math.isfinite(value):
        return NOT_MEASURED
    if value < 1:
        return f"{number_text(value * 1000)} ms"
    return f"{number_text(value)} s"


def when_text(moment: str) -> str:
    """Return an ISO 8601 time to the minute, or what was recorded as it is: a date."""
    if len(moment) == len("2015-04-01"):
        return or_unknown(moment)
    try:
        return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M %Z").strip()
    except ValueError:
        return or_unknown(moment)


def workers_text(threads: Any, queue_depth: Any) -> str:
    """Return threads and queue depth, such as ``T4/Q32``, as far as they are known."""
    names = ["?" if is_missing(v) else str(v) for v in (threads, queue_depth)]
    return NOT_RECORDED if names == ["?", "?"] else f"T{names[0]}/Q{names[1]}"


def is_missing(value: Any) -> bool:
    """Tell whether a value of a frame is none: None, NaN or <NA>."""
    return value is None or str(value) in {"<NA>", "nan"}


def memory_text(size_bytes: int) -> str:
    """Return memory in binary units."""
    return f"{size_bytes / 1024**3:.4g} GiB" if size_bytes else NOT_RECORDED


def capacity_text(size_bytes: int) -> str:
    """Return a capacity with its bytes."""
    if not size_bytes:
        return NOT_RECORDED
    return f"{capacity_label(size_bytes)} ({size_bytes:,} B)"
