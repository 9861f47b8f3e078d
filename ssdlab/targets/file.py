"""A file as a target: for trials where nothing else can be measured.

ssdlab writes only to files that it made. It holds one like a drive: opened once,
identified by a mark in the file and a note next to it, and locked during a run. fio
writes to the opened file, not to whatever has its name later. A new file never
overwrites another; one whose filling was cut short is refused.
"""

import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ssdlab.model.drive import AUTO_PURGE, PurgeChoice, PurgeOutcome, WriteCacheState
from ssdlab.model.errors import RunFolderError, TargetRefusedError
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.io_counts import IoCounts
from ssdlab.model.records import TargetIdentity
from ssdlab.system.births import read_birth_ns
from ssdlab.system.unix import fcntl
from ssdlab.targets.file_note import (
    Note,
    is_older_note,
    note_path,
    put_mark,
    read_note,
    write_note,
)
from ssdlab.targets.held_file import HeldFile, hold_file, lock_file, look_at_file
from ssdlab.targets.options import expand_path, require_safe_path, split_size
from ssdlab.targets.purges import find_purge_choice
from ssdlab.targets.shape import Shape

_CHUNK = 1024 * 1024
SECTOR_BYTES = 512
_WRITE_CACHE = "a file has none of its own"
FILE_PURGE = PurgeChoice(
    method="none",
    words="none: a file cannot be purged",
    why="a file has no flash cells of its own that could be erased",
)


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file that ssdlab made and filled with random data, held for a run."""

    identity: TargetIdentity
    fio_options: Mapping[str, str]
    held: HeldFile
    purge_choice: PurgeChoice = FILE_PURGE
    telemetry_interval_s: float = 60.0
    drive: None = None
    consent: None = None
    host_checks: tuple[HostCheck, ...] = ()
    write_cache: WriteCacheState = "as found"
    write_cache_fault: str = _WRITE_CACHE
    stopping_words: str = ""  # it leaves nothing behind

    @property
    def descriptor(self) -> int:
        """Return the open file to which fio writes."""
        return self.held.descriptor

    def purge(self, tell: Callable[[str], None]) -> PurgeOutcome:
        """Do nothing, and record that."""
        del tell
        return PurgeOutcome(said=self.purge_choice.words)

    def find_trouble(self) -> str:
        """Return why the file can no longer be used, or an empty text."""
        return self.held.find_trouble()

    def find_alarm(self) -> str:
        """Return why the run must stop now: the file was replaced or changed."""
        self.held.beat()
        return self.held.find_trouble()

    def read_counters(self) -> dict[str, float]:
        """Return nothing: a file has no counters."""
        return {}

    def read_io(self) -> IoCounts | None:
        """Return nothing: the kernel counts the IO of its whole device."""
        return None

    def read_telemetry(self) -> dict[str, float]:
        """Return nothing: a file has no telemetry."""
        return {}

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return nothing: there are no counters to check."""
        del before, after
        return ""

    def release(self) -> str:
        """Note how the session leaves the file, and release it."""
        return self.held.release()

    def close(self) -> None:
        """Release the file, which is kept for the next run."""
        self.held.release()


def open_file(text: str, *, purge: str = AUTO_PURGE) -> FileTarget:
    """Return the file target ``PATH[,size=SIZE]``; create a missing file."""
    find_purge_choice(purge, (FILE_PURGE,), target="a file")
    path, size = _parse(text)
    if not os.path.lexists(path):
        return _target(_make(path, _require_makeable(path, size)))
    _require_size(path, look_at_file(path).size_bytes, size)
    return _target(hold_file(path))


def read_file_shape(text: str) -> Shape:
    """Return what the target ``PATH[,size=SIZE]`` is or will be."""
    path, size = _parse(text)
    if os.path.lexists(path):
        capacity_bytes = look_at_file(path).size_bytes
        _require_size(path, capacity_bytes, size)
    else:
        capacity_bytes = _require_makeable(path, size)
    return Shape(
        capacity_bytes=capacity_bytes,
        sector_bytes=SECTOR_BYTES,
        kind="file",
        write_cache_fault=_WRITE_CACHE,
        fio_options=_fio_options(path),
    )


def reopen_file(name: str, *, purge: str = AUTO_PURGE) -> FileTarget:
    """Return the file target of an interrupted run; it makes no new file."""
    find_purge_choice(purge, (FILE_PURGE,), target="a file")
    return _target(hold_file(Path(name), is_resumed=True))


