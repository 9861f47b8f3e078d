"""Small files of the system, below a root that tests may choose."""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path("/")
_CHOSEN = re.compile(r"\[([^\]\s]+)\]")


def below(root: Path, path: str) -> Path:
    """Return where a file of the system lies below the root."""
    return root / path.lstrip("/")


def read_text(path: Path) -> str:
    """Return what a file says, without blanks at its ends; "" if it tells nothing."""
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""


def read_number(path: Path) -> int | None:
    """Return the whole number that a file says, if it says one."""
    try:
        return int(read_text(path))
    except ValueError:
        return None


def list_names(folder: Path) -> tuple[str, ...]:
    """Return what lies in a folder, in order; nothing if it is not there."""
    try:
        return tuple(sorted(entry.name for entry in folder.iterdir()))
    except OSError:
        return ()


def chosen(text: str) -> str:
    """Return the choice in brackets of a file such as a scheduler's, or the text."""
    found = _CHOSEN.search(text)
    return found.group(1) if found else text


def parse_cpus(text: str) -> frozenset[int]:
    """Return the processors of a list such as ``0-3,8``; none if it is no list."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            found.update(range(int(first), int(last or first) + 1))
        except ValueError:
            return frozenset()
    return frozenset(found)


def format_cpus(cpus: Iterable[int]) -> str:
    """Return processors as the kernel lists them: ``0-3,8``."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs
    )
