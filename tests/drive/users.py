"""Another user, for a moment."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534
only_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may become another user"
)


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Go on as the user nobody, who may enter this folder of pytest's."""
    for place in (folder, *folder.parents[:2]):
        place.chmod(place.stat().st_mode | 0o055)
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
