"""SHA-256 of the files of a run folder, which strangers may have made."""

import hashlib
import os

from ssdlab.system.folders import Folder
from ssdlab.system.unpack import MAX_INPUT_BYTES

_PIECE_BYTES = 1 << 20


def digest_file(folder: Folder, name: str) -> str:
    """Return the digest of a file, in hexadecimal.

    Parameters
    ----------
    folder : Folder
        Where it lies.
    name : str
        Its name there.

    Returns
    -------
    str
        An empty text if there is no such file. One that is larger than any that is
        read has its size instead: a sparse one could take days.
    """
    try:
        with folder.opened(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_INPUT_BYTES:
                return f"{size} bytes"
            digest = hashlib.sha256()
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
            return digest.hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def digest_files(folder: Folder) -> dict[str, str]:
    """Return the digest of each file of a folder, by name.

    Parameters
    ----------
    folder : Folder
        The folder.

    Returns
    -------
    dict
        By the names of the files.
    """
    return {name: digest_file(folder, name) for name in folder.names()}
