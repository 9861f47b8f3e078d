"""Publishing a finished run: whole or not at all, and only once."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ssdlab.campaign.folder import MANIFEST
from ssdlab.model.errors import RunFolderError
from ssdlab.store.digests import digest_open
from ssdlab.system.folders import Folder

# Of the process that measured, or of its host alone.
_KEPT_BACK = frozenset({"lock", "mark", "progress.json", "target"})
_PIECE_BYTES = 1 << 20
_PART = ".part"


def publish(run: Path, runs: Path) -> Path:
    """Copy a finished run into the folder of published runs, under its own name.

    It is copied aside, made durable and renamed; the checksums of all its files are in
    ``MANIFEST``, which ``sha256sum --check MANIFEST`` reads. A run that is there is
    left alone. Whoever calls this holds the job.

    Raises
    ------
    OSError
        If it cannot be written there now.
    """
    name, there = run.name, Folder(runs).make()
    if (there / name).has(MANIFEST):
        return runs / name
    for left in there.names():
        if left.startswith(f".{name}.") and left.endswith(_PART):
            (there / left).remove_tree()
    part = there / f".{name}.{os.getpid()}{_PART}"
    part.make_new()
    try:
        digests = dict(sorted(_copy(Folder(run), part, "")))
        lines = (f"{digest}  {path}\n" for path, digest in digests.items())
        part.write(MANIFEST, "".join(lines).encode())
        there.move(part.name, there, name)
    except BaseException:
        with suppress(OSError, RunFolderError):
            part.remove_tree()
        raise
    return runs / name


def _copy(source: Folder, to: Folder, above: str) -> Iterator[tuple[str, str]]:
    """Copy files and folders; yield the path and the digest of each file."""
    for name in source.names():
        is_kept_back = not above and (name in _KEPT_BACK or name.startswith("."))
        if is_kept_back:
            continue
        if _is_folder(source / name):
            below = (to / name).make_new()
            yield from _copy(source / name, below, f"{above}{name}/")
        else:
            yield f"{above}{name}", _copy_file(source, to, name)


def _is_folder(folder: Folder) -> bool:
    with suppress(RunFolderError):
        return folder.is_there()
    return False


def _copy_file(source: Folder, to: Folder, name: str) -> str:
    digest = hashlib.sha256()
    with source.opened(name) as file, to.writing(name) as copy:
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
            copy.write(piece)
    return digest.hexdigest()


def find_damage(run: Path) -> tuple[str, ...]:
    """Return what of a published run is not as it was published, in words."""
    folder = Folder(run)
    try:
        lines = folder.read(MANIFEST).decode().splitlines()
    except (OSError, ValueError):
        return (f"{MANIFEST} is missing or damaged",)
    found = []
    for line in lines:
        digest, _, path = line.partition("  ")
        try:
            is_same = _digest(folder, path) == digest
        except (OSError, RunFolderError):
            found.append(f"{path} is missing")
            continue
        if not is_same:
            found.append(f"{path} was changed")
    return tuple(found)


def _digest(top: Folder, path: str) -> str:
    *folders, name = path.split("/")
    for one in folders:
        top /= one
    with top.opened(name) as file:
        return digest_open(file)
