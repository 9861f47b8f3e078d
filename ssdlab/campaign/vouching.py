"""Whether a run folder is as its user made it when the run began on this machine.

What confirmed a drive stands in ``run.json``, which anybody can write. It counts only
with a witness outside of the folder: a random mark that lies in it, noted in the state
folder of the user with the record, the folder and the drive that it was made for. A
folder that was copied, handed on or changed has no such witness.
"""

import hashlib
import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import RunRecord
from ssdlab.system.folders import Folder
from ssdlab.system.state import state_folder

_MARK: Final = "mark"
_RECORD: Final = "run.json"
_MARK_BYTES: Final = 32

Note = dict[str, str | int]


def vouch_for(run: Path, record: RunRecord) -> None:
    """Mark a run folder that was just made, and note that here.

    Where the note cannot be written, consent is asked for again on resume.
    """
    mark = secrets.token_hex(_MARK_BYTES)
    Folder(run).write(_MARK, mark.encode())
    with suppress(OSError, RunFolderError):
        note = _note(run, record)
        _notes().make().write(_name(mark), json.dumps(note).encode())


def is_vouched(run: Path, record: RunRecord) -> bool:
    """Tell whether a folder and its record are as they were when the run began here."""
    try:
        mark = _read_own(Folder(run), _MARK).decode("ascii")
        noted = json.loads(_read_own(_notes(), _name(mark)))
        return bool(noted == _note(run, record))
    except (OSError, ValueError, RecursionError, RunFolderError):
        return False


def forget(run: Path) -> None:
    """Remove the note of a run that is over."""
    with suppress(OSError, ValueError, RunFolderError):
        _notes().remove(_name(Folder(run).read(_MARK).decode("ascii")))


def _note(run: Path, record: RunRecord) -> Note:
    """Return what has to be as it was.

    Raises
    ------
    OSError
        If the record cannot be read, or is not this user's.
    """
    return {
        "run_id": record.run_id,
        "serial": record.target.serial,
        "uid": os.geteuid(),
        "folder": run.stat().st_ino,
        "record_sha256": hashlib.sha256(_read_own(Folder(run), _RECORD)).hexdigest(),
    }


def _read_own(folder: Folder, name: str) -> bytes:
    """Return what a file holds that this user owns.

    Raises
    ------
    PermissionError
        If it is somebody else's, or the folder is.
    """
    if folder.path.stat().st_uid != os.geteuid():
        msg = f"{folder.path} is not this user's"
        raise PermissionError(msg)
    return folder.read(name, owner=os.geteuid())


def _notes() -> Folder:
    return Folder(state_folder()) / "runs"


def _name(mark: str) -> str:
    return f"{hashlib.sha256(mark.encode()).hexdigest()}.json"
