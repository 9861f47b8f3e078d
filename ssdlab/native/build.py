"""Build C sources of ours with the machine's compiler, each once."""

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

COMPILERS: Final = ("gcc", "cc", "clang")


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
    once: each builds aside and renames.
    """
    if built.is_file():
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(suffix=".tmp", dir=built.parent)
    os.close(handle)
    command = [compiler, *flags, "-shared", "-fPIC", "-o", aside, str(sources[0])]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode:
            return Refusal(said=done.stderr)
        Path(aside).replace(built)
    finally:
        Path(aside).unlink(missing_ok=True)
    return built


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
