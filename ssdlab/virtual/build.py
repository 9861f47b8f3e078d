"""Build the nbdkit plugin with the machine's compiler, once."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ssdlab.model.errors import MissingToolError
from ssdlab.native.build import (
    COMPILERS,
    Refusal,
    build_shared,
    find_compiler,
    fingerprint,
)

_SOURCES: Final = ("ftl.c", "flash.c", "timing.c", "truth.c", "guard.c")
_FLAGS: Final = ("-std=gnu11", "-O2", "-Wall", "-pthread")
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
    nbdkit = _require(shutil.which("nbdkit", path=search_path), tool="nbdkit")
    compiler = _require(find_compiler(search_path), tool=COMPILERS[0])
    sources = [Path(__file__).with_name(name) for name in _SOURCES]
    mark = fingerprint(compiler, sources, flags=_FLAGS)
    path = cache_folder / f"ftl-{mark}.so"
    built = build_shared(compiler, sources, flags=_FLAGS, built=path)
    if isinstance(built, Refusal):
        failure = _why_not_built(compiler, built.said)
        raise failure
    return Plugin(path=built.resolve(), nbdkit=nbdkit)


def _require(found: str | None, *, tool: str) -> str:
    if found is None:
        raise _missing(tool)
    return found


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
