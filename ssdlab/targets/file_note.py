"""The note beside a file target: by what ssdlab knows the file that it made.

The note lies where others may write, so it is read as data of strangers: bounded, not
through a link, and only where it has the same owner as the file.
"""

import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import from_plain
from ssdlab.system.folders import Folder

_FORMAT: Final = 2
_MOST_BYTES: Final = 4096
_SERIAL: Final = re.compile(r"file-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ATTRIBUTE: Final = "user.ssdlab.serial"

FileState = Literal["filling", "in use", "at rest"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """What the note beside a file says.

    ``is_marked`` tells whether the file carries its serial number as an extended
    attribute. ``birth_ns`` is when the file was made, ``None`` where the file system
    does not keep that; then ``inode`` stands for it. ``changed_ns`` and ``ends`` say
    how the last session left it: when it was last written to, and what stands at both
    its ends. They count only ``at rest``.
    """

    made_by: Literal["ssdlab"] = "ssdlab"
    format_version: int = _FORMAT
    serial: str
    size_bytes: int
    state: FileState
    is_marked: bool
    inode: int
    birth_ns: int | None
    changed_ns: int = 0
    ends: str = ""


def note_path(path: Path) -> Path:
    """Return where the note of a file lies."""
    return path.with_name(f"{path.name}.ssdlab.json")


def read_note(path: Path, owner: int) -> Note | None:
    """Return the note of a file, if it is one and has the owner of the file."""
    place = note_path(path)
    try:
        folder = Folder(place.parent)
        content = folder.read(place.name, limit=_MOST_BYTES, owner=owner)
        note = from_plain(Note, json.loads(content))
    except (OSError, ValueError, RecursionError, RunFolderError):
        return None
    is_one = note.format_version == _FORMAT and _SERIAL.fullmatch(note.serial)
    return note if is_one else None


def write_note(path: Path, note: Note) -> None:
    """Write the note of a file, whole or not at all.

    Raises
    ------
    OSError
        If it cannot be written.
    RunFolderError
        If something stands in its place that is no file.
    """
    place = note_path(path)
    Folder(place.parent).write(place.name, json.dumps(asdict(note)).encode())


def touch_note(path: Path) -> None:
    """Give the note of a file the present time, if it is there; wait for no disk."""
    place = note_path(path)
    folder = Folder(place.parent)
    with (
        suppress(OSError, RunFolderError),
        folder.opened_in_place(place.name, makes=False) as file,
    ):
        os.utime(file.fileno())


def read_beat_ns(path: Path) -> int:
    """Return when the note of a file was written or touched last [Unix ns]."""
    place = note_path(path)
    return Folder(place.parent).changed_ns(place.name)


def is_older_note(path: Path) -> bool:
    """Tell whether an older version of ssdlab wrote the note of a file."""
    place = note_path(path)
    try:
        said = json.loads(Folder(place.parent).read(place.name, limit=_MOST_BYTES))
    except (OSError, ValueError, RecursionError, RunFolderError):
        return False
    return isinstance(said, dict) and said.get("made_by") == "ssdlab"


def put_mark(descriptor: int, serial: str) -> bool:
    """Let a file carry its serial number; ``False`` where its file system cannot."""
    if hasattr(os, "setxattr"):
        with suppress(OSError):
            os.setxattr(descriptor, _ATTRIBUTE, serial.encode())
            return True
    return False


def has_mark(descriptor: int, serial: str) -> bool:
    """Tell whether a file carries this serial number."""
    try:
        return os.getxattr(descriptor, _ATTRIBUTE) == serial.encode()
    except (OSError, AttributeError):  # AttributeError: not Linux
        return False
