"""Files that appear whole or not at all: written aside, fsynced, renamed."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that no reader, and no crash, ever meets half of it.

    A link is followed. What is no regular file, such as a pipe or ``/dev/null``, is
    written to and not replaced.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    replace_whole(path, content)


def replace_whole(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one, never half.

    A link is not followed but replaced: for places where others may have put one.
    """
    aside = path.with_name(f".{path.name}.part")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    publish(aside, path)


def remove_whole(path: Path) -> None:
    """Remove a file, if it is there, so that no crash brings it back."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def publish(aside: Path, path: Path) -> None:
    """Rename a finished file or folder into place and make the name durable."""
    aside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
