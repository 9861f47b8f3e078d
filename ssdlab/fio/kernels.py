"""The kernels that read what fio writes; ``python -m ssdlab.fio.kernels`` builds them.

It ends with 1 where one cannot be built; then everything works, slower.
"""

import ctypes
import sys
from pathlib import Path

from ssdlab.native.kernels import WORTH_BYTES, load_kernel

_FOLDER = Path(__file__).parent


def load_scanner(name: str, *, work_bytes: int) -> ctypes.CDLL | None:
    """Return the kernel of ``name.c`` beside this file, or ``None``: go without.

    It may include what is called ``name_*.c``.
    """
    return load_kernel(
        name,
        _FOLDER / f"{name}.c",
        work_bytes=work_bytes,
        includes=sorted(_FOLDER.glob(f"{name}_*.c")),
    )


def build_all() -> bool:
    """Build every kernel ahead of time; tell whether all of them are there."""
    names = sorted(path.stem for path in _FOLDER.glob("*_scan.c"))
    missing = [
        name for name in names if load_scanner(name, work_bytes=WORTH_BYTES) is None
    ]
    return not missing


if __name__ == "__main__":
    sys.exit(0 if build_all() else 1)
