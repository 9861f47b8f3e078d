"""Samples spread over a device or file, to tell whether it holds data.

They are the same each time, and few enough to be read within a second.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PLACES: Final = 64
_PLACE_BYTES: Final = 4096
_BLANK: Final = (b"\0", b"\xff")  # of what was never written, or was trimmed


def sample_places(descriptor: int, capacity_bytes: int) -> Iterator[bytes]:
    """Yield the content of 64 places, from the beginning to the end."""
    last = max(capacity_bytes - _PLACE_BYTES, 0) // _PLACE_BYTES
    for number in range(PLACES):
        place = last * number // (PLACES - 1) * _PLACE_BYTES
        piece = os.pread(descriptor, _PLACE_BYTES, place)
        if not piece:
            raise OSError(errno.EIO, "the device ended too early")
        yield piece


def count_data_places(path: Path, capacity_bytes: int) -> int | None:
    """Return the number of places that hold data; ``None`` if unreadable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)  # no read-ahead
        return sum(map(_is_data, sample_places(descriptor, capacity_bytes)))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _is_data(piece: bytes) -> bool:
    return all(piece.strip(blank) for blank in _BLANK)
