"""Digests of both ends of a drive, so that a run recognises its own data there.

A run fills its drive with random data, which may contain a signature of a file system
by chance. Whatever formats a drive writes to its ends.
"""

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from ssdlab.system.folders import Folder

_END_BYTES = 4 << 20  # the farthest signature that libblkid knows is at 2 MiB (VMFS)
_PIECE_BYTES = 1 << 20
_FILE, _KEY = "ends.json", "sha256_of_both_ends"


def digest_ends(descriptor: int, capacity_bytes: int) -> str:
    """Return the SHA-256 of the first and last 4 MiB, past the page cache."""
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    digest = hashlib.sha256(str(capacity_bytes).encode())
    for start in (0, max(capacity_bytes - _END_BYTES, 0)):
        for piece in _read(descriptor, start, min(start + _END_BYTES, capacity_bytes)):
            digest.update(piece)
    return digest.hexdigest()


def digest_ends_of(path: Path, capacity_bytes: int) -> str:
    """Open a device and return its digest; "" if it cannot be read."""
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
    """Store durably the digest that a session left."""
    Folder(folder).write(_FILE, json.dumps({_KEY: digest}).encode())


def read_kept_ends(folder: Path) -> str:
    """Return the digest of the last session that ended; "" if there is none."""
    try:
        kept = json.loads(Folder(folder).read(_FILE))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(kept.get(_KEY, "")) if isinstance(kept, dict) else ""
