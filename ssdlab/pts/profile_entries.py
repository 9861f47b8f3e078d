"""One value of a profile's file: what is written, checked and as the profile has it."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from ssdlab.model.drive import WriteCacheState
from ssdlab.model.errors import ProfileError
from ssdlab.model.io_engine import AUTO_ENGINE, parse_io_engine
from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.model.units import GIB, KIB, MIB, parse_size
from ssdlab.pts.settings import Kind, Value
from ssdlab.pts.suite import SUITE

_SECTOR_BYTES = 512
_WRITE_CACHES = get_args(WriteCacheState)
_LONGEST_LIST = 100
_LEAST_AMOUNT_BYTES = 8 * MIB
_TRACKING = re.compile(r"RND\s+(\S+|\S+ \S+)\s+(\d{1,3})/(\d{1,3})", re.IGNORECASE)
_LEAST_SEGMENT_BYTES = 4 * MIB
_SEGMENTS = (1, 2, 4, 5, 10, 20, 25, 50, 100)  # of whole percents, as fio draws them
_RANGE = re.compile(
    r"(\d{1,3}(?:\.\d{1,6})?)\s*%(?:\s+(\S.*?)(?:\s+in\s+(\d{1,9})\s+segments?)?)?"
)
_SHOWN = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A key of a file, what it may be, and how another profile has it."""

    source: str
    key: str
    value: Value
    example: str

    def read(self, given: object) -> object:
        """Return what the profile holds for what is written."""
        if self.value.absent and given == self.value.absent:
            return () if self.value.kind == "active range" else None
        if not self.value.is_list:
            return self._read_item(given)
        if not isinstance(given, list):
            raise self.error(given, "is not a list")
        return self._read_list(given)

    def error(self, given: object, reason: str) -> ProfileError:
        """Return the error that says what is wrong with what is written."""
        shown = repr(given)
        if len(shown) > _SHOWN:
            shown = f"{shown[:_SHOWN]}…"
        return ProfileError(
            source=self.source,
            key=self.key,
            reason=f"{shown} {reason}",
            remedy=f"Write it as {self.example}.",
        )

    def _read_list(self, given: list[object]) -> tuple[object, ...]:
        wanted = self.value.length
        if not given or len(given) > _LONGEST_LIST:
            raise self.error(given, f"does not have 1 to {_LONGEST_LIST} entries")
        if wanted and len(given) != wanted:
            raise self.error(given, f"does not have {wanted} entries")
        items = tuple(self._read_item(item) for item in given)
        if not self.value.may_repeat and len(set(items)) < len(items):
            raise self.error(given, "has the same entry twice")
        return items

    def _read_item(self, given: object) -> object:
        return _READERS[self.value.kind](self, given)

    def require_limits(self, given: object, number: float) -> None:
        """Require a number within the limits."""
        least, most = self.value.limits
        if not least <= number <= most:
            unit = f" {self.value.unit}".rstrip()
            raise self.error(given, f"is out of range: {least:g} to {most:.10g}{unit}")


def size_text(size_bytes: int) -> str:
    """Return a size as a file has it: ``0.5 KiB``, ``8 GiB``."""
    for unit, divisor in (("GiB", GIB), ("MiB", MIB)):
        if size_bytes and size_bytes % divisor == 0 and size_bytes > MIB:
            return f"{size_bytes // divisor} {unit}"
    return f"{size_bytes / KIB:.12g} KiB"


def active_range_text(active: ActiveRange) -> str:
    """Return an active range as a file has it: ``75 % 8 GiB in 100 segments``."""
    part = f"{active.percent:.9g} %"
    if active.amount_bytes is None:
        return part
    pieces = f" in {active.segments} segments" if active.segments > 1 else ""
    return f"{part} {size_text(active.amount_bytes)}{pieces}"


def _read_number(entry: Entry, given: object) -> int | float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise entry.error(given, "is not a number")
    if isinstance(given, float) and not math.isfinite(given):
        raise entry.error(given, "is not a finite number")
    entry.require_limits(given, given)
    return given


def _read_whole(entry: Entry, given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        raise entry.error(given, "is not a whole number")
    entry.require_limits(given, given)
    return given


def _read_size(entry: Entry, given: object) -> int:
    size = _size_of(entry, given)
    entry.require_limits(given, size)
    if size % _SECTOR_BYTES:
        raise entry.error(given, f"is not a multiple of {_SECTOR_BYTES} B")
    return size


def _size_of(entry: Entry, given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int | str):
        raise entry.error(given, "is not a size")
    if isinstance(given, int):
        return given
    try:
        return parse_size(given)
    except ValueError:
        raise entry.error(given, "is not a size") from None


def _read_flag(entry: Entry, given: object) -> bool:
    if not isinstance(given, bool):
        raise entry.error(given, "is not true or false")
    return given


def _read_write_cache(entry: Entry, given: object) -> str:
    if not isinstance(given, str) or given not in _WRITE_CACHES:
        raise entry.error(given, f"is not one of: {', '.join(_WRITE_CACHES)}")
    return given


def _read_io_engine(entry: Entry, given: object) -> str:
    if not isinstance(given, str):
        raise entry.error(given, "is not text")
    try:
        engine = parse_io_engine(given)
    except ValueError as error:
        raise entry.error(given, f"names no path to a device: {error}") from None
    return AUTO_ENGINE if engine is None else engine.text


def _read_test(entry: Entry, given: object) -> str:
    if not isinstance(given, str) or given.lower() not in SUITE:
        raise entry.error(given, f"is not a test; choose from {', '.join(SUITE)}")
    return given.lower()


def _read_tracking(entry: Entry, given: object) -> Tracking:
    found = _TRACKING.fullmatch(given.strip()) if isinstance(given, str) else None
    if not found or int(found[2]) + int(found[3]) != 100:
        raise entry.error(given, 'is not a cell such as "RND 4 KiB 0/100"')
    return Tracking(
        access="rnd",
        block_size_bytes=_size_of(entry, found[1]),
        read_percent=int(found[2]),
        metric="iops",
    )


def _read_range(entry: Entry, given: object) -> ActiveRange:
    found = _RANGE.fullmatch(given.strip()) if isinstance(given, str) else None
    if not found or not 1 <= float(found[1]) <= 100:
        raise entry.error(given, 'is not an active range such as "75 % 8 GiB"')
    percent = float(found[1])
    amount = None if found[2] is None else _size_of(entry, found[2])
    if amount is not None and (amount < _LEAST_AMOUNT_BYTES or amount % MIB):
        raise entry.error(given, "has an amount that is not at least 8 whole MiB")
    segments = int(found[3] or 1)
    if segments not in _SEGMENTS:
        counts = ", ".join(map(str, _SEGMENTS))
        raise entry.error(
            given,
            f"has a number of segments that fio cannot draw; choose from {counts}",
        )
    if amount is not None and amount // segments < _LEAST_SEGMENT_BYTES:
        raise entry.error(given, "has segments smaller than 4 MiB")
    return ActiveRange(
        percent=int(percent) if percent.is_integer() else percent,
        amount_bytes=amount,
        segments=segments,
    )


_READERS: dict[Kind, Callable[[Entry, object], object]] = {
    "seconds": _read_number,
    "milliseconds": _read_number,
    "size": _read_size,
    "percent": _read_number,
    "mix": _read_whole,
    "count": _read_whole,
    "number": _read_number,
    "flag": _read_flag,
    "write cache": _read_write_cache,
    "io engine": _read_io_engine,
    "test": _read_test,
    "tracking": _read_tracking,
    "active range": _read_range,
}
