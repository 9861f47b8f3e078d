"""Other runs of ssdlab on this host: each holds a locked file in one folder.

A lock ends with the process that holds it, however that ends. Anybody may write to the
folder, so what a file says is a stranger's text; only that it is locked is relied on.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from ssdlab.model.errors import RunFolderError, TargetRefusedError
from ssdlab.model.records import TargetIdentity
from ssdlab.system.folders import Folder
from ssdlab.system.locks import try_lock
from ssdlab.text.terminal import printable

LOCKS_VARIABLE = "SSDLAB_LOCK_DIR"
_LOCKS = "/run/lock"
_PREFIX = "ssdlab-"
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_MOST_SIGNS = 120
_MOST = 64  # runs that are named
_EVERYBODY = 0o666  # the next run on the drive may be another user's
_EVERY_S = 1.0
_TRIES, _PAUSE_S = 20, 0.1  # who only looks holds a lock for some microseconds

Look = Callable[[], frozenset[str] | None]


@contextmanager
def announced(
    identity: TargetIdentity, run: Path, *, sleep: Callable[[float], None]
) -> Iterator[Look]:
    """Hold this host's lock of a drive, and yield what lists the other runs.

    A listing is ``None`` where the folder of locks cannot be used.

    Raises
    ------
    TargetRefusedError
        If another process of this host measures the drive.
    """
    folder = _locks()
    own = f"{_PREFIX}{_key(identity, run)}"
    words = f"{identity.serial or identity.spec}, run {run.resolve().name}"
    try:
        file = _hold(folder, own, sleep)
    except (OSError, RunFolderError):
        yield lambda: None
        return
    if isinstance(file, str):
        raise TargetRefusedError(
            target=identity.spec,
            reason=f"another process of this host measures it ({file})",
            remedy="Wait for that run, or stop it.",
        )
    with file:
        with suppress(OSError):  # another user's
            os.fchmod(file.fileno(), _EVERYBODY)
        file.truncate(0)
        file.write(words.encode())
        try:
            yield lambda: _list(folder, own)
        finally:
            with suppress(OSError, RunFolderError):  # another user's stays
                folder.remove(own)


def find_holder(serial: str) -> str:
    """Return what the run says of itself that measures a block device now, or ""."""
    with suppress(OSError, RunFolderError):
        return _holder(_locks(), f"{_PREFIX}{_UNSAFE.sub('_', serial)[:_MOST_SIGNS]}")
    return ""


def _locks() -> Folder:
    return Folder(Path(os.environ.get(LOCKS_VARIABLE, "") or _LOCKS))


def _key(identity: TargetIdentity, run: Path) -> str:
    """Return what is one per drive; models and files are one per run."""
    name = identity.serial if identity.kind == "block" else ""
    return _UNSAFE.sub("_", name or run.resolve().name)[:_MOST_SIGNS]


def _hold(folder: Folder, name: str, sleep: Callable[[float], None]) -> FileIO | str:
    """Return the locked file, or what its holder says of itself."""
    said = ""
    for _ in range(_TRIES):
        with folder.opened_in_place(name) as file:
            if not try_lock(file):
                said = _words(file)
            elif os.fstat(file.fileno()).st_nlink:  # not removed since it was opened
                return FileIO(os.dup(file.fileno()), "a+")
        sleep(_PAUSE_S)
    return said


def _list(folder: Folder, own: str) -> frozenset[str] | None:
    """Return what the other runs say of themselves; ``None`` if nobody knows."""
    try:
        names = [name for name in folder.names() if name.startswith(_PREFIX)]
        return frozenset(filter(None, (_holder(folder, n) for n in names if n != own)))
    except (OSError, RunFolderError):
        return None


def _holder(folder: Folder, name: str) -> str:
    """Return what the holder of a lock says of itself; "" if nobody holds it."""
    try:
        with folder.opened_in_place(name, makes=False) as file:
            if try_lock(file, is_shared=True):
                return ""
            return _words(file)
    except FileNotFoundError:
        return ""
    except (OSError, RunFolderError):
        return f"{name.removeprefix(_PREFIX)}, unreadable"


def _words(file: FileIO) -> str:
    file.seek(0)
    return printable(file.read(_MOST_SIGNS).decode("utf-8", "replace")) or "unknown"


class NeighbourWatch:
    """Collects the other runs that were there while a step ran.

    Parameters
    ----------
    look : callable
        Lists the other runs.
    clock : callable
        Unix time [s].
    """

    def __init__(self, look: Look, clock: Callable[[], float]) -> None:
        self._look = look
        self._clock = clock
        self._looked_s = 0.0
        self._seen: frozenset[str] | None = frozenset()

    def tick(self) -> None:
        """Look, unless that was done just now."""
        if self._clock() - self._looked_s >= _EVERY_S:
            self._add()

    def take(self) -> tuple[str, ...] | None:
        """Return those seen since the last call; ``None`` if nobody knows."""
        self._add()
        seen, self._seen = self._seen, frozenset()
        return None if seen is None else tuple(sorted(seen)[:_MOST])

    def _add(self) -> None:
        self._looked_s = self._clock()
        found = self._look()
        if self._seen is not None:
            self._seen = None if found is None else self._seen | found
