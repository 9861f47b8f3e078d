"""Direct reads and writes of the held device, without the page cache."""

import errno
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from ssdlab.system.unix import fcntl


@contextmanager
def direct_io(descriptor: int) -> Iterator[None]:
    """Let a descriptor bypass the page cache for a while.

    It is the same descriptor that passed the gate: opening the name again could open
    another device.
    """
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_DIRECT)
    try:
        yield
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)


@contextmanager
def aligned_buffer(size_bytes: int) -> Iterator[mmap.mmap]:
    """Yield memory for direct IO: whole pages."""
    with mmap.mmap(-1, size_bytes) as buffer:
        yield buffer


def read_at(descriptor: int, buffer: mmap.mmap, place: int) -> bytes:
    """Read a device at an offset, as much as the buffer holds."""
    length = os.preadv(descriptor, [buffer], place)
    return buffer[:length]


def write_at(descriptor: int, piece: tuple[mmap.mmap, int], place: int) -> None:
    """Write the given number of a buffer's first bytes at an offset."""
    buffer, size = piece
    done = 0
    while done < size:
        with memoryview(buffer) as data, data[done:size] as rest:
            length = os.pwrite(descriptor, rest, place + done)
        if length == 0:
            raise OSError(errno.EIO, "the device took no more data")
        done += length


def forget_cached(descriptor: int) -> None:
    """Drop the system's cached data of the device, as it was purged."""
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
