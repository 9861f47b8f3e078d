"""Proof of a purge: marks written before it and read back after it.

Random data of a sector or more is written at places spread over the whole drive,
including the first and last LBA, and read back at once: if the drive does not keep it,
its absence later proves nothing. After the purge each place must read as zeros or as
other data.

Evidence of a purge in the drive's own log: errors counted, bytes written.

A drive may update its counters late, so they raise doubts and prove nothing.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ssdlab.drive.health import read_health
from ssdlab.drive.purge.direct import (
    aligned_buffer,
    direct_io,
    read_at,
    write_at,
)
from ssdlab.drive.purge.work import Done
from ssdlab.drive.tools import Ask
from ssdlab.model.drive import Drive, DriveHealth, PurgeMethod
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.units import capacity_label

_WRITTEN_SHARE: Final = 0.9  # of the capacity, by the drive's count, passes as all
PLACES: Final = 64
_ENDS: Final = 2
_MARK_BYTES: Final = 4096


def read_log(drive: Drive, ask: Ask) -> DriveHealth:
    """Return the drive's log; empty if this user or the drive has none."""
    try:
        return read_health(drive, ask=ask)
    except TargetRefusedError:  # gone or silent: the purge itself reports that
        return DriveHealth()


def compare_logs(
    drive: Drive, method: PurgeMethod, logs: tuple[DriveHealth, DriveHealth]
) -> Done:
    """Return the changes in the drive's log from before to after the purge."""
    before, after = logs
    errors = _grown(before.error_log_entries, after.error_log_entries)
    written = _grown(before.host_written_bytes, after.host_written_bytes)
    said, doubts = [], []
    if errors is not None:
        said.append(f"the drive's error log: {errors:.0f} new entries")
    if errors:
        doubts.append(f"the drive counted {errors:.0f} errors during the purge")
    if written is not None and method == "overwrite":
        said.append(f"the drive counted {capacity_label(written)} of writes")
        if written < _WRITTEN_SHARE * drive.capacity_bytes:
            doubts.append(
                f"the drive counted only {capacity_label(written)} of writes while all "
                f"{capacity_label(drive.capacity_bytes)} were overwritten"
            )
    return Done(said=tuple(said), doubt="; ".join(doubts))


