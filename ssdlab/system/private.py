"""A private temporary folder of a program.

It is removed when the program ends. Those of killed programs are removed by the next.
"""

import atexit
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from stat import S_ISDIR
from typing import Final

from ssdlab.model.errors import RunFolderError
from ssdlab.system.folders import Folder
from ssdlab.system.unix import fcntl

_BEING_MADE_S: Final = 10.0  # a younger one may not be locked yet


@contextmanager
def private_folder(prefix: str) -> Iterator[Path]:
    """Make a folder that only this user can read, and remove it at the end.

    After Ctrl-C it is removed when the program ends. It is locked as long as the
    program lives; unlocked ones of this user with the same prefix are removed first.
    Where folders cannot be locked (Windows), none of them is.
    """
    made = Path(tempfile.mkdtemp(prefix=prefix))
    held: list[int] = []
    remove = partial(_remove, made, held)
    atexit.register(remove)  # runs after what is registered later: ends of kernels
    with suppress(OSError, RunFolderError):
        held.append(_hold(made))
        _sweep(made, prefix)
    try:
        yield made
    except KeyboardInterrupt:
        raise  # a program just started may still need it
    except BaseException:
        remove()
        raise
    remove()


def _remove(folder: Path, held: list[int]) -> None:
    """Remove and unlock a folder; a second call does nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    while held:
        os.close(held.pop())


def _hold(folder: Path) -> int:
    """Lock a folder until it is closed or this program ends."""
    if fcntl is None:
        raise OSError(errno.ENOTSUP, "folders cannot be locked on this system")
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _sweep(made: Path, prefix: str) -> None:
    above = Folder(made.parent)
    for name in above.names():
        if name.startswith(prefix):
            with suppress(OSError, RunFolderError):
                _remove_if_left(above, name, made.lstat())


def _remove_if_left(above: Folder, name: str, mine: os.stat_result) -> None:
    path = above.path / name
    found = path.lstat()
    is_mine = S_ISDIR(found.st_mode) and found.st_uid == mine.st_uid
    if not is_mine or mine.st_mtime - found.st_mtime <= _BEING_MADE_S:
        return
    held = _hold(path)
    try:
        (above / name).remove_tree()
    finally:
        os.close(held)
