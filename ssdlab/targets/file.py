"""A file as a target: for trying out where nothing else can be measured.

ssdlab writes only to files that it made: a note beside the file says so, with the
file's inode, so that a file put in its place later is not taken for it. A file is made
under its own name, never over another one, and noted before it is filled: one whose
filling was cut short is known by its size and filled again.
"""

import json
import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from ssdlab.model.drive import AUTO_PURGE, PurgeChoice, PurgeOutcome, WriteCacheState
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.records import TargetIdentity
from ssdlab.system.durable import write_whole
from ssdlab.targets.options import expand_path, require_safe_path, split_size
from ssdlab.targets.purges import find_purge_choice
from ssdlab.targets.shape import Shape

_CHUNK = 1024 * 1024
SECTOR_BYTES = 512
FILE_DEPARTURES = (
    "the target is a file, not a drive",
    "no purge: a file cannot be purged",
)
_WRITE_CACHE = "a file has none of its own"
FILE_PURGE = PurgeChoice(
    method="none",
    words="none: a file cannot be purged",
    why="a file has no cells of its own that could be erased",
)


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file that ssdlab made and filled with random data."""

    identity: TargetIdentity
    fio_options: Mapping[str, str]
    purge_choice: PurgeChoice = FILE_PURGE
    departures: tuple[str, ...] = FILE_DEPARTURES
    telemetry_interval_s: float = 60.0
    drive: None = None
    consent: None = None
    host_checks: tuple[HostCheck, ...] = ()
    write_cache: WriteCacheState = "as found"
    write_cache_fault: str = _WRITE_CACHE
    stopping_words: str = ""  # nothing of it lasts

    def purge(self, tell: Callable[[str], None]) -> PurgeOutcome:
        """Do nothing and say so."""
        del tell
        return PurgeOutcome(said=self.purge_choice.words)

    def find_trouble(self) -> str:
        """Return why the file cannot be used any more, or an empty text."""
        path = Path(str(self.identity.options["path"]))
        is_there = (
            path.is_file() and path.stat().st_size >= self.identity.capacity_bytes
        )
        return "" if is_there else f"{path} is gone or has become shorter"

    def find_alarm(self) -> str:
        """Return nothing: a file gives no alarm."""
        return ""

    def read_counters(self) -> dict[str, float]:
        """Return nothing: a file has no counters."""
        return {}

    def read_telemetry(self) -> dict[str, float]:
        """Return nothing: a file tells nothing of itself."""
        return {}

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return nothing: there are no counters to doubt by."""
        del before, after
        return ""

    def release(self) -> str:
        """Do nothing: nothing of it is held."""
        return ""

    def close(self) -> None:
        """Do nothing: the file stays for the next run."""


def open_file(text: str, *, purge: str = AUTO_PURGE) -> FileTarget:
    """Return the file target ``PATH[,size=SIZE]``; make the file if there is none.

    Raises
    ------
    TargetRefusedError
        If the file is not ours, has another size, or cannot be made.
    """
    find_purge_choice(purge, (FILE_PURGE,), target="a file")
    path, size = _parse(text)
    if not _is_there(path):
        size_bytes = _require_makeable(path, size)
        note = _create(path, size_bytes)
        _fill(path, size_bytes)
        return _target(path, note)
    note = _require_fitting(path, size)
    if path.stat().st_size < note.size_bytes:
        _fill(path, note.size_bytes)
    return _target(path, note)


def read_file_shape(text: str) -> Shape:
    """Return what the target ``PATH[,size=SIZE]`` is or will be.

    Raises
    ------
    TargetRefusedError
        If `open_file` would refuse it; nothing is touched.
    """
    path, size = _parse(text)
    if _is_there(path):
        capacity_bytes = _require_fitting(path, size).size_bytes
    else:
        capacity_bytes = _require_makeable(path, size)
    return Shape(
        capacity_bytes=capacity_bytes,
        sector_bytes=SECTOR_BYTES,
        departures=FILE_DEPARTURES,
        write_cache_fault=_WRITE_CACHE,
    )


