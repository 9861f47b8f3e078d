"""Small files that must be there after a crash, and gone when they are done with."""

import hashlib
import json
import os
from pathlib import Path

from ssdlab.model.drive import Drive

_WITHOUT_HOME = Path("/var/lib/ssdlab")


def state_folder() -> Path:
    """Return where this user's notes about drives lie, whoever wrote them and why.

    It is one folder for all runs: what a run left on a drive, the next one finds.
    """
    base = os.environ.get("XDG_STATE_HOME", "")
    if base.startswith("/"):
        return Path(base) / "ssdlab"
    try:
        return Path.home() / ".local/state/ssdlab"
    except RuntimeError:  # a user of whom the system knows no home
        return _WITHOUT_HOME


def drive_folder(drive: Drive) -> Path:
    """Return where the notes about one drive lie, by what it calls itself."""
    named = json.dumps([drive.model, drive.serial, drive.wwn])
    name = hashlib.sha256(named.encode()).hexdigest()[:32]
    return state_folder() / "drives" / name


def write_durably(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one, never half."""
    aside = path.with_name(f".{path.name}.part")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    _sync_folder(path.parent)


def remove_durably(path: Path) -> None:
    """Remove a file, if it is there, so that no crash brings it back."""
    path.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
