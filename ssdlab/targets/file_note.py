"""The note next to a file target, by which ssdlab recognises a file that it made.

The note is where others may write, so it is untrusted: its size is limited, no link is
followed, and it must have the same owner as the file.
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
    """The content of a note.

    ``is_marked`` says whether the file has its serial number as an extended attribute.
    ``birth_ns`` is when the file was made, ``None`` where the file system does not keep
    that; then ``inode`` replaces it. ``changed_ns`` and ``ends`` are how the last
    session left it: when it was last written to, and the content at both ends. They are
    valid only ``at rest``.
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
    """Return the path of the note of a file."""
    return path.with_name(f"{path.name}.ssdlab.json")


def read_note(path: Path, owner: int) -> Note | None:
    """Return the note of a file, if it is valid and has the owner of the file."""
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
    """Write the note of a file atomically."""
    place = note_path(path)
    Folder(place.parent).write(place.name, json.dumps(asdict(note)).encode())


def touch_note(path: Path) -> None:
    """Update the time of a file's note, if it exists, without waiting for the disk."""
    place = note_path(path)
    folder = Folder(place.parent)
    with (
        suppress(OSError, RunFolderError),
        folder.opened_in_place(place.name, makes=False) as file,
    ):
        os.utime(file.fileno())


def read_beat_ns(path: Path) -> int:
    """Return when the note of a file was last written or touched [Unix ns]."""
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
    """Mark a file with its serial number; ``False`` if its file system cannot."""
    if hasattr(os, "setxattr"):
        with suppress(OSError):
            os.setxattr(descriptor, _ATTRIBUTE, serial.encode())
            return True
    return False


def has_mark(descriptor: int, serial: str) -> bool:
    """Tell whether a file is marked with this serial number."""
    try:
        return os.getxattr(descriptor, _ATTRIBUTE) == serial.encode()
    except (OSError, AttributeError):  # AttributeError: not Linux
        return False
