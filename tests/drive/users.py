"""Another user, for a moment."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

import pytest

NOBODY = 65534
only_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may become another user"
)


@contextmanager
def _open_to_all(folder: Path) -> Iterator[None]:
    """Let everyone read this folder and find the way to it, which may be private.

    Tests of other workers lie below the same folders, and would close the way.
    """
    alone = Path(gettempdir(), "open-to-all.lock")
    with alone.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = [(place, place.stat().st_mode) for place in (folder, *folder.parents)]
        before = [(place, mode) for place, mode in before if not mode & 0o001]
        for place, mode in before:
            place.chmod(mode | 0o055)
        try:
            yield
        finally:
            for place, mode in before:
                place.chmod(mode)


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Go on as the user nobody, who may enter this folder for the moment."""
    with _open_to_all(folder):
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)


@contextmanager
def wholly_as_nobody(folder: Path) -> Iterator[None]:
    """Go on as nobody, whose real number is not root's either: so he signals none."""
    with as_nobody(folder):
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield
        finally:
            os.setresuid(0, 0, 0)
            os.seteuid(NOBODY)
