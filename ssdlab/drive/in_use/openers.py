"""Processes that have a device open, or files of a file system on it."""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ssdlab.drive.in_use.mounts import list_processes, process_name
from ssdlab.system.files import ROOT, list_names, read_bytes, read_text

Way = Literal["writes", "reads", "files"]
_FOLDERS = ("cwd", "root", "exe")  # a process may hold a file system by these too


@dataclass(frozen=True, kw_only=True, slots=True)
class Opener:
    """A process that may write to a device, may read it, or has files on it open."""

    process: str
    way: Way
    device: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Openers:
    """All openers found; ``unread`` counts processes whose open files are hidden."""

    found: tuple[Opener, ...]
    unread: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Sought:
    """What to search for, and its names.

    Devices are given by MAJOR:MINOR, a file by that of its file system and its inode.
    """

    blocks: Mapping[str, str]
    characters: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[tuple[str, int], str] = field(default_factory=dict)


def find_openers(sought: Sought, root: Path = ROOT) -> Openers:
    """Search the open files of every other process.

    It cannot see files that are mapped but closed, or held only by io_uring.
    """
    processes = root / "proc"
    own = _own_process(processes)
    found: dict[Opener, None] = {}
    unread = 0
    for pid in list_processes(processes):
        if pid == own:
            continue
        try:
            for way, device in _look_into(f"{processes}/{pid}", sought):
                name = process_name(pid, root)
                found[Opener(process=name, way=way, device=device)] = None
        except PermissionError:
            unread += 1
    return Openers(found=tuple(found), unread=unread)


def character_devices(name: str, root: Path = ROOT) -> dict[str, str]:
    """Return the character devices of the same drive, such as ng and sg."""
    device = root / "sys/class/block" / name / "device"
    nodes = [
        device / f"scsi_generic/{sg}" for sg in list_names(device / "scsi_generic")
    ]
    if name.startswith("nvme"):
        nodes.append(device / f"ng{name.removeprefix('nvme')}")
    numbers = {read_text(node / "dev"): f"/dev/{node.name}" for node in nodes}
    return {number: path for number, path in numbers.items() if number}


def _look_into(folder: str, sought: Sought) -> Iterator[tuple[Way, str]]:
    """Yield how a process has opened what is sought."""
    try:
        names = os.listdir(f"{folder}/fd")  # noqa: PTH208 - many, and often
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return
    for name in names:
        status = _status(f"{folder}/fd/{name}")
        device, is_file_on_it = _match(status, sought) if status else ("", False)
        if is_file_on_it:
            yield "files", device
        elif device:
            yield _way(f"{folder}/fdinfo/{name}"), device
    for name in _FOLDERS:
        status = _status(f"{folder}/{name}")
        device, is_file_on_it = _match(status, sought) if status else ("", False)
        if is_file_on_it:
            yield "files", device


def _match(status: os.stat_result, sought: Sought) -> tuple[str, bool]:
    """Return the device that something is, or whose file it is; "" if none."""
    number = _number(status.st_rdev)
    if stat.S_ISBLK(status.st_mode):
        return sought.blocks.get(number, ""), False
    if stat.S_ISCHR(status.st_mode):
        return sought.characters.get(number, ""), False
    host = _number(status.st_dev)
    if host in sought.blocks:
        return sought.blocks[host], True
    return sought.files.get((host, status.st_ino), ""), False


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - many, and often
    except OSError:
        return None


def _number(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"


def _way(fdinfo: str) -> Way:
    """Return the access mode of a descriptor; writing, if that cannot be read."""
    for line in read_bytes(Path(fdinfo)).split(b"\n"):
        key, _, value = line.partition(b":")
        if key == b"flags":
            mode = int(value, 8) & os.O_ACCMODE
            return "reads" if mode == os.O_RDONLY else "writes"
    return "writes"


def _own_process(processes: Path) -> int:
    try:
        return int((processes / "self").readlink().name)
    except (OSError, ValueError):
        return 0
