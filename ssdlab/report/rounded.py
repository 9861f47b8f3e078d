"""Measured numbers with as many digits as are known of them."""

import math

from ssdlab.figures.labels import QUANTITIES, number_text
from ssdlab.report.text import NOT_MEASURED, is_missing, unit_of

_DIGITS = 3  # no drive gives the fourth digit again
_MOST_DECIMALS = 4


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


def measured_text(value: object, divisor: float) -> str:
    """Return a stored measurement in the unit of its column, or the sign of none."""
    return NOT_MEASURED if is_missing(value) else rounded_text(_number(value) / divisor)


def counted_text(value: object, divisor: float) -> str:
    """Return a time or what was counted, with four digits, or the sign of none."""
    return NOT_MEASURED if is_missing(value) else number_text(_number(value) / divisor)


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

    Half of its width has two digits. One without any width tells nothing of digits:
    then there are three.

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


def _number(value: object) -> float:
    return float(str(value))
