"""What stands at both ends of a drive, so that a run knows what it left there itself.

A run fills its drive with random data, in which a mark of a file system may come about
by chance. Whatever formats a drive writes to its ends.
"""

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from ssdlab.system.folders import Folder

_END_BYTES = 4 << 20  # the farthest mark that libblkid knows is at 2 MiB (VMFS)
_PIECE_BYTES = 1 << 20
_FILE, _KEY = "ends.json", "sha256_of_both_ends"


def digest_ends(descriptor: int, capacity_bytes: int) -> str:
    """Return the SHA-256 of the first and last 4 MiB of a device, past the page cache.

    Raises
    ------
    OSError
        If they cannot be read.
    """
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    digest = hashlib.sha256(str(capacity_bytes).encode())
    for start in (0, max(capacity_bytes - _END_BYTES, 0)):
        for piece in _read(descriptor, start, min(start + _END_BYTES, capacity_bytes)):
            digest.update(piece)
    return digest.hexdigest()


def digest_ends_of(path: Path, capacity_bytes: int) -> str:
    """Return the same of a device that is opened for it; "" if it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return digest_ends(descriptor, capacity_bytes)
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _read(descriptor: int, place: int, end: int) -> Iterator[bytes]:
    while place < end:
        piece = os.pread(descriptor, min(_PIECE_BYTES, end - place), place)
        if not piece:
            raise OSError(errno.EIO, "the device ended too early")
        yield piece
        place += len(piece)


def keep_ends(digest: str, folder: Path) -> None:
    """Note what a session left, so that no crash of the system loses it."""
    Folder(folder).write(_FILE, json.dumps({_KEY: digest}).encode())


def read_kept_ends(folder: Path) -> str:
    """Return what the last session that ended noted; "" if none did."""
    try:
        kept = json.loads(Folder(folder).read(_FILE))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(kept.get(_KEY, "")) if isinstance(kept, dict) else ""
