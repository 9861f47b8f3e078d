"""A folder for what a program needs only while it starts.

It is removed when the program ends. What killed programs left, the next one removes.
"""

import atexit
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

_ABANDONED_S: Final = 3600.0


@contextmanager
def private_folder(prefix: str) -> Iterator[Path]:
    """Make a folder that only this user can read, and remove it at the end.

    After Ctrl-C it goes when the program ends. Others of this user with the prefix go
    first if they are older than an hour, even if they are in use: nobody looks into one
    that long after it was made.

    Raises
    ------
    KeyboardInterrupt
        As the block does.
    """
    made = tempfile.mkdtemp(prefix=prefix)
    remove = partial(shutil.rmtree, made, ignore_errors=True)
    atexit.register(remove)  # behind what is registered later, such as ends of kernels
    with suppress(OSError, RunFolderError):
        _sweep(Path(made), prefix)
    try:
        yield Path(made)
    except KeyboardInterrupt:
        raise  # what was just started may still be about to look into it
    except BaseException:
        remove()
        raise
    remove()


def _sweep(made: Path, prefix: str) -> None:
    mine, above = made.lstat(), Folder(made.parent)
    for name in above.names():
        if not name.startswith(prefix):
            continue
        with suppress(OSError, RunFolderError):
            found = (made.parent / name).lstat()
            is_mine = S_ISDIR(found.st_mode) and found.st_uid == mine.st_uid
            if is_mine and mine.st_mtime - found.st_mtime > _ABANDONED_S:
                (above / name).remove_tree()
