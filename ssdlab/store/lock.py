"""One process at a time works on a run folder."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from ssdlab.model.errors import RunFolderError
from ssdlab.system.folders import Folder
from ssdlab.system.locks import try_lock

_NAME = "lock"
_MOST_DIGITS = 20
_TRIES = 40
_PAUSE_S = 0.25


@contextmanager
def locked(run: Path, *, sleep: Callable[[float], None]) -> Iterator[None]:
    """Hold the run folder; wait a while for one that is just ending."""
    with Folder(run).opened_in_place(_NAME) as file:
        for _ in range(_TRIES):
            if try_lock(file):
                break
            sleep(_PAUSE_S)
        else:
            raise RunFolderError(
                folder=str(run),
                reason=f"process {_holder(file) or '?'} is working on this run",
                remedy="Wait for it, stop it, or use another folder.",
            )
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        yield


def read_holder(run: Path) -> int | None:
    """Return the process that works on the run, if one does."""
    try:
        with Folder(run).opened_in_place(_NAME, makes=False) as file:
            return None if try_lock(file) else _holder(file)
    except OSError:
        return None


def _holder(file: FileIO) -> int | None:
    file.seek(0)
    text = file.read(_MOST_DIGITS).strip()
    return int(text) or None if text.isdigit() else None
