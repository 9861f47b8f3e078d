"""Kernels: small C libraries, from the wheel or built when they are first worth it.

A kernel is a faster version of numpy code next to it. A failure to build or load it is
not an error: the caller uses the numpy code. ``SSDLAB_NO_KERNELS=1`` in the environment
turns all of them off.
"""

import ctypes
import os
import platform
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from ssdlab.native.build import (
    Refusal,
    build_shared,
    cache_folder,
    find_compiler,
    fingerprint,
    is_own,
)
from ssdlab.native.prebuilt import find_prebuilt

WORTH_BYTES: Final = 8 << 20  # what numpy reads in the time of a build
SWITCH: Final = "SSDLAB_NO_KERNELS"
_FLAGS: Final = ("-std=gnu11", "-O3", "-march=native")
_CPU_FACTS: Final = ("model name", "flags", "CPU part", "Features")
_CPU_FACTS_BYTES: Final = 8192  # the first processor stands for all


def load_kernel(
    name: str, source: Path, *, work_bytes: int, includes: Sequence[Path] = ()
) -> ctypes.CDLL | None:
    """Return a kernel, or ``None`` if the numpy code is to be used."""
    if os.environ.get(SWITCH) or sys.platform == "win32":
        return None
    sources = [source, *includes]
    with suppress(OSError):  # a library for another C library than this system's
        ready = find_prebuilt(name, sources)
        if ready is not None:
            return ctypes.CDLL(str(ready))
    with suppress(OSError, RuntimeError):  # RuntimeError: no home folder
        is_worth = work_bytes >= WORTH_BYTES
        return _load(name, sources, may_build=is_worth)
    return None


def _load(name: str, sources: Sequence[Path], *, may_build: bool) -> ctypes.CDLL | None:
    compiler = find_compiler()
    if compiler is None:
        return None
    mark = fingerprint(compiler, sources, flags=_FLAGS, machine=_machine())
    built = cache_folder() / f"{name}-{mark}.so"
    if not is_own(built):
        if not may_build:
            return None
        done = build_shared(compiler, sources, flags=_FLAGS, built=built)
        if isinstance(done, Refusal):
            return None
    return _open(built)


def _open(built: Path) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(str(built))
    except OSError:
        built.unlink(missing_ok=True)  # a crash left it incomplete: build it again
        return None


def _machine() -> str:
    """Return the processor type: a home folder may serve several machines."""
    facts = [platform.system(), platform.machine()]
    with suppress(OSError), Path("/proc/cpuinfo").open("rb") as file:
        text = file.read(_CPU_FACTS_BYTES).decode(errors="replace")
        first = text.partition("\n\n")[0].splitlines()
        facts += [line for line in first if line.startswith(_CPU_FACTS)]
    return "\n".join(facts)
