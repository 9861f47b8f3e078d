"""The nbdkit plugin: that of the wheel, or built with the machine's compiler, once.

A built one is kept in the user's cache and never loaded from a folder of runs, which
may be somebody else's.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ssdlab.model.errors import MissingToolError
from ssdlab.native.build import (
    COMPILERS,
    Refusal,
    build_shared,
    cache_folder,
    find_compiler,
    fingerprint,
    opened_own,
)
from ssdlab.native.prebuilt import find_prebuilt

_SOURCES: Final = ("ftl.c", "flash.c", "timing.c", "truth.c", "guard.c")
_FLAGS: Final = ("-std=gnu11", "-O2", "-Wall", "-pthread")
_NEEDED_FOR: Final = "the virtual SSD"
_REMEDY: Final = (
    "On Debian or Ubuntu: apt-get install nbdkit nbdkit-plugin-dev gcc libc6-dev. "
    "Or use a file as the target (file:PATH), which needs neither."
)
_REMEDY_PREBUILT: Final = (
    "On Debian or Ubuntu: apt-get install nbdkit. "
    "Or use a file as the target (file:PATH), which does not need it."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plugin:
    """A built plugin, and the nbdkit that serves it."""

    path: Path
    nbdkit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenPlugin:
    """A plugin, open to be loaded, and the nbdkit for it."""

    descriptor: int
    nbdkit: str


@contextmanager
def opened_plugin(
    cache: Path | None = None, *, search_path: str | None = None
) -> Iterator[OpenPlugin]:
    """Open the plugin of the wheel, otherwise build one.

    It is built in the cache or, if that is not ours, elsewhere. ``cache`` is the
    user's, if ``None``. See `build_plugin` for the rest.
    """
    ready = find_prebuilt("ftl", plugin_sources())
    if ready is not None:
        nbdkit = shutil.which("nbdkit", path=search_path)
        if nbdkit is None:
            missing = _missing("nbdkit", remedy=_REMEDY_PREBUILT)
            raise missing
        with ready.open("rb") as file:
            yield OpenPlugin(descriptor=file.fileno(), nbdkit=nbdkit)
        return
    with tempfile.TemporaryDirectory(prefix="ssdlab-build-") as aside:
        try:
            plugin = build_plugin(cache or cache_folder(), search_path=search_path)
        except (OSError, RuntimeError):  # RuntimeError: no home folder
            plugin = build_plugin(Path(aside), search_path=search_path)
        with opened_own(plugin.path) as descriptor:
            yield OpenPlugin(descriptor=descriptor, nbdkit=plugin.nbdkit)


def build_plugin(cache: Path, *, search_path: str | None = None) -> Plugin:
    """Return the plugin, built unless the cache has it for this source and compiler.

    ``search_path`` is where programs are searched; ``None`` means ``PATH``. Many
    processes may call it at once: each builds under a temporary name and renames.
    """
    nbdkit = _require(shutil.which("nbdkit", path=search_path), tool="nbdkit")
    compiler = _require(find_compiler(search_path), tool=COMPILERS[0])
    sources = plugin_sources()
    mark = fingerprint(compiler, sources, flags=_FLAGS)
    path = cache / f"ftl-{mark}.so"
    built = build_shared(compiler, sources, flags=_FLAGS, built=path)
    if isinstance(built, Refusal):
        failure = _why_not_built(compiler, built.said)
        raise failure
    return Plugin(path=built.resolve(), nbdkit=nbdkit)


def plugin_sources() -> list[Path]:
    """Return the C file of the plugin, and after it the files that it includes."""
    return [Path(__file__).with_name(name) for name in _SOURCES]


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


def _missing(tool: str, *, remedy: str = _REMEDY) -> MissingToolError:
    return MissingToolError(tool=tool, needed_for=_NEEDED_FOR, remedy=remedy)
