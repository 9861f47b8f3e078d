"""Numbers as fio prints them for people: rounded, with ``k``, ``Mi`` and units.

How far a number was rounded is kept beside it, so that two of them can be compared
and a doubt can say how much is not known. So is what else it may stand for: fio 2.99 to
3.25 print 17.98 as "17.0", as they lose what the fraction carries over, and fio 2.x
prints what is left over of 1024 parts as if these were decimals: 17 MiB and 50 KiB are
"17.50MB". See ``num2str()`` of those versions.
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
COUNTER = r"-?[0-9]{1,20}"  # of the kernel, wrapped or not
REAL = r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|nan|inf)"
_COUNTER = re.compile(COUNTER, re.ASCII)
_REAL = re.compile(REAL, re.ASCII)
_NO_COUNT = 1 << 63
_PREFIXES = " kMGTPE"
_BITS_PER_BYTE = 8
_SECTOR_BYTES = 512
_OLD_WIDTH = 6  # fio 2.x prints a number into so many characters, its point among them
NS_PER = {"nsec": 1.0, "usec": 1e3, "msec": 1e6, "sec": 1e9}


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """A printed number in its base unit, and what one in its last digit stands for.

    ``step`` is 0 where every digit was printed. ``kilo`` is what its prefix counts
    in, 1000 or 1024, or ``None`` without a unit of data. ``others`` are values that
    faulty versions of fio print so too.
    """

    value: float
    step: float
    kilo: int | None
    others: tuple["Amount", ...] = ()

    @property
    def readings(self) -> tuple["Amount", ...]:
        """What it may stand for, what it says itself first."""
        return replace(self, others=()), *self.others

    def says(self, other: float, *, slack: float = 0.0) -> bool:
        """Tell whether ``other`` is printed so, rounded or cut, by a right version."""
        return abs(self.value - other) <= self.step * 1.001 + slack

    def is_near(self, other: float, *, slack: float = 0.0) -> bool:
        """Tell whether ``other`` may have been printed so, by any version."""
        return any(reading.says(other, slack=slack) for reading in self.readings)

    def reading_near(self, other: float, *, slack: float = 0.0) -> "Amount":
        """Return the first reading that ``other`` may be, or what it says itself."""
        fitting = (one for one in self.readings if one.says(other, slack=slack))
        return next(fitting, self.readings[0])


def parse_amount(text: str, *, kilo: int = 1000, is_old: bool = False) -> Amount | None:
    """Return ``22.1MiB/s`` as bytes per second, ``12.3k`` as a number; else ``None``.

    ``kilo`` is what a prefix without ``i`` counts in: fio 2.x, ``is_old``, writes KB
    for KiB.
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
    """Yield what else is printed so if a fraction that is rounded to 1 is lost."""
    if not decimals.strip("0"):
        step = 0.5 / 10 ** len(decimals)
        yield int(whole) + 1.0 - step / 2, step / 2


def _old_readings(
    whole: str, decimals: str, *, base: int
) -> Iterator[tuple[float, float]]:
    """Yield what a number may be that fio 2.x prints so, and within how much.

    The likeliest comes first, which the most numbers are printed as.
    """
    room = _OLD_WIDTH - len(whole) - 1
    for first, last in _old_fractions(base, room).get(decimals, ()):
        half = (last - first) / 2
        yield int(whole) + (first + half) / base, (half + 1) / base


@cache
def _old_fractions(base: int, room: int) -> Mapping[str, list[tuple[int, int]]]:
    """Return what is left over of ``base``, from and to, by how fio 2.x prints it."""
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
    """Return a counter of the kernel; ``None`` where it wrapped.

    fio subtracts what it read before the run, so that the difference is negative then,
    and prints it so or as a number near 2 to the 64th.
    """
    count = int(text) if _COUNTER.fullmatch(text) else -1
    return count if 0 <= count < _NO_COUNT else None


def parse_real(text: str) -> float | None:
    """Return a decimal number, NaN and infinity among them, or ``None``."""
    text = text.strip()
    return float(text) if _REAL.fullmatch(text) else None


def block_size_of(printed: Amount) -> int | None:
    """Return the block size [B] that fio printed rounded, if only one can be meant.

    It is the power of two, else the multiple of 512 B, that rounds so.
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
