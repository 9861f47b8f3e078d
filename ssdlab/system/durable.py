"""Atomic file writes: to a temporary file, fsynced, renamed."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as `opened_whole` does."""
    with opened_whole(path) as file:
        file.write(content)


@contextmanager
def opened_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing, so that no reader or crash sees half of it.

    A link is followed. Anything but a regular file, such as a pipe or ``/dev/null``, is
    written to and not replaced. A write that fails leaves nothing behind.
    """
    path = Path(os.path.realpath(path))  # resolve() fails where a link leads to itself
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    with _opened_aside(path) as file:
        yield file


def replace_whole(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one, never half.

    A link is not followed but replaced: for places where others may have put one.
    """
    with _opened_aside(path) as file:
        file.write(content)


@contextmanager
def _opened_aside(path: Path) -> Iterator[BinaryIO]:
    aside = path.with_name(aside_name(path.name))
    try:
        with aside.open("xb") as file:  # never through a link of that name
            yield file
            file.flush()
            os.fsync(file.fileno())
        publish(aside, path)
    except BaseException:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def aside_name(name: str) -> str:
    """Return a unique name for a file until it is whole."""
    return f".{name}.{secrets.token_hex(8)}.part"


def remove_whole(path: Path) -> None:
    """Remove a file, if it exists, so that no crash brings it back."""
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
