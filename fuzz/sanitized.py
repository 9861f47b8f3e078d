"""Mutated input for what has kernels, these built with the compiler's sanitizers.

``python -m fuzz.sanitized TARGET FOLDER SECONDS``: a read or write beside an array, or
undefined arithmetic, ends the process, and its input is kept. It needs gcc's runtime
of the address sanitizer in ``LD_PRELOAD``: see `environment`.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from ssdlab.native import kernels
from ssdlab.native.build import find_compiler

_RUNTIME = "libasan.so"
_SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g",
)


def environment() -> Mapping[str, str] | None:
    """Return what must be set for the process, or ``None``: it cannot be done here."""
    compiler = find_compiler()
    if compiler is None:
        return None
    asked = [compiler, f"-print-file-name={_RUNTIME}"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    runtime = Path(done.stdout.strip())
    if not runtime.is_absolute():
        return None
    return {
        "LD_PRELOAD": str(runtime),
        "ASAN_OPTIONS": "detect_leaks=0,allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def main() -> None:
    kernels._FLAGS = (*kernels._FLAGS, *_SANITIZERS)  # type: ignore[assignment,misc]
    from fuzz.mutations import main as mutate
    from ssdlab.fio.kernels import build_all

    if not build_all():
        msg = "the kernels cannot be built with sanitizers"
        raise SystemExit(msg)
    mutate()


if __name__ == "__main__":
    main()
