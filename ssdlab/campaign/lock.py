"""One process at a time works on a run folder."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ssdlab.model.errors import RunFolderError

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
        for attempt in range(_TRIES):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if attempt == _TRIES - 1:
                    file.seek(0)
                    holder = file.read().strip() or "unknown"
                    raise RunFolderError(
                        folder=str(run),
                        reason=f"process {holder} is working on this run",
                        remedy="Wait for it, stop it, or use another folder.",
                    ) from None
                sleep(_PAUSE_S)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def read_holder(run: Path) -> int | None:
    """Return the process that works on the run, if one does."""
    try:
        with (run / "lock").open("r+", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(file.read().strip() or "0") or None
    except (OSError, ValueError):
        return None
    return None
