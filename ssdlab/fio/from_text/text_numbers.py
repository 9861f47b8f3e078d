"""Numbers as fio prints them for people: rounded, with ``k``, ``Mi`` and units.

How far a number was rounded is kept beside it, so that two of them can be compared
and a doubt can say how much is not known.
"""

import math
import re
from dataclasses import dataclass

_AMOUNT = re.compile(
    r"([0-9]{1,18})(?:\.([0-9]{1,9}))?([kKMGTPE]?)(i?)(B|bit|b)?(?:/s(?:ec)?)?",
    re.ASCII,
)
_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)
_COUNTER = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_REAL = re.compile(r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|nan|inf)", re.ASCII)
_NO_COUNT = 1 << 63
_PREFIXES = " kMGTPE"
_BITS_PER_BYTE = 8
_SECTOR_BYTES = 512
NS_PER = {"nsec": 1.0, "usec": 1e3, "msec": 1e6, "sec": 1e9}


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """A printed number in its base unit, and what one in its last digit stands for.

    ``step`` is 0 where every digit was printed. ``kilo`` is what its prefix counts
    in, 1000 or 1024, or ``None`` without a unit of data.
    """

    value: float
    step: float
    kilo: int | None

    def is_near(self, other: float, *, slack: float = 0.0) -> bool:
        """Tell whether ``other`` may have been printed so, rounded or cut."""
        return abs(self.value - other) <= self.step * 1.001 + slack


def parse_amount(text: str, *, kilo: int = 1000) -> Amount | None:
    """Return ``22.1MiB/s`` as bytes per second, ``12.3k`` as a number; else ``None``.

    ``kilo`` is what a prefix without ``i`` counts in: fio 2.x writes KB for KiB.
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
    return Amount(
        value=float(f"{whole}.{decimals or 0}") * scale,
        step=scale / 10 ** len(decimals) if power or decimals else 0.0,
        kilo=base if power and unit else None,
    )


def parse_count(text: str) -> int | None:
    """Return a whole number, 0 or more; ``None`` for anything else."""
    text = text.strip()
    return int(text) if _COUNT.fullmatch(text) else None


def is_counter(text: str) -> bool:
    """Tell whether a text has the form of a counter of the kernel, wrapped or not."""
    return _COUNTER.fullmatch(text) is not None


def parse_counter(text: str) -> int | None:
    """Return a counter of the kernel; ``None`` where it wrapped.

    fio subtracts what it read before the run, so that the difference is negative then,
    and prints it so or as a number near 2 to the 64th.
    """
    count = int(text) if is_counter(text) else -1
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
