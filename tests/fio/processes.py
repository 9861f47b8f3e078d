"""Which processes work in a folder, and waiting for them."""

import time
from collections.abc import Callable
from pathlib import Path

PROC = Path("/proc")


def processes_in(folder: Path, name: str = "") -> list[int]:
    """Return the processes, but for zombies, whose working folder is below a folder."""
    found = []
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            where = (entry / "cwd").readlink()
            called = (entry / "comm").read_text().strip()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if where.is_relative_to(folder) and name in {"", called} and state != "Z":
            found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], bool], *, patience_s: float = 10) -> bool:
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def open_files() -> int:
    return len(list((PROC / "self" / "fd").iterdir()))
