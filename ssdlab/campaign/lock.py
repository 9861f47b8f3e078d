"""One process at a time works on a run folder."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ssdlab.model.errors import RunFolderError
from ssdlab.system.unix import fcntl

_TRIES = 40
_PAUSE_S = 0.25


@contextmanager
def locked(run: Path, *, sleep: Callable[[float], None]) -> Iterator[None]:
    """Hold the run folder; wait a while for one that is just ending.

    Raises
    ------
    RunFolderError
        If another process works on the run.
    """
    path = run / "lock"
    with path.open("a+", encoding="ascii") as file:
        for _ in range(_TRIES):
            if _take(file):
                break
            sleep(_PAUSE_S)
        else:
            file.seek(0)
            raise RunFolderError(
                folder=str(run),
                reason=f"process {file.read().strip() or '?'} is working on this run",
                remedy="Wait for it, stop it, or use another folder.",
            )
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def read_holder(run: Path) -> int | None:
    """Return the process that works on the run, if one does."""
    try:
        with (run / "lock").open("r+", encoding="ascii") as file:
            return None if _take(file) else int(file.read().strip() or "0") or None
    except (OSError, ValueError):
        return None


def _take(file: TextIO) -> bool:
    """Try to take the lock; it is let go when the file is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
