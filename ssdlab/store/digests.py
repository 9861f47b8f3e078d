"""SHA-256 of the files of an untrusted run folder."""

import hashlib
import os
from typing import BinaryIO

from ssdlab.system.folders import Folder
from ssdlab.system.unpack import MAX_INPUT_BYTES

_PIECE_BYTES = 1 << 20


def digest_file(folder: Folder, name: str) -> str:
    """Return the digest of a file in hexadecimal."""
    try:
        with folder.opened(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_INPUT_BYTES:
                return f"{size} bytes"
            return digest_open(file)
    except (FileNotFoundError, NotADirectoryError):
        return ""


def digest_open(file: BinaryIO) -> str:
    """Return the digest of what is left of an open file."""
    digest = hashlib.sha256()
    while piece := file.read(_PIECE_BYTES):
        digest.update(piece)
    return digest.hexdigest()


def digest_files(folder: Folder) -> dict[str, str]:
    """Return the digest of each file of a folder, by name."""
    return {name: digest_file(folder, name) for name in folder.names()}
