"""Numbers and facts as text, with as many digits as a reader needs of each."""

import math
from datetime import datetime
from typing import Any

from ssdlab.model.units import capacity_label
from ssdlab.text.quantities import QUANTITIES, is_missing, unit_of

NOT_RECORDED = "not recorded"
NOT_MEASURED = "-"

_DIGITS = 3  # no drive reproduces the fourth digit
_MOST_DECIMALS = 4


def number_text(value: float) -> str:
    """Return a number with four significant digits and thousands separated.

    >>> number_text(123456.7), number_text(0.0123456)
    ('123,457', '0.01235')
    """
    if not math.isfinite(value):
        return "n/a"
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = 3 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(0, digits)}f}"


def short_number(value: float) -> str:
    """Return a number with three significant digits, abbreviated.

    >>> short_number(123456.7), short_number(4900.0), short_number(14.0)
    ('123k', '4.90k', '14.0')
    """
    for letter, size in (("M", 1e6), ("k", 1e3)):
        if abs(value) >= 0.9995 * size:
            return _three_digits(value / size) + letter
    return _three_digits(value)


def _three_digits(value: float) -> str:
    return f"{value:#.3g}".removesuffix(".")


def time_text(value_ns: float) -> str:
    """Return a time in the unit that suits it, such as ``12.35 μs`` or ``1.2 ms``."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("μs", 1e3)):
        if value_ns >= size:
            return f"{number_text(value_ns / size)} {unit}"
    return f"{number_text(value_ns)} ns"


def short_time(value_ns: float) -> str:
    """Return a time with three significant digits in the unit that suits it.

    >>> short_time(1.89e9), short_time(227_287.0), short_time(999_700.0)
    ('1.89 s', '227 μs', '1.00 ms')
    """
    for unit, size in (("s", 1e9), ("ms", 1e6), ("μs", 1e3)):
        if value_ns >= 0.9995 * size:
            return f"{_three_digits(value_ns / size)} {unit}"
    return f"{_three_digits(value_ns)} ns"


def exact_text(value: float) -> str:
    """Return a number with three decimals, more where that keeps four digits.

    >>> exact_text(6000.8), exact_text(0.0123456)
    ('6,000.800', '0.01235')
    """
    if not math.isfinite(value):
        return "n/a"
    digits = 3 if value == 0 else max(3, 3 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def rounded_text(value: float) -> str:
    """Return a number with three significant digits and thousands separated.

    >>> rounded_text(5051.467), rounded_text(102.939), rounded_text(0.012345)
    ('5,050', '103', '0.0123')
    """
    if not math.isfinite(value):
        return NOT_MEASURED
    if value == 0:
        return "0"
    whole = float(f"{value:.{_DIGITS - 1}e}")
    decimals = _DIGITS - 1 - math.floor(math.log10(abs(whole)))
    return f"{whole:,.{max(0, decimals)}f}"


def rate_text(value: float, metric: str) -> str:
    """Return a stored rate in the unit of its axis, such as ``512 MB/s``."""
    return f"{rounded_text(value / QUANTITIES[metric].divisor)} {unit_of(metric)}"


def share_text(ratio: float) -> str:
    """Return a ratio as percent with three significant digits.

    >>> share_text(1.02939), share_text(0.126851), share_text(6.0)
    ('103 %', '12.7 %', '600 %')
    """
    return f"{rounded_text(ratio * 100)} %" if math.isfinite(ratio) else NOT_MEASURED


def interval_texts(value: float, *, low: float, high: float) -> tuple[str, str, str]:
    """Return a value and both ends of its interval, as exact as the interval is.

    Half of its width has two digits. An interval without width has three digits.

    >>> interval_texts(1.02939, low=0.695, high=1.524)
    ('1.03', '0.69', '1.52')
    >>> interval_texts(0.5, low=0.5, high=0.5)
    ('0.500', '0.500', '0.500')
    """
    numbers = (value, low, high)
    if not all(map(math.isfinite, numbers)):
        return (NOT_MEASURED,) * 3
    half = (high - low) / 2
    if half <= 0:
        texts = tuple(rounded_text(number) for number in numbers)
    else:
        decimals = min(max(0, 1 - math.floor(math.log10(half))), _MOST_DECIMALS)
        texts = tuple(f"{number:,.{decimals}f}" for number in numbers)
    return texts[0], texts[1], texts[2]


def metric_text(value: float, metric: str) -> str:
    """Return a stored value in the unit of its axis, such as ``512.3 MB/s``."""
    if metric.startswith("lat_"):
        return time_text(value)
    quantity = QUANTITIES[metric]
    return f"{number_text(value / quantity.divisor)} {unit_of(metric)}"


def percent_text(ratio: float) -> str:
    """Return a ratio as percent with three decimals."""
    return f"{ratio * 100:.3f} %" if math.isfinite(ratio) else "n/a"


def or_unknown(text: object) -> str:
    """Return a recorded text, or "not recorded"."""
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


def memory_text(size_bytes: int) -> str:
    """Return memory in binary units."""
    return f"{size_bytes / 1024**3:.4g} GiB" if size_bytes else NOT_RECORDED


def capacity_text(size_bytes: int) -> str:
    """Return a capacity with its bytes."""
    if not size_bytes:
        return NOT_RECORDED
    return f"{capacity_label(size_bytes)} ({size_bytes:,} B)"
