"""Run one target on one file once more: ``python -m fuzz.repeat TARGET FILE``.

With ``--shrink`` a smaller input with the same fault is looked for and written beside
the file.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from fuzz.guard import ViolationError, run_guarded
from fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.repeat", description=__doc__)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("file", type=Path)
    parser.add_argument("--shrink", action="store_true")
    given = parser.parse_args()
    parse = TARGETS[given.target].parse
    data = given.file.read_bytes()
    try:
        run_guarded(parse, data)
    except ViolationError as violation:
        print(f"{violation.signature}\n\n{violation}")
        if given.shrink:
            small = shrink(parse, data, violation.signature)
            path = given.file.with_suffix(".small")
            path.write_bytes(small)
            print(f"{len(data)} bytes became {len(small)}: {path}")
        return 1
    print("no fault")
    return 0


def shrink(parse: Callable[[bytes], None], data: bytes, signature: str) -> bytes:
    """Return a smaller input with the same fault, by leaving out ever smaller parts."""
    size = len(data) // 2
    while size:
        start = 0
        while start < len(data):
            shorter = data[:start] + data[start + size :]
            if _signature_of(parse, shorter) == signature:
                data = shorter
            else:
                start += size
        size = min(size // 2, len(data))
    return data


def _signature_of(parse: Callable[[bytes], None], data: bytes) -> str:
    try:
        run_guarded(parse, data)
    except ViolationError as violation:
        return violation.signature
    return ""


if __name__ == "__main__":
    sys.exit(main())
