"""Folders of runs that were killed before they started: nothing was measured."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from ssdlab.model.errors import RunFolderError
from ssdlab.store.lock import read_holder
from ssdlab.system.folders import Folder

_NAME: Final = re.compile(r"\d{8}-\d{6}-.+-[0-9a-f]{4}")  # as `new_run_id` creates them
_FILES: Final = frozenset(("notebook.ipynb", "lock"))
_FOLDERS: Final = frozenset(("steps",))
_OLD_S: Final = 3600.0  # a younger one may be about to start


def sweep_leftovers(runs: Path, *, now_s: float) -> None:
    """Remove this user's leftovers of runs that were killed before they started.

    A run that started has a ``run.json`` or other files in its folder. Only an empty
    notebook, a lock that nobody holds and an empty folder of steps are removed.
    """
    with suppress(OSError, RunFolderError):
        for name in filter(_NAME.fullmatch, Folder(runs).names()):
            with suppress(OSError, RunFolderError):
                _sweep(Folder(runs) / name, now_s)


def _sweep(folder: Folder, now_s: float) -> None:
    state, names = folder.path.lstat(), set(folder.names())
    is_left = state.st_uid == os.geteuid() and now_s - state.st_mtime > _OLD_S
    if not is_left or not names <= _FILES | _FOLDERS or read_holder(folder.path):
        return
    if any((folder / name).names() for name in names & _FOLDERS):
        return
    for name in names & _FOLDERS:
        (folder / name).remove_empty()
    for name in names & _FILES:
        folder.remove(name)
    folder.remove_empty()
