"""A file that ssdlab made, held like a drive: opened once, identified and locked.

All operations are on the opened file, never on whatever has its name later.
"""

import errno
import os
import stat
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn

from ssdlab.drive.gate.end_digests import digest_ends
from ssdlab.drive.gate.samples import sample_places
from ssdlab.model.errors import RunFolderError, TargetRefusedError
from ssdlab.system.births import read_birth_ns
from ssdlab.system.held import FLAGS, KINDS
from ssdlab.system.unix import fcntl
from ssdlab.targets.file_note import (
    Note,
    has_mark,
    is_older_note,
    note_path,
    read_beat_ns,
    read_note,
    touch_note,
    write_note,
)

_TRIES: Final = 8
_PAUSE_S: Final = 0.25  # time for a run that is just ending to release it
_BEAT_S: Final = 5.0  # how often the note records that its session is alive
_LAST_WRITE_NS: Final = 60 * 10**9  # how long after that it may still have written
_RANDOM: Final = 0.9  # least size of random data when compressed, as a share
_ANOTHER_NAME = "ssdlab overwrites only files that it made: name a new file."
_NOT_THE_FILE = "it is not the file that ssdlab made here"


@dataclass(kw_only=True, slots=True)
class HeldFile:
    """A file of ours that is open and locked until it is released.

    Attributes
    ----------
    path : Path
        Its name.
    descriptor : int
        Open for reading and writing; -1 after release.
    note : Note
        The content of its note.
    beat_s : float
        When the note last recorded that the session is alive, by the monotonic clock.
    """

    path: Path
    descriptor: int
    note: Note
    beat_s: float = 0.0

    def find_trouble(self) -> str:
        """Return why this is no longer the file that was opened, or an empty text.

        It is called before each step and a few times a second, so it reads no data.
        """
        if self.descriptor < 0:
            return f"{self.path} was released"
        held = os.fstat(self.descriptor)
        try:
            there = self.path.lstat()
        except OSError:
            return f"{self.path} is gone"
        if (there.st_dev, there.st_ino) != (held.st_dev, held.st_ino):
            return f"{self.path} is gone, and another file has its name"
        if mismatch := find_mismatch(self.descriptor, self.note):
            return f"{self.path} was changed: {mismatch}"
        return ""

    def beat(self) -> None:
        """Update the time of the note every few seconds, as the session is alive."""
        now_s = time.monotonic()
        if now_s - self.beat_s >= _BEAT_S:
            self.beat_s = now_s
            touch_note(self.path)

    def begin(self) -> None:
        """Note that the file is in use: its content is unknown from now on."""
        self._note(replace(self.note, state="in use", changed_ns=0, ends=""))

    def release(self) -> str:
        """Note how it was left, and release it; return why the note failed, or ""."""
        if self.descriptor < 0:
            return ""
        try:
            if not self.find_trouble():
                self._note_rest()
        except (OSError, RunFolderError) as error:
            return f"The note of {self.path} was not written: {error}"
        finally:
            os.close(self.descriptor)
            self.descriptor = -1
        return ""

    def _note_rest(self) -> None:
        os.fsync(self.descriptor)
        self._note(
            replace(
                self.note,
                state="at rest",
                ends=digest_ends(self.descriptor, self.note.size_bytes),
                changed_ns=os.fstat(self.descriptor).st_mtime_ns,
            )
        )

    def _note(self, note: Note) -> None:
        write_note(self.path, note)
        self.note = note


def hold_file(path: Path, *, is_resumed: bool = False) -> HeldFile:
    """Open and hold a file of ours, if it is as its last session left it.

    ``is_resumed``: it is the file of a run that is resumed. Only then may its last
    session have been killed, provided that the file was not changed afterwards and all
    its content looks random.
    """
    descriptor, note = _open_locked(path, os.O_RDWR, fcntl.LOCK_EX)
    held = HeldFile(path=path, descriptor=descriptor, note=note)
    try:
        _require_rest(held, is_resumed=is_resumed)
        held.begin()
    except (OSError, RunFolderError) as error:
        os.close(descriptor)
        _refuse(path, f"it cannot be used ({error})", "Check it and its folder.")
    except BaseException:
        os.close(descriptor)
        raise
    return held


def look_at_file(path: Path) -> Note:
    """Return the note of a file that `hold_file` would accept; nothing is changed."""
    descriptor, note = _open_locked(path, os.O_RDONLY, fcntl.LOCK_SH)
    try:
        held = HeldFile(path=path, descriptor=descriptor, note=note)
        _require_rest(held, is_resumed=False)
    except OSError as error:
        _refuse(path, f"it cannot be read ({error})", "Check it and its folder.")
    finally:
        os.close(descriptor)
    return note


