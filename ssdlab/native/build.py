"""Build the C sources of ssdlab with the machine's compiler, each once."""

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
    """The output of a compiler that failed."""

    said: str


def find_compiler(search_path: str | None = None) -> str | None:
    """Return the first compiler found; ``search_path=None`` means ``PATH``."""
    found = (shutil.which(name, path=search_path) for name in COMPILERS)
    return next(filter(None, found), None)


def build_shared(
    compiler: str,
    sources: Sequence[Path],
    *,
    flags: Sequence[str],
    built: Path,
) -> Path | Refusal:
    """Compile the first source into the shared object ``built``, unless it exists.

    The other sources are included by the first one. Many processes may call it at once:
    each builds under a temporary name and renames. An existing file counts only if
    nobody else can have written it.
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
    """Return the user's cache folder of built libraries."""
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path.home() / ".cache"
    return root / "ssdlab" / "kernels"


def is_own(built: Path) -> bool:
    """Tell whether a file exists that this user wrote and no other can change.

    Code of another user is never run.
    """
    try:
        with opened_own(built):
            return True
    except OSError:
        return False


@contextmanager
def opened_own(built: Path) -> Iterator[int]:
    """Open a file to be loaded, if this user wrote it and no other can change it."""
    descriptor = os.open(built, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | _NO_LINK)
    try:
        _require_own(built, os.fstat(descriptor), stat.S_IFREG)
        yield descriptor
    finally:
        os.close(descriptor)


def _require_own_folder(folder: Path) -> None:
    """Make a private folder, or require that an existing one is this user's."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & _FOR_OTHERS:
        folder.chmod(0o700)  # the umask may have let a group write
    _require_own(folder, folder.stat(), stat.S_IFDIR)


def _require_own(path: Path, state: os.stat_result, kind: int) -> None:
    is_of_kind = stat.S_IFMT(state.st_mode) == kind
    if is_of_kind and state.st_uid == os.geteuid() and not state.st_mode & _FOR_OTHERS:
        return
    why = "another user wrote it or can change it"
    raise PermissionError(errno.EPERM, why, str(path))


def fingerprint(
    compiler: str, sources: Sequence[Path], *, flags: Sequence[str], machine: str = ""
) -> str:
    """Return a key of the build, as 16 hexadecimal digits."""
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
