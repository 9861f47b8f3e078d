"""Loop devices, their backing files, and other users of these."""

import os
import shlex
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.in_use.mounts import Swap
from ssdlab.drive.safe_text import shown
from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Drive, Use
from ssdlab.system.files import ROOT, list_names, look_at, read_bytes, read_text, within
from ssdlab.system.unix import fcntl

_LOOP_GET_STATUS64 = 0x4C05
_LOOP_STATUS_BYTES = 232  # struct loop_info64


@dataclass(frozen=True, kw_only=True, slots=True)
class Loop:
    """A loop device with a backing file.

    ``number`` is MAJOR:MINOR of the backing file if that is a block device; otherwise
    ``host`` is that of the file system of the file, and ``inode`` its inode. Empty and
    0 mean unknown.
    """

    name: str
    backing: str
    number: str = ""
    host: str = ""
    inode: int = 0


def read_loops(root: Path = ROOT) -> tuple[Loop, ...]:
    """Return the loop devices that have a backing file."""
    found = []
    for name in list_names(root / "sys/class/block"):
        content = read_bytes(block_folder(name, root) / "loop/backing_file")
        backing = content.removesuffix(b"\n").decode("utf-8", "backslashreplace")
        if backing:
            found.append(_ask_loop(name, backing, root))
    return tuple(found)


def number_of(path: str, root: Path = ROOT) -> str:
    """Return MAJOR:MINOR of the block device at a path; "" if it is not one."""
    node = look_at(within(root, path))
    if node.kind == "block":
        return node.number
    place = Path(os.path.realpath(within(root, path)))
    if place.parent != Path(os.path.realpath(root / "dev")):
        return ""
    return read_text(block_folder(place.name, root) / "dev")  # not in this /dev


def own_loop(drive: Drive, loops: Sequence[Loop]) -> Loop | None:
    """Return the loop device that a drive is, if it is one."""
    return next((loop for loop in loops if loop.name == drive.name), None)


def find_loop_uses(
    drive: Drive, loops: Sequence[Loop], swaps: Sequence[Swap]
) -> list[Use]:
    """Return the uses of the backing file of a drive that is a loop device."""
    mine = own_loop(drive, loops)
    if mine is None:
        return []
    backing = shown(mine.backing)
    if mine.number:
        return [
            Use(
                kind="loop-backing",
                device=drive.path,
                reason=f"{drive.path} is backed by the block device {backing}, whose "
                "data would be lost with it",
                remedy="Name that device itself, or make a loop device on a file.",
            )
        ]
    found = [
        Use(
            kind="loop-backing",
            device=drive.path,
            reason=f"/dev/{loop.name} is backed by the same file as {drive.path}: "
            f"{backing}",
            remedy=f"Detach one of them: losetup --detach /dev/{loop.name}.",
        )
        for loop in loops
        if loop.name != mine.name and _is_same_file(loop, mine)
    ]
    found += [
        Use(
            kind="swap",
            device=drive.path,
            reason=f"the backing file {backing} of {drive.path} is used as swap",
            remedy=f"Disable it: swapoff {shlex.quote(backing)}.",
        )
        for swap in swaps
        if swap.path == mine.backing
    ]
    return found


def _is_same_file(loop: Loop, other: Loop) -> bool:
    if loop.inode and other.inode:
        return (loop.host, loop.inode) == (other.host, other.inode)
    return loop.backing == other.backing


def _ask_loop(name: str, backing: str, root: Path) -> Loop:
    """Return the loop driver's own data, or else what the path leads to.

    The path of the backing file is that of the process that set up the loop device: the
    file may have moved, or have been in another mount namespace.
    """
    status = _loop_status(name) if root == ROOT else None
    if status is None:
        return _look_at_backing(name, backing, root)
    host, inode, number = (int(part) for part in struct.unpack_from("=QQQ", status))
    if number:
        return Loop(name=name, backing=backing, number=_number(number))
    return Loop(name=name, backing=backing, host=_number(host), inode=inode)


def _loop_status(name: str) -> bytes | None:
    try:
        descriptor = os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return fcntl.ioctl(descriptor, _LOOP_GET_STATUS64, bytes(_LOOP_STATUS_BYTES))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _look_at_backing(name: str, backing: str, root: Path) -> Loop:
    number = number_of(backing, root)
    if number:
        return Loop(name=name, backing=backing, number=number)
    try:
        status = within(root, backing).stat()
    except OSError:
        return Loop(name=name, backing=backing)
    return Loop(
        name=name, backing=backing, host=_number(status.st_dev), inode=status.st_ino
    )


def _number(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
