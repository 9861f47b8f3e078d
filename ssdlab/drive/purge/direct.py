"""Reads and writes of the held device past all caches of the system."""

import errno
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from ssdlab.system.unix import fcntl


@contextmanager
def direct_io(descriptor: int) -> Iterator[None]:
    """Let a descriptor go past the page cache for a while.

    It is the very descriptor that passed the gate: opening the name again could open
    another device by now.
    """
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_DIRECT)
    try:
        yield
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)


@contextmanager
def aligned_buffer(size_bytes: int) -> Iterator[mmap.mmap]:
    """Give memory that a device accepts as it is: whole pages."""
    with mmap.mmap(-1, size_bytes) as buffer:
        yield buffer


def read_at(descriptor: int, buffer: mmap.mmap, place: int) -> bytes:
    """Return what the device has at a place, as much as the buffer holds."""
    length = os.preadv(descriptor, [buffer], place)
    return buffer[:length]


def write_at(descriptor: int, piece: tuple[mmap.mmap, int], place: int) -> None:
    """Write the first bytes of a buffer, so many of them, at a place.

    Raises
    ------
    OSError
        If the device took none of it, or not all.
    """
    buffer, size = piece
    done = 0
    while done < size:
        with memoryview(buffer) as data, data[done:size] as rest:
            length = os.pwrite(descriptor, rest, place + done)
        if length == 0:
            raise OSError(errno.EIO, "the device took no more data")
        done += length


def forget_cached(descriptor: int) -> None:
    """Drop what the system has cached of the device: it was purged meanwhile."""
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
