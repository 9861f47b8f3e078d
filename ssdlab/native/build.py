"""Build C sources of ours with the machine's compiler, each once."""

import errno
import functools
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

COMPILERS: Final = ("gcc", "cc", "clang")
_FOR_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """What the compiler said when it did not build."""

    said: str


def find_compiler(search_path: str | None = None) -> str | None:
    """Return the first compiler that is there; ``search_path=None`` means ``PATH``."""
    found = (shutil.which(name, path=search_path) for name in COMPILERS)
    return next(filter(None, found), None)


def build_shared(
    compiler: str,
    sources: Sequence[Path],
    *,
    flags: Sequence[str],
    built: Path,
) -> Path | Refusal:
    """Compile the first source into the shared object ``built``, unless it is there.

    The other sources are what the first one includes. Many processes may call it at
    once: each builds aside and renames. What is there counts only if nobody else can
    have written it.

    Raises
    ------
    OSError
        If the folder cannot be made, or belongs to another user.
    """
    _require_own_folder(built.parent)
    if is_own(built):
        return built
    handle, aside = tempfile.mkstemp(suffix=".tmp", dir=built.parent)
    os.close(handle)
    command = [compiler, *flags, "-shared", "-fPIC", "-o", aside, str(sources[0])]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode:
            return Refusal(said=done.stderr)
        Path(aside).chmod(0o700)
        Path(aside).replace(built)
    finally:
        Path(aside).unlink(missing_ok=True)
    return built


def cache_folder() -> Path:
    """Return where what was built is kept: the user's cache.

    Raises
    ------
    RuntimeError
        If the system knows no home of this user.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path.home() / ".cache"
    return root / "ssdlab" / "kernels"


def is_own(built: Path) -> bool:
    """Tell whether there is a file that this user wrote and that no other can change.

    Nobody runs another user's code.
    """
    try:
        with opened_own(built):
            return True
    except OSError:
        return False


@contextmanager
def opened_own(built: Path) -> Iterator[int]:
    """Open a file that this user wrote and that no other can change, to be loaded.

    Raises
    ------
    OSError
        If it is not there, or is not such a file.
    """
    descriptor = os.open(built, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | _NO_LINK)
    try:
        _require_own(built, os.fstat(descriptor), stat.S_IFREG)
        yield descriptor
    finally:
        os.close(descriptor)


def _require_own_folder(folder: Path) -> None:
    """Make a folder, or require that it is this user's, and close it to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & _FOR_OTHERS:
        folder.chmod(0o700)  # as made where the umask lets a group write
    _require_own(folder, folder.stat(), stat.S_IFDIR)


def _require_own(path: Path, state: os.stat_result, kind: int) -> None:
    is_of_kind = stat.S_IFMT(state.st_mode) == kind
    if is_of_kind and state.st_uid == os.geteuid() and not state.st_mode & _FOR_OTHERS:
        return
    why = "another user wrote it, or may change it"
    raise PermissionError(errno.EPERM, why, str(path))


def fingerprint(
    compiler: str, sources: Sequence[Path], *, flags: Sequence[str], machine: str = ""
) -> str:
    """Return what tells one build from another, as 16 hexadecimal digits."""
    parts = f"{compiler} {_version(compiler)} {tuple(flags)} {machine}"
    digest = hashlib.sha256(parts.encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _version(compiler: str) -> str:
    asked = [compiler, "--version"]
    done = subprocess.run(
        asked, capture_output=True, text=True, errors="replace", check=False
    )
    return done.stdout
