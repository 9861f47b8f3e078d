"""Sizes and durations, also as text: binary for block sizes, decimal for capacities.

PTS 2.0.2, 2.4.1: capacities and data rates are decimal, IO sizes are binary.
"""

import re

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

_UNITS = {
    "": 1,
    "b": 1,
    "k": KIB,
    "kib": KIB,
    "kb": 1000,
    "m": MIB,
    "mib": MIB,
    "mb": 1000**2,
    "g": 1024**3,
    "gib": 1024**3,
    "gb": 1000**3,
    "t": 1024**4,
    "tib": 1024**4,
    "tb": 1000**4,
}
_TOO_LARGE = 2**63
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*")


def parse_size(text: str) -> int:
    """Return the bytes of a size such as ``256MiB``, ``1GB`` or ``64k``.

    A bare letter is binary, as in fio.
    """
    match = _SIZE.fullmatch(text)
    unit = match and _UNITS.get(match.group(2).lower())
    if not match or not unit:
        msg = f"{text!r} is not a valid size; write a number and unit, such as 256MiB"
        raise ValueError(msg)
    size = float(match.group(1)) * unit
    if size >= _TOO_LARGE:
        msg = f"{text!r} is larger than any device"
        raise ValueError(msg)
    return round(size)


def active_range_bytes(
    capacity_bytes: int, percent: float, *, amount_bytes: int | None = None
) -> int:
    """Return how much of a device may be accessed: all of it, or whole MiB.

    ``amount_bytes`` of that are, all if ``None``. A MiB is the largest block of the
    suite.
    """
    span = capacity_bytes
    if percent < 100:
        span = int(capacity_bytes * percent / 100 // MIB) * MIB
    return span if amount_bytes is None else min(span, amount_bytes)


def block_size_label(block_size_bytes: int) -> str:
    """Return ``4 KiB`` for 4096 and ``0.5 KiB`` for 512, as the PTS writes them.

    A size that this would round is in MiB or GiB if that is exact, and else in bytes.
    """
    kib = f"{block_size_bytes / KIB:g}"
    if "e" not in kib and float(kib) * KIB == block_size_bytes:
        return f"{kib} KiB"
    for unit, size in (("GiB", GIB), ("MiB", MIB)):
        if block_size_bytes % size == 0:
            return f"{block_size_bytes // size:,} {unit}"
    return f"{block_size_bytes:,} B"


def capacity_label(capacity_bytes: float) -> str:
    """Return a capacity in decimal units, as drives are sold: ``480.1 GB``."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if capacity_bytes >= size:
            return f"{capacity_bytes / size:.4g} {unit}"
    return f"{capacity_bytes:.0f} B"


def duration_label(seconds: float) -> str:
    """Return ``0.5 s``, ``45 s``, ``12 min 30 s`` or ``4 h 40 min``."""
    if 0 < seconds < 0.995:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, rest = divmod(round(seconds / 60), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def mix_label(read_percent: int) -> str:
    """Return the R/W mix as the PTS writes it: ``65/35`` is 65 % reads."""
    return f"{read_percent}/{100 - read_percent}"