def lock_file(path: Path, descriptor: int, kind: int) -> None:
    """Lock an open file, waiting a moment for a run that is just ending."""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return
    _refuse(path, "another run uses it", "Wait for that run, or name another file.")


def find_mismatch(descriptor: int, note: Note) -> str:
    """Return why an open file is not the one of a note, or an empty text."""
    state = os.fstat(descriptor)
    birth_ns = read_birth_ns(descriptor)
    is_born_so = birth_ns == note.birth_ns
    if birth_ns is None and note.birth_ns is None:
        is_born_so = state.st_ino == note.inode
    faults = {
        "it is not a regular file": not stat.S_ISREG(state.st_mode),
        "it has a second name (it is a hard link)": state.st_nlink > 1,
        "it was made at another time": not is_born_so,
        "it lacks the mark of its note": note.is_marked
        and not has_mark(descriptor, note.serial),
        f"it has {state.st_size:,} bytes instead of {note.size_bytes:,}": state.st_size
        != note.size_bytes,
    }
    return next((words for words, is_so in faults.items() if is_so), "")


def _open_locked(path: Path, access: int, lock: int) -> tuple[int, Note]:
    """Open and lock a file of ours; follow no link, open nothing else."""
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
        if kind != stat.S_IFREG:
            what = KINDS.get(kind, "not a file")
            _refuse(path, f"it is {what}, not a file that ssdlab made", _ANOTHER_NAME)
        descriptor = os.open(path, access | FLAGS)
    except OSError as error:
        gone = error.errno == errno.ENOENT
        what = "the file is gone" if gone else "it cannot be opened"
        _refuse(path, f"{what} ({error.strerror})", "Begin a new run.")
    try:
        _require_ours(path, descriptor)
        lock_file(path, descriptor, lock)
        # The previous holder of the lock may have changed the note.
        return descriptor, _require_ours(path, descriptor)
    except BaseException:
        os.close(descriptor)
        raise


def _require_ours(path: Path, descriptor: int) -> Note:
    """Require that an open file is the one of the note next to it."""
    note = read_note(path, os.fstat(descriptor).st_uid)
    if note is None and is_older_note(path):
        _refuse(
            path,
            "its note is of another version of ssdlab, or of another owner, and does "
            "not identify the file",
            _remove(path),
        )
    if note is None:
        _refuse(path, "this file was not made by ssdlab", _ANOTHER_NAME)
    if note.state == "filling" and os.fstat(descriptor).st_size < note.size_bytes:
        _refuse(path, "its filling was cut short", _remove(path))
    if mismatch := find_mismatch(descriptor, note):
        _refuse(path, f"{_NOT_THE_FILE}: {mismatch}", _ANOTHER_NAME)
    return note


def _require_rest(held: HeldFile, *, is_resumed: bool) -> None:
    """Require that nobody has written to a file since a session ended."""
    path, note = held.path, held.note
    if is_resumed and note.state == "in use":
        _require_as_killed(held)
        return
    if note.state != "at rest":
        _refuse(
            path,
            "the last session on it was killed, so its content is unknown",
            f"Resume that run (ssdlab resume). {_remove(path)}",
        )
    changed_ns = os.fstat(held.descriptor).st_mtime_ns
    ends = digest_ends(held.descriptor, note.size_bytes)
    if (changed_ns, ends) != (note.changed_ns, note.ends):
        _refuse(
            path,
            f"{_NOT_THE_FILE}: it was written to since ssdlab last used it",
            _ANOTHER_NAME,
        )


def _require_as_killed(held: HeldFile) -> None:
    """Require that nobody has changed a file since a session on it was killed.

    The time of its last status change (ctime) is compared, as no program can set it,
    unlike that of the last write.
    """
    changed_ns = os.fstat(held.descriptor).st_ctime_ns
    lived_ns = read_beat_ns(held.path)
    if changed_ns > lived_ns + _LAST_WRITE_NS or not _looks_random(held):
        _refuse(
            held.path,
            f"{_NOT_THE_FILE}: it was changed after the session on it was killed",
            f"Begin a new run, on another file. {_remove(held.path)}",
        )


def _looks_random(held: HeldFile) -> bool:
    """Tell whether a file holds incompressible data, as fio writes it.

    fio puts some bytes of its own into a block that it writes again.
    """
    places = sample_places(held.descriptor, held.note.size_bytes)
    return all(len(zlib.compress(one)) >= _RANDOM * len(one) for one in places)


def _remove(path: Path) -> str:
    return f"If it is not needed, remove it and its note, {note_path(path).name}."


def _refuse(path: Path, reason: str, remedy: str) -> NoReturn:
    raise TargetRefusedError(target=f"file:{path}", reason=reason, remedy=remedy)
