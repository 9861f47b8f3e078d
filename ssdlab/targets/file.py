"""A file as a target: for trying out where nothing else can be measured.

ssdlab writes only to files that it made: a note beside the file says so, with the
file's inode, so that a file put in its place later is not taken for it.
"""

import json
import os
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.records import TargetIdentity
from ssdlab.store.files import publish, write_whole
from ssdlab.targets.options import require_safe_path, split_size

_CHUNK = 1024 * 1024
_SECTOR = 512


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file that ssdlab made and filled with random data."""

    identity: TargetIdentity
    fio_options: Mapping[str, str]
    purge_method: str = "none: a file cannot be purged"
    departures: tuple[str, ...] = (
        "the target is a file, not a drive",
        "no purge: a file cannot be purged",
    )

    def purge_job(self) -> str | None:
        """Return nothing: there is no purge."""
        return None

    def purge(self) -> str:
        """Do nothing and say so."""
        return self.purge_method

    def find_purge_fault(self) -> str:
        """Return nothing: what was not purged needs no proof."""
        return ""

    def find_trouble(self) -> str:
        """Return why the file cannot be used any more, or an empty text."""
        path = Path(str(self.identity.options["path"]))
        is_there = (
            path.is_file() and path.stat().st_size >= self.identity.capacity_bytes
        )
        return "" if is_there else f"{path} is gone or has become shorter"

    def read_counters(self) -> dict[str, float]:
        """Return nothing: a file has no counters."""
        return {}

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return nothing: there are no counters to doubt by."""
        del before, after
        return ""

    def close(self) -> None:
        """Do nothing: the file stays for the next run."""


def open_file(text: str) -> FileTarget:
    """Return the file target ``PATH[,size=SIZE]``; make the file if there is none.

    Raises
    ------
    TargetRefusedError
        If the file is not ours, has another size, or cannot be made.
    """
    name, size = split_size(text)
    path = Path(name).expanduser().absolute()
    require_safe_path(str(path))
    if path.exists() or path.is_symlink():
        note = _require_ours(path)
        if size is not None and size != note["size_bytes"]:
            raise _refused(
                path,
                f"it has {note['size_bytes']} bytes, not the {size} asked for",
                "Leave the size out, or remove the file.",
            )
    else:
        note = _make(path, size)
    return FileTarget(
        identity=TargetIdentity(
            kind="file",
            spec=f"file:{path}",
            model="file",
            serial=str(note["serial"]),
            firmware="",
            capacity_bytes=int(str(note["size_bytes"])),
            sector_bytes=_SECTOR,
            interface="file system",
            options={"path": str(path)},
        ),
        fio_options={
            "ioengine": "libaio",
            "filename": require_safe_path(str(path)),
            "allow_file_create": "0",
        },
    )


def _refused(path: Path, reason: str, remedy: str) -> TargetRefusedError:
    return TargetRefusedError(target=f"file:{path}", reason=reason, remedy=remedy)


def _note_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.ssdlab.json")


def _require_ours(path: Path) -> dict[str, object]:
    remedy = "ssdlab overwrites only files that it made: name a file that is not there."
    try:
        note = json.loads(_note_path(path).read_bytes())
        state = path.lstat()
        known = (note["inode"], note["device"], note["size_bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        raise _refused(path, "this file was not made by ssdlab", remedy) from None
    if (state.st_ino, state.st_dev, state.st_size) != known:
        raise _refused(path, "this is not the file that ssdlab made here", remedy)
    return dict(note)


def _make(path: Path, size: int | None) -> dict[str, object]:
    if size is None:
        raise _refused(
            path,
            "there is no such file and no size was given",
            f"Give a size: file:{path},size=1GiB.",
        )
    if not path.parent.is_dir():
        raise _refused(path, "its folder does not exist", "Make the folder first.")
    free = shutil.disk_usage(path.parent).free
    if size > free * 0.9:
        raise _refused(
            path,
            f"{size} bytes do not fit: {free} bytes are free",
            "Choose a smaller size or another folder.",
        )
    size -= size % _SECTOR
    aside = path.with_name(f".{path.name}.part")
    with aside.open("wb") as file:
        for start in range(0, size, _CHUNK):
            file.write(os.urandom(min(_CHUNK, size - start)))
        file.flush()
        os.fsync(file.fileno())
    state = aside.stat()
    note = {
        "made_by": "ssdlab",
        "serial": f"file-{uuid.uuid4()}",
        "size_bytes": size,
        "inode": state.st_ino,
        "device": state.st_dev,
    }
    write_whole(_note_path(path), json.dumps(note).encode())
    publish(aside, path)
    return note
