"""Mounts, in every readable mount namespace, and swap."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ssdlab.system.files import ROOT, clean_text, read_bytes

_OCTAL = re.compile(rb"\\([0-7]{3})")
_FIELDS_BEFORE, _FIELDS_AFTER = 6, 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """One mount of a file system in one mount namespace.

    ``number`` is MAJOR:MINOR of the file system, which is that of its block device
    unless it has several. ``process`` names a process that sees the mount, if that is
    in another mount namespace than this one; ``pid`` is its number.
    """

    number: str
    place: str
    kind: str
    source: str
    options: str
    folder: str = "/"
    process: str = ""
    pid: int = 0

    @property
    def is_read_only(self) -> bool:
        """Whether the file system itself is read-only."""
        return "ro" in self.options.split(",")

    @property
    def sources(self) -> tuple[str, ...]:
        """The devices that it names: the device itself, its log, its journal."""
        values = (option.partition("=")[2] for option in self.options.split(","))
        paths = (*self.source.split(":"), *values)
        return tuple(path for path in paths if path.startswith("/"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Swap:
    """A device or a file that the kernel swaps to."""

    path: str
    is_file: bool


def parse_mountinfo(content: bytes, process: str = "", pid: int = 0) -> list[Mount]:
    r"""Return the mounts in a ``/proc/PID/mountinfo``: man 5 proc_pid_mountinfo.

    Examples
    --------
    >>> line = b"36 35 8:1 / /a\\040b rw,noatime master:1 - ext4 /dev/sda1 rw\n"
    >>> parse_mountinfo(line)[0].place
    '/a b'
    """
    found = []
    for line in content.split(b"\n"):
        words = line.split(b" ")
        first, rest = words[:_FIELDS_BEFORE], words[_FIELDS_BEFORE:]
        last = rest[rest.index(b"-") + 1 :] if b"-" in rest else []
        if len(last) < _FIELDS_AFTER:
            continue
        found.append(
            Mount(
                number=_unescape(first[2]),
                folder=_unescape(first[3]),
                place=_unescape(first[4]),
                kind=_unescape(last[0]),
                source=_unescape(last[1]),
                options=_unescape(last[2]),
                process=process,
                pid=pid,
            )
        )
    return found


def read_mounts(root: Path = ROOT) -> tuple[Mount, ...]:
    """Return the mounts of all mount namespaces, those of this process first.

    A namespace is read once for each root folder that its processes have: a process
    sees only what is mounted below its own root. Only root can read those of other
    users' processes. That matters little for a drive that is held exclusively: the
    kernel does not allow that if it is mounted anywhere.
    """
    processes = root / "proc"
    found = parse_mountinfo(read_bytes(processes / "self/mountinfo"))
    own = _view(f"{processes}/self")
    seen = {own}
    for pid, folder in _tasks(processes):
        view = _view(folder)
        if view in seen or view is None:
            continue
        content = read_bytes(Path(folder) / "mountinfo")
        if content:  # else it has ended; another process may be in there too
            seen.add(view)
            is_own = own is not None and view[0] == own[0]
            process = "" if is_own else process_name(pid, root)
            found += parse_mountinfo(content, process, pid)
    return tuple(sorted(found, key=lambda mount: mount.process != ""))


def read_swaps(root: Path = ROOT) -> tuple[Swap, ...]:
    """Return what the kernel swaps to, from ``/proc/swaps``."""
    found = []
    for line in read_bytes(root / "proc/swaps").split(b"\n")[1:]:
        words = line.split()
        if len(words) >= 2:
            found.append(Swap(path=_unescape(words[0]), is_file=words[1] == b"file"))
    return tuple(found)


def process_name(pid: int, root: Path = ROOT) -> str:
    """Return the name of a process, with its pid."""
    name = clean_text(read_bytes(root / f"proc/{pid}/comm")) or "a process"
    return f"{name} (process {pid})"


def list_processes(processes: Path) -> list[int]:
    """Return the pids of all processes in a ``/proc``."""
    try:
        names = os.listdir(processes)  # noqa: PTH208 - a pathlib object each is slow
    except OSError:
        return []
    return sorted(int(name) for name in names if name.isdecimal())


def _tasks(processes: Path) -> Iterator[tuple[int, str]]:
    """Yield the folder of each process, then those of its other threads."""
    for pid in list_processes(processes):
        folder = f"{processes}/{pid}"
        yield pid, folder
        try:
            threads = os.listdir(f"{folder}/task")  # noqa: PTH208
        except OSError:
            continue
        for thread in threads:
            if thread != str(pid):
                yield pid, f"{folder}/task/{thread}"


def _view(folder: str) -> tuple[str, str] | None:
    """Return the namespace and the root of a process; ``None`` if hidden."""
    read = os.readlink  # a pathlib object for each task is slow
    try:
        return read(f"{folder}/ns/mnt"), read(f"{folder}/root")
    except OSError:  # another user's, or it has ended
        return None


def _unescape(field: bytes) -> str:
    whole = _OCTAL.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), field)
    return whole.decode("utf-8", "backslashreplace")
