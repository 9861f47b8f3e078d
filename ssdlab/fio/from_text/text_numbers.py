"""Human-readable numbers of fio: rounded, with ``k``, ``Mi`` and units.

The rounding of a number is kept with it, so that two of them can be compared and a
doubt can state the uncertainty. So are its other possible values: fio 2.99 to 3.25
print 17.98 as "17.0", losing the carry of the fraction, and fio 2.x prints a remainder
of 1024 as decimals: 17 MiB and 50 KiB are "17.50MB". See ``num2str()`` of those
versions.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

_AMOUNT = re.compile(
    r"([0-9]{1,18})(?:\.([0-9]{1,9}))?([kKMGTPE]?)(i?)(B|bit|b)?(?:/s(?:ec)?)?",
    re.ASCII,
)
_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)
COUNTER = r"-?[0-9]{1,20}"  # of the kernel, possibly wrapped
REAL = r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|nan|inf)"
_COUNTER = re.compile(COUNTER, re.ASCII)
_REAL = re.compile(REAL, re.ASCII)
_NO_COUNT = 1 << 63
_PREFIXES = " kMGTPE"
_BITS_PER_BYTE = 8
_SECTOR_BYTES = 512
_OLD_WIDTH = 6  # characters of a number in fio 2.x, including the point
NS_PER = {"nsec": 1.0, "usec": 1e3, "msec": 1e6, "sec": 1e9}


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """A printed number in its base unit, and the value of its last digit.

    ``step`` is 0 if every digit was printed. ``kilo`` is the base of its prefix, 1000
    or 1024, or ``None`` without a unit of data. ``others`` are values that faulty
    versions of fio print in the same way.
    """

    value: float
    step: float
    kilo: int | None
    others: tuple["Amount", ...] = ()

    @property
    def readings(self) -> tuple["Amount", ...]:
        """Its possible values, the printed one first."""
        return replace(self, others=()), *self.others

    def says(self, other: float, *, slack: float = 0.0) -> bool:
        """Tell whether a correct version prints ``other`` so, rounded or truncated."""
        return abs(self.value - other) <= self.step * 1.001 + slack

    def is_near(self, other: float, *, slack: float = 0.0) -> bool:
        """Tell whether any version may print ``other`` so."""
        return any(reading.says(other, slack=slack) for reading in self.readings)

    def reading_near(self, other: float, *, slack: float = 0.0) -> "Amount":
        """Return the first reading that ``other`` matches, or the printed one."""
        fitting = (one for one in self.readings if one.says(other, slack=slack))
        return next(fitting, self.readings[0])


def parse_amount(text: str, *, kilo: int = 1000, is_old: bool = False) -> Amount | None:
    """Return ``22.1MiB/s`` as bytes per second, ``12.3k`` as a number; else ``None``.

    ``kilo`` is the base of a prefix without ``i``: fio 2.x, ``is_old``, writes KB for
    KiB.
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        return None
    whole, decimals, prefix, binary, unit = match.groups()
    power = _PREFIXES.index(prefix.lower() if prefix == "K" else prefix or " ")
    base = 1024 if binary else kilo
    scale = float(base**power)
    if unit in {"b", "bit"}:
        scale /= _BITS_PER_BYTE
    decimals = decimals or ""
    amount = Amount(
        value=float(f"{whole}.{decimals or 0}") * scale,
        step=scale / 10 ** len(decimals) if power or decimals else 0.0,
        kilo=base if power and unit else None,
    )
    if not power or not decimals:
        return amount
    others = (
        _old_readings(whole, decimals, base=base if unit else 1000)
        if is_old
        else _readings_of_lost_carry(whole, decimals)
    )
    readings = [
        replace(amount, value=value * scale, step=step * scale)
        for value, step in others
    ]
    if is_old and readings:
        return replace(readings[0], others=(*readings[1:], amount))
    return replace(amount, others=tuple(readings))


def _readings_of_lost_carry(whole: str, decimals: str) -> Iterator[tuple[float, float]]:
    """Yield other values printed so if a fraction that is rounded to 1 is lost."""
    if not decimals.strip("0"):
        step = 0.5 / 10 ** len(decimals)
        yield int(whole) + 1.0 - step / 2, step / 2


def _old_readings(
    whole: str, decimals: str, *, base: int
) -> Iterator[tuple[float, float]]:
    """Yield the possible values of a number of fio 2.x, with their uncertainty.

    The most likely one comes first.
    """
    room = _OLD_WIDTH - len(whole) - 1
    for first, last in _old_fractions(base, room).get(decimals, ()):
        half = (last - first) / 2
        yield int(whole) + (first + half) / base, (half + 1) / base


@cache
def _old_fractions(base: int, room: int) -> Mapping[str, list[tuple[int, int]]]:
    """Return the ranges of remainders of ``base`` by how fio 2.x prints them."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for printed, group in groupby(range(base), lambda left: _as_old(left, room)):
        members = [*group]
        ranges.setdefault(printed, []).append((members[0], members[-1]))
    for found in ranges.values():
        found.sort(key=lambda pair: pair[0] - pair[1])
    return ranges


def _as_old(left_over: int, room: int) -> str:
    while len(str(left_over)) > max(room, 1):
        left_over = (left_over + 9) // 10
    return str(left_over)


def parse_count(text: str) -> int | None:
    """Return a whole number, 0 or more; ``None`` for anything else."""
    text = text.strip()
    return int(text) if _COUNT.fullmatch(text) else None


def parse_counter(text: str) -> int | None:
    """Return a counter of the kernel; ``None`` if it wrapped.

    fio subtracts its value before the run, so the difference is then negative, printed
    as such or as a number near 2 to the 64th.
    """
    count = int(text) if _COUNTER.fullmatch(text) else -1
    return count if 0 <= count < _NO_COUNT else None


def parse_real(text: str) -> float | None:
    """Return a decimal number, NaN or infinity, or ``None``."""
    text = text.strip()
    return float(text) if _REAL.fullmatch(text) else None


def block_size_of(printed: Amount) -> int | None:
    """Return the block size [B] that fio printed rounded, if it is unambiguous.

    It is the power of two, or else the multiple of 512 B, that rounds to it.
    """
    if not printed.step:
        return int(printed.value) or None
    half = printed.step / 2
    low, high = printed.value - half, printed.value + half
    if low < 1:
        return None
    power = 1 << math.ceil(math.log2(low))
    if power <= high:
        return power
    sectors = range(math.ceil(low / _SECTOR_BYTES), int(high // _SECTOR_BYTES) + 1)
    return sectors[0] * _SECTOR_BYTES if len(sectors) == 1 else None