def remove_file(path: Path) -> None:
    """Remove a file that ssdlab made and that nothing changed since, with its note."""
    held = hold_file(path)
    _take_away(path, held.descriptor)


def _parse(text: str) -> tuple[Path, int | None]:
    """Return the requested path and size, in whole sectors."""
    name, size = split_size(text)
    require_safe_path(name)
    return expand_path(name), None if size is None else size - size % SECTOR_BYTES


def _target(held: HeldFile) -> FileTarget:
    path, note = held.path, held.note
    return FileTarget(
        identity=TargetIdentity(
            kind="file",
            spec=f"file:{path}",
            model="file",
            serial=note.serial,
            firmware="",
            capacity_bytes=note.size_bytes,
            sector_bytes=SECTOR_BYTES,
            interface="file system",
            options={"path": str(path)},
        ),
        fio_options=_fio_options(path),
        held=held,
    )


def _fio_options(path: Path) -> dict[str, str]:
    return {
        "ioengine": "libaio",
        "filename": require_safe_path(str(path)),
        "allow_file_create": "0",
    }


def _refuse(path: Path, reason: str, remedy: str) -> NoReturn:
    raise TargetRefusedError(target=f"file:{path}", reason=reason, remedy=remedy)


def _require_size(path: Path, size_bytes: int, asked: int | None) -> None:
    """Require that a file has the requested size, if there is one."""
    if asked not in {None, size_bytes}:
        _refuse(
            path,
            f"it has {size_bytes} bytes instead of the requested {asked}",
            "Leave out the size, or remove the file.",
        )


def _require_makeable(path: Path, size: int | None) -> int:
    """Require that a file of this size can be made there; return its bytes."""
    if size is None:
        _refuse(
            path,
            "the file does not exist and no size was given",
            f"Give a size: file:{path},size=1GiB.",
        )
    if not path.parent.is_dir():
        _refuse(path, "its folder does not exist", "Make the folder first.")
    free = shutil.disk_usage(path.parent).free
    if size > free * 0.9:
        _refuse(
            path,
            f"{size} bytes do not fit: {free} bytes are free",
            "Choose a smaller size or another folder.",
        )
    place = note_path(path)
    if os.path.lexists(place) and not _is_left_behind(path):
        _refuse(
            path,
            f"its note would overwrite {place}, which ssdlab did not make",
            "Choose another name.",
        )
    return size


def _is_left_behind(path: Path) -> bool:
    """Tell whether a note belongs to a file that this user made and removed."""
    return is_older_note(path) or read_note(path, os.geteuid()) is not None


def _make(path: Path, size: int) -> HeldFile:
    """Make a new file and fill it; on failure nothing is left."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        _refuse(path, f"it cannot be made ({error.strerror})", "Choose another place.")
    try:
        lock_file(path, descriptor, fcntl.LOCK_EX)
        held = _mark(path, descriptor, size)
        _fill(descriptor, size)
        held.begin()
    except BaseException as error:
        _take_away(path, descriptor)
        if isinstance(error, OSError):
            why = f"it cannot be filled ({error.strerror})"
            _refuse(path, why, "Free some space.")
        if isinstance(error, RunFolderError):
            _refuse(path, f"its note cannot be made ({error})", "Choose another name.")
        raise
    return held


def _mark(path: Path, descriptor: int, size: int) -> HeldFile:
    """Give a new file a serial number, in itself and in its note."""
    serial = f"file-{uuid.uuid4()}"
    note = Note(
        serial=serial,
        size_bytes=size,
        state="filling",
        is_marked=put_mark(descriptor, serial),
        inode=os.fstat(descriptor).st_ino,
        birth_ns=read_birth_ns(descriptor),
    )
    write_note(path, note)
    return HeldFile(path=path, descriptor=descriptor, note=note)


def _fill(descriptor: int, size: int) -> None:
    """Fill a new file with random data."""
    with open(descriptor, "wb", closefd=False) as file:
        file.writelines(
            os.urandom(min(_CHUNK, size - start)) for start in range(0, size, _CHUNK)
        )
    os.fsync(descriptor)


def _take_away(path: Path, descriptor: int) -> None:
    """Remove an incomplete file, unless another has its name by now."""
    made = os.fstat(descriptor)
    os.close(descriptor)
    with suppress(OSError):
        there = path.lstat()
        if (there.st_dev, there.st_ino) == (made.st_dev, made.st_ino):
            path.unlink()
            note_path(path).unlink(missing_ok=True)
