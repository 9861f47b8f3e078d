"""What a server that was killed left in its socket folder, and nothing else.

Where that folder is stands in a file that anybody may have written.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from ssdlab.model.errors import RunFolderError
from ssdlab.system.folders import Folder
from ssdlab.virtual.process import identify_process
from ssdlab.virtual.record import PID_NAME, SOCKET_NAME, ServerRecord

FOLDER_PREFIX: Final = "ssdlab-"
_MOST_BYTES: Final = 32  # of a process number


def tidy_after(record: ServerRecord) -> None:
    """Remove the socket folder of a server that is gone, if it is one.

    It is one if `tempfile.mkdtemp` made it for this user, if it holds nothing but what
    a server puts there, and if the process noted in it is that of the record and does
    not run.
    """
    path = record.socket_folder
    with suppress(OSError, ValueError, RunFolderError):
        folder = Folder(path.parent) / path.name
        if _is_private(path) and _is_left_behind(folder, record.process.pid):
            for name in folder.names():
                folder.remove(name)
            path.rmdir()


def _is_private(path: Path) -> bool:
    state = path.lstat()
    is_closed = stat.S_ISDIR(state.st_mode) and stat.S_IMODE(state.st_mode) == 0o700
    is_mine = state.st_uid == os.geteuid()
    return is_closed and is_mine and path.name.startswith(FOLDER_PREFIX)


def _is_left_behind(folder: Folder, pid: int) -> bool:
    names = folder.names()
    if not names:
        return True
    is_all_known = set(names) <= {SOCKET_NAME, PID_NAME}
    noted = int(folder.read(PID_NAME, limit=_MOST_BYTES)) if is_all_known else None
    return noted == pid and identify_process(pid) is None
