"""The control groups of this process, and their limits."""

import re
from collections.abc import Iterator
from pathlib import Path

from ssdlab.system.files import read_number, read_text, within

_UNLIMITED_BYTES = 2**62  # version 1 writes "no limit" as a huge number of bytes
_OCTAL = re.compile(r"\\([0-7]{3})")


def group_folders(root: Path, controller: str) -> tuple[str, ...]:
    """Return the folders of this process's groups, the innermost first.

    They are those of version 1, if it has the controller, and of version 2. None if the
    kernel has no groups, or none of them is mounted here.
    """
    found: list[str] = []
    for line in read_text(within(root, "/proc/self/cgroup")).splitlines():
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if controller in names.split(","):
            found += _levels(root, path, kind="cgroup", controller=controller)
        elif number == "0" and not names:
            found += _levels(root, path, kind="cgroup2", controller="")
    return tuple(folder for folder in found if within(root, folder).is_dir())


def read_cpu_limit(root: Path, folder: str) -> float | None:
    """Return how many processors a group may use at once, if it is limited."""
    quota, _, period = read_text(within(root, f"{folder}/cpu.max")).partition(" ")
    quota = quota or read_text(within(root, f"{folder}/cpu.cfs_quota_us"))
    period = period or read_text(within(root, f"{folder}/cpu.cfs_period_us"))
    if not (quota.isdecimal() and period.isdecimal() and int(period)):
        return None  # "max" in version 2, -1 in version 1
    return int(quota) / int(period)


def read_memory_limit(root: Path, folder: str) -> int | None:
    """Return how much memory a group may use, if it is limited [bytes]."""
    names = ("memory.max", "memory.high", "memory.limit_in_bytes")
    raw = (read_number(within(root, f"{folder}/{name}")) for name in names)
    limits = [limit for limit in raw if limit and 0 < limit < _UNLIMITED_BYTES]
    return min(limits, default=None)


def read_throttles(root: Path) -> dict[str, int]:
    """Return how often each group was throttled by its CPU quota."""
    found = {}
    for folder in group_folders(root, "cpu"):
        text = read_text(within(root, f"{folder}/cpu.stat"))
        match = re.search(r"^nr_throttled (\d+)$", text, re.MULTILINE)
        if match:
            found[folder] = int(match.group(1))
    return found


def _levels(root: Path, path: str, *, kind: str, controller: str) -> Iterator[str]:
    """Yield the folder of a group and its parents, up to the mount point."""
    for mounted, point in _mounts(root, kind=kind, controller=controller):
        inner = path.removeprefix(mounted.rstrip("/")) if _is_in(path, mounted) else "/"
        parts = [part for part in inner.split("/") if part]
        for count in range(len(parts), -1, -1):
            yield "/".join((point, *parts[:count]))
        return


def _is_in(path: str, mounted: str) -> bool:
    if ".." in path.split("/"):
        return False  # above the top of this namespace
    return mounted in {"/", path} or path.startswith(f"{mounted}/")


def _mounts(root: Path, *, kind: str, controller: str) -> Iterator[tuple[str, str]]:
    """Yield group and mount point of those mounts that have the controller."""
    for line in read_text(within(root, "/proc/self/mountinfo")).splitlines():
        before, _, after = line.partition(" - ")
        fields, raw = before.split(), after.split()
        if len(fields) < 5 or len(raw) < 3 or raw[0] != kind:
            continue
        if not controller or controller in raw[2].split(","):
            yield _plain(fields[3]), _plain(fields[4])


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found.group(1), 8)), text)