def _grown(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or after < before:
        return None
    return after - before


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """The marks by offset and digest; ``lost`` are places without a mark."""

    size_bytes: int
    digests: Mapping[int, bytes] = field(default_factory=dict)
    lost: tuple[int, ...] = ()
    trouble: str = ""

    @property
    def line(self) -> str:
        """Their number, for the record."""
        text = f"{len(self.digests)} places marked with random data"
        if not self.lost:
            return text
        why = f" ({self.trouble})" if self.trouble else " (the drive did not keep them)"
        return f"{text}; {len(self.lost)} could not be{why}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadBack:
    """The content of the marked places after the purge; changed ones are counted."""

    zeros: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    unchanged: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()

    @property
    def line(self) -> str:
        """What was found, for the record."""
        kinds = (
            (self.zeros, "zeros"),
            (self.changed, "changed"),
            (self.unchanged, "unchanged"),
            (self.unreadable, "unreadable"),
        )
        count = sum(len(places) for places, _ in kinds)
        found = ", ".join(f"{len(places)} {kind}" for places, kind in kinds if places)
        return f"{count} places read back: {found or 'none'}"


def spread_places(
    capacity_bytes: int, sector_bytes: int
) -> tuple[int, tuple[int, ...]]:
    """Return the size of a mark and the offsets of the marks; no two overlap.

    Examples
    --------
    >>> spread_places(16384, 512)
    (4096, (0, 4096, 8192, 12288))
    """
    size = max(_MARK_BYTES, sector_bytes)
    last = (capacity_bytes - size) // sector_bytes * sector_bytes
    count = min(PLACES, capacity_bytes // size)
    if count < 2:
        return size, (0,) * count
    steps = (last * number // (count - 1) for number in range(count))
    return size, tuple(place // sector_bytes * sector_bytes for place in steps)


def write_marks(descriptor: int, drive: Drive) -> Marks:
    """Write the marks, flush them, and keep those that the drive returns."""
    size, places = spread_places(drive.capacity_bytes, drive.logical_sector_bytes)
    digests: dict[int, bytes] = {}
    trouble = ""
    with direct_io(descriptor), aligned_buffer(size) as buffer:
        for place in places:
            buffer[:] = os.urandom(size)
            try:
                write_at(descriptor, (buffer, size), place)
            except OSError as error:
                trouble = trouble or f"byte {place}: {error.strerror}"
            else:
                digests[place] = _digest(buffer[:])
    trouble = trouble or _flush(descriptor)
    written = Marks(size_bytes=size, digests=digests)
    kept = frozenset(read_back(descriptor, written).unchanged)
    return Marks(
        size_bytes=size,
        digests={place: digests[place] for place in places if place in kept},
        lost=tuple(place for place in places if place not in kept),
        trouble=trouble,
    )


def read_back(descriptor: int, marks: Marks) -> ReadBack:
    """Read back the places of the marks."""
    found: dict[str, list[int]] = {}
    with direct_io(descriptor), aligned_buffer(marks.size_bytes) as buffer:
        for place, digest in marks.digests.items():
            try:
                data = read_at(descriptor, buffer, place)
            except OSError:
                found.setdefault("unreadable", []).append(place)
                continue
            found.setdefault(_judge(data, digest, marks.size_bytes), []).append(place)
    return ReadBack(**{kind: tuple(places) for kind, places in found.items()})


def find_fault(method: PurgeMethod, found: ReadBack) -> str:
    """Return why the purge cannot have worked, or an empty text."""
    if found.unchanged and not _is_edge_of_discard(method, found):
        others = len(found.unchanged) - 1
        return (
            "what was written before the purge is still there at byte "
            f"{found.unchanged[0]}{_and_more(others)}"
        )
    if method == "overwrite" and found.zeros:
        return (
            f"byte {found.zeros[0]} reads as zeros though random data was written"
            f"{_and_more(len(found.zeros) - 1)}"
        )
    if method == "overwrite" and found.unreadable:
        return f"byte {found.unreadable[0]} cannot be read though it was written"
    return ""


def _is_edge_of_discard(method: PurgeMethod, found: ReadBack) -> bool:
    """Tell whether all unchanged marks are at an end of the drive.

    A discard may leave out less than one of the drive's granules there.
    """
    gone = (*found.zeros, *found.changed)
    return (
        method in {"discard", "discard-secure"}
        and bool(gone)
        and all(place < min(gone) or place > max(gone) for place in found.unchanged)
        and len(found.unchanged) <= _ENDS
    )


def find_doubt(marks: Marks, found: ReadBack) -> str:
    """Return why the effect is not proven, or an empty text."""
    if not marks.digests:
        return (
            "the effect of the purge is not proven: no mark could be written before it"
            f" ({marks.trouble or 'the drive did not keep them'})"
        )
    if found.unchanged:
        return (
            f"at byte {found.unchanged[0]}, at an end of the drive, is still what was "
            "written before the purge: a discard may leave less than a granule"
        )
    if found.unreadable:
        return (
            f"{len(found.unreadable)} of {len(marks.digests)} places cannot be read "
            f"after the purge, the first at byte {found.unreadable[0]}"
        )
    return ""


def _judge(data: bytes, digest: bytes, size_bytes: int) -> str:
    if len(data) < size_bytes:
        return "unreadable"
    if not any(data):
        return "zeros"
    return "unchanged" if _digest(data) == digest else "changed"


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _flush(descriptor: int) -> str:
    try:
        os.fsync(descriptor)
    except OSError as error:
        return f"flushing them: {error.strerror}"
    return ""


def _and_more(count: int) -> str:
    return f" and at {count} more places" if count else ""
