"""Whether a purge shows: marks written before it, looked for after it.

Random data of a sector or more is written at places spread over all the drive, first
and last LBA among them, and read back at once: a drive that does not keep it proves
nothing by not having it later. After the purge each place must read as zeros or as
something else.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ssdlab.drive.purge.direct import (
    aligned_buffer,
    direct_io,
    read_at,
    write_at,
)
from ssdlab.model.drive import Drive, PurgeMethod

PLACES: Final = 64
_ENDS: Final = 2
_MARK_BYTES: Final = 4096


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """What was written where, by its digest; ``lost`` are places without a mark."""

    size_bytes: int
    digests: Mapping[int, bytes] = field(default_factory=dict)
    lost: tuple[int, ...] = ()
    trouble: str = ""

    @property
    def line(self) -> str:
        """How many there are, for the record."""
        text = f"{len(self.digests)} places marked with random data"
        if not self.lost:
            return text
        why = f" ({self.trouble})" if self.trouble else " (the drive did not keep them)"
        return f"{text}; {len(self.lost)} could not be{why}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadBack:
    """What stands at the marked places after the purge; unlike marks are counted."""

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
    """Return the size of a mark, and where marks stand: no two overlap.

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
    """Write the marks, flush them, and keep those that the drive gives back."""
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
    """Return what now stands where the marks were written."""
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
    """Tell whether all that is left is at an end of the drive.

    A drive may leave out of a discard what is less than one of its granules there.
    """
    gone = (*found.zeros, *found.changed)
    return (
        method in {"discard", "discard-secure"}
        and bool(gone)
        and all(place < min(gone) or place > max(gone) for place in found.unchanged)
        and len(found.unchanged) <= _ENDS
    )


def find_doubt(marks: Marks, found: ReadBack) -> str:
    """Return why the effect cannot be shown, or an empty text."""
    if not marks.digests:
        return (
            "that the purge worked cannot be shown: no mark could be written before it"
            f" ({marks.trouble or 'the drive did not keep them'})"
        )
    if found.unchanged:
        return (
            f"at byte {found.unchanged[0]}, at an end of the drive, is still what was "
            "written before the purge: less than a granule of its discard may stay"
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
    return f" and at {count} places more" if count else ""
