"""Build the nbdkit plugin with the machine's compiler, once."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ssdlab.model.errors import MissingToolError

_SOURCES: Final = ("ftl.c", "flash.c", "timing.c", "truth.c", "guard.c")
_FLAGS: Final = ("-std=gnu11", "-O2", "-Wall", "-shared", "-fPIC", "-pthread")
_COMPILERS: Final = ("gcc", "cc", "clang")
_NEEDED_FOR: Final = "the virtual SSD"
_REMEDY: Final = (
    "On Debian or Ubuntu: apt-get install nbdkit nbdkit-plugin-dev gcc libc6-dev. "
    "Or use a file as the target (file:PATH), which needs neither."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plugin:
    """A built plugin, and the nbdkit that serves it."""

    path: Path
    nbdkit: str


def build_plugin(cache_folder: Path, *, search_path: str | None = None) -> Plugin:
    """Return the plugin, built unless the cache holds it for this source and compiler.

    ``search_path`` is where programs are looked for; ``None`` means ``PATH``. It may
    be called by many processes at once: each builds aside and renames.

    Raises
    ------
    MissingToolError
        If nbdkit, a compiler or the plugin header is missing.
    """
    nbdkit = _find(("nbdkit",), search_path)
    compiler = _find(_COMPILERS, search_path)
    source = Path(__file__).parent
    built = cache_folder / f"ftl-{_fingerprint(source, compiler)}.so"
    if not built.is_file():
        cache_folder.mkdir(parents=True, exist_ok=True)
        _compile(compiler, source=source, built=built)
    return Plugin(path=built.resolve(), nbdkit=nbdkit)


def _find(names: tuple[str, ...], search_path: str | None) -> str:
    found = filter(None, (shutil.which(name, path=search_path) for name in names))
    for path in found:
        return path
    raise _missing(names[0])


def _fingerprint(source: Path, compiler: str) -> str:
    version = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=False
    )
    digest = hashlib.sha256(f"{compiler} {version.stdout} {_FLAGS}".encode())
    for name in _SOURCES:
        digest.update((source / name).read_bytes())
    return digest.hexdigest()[:16]


def _compile(compiler: str, *, source: Path, built: Path) -> None:
    handle, aside = tempfile.mkstemp(suffix=".tmp", dir=built.parent)
    os.close(handle)
    command = [compiler, *_FLAGS, "-o", aside, str(source / "ftl.c")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise _why_not_built(compiler, done.stderr)
        Path(aside).replace(built)
    finally:
        Path(aside).unlink(missing_ok=True)


def _why_not_built(compiler: str, stderr: str) -> MissingToolError:
    probe = [compiler, "-E", "-x", "c", "-include", "nbdkit-plugin.h", "/dev/null"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        return _missing("nbdkit-plugin-dev (nbdkit-plugin.h)")
    said = stderr.strip().splitlines() or ["nothing"]
    return MissingToolError(
        tool="A compiler that builds the nbdkit plugin",
        needed_for=_NEEDED_FOR,
        remedy=f"{compiler} said: {said[0]}. {_REMEDY}",
    )


def _missing(tool: str) -> MissingToolError:
    return MissingToolError(tool=tool, needed_for=_NEEDED_FOR, remedy=_REMEDY)