def reopen_file(name: str, *, purge: str = AUTO_PURGE) -> FileTarget:
    """Return the file target of an interrupted run; it makes no new file.

    Raises
    ------
    TargetRefusedError
        If the file is gone, not ours, or has become shorter.
    """
    find_purge_choice(purge, (FILE_PURGE,), target="a file")
    path = Path(name)
    target = _target(path, _require_ours(path))
    trouble = target.find_trouble()
    if trouble:
        _refuse(path, trouble, "Begin a new run.")
    return target


def _parse(text: str) -> tuple[Path, int | None]:
    """Return the path and the bytes, in whole sectors, that a user asked for."""
    name, size = split_size(text)
    require_safe_path(name)
    return expand_path(name), None if size is None else size - size % SECTOR_BYTES


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Note:
    """What the note beside a file says."""

    made_by: str
    serial: str
    size_bytes: int
    inode: int
    device: int


def _target(path: Path, note: _Note) -> FileTarget:
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
        fio_options={
            "ioengine": "libaio",
            "filename": require_safe_path(str(path)),
            "allow_file_create": "0",
        },
    )


def _refuse(path: Path, reason: str, remedy: str) -> NoReturn:
    raise TargetRefusedError(target=f"file:{path}", reason=reason, remedy=remedy)


def _note_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.ssdlab.json")


def _read_note(path: Path) -> _Note | None:
    try:
        note = _Note(**json.loads(_note_path(path).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    return note if note.made_by == "ssdlab" else None


def _require_ours(path: Path) -> _Note:
    remedy = "ssdlab overwrites only files that it made: name a file that is not there."
    note = _read_note(path)
    try:
        state = path.lstat()
    except OSError as error:
        _refuse(path, f"the file is gone ({error.strerror})", "Begin a new run.")
    if note is None:
        _refuse(path, "this file was not made by ssdlab", remedy)
    is_same = (state.st_ino, state.st_dev) == (note.inode, note.device)
    if not is_same or state.st_size > note.size_bytes:
        _refuse(path, "this is not the file that ssdlab made here", remedy)
    return note


def _require_fitting(path: Path, size: int | None) -> _Note:
    """Require that the file is ours and of the size asked for, if one is."""
    note = _require_ours(path)
    if size not in {None, note.size_bytes}:
        _refuse(
            path,
            f"it has {note.size_bytes} bytes, not the {size} asked for",
            "Leave the size out, or remove the file.",
        )
    return note


def _require_makeable(path: Path, size: int | None) -> int:
    """Require that a file of this size can be made there; return its bytes."""
    if size is None:
        _refuse(
            path,
            "there is no such file and no size was given",
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
    if _note_path(path).exists() and _read_note(path) is None:
        _refuse(
            path,
            f"its note would overwrite {_note_path(path)}, which ssdlab did not make",
            "Choose another name.",
        )
    return size


def _create(path: Path, size: int) -> _Note:
    """Make an empty file, which must not be there, and its note."""
    try:
        with path.open("xb") as file:
            state = os.fstat(file.fileno())
        note = _Note(
            made_by="ssdlab",
            serial=f"file-{uuid.uuid4()}",
            size_bytes=size,
            inode=state.st_ino,
            device=state.st_dev,
        )
        write_whole(_note_path(path), json.dumps(asdict(note)).encode())
    except OSError as error:
        _refuse(path, f"it cannot be made ({error.strerror})", "Choose another place.")
    return note


def _fill(path: Path, size: int) -> None:
    """Fill our file with random data from its beginning."""
    try:
        with path.open("r+b") as file:
            for start in range(0, size, _CHUNK):
                file.write(os.urandom(min(_CHUNK, size - start)))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        for made in (path, _note_path(path)):
            made.unlink(missing_ok=True)
        _refuse(path, f"it cannot be filled ({error.strerror})", "Make room for it.")
