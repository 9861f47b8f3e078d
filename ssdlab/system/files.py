"""Files of the system: what is at a path, and its content.

Functions that read the machine have a parameter ``root``, so that a test can pass a
folder that looks like ``/``.
"""

import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path("/")
NodeKind = Literal["block", "char", "file", "folder", "other", "missing"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """What is at a path; ``number`` is MAJOR:MINOR of a device, else empty."""

    kind: NodeKind
    number: str = ""


Look = Callable[[Path], Node]


def look_at(path: Path) -> Node:
    """Return what is at a path, following links and opening nothing."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL within the path
        return Node(kind="missing")
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    if stat.S_ISBLK(status.st_mode):
        return Node(kind="block", number=number)
    if stat.S_ISCHR(status.st_mode):
        return Node(kind="char", number=number)
    if stat.S_ISREG(status.st_mode):
        return Node(kind="file")
    return Node(kind="folder" if stat.S_ISDIR(status.st_mode) else "other")


def within(root: Path, path: str | Path) -> Path:
    """Return an absolute path of the system below ``root``."""
    return root / str(path).lstrip("/")


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, empty if it cannot be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        return b""


def read_text(path: Path) -> str:
    """Return the stripped text of a file; "" if it cannot be read."""
    return clean_text(read_bytes(path))


def clean_text(content: bytes) -> str:
    r"""Return the bytes of a device as text, without padding at the ends.

    Bytes that are not UTF-8 are escaped, so that the text is the same wherever it is
    printed, stored or typed.

    Examples
    --------
    >>> clean_text(b"  S5H9 N\xff\x00 \n")
    'S5H9 N\\xff'
    """
    return content.decode("utf-8", "backslashreplace").strip(" \t\r\n\0")


def read_number(path: Path) -> int | None:
    """Return the whole number in a file, ``None`` if there is none."""
    try:
        return int(read_text(path))
    except ValueError:
        return None


def read_flag(path: Path) -> bool:
    """Return whether a file says 1."""
    return read_text(path) == "1"


def read_leading_number(path: Path) -> float | None:
    """Return the number that a text such as ``8.0 GT/s PCIe`` begins with."""
    match = re.match(r"\d+(?:\.\d+)?", read_text(path))
    return float(match.group()) if match else None


def list_names(folder: Path) -> tuple[str, ...]:
    """Return the names in a folder in natural order; none if it does not exist."""
    try:
        names = [path.name for path in folder.iterdir()]
    except (OSError, ValueError):
        return ()
    return tuple(sorted(names, key=_counting))


def _counting(name: str) -> tuple[tuple[int, str], ...]:
    parts = re.findall(r"[0-9]+|[^0-9]+", name)  # int() refuses some Unicode digits
    return tuple(
        (int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts
    )
