"""The counters of the virtual SSD; their layout is that of ``truth.c``."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from ssdlab.model.errors import RunFolderError
from ssdlab.system.folders import Folder

MAGIC: Final = 0x3144535342414C31
VERSION: Final = 2
PAGE_BYTES: Final = 4096
SECTOR_BYTES: Final = 512
SIZES: Final = 130
PLACES: Final = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Counters:
    """The fields of the counters file, in its order.

    Counts are since the server started. Fields with ``busy`` in their name and
    ``first_io_realtime_ns`` are of the current busy period, which begins with the first
    request after more than 1 ms without one. ``connections`` are open; busy ones sent a
    request in this period; ``connections_max`` is the maximum busy at once and
    ``in_flight_connection_max`` the maximum outstanding on one. ``die_work_ns`` is the
    sum over dies. ``late_requests`` were answered more than 1 ms after the model's
    time, because the host did not keep up. ``idle_moved_bytes`` and ``idle_erases`` are
    the part of ``gc_moved_bytes`` and ``erases`` done without requests; they are
    updated by the next request. ``unaligned_reads`` and ``unaligned_writes`` begin
    inside a page.
    """

    magic: int
    version: int
    page_bytes: int
    logical_pages: int
    dies: int
    blocks: int
    pages_per_block: int
    gaps_offset: int
    gap_slots: int
    writes_offset: int
    erases_offset: int
    started_realtime_ns: int
    host_written_bytes: int
    host_read_bytes: int
    trimmed_bytes: int
    nand_written_bytes: int
    gc_moved_bytes: int
    erases: int
    mapped_bytes: int
    free_blocks: int
    full_trims: int
    die_work_ns: int
    read_requests: int
    write_requests: int
    trim_requests: int
    flush_requests: int
    in_flight: int
    in_flight_max: int
    in_flight_busy_max: int
    first_io_realtime_ns: int
    last_completion_realtime_ns: int
    idle_gaps: int
    late_requests: int
    late_ns_max: int
    connections: int
    connections_max: int
    connections_busy: int
    connections_busy_max: int
    in_flight_connection_max: int
    in_flight_connection_busy_max: int
    idle_moved_bytes: int
    idle_erases: int
    unaligned_reads: int
    unaligned_writes: int
    sizes_offset: int
    places_offset: int


@dataclass(frozen=True, kw_only=True, slots=True)
class IdleGap:
    """A time without a request, longer than 1 ms (CLOCK_REALTIME)."""

    start_ns: int
    end_ns: int


def read_counters(path: Path) -> Counters:
    """Return the current counters; each field is read atomically."""
    names = Counters.__slots__
    fields = np.array(_open(path, dtype="<u8", offset=0, count=len(names)))
    counters = Counters(**dict(zip(names, map(int, fields), strict=True)))
    if (counters.magic, counters.version) != (MAGIC, VERSION):
        _refuse_damaged(path, f"it is not a counters file of version {VERSION}")
    return counters


def read_idle_gaps(path: Path) -> tuple[IdleGap, ...]:
    """Return the latest idle gaps, oldest first, as many as the ring holds."""
    before = read_counters(path)
    slots = before.gap_slots
    ring = np.array(
        _open(path, dtype="<u8", offset=before.gaps_offset, count=2 * slots)
    )
    after = read_counters(path).idle_gaps
    oldest = max(0, after + 1 - slots)
    pairs = [(2 * (number % slots)) for number in range(oldest, before.idle_gaps)]
    return tuple(
        IdleGap(start_ns=int(ring[at]), end_ns=int(ring[at + 1])) for at in pairs
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestRecord:
    """The number of reads and writes by size and by place.

    Sizes have one count for 0 to 128 sectors of 512 bytes, a part of one counted as a
    whole, and a last one for more. Places are hundredths of the drive, by the first
    byte.
    """

    read_sizes: NDArray[np.uint64]
    write_sizes: NDArray[np.uint64]
    read_places: NDArray[np.uint64]
    write_places: NDArray[np.uint64]


def read_request_record(path: Path) -> RequestRecord:
    """Return the sizes and places of all requests since the server began."""
    counters = read_counters(path)
    sizes = np.array(
        _open(path, dtype="<u8", offset=counters.sizes_offset, count=2 * SIZES)
    ).reshape(2, SIZES)
    places = np.array(
        _open(path, dtype="<u8", offset=counters.places_offset, count=2 * PLACES)
    ).reshape(2, PLACES)
    return RequestRecord(
        read_sizes=sizes[0],
        write_sizes=sizes[1],
        read_places=places[0],
        write_places=places[1],
    )


def read_page_write_counts(path: Path) -> NDArray[np.uint32]:
    """Return how often the host wrote each page since the last trim of everything."""
    counters = read_counters(path)
    offset, count = counters.writes_offset, counters.logical_pages
    return np.array(_open(path, dtype="<u4", offset=offset, count=count))


def read_block_erase_counts(path: Path) -> NDArray[np.uint32]:
    """Return how often each block was erased since the server began."""
    counters = read_counters(path)
    offset, count = counters.erases_offset, counters.blocks
    return np.array(_open(path, dtype="<u4", offset=offset, count=count))


def _open(path: Path, *, dtype: str, offset: int, count: int) -> NDArray[np.generic]:
    """Map a part of the file: a mapped 64-bit load is atomic, a `read` may not be."""
    try:
        with Folder(path.parent).opened(path.name) as file:
            size = os.fstat(file.fileno()).st_size
            if offset + count * np.dtype(dtype).itemsize > size:
                _refuse_damaged(path, "it is too short")
            return np.memmap(file, dtype=dtype, mode="r", offset=offset, shape=(count,))
    except FileNotFoundError:
        _refuse_damaged(path, "it does not exist")
    except (OSError, ValueError) as error:
        _refuse_damaged(path, f"it cannot be read ({error})")


def _refuse_damaged(path: Path, reason: str) -> NoReturn:
    raise RunFolderError(
        folder=str(path),
        reason=f"the counters of the virtual SSD cannot be used: {reason}",
        remedy="Begin a new run.",
    )
