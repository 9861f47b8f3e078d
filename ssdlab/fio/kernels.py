"""Kernels that read fio's output; ``python -m ssdlab.fio.kernels`` builds them.

It exits with 1 if one cannot be built; everything still works, but slower.
"""

import ctypes
import sys
from pathlib import Path

from ssdlab.native.kernels import WORTH_BYTES, load_kernel

_FOLDER = Path(__file__).parent


def load_scanner(name: str, *, work_bytes: int) -> ctypes.CDLL | None:
    """Return a kernel, such as ``logs/log_scan.c``, or ``None`` if unavailable.

    It may include files next to it whose names begin with its own.
    """
    source, *includes = scanner_sources(name)
    return load_kernel(source.stem, source, work_bytes=work_bytes, includes=includes)


def scanner_sources(name: str) -> list[Path]:
    """Return the C file of a kernel, and after it the files that it includes."""
    source = _FOLDER / f"{name}.c"
    return [source, *sorted(source.parent.glob(f"{source.stem}_*.c"))]


def scanner_names() -> list[str]:
    """Return the name of every kernel.

    >>> "logs/log_scan" in scanner_names()
    True
    """
    sources = sorted(_FOLDER.glob("*/*_scan.c"))
    return [path.relative_to(_FOLDER).with_suffix("").as_posix() for path in sources]


def build_all() -> bool:
    """Build every kernel ahead of time; tell whether all are available."""
    missing = [
        name
        for name in scanner_names()
        if load_scanner(name, work_bytes=WORTH_BYTES) is None
    ]
    return not missing


if __name__ == "__main__":
    sys.exit(0 if build_all() else 1)
