"""Names of drives: from a path to a drive, and from a drive to its paths."""

import os
import re
from pathlib import Path
from typing import NoReturn

from ssdlab.drive.sysfs import block_folder
from ssdlab.model.errors import TargetRefusedError
from ssdlab.system.files import (
    ROOT,
    Look,
    Node,
    list_names,
    look_at,
    read_flag,
    read_text,
    within,
)

_BY_ID = "dev/disk/by-id"
_SEE_LIST = "List the drives: ssdlab devices."
# Names made of numbers only; those of model and serial number come first.
_BARE = re.compile(r"(wwn-|scsi-[0-9]|nvme-(eui|nvme|uuid)\.|lvm-|dm-|md-)")
# Block devices that are not drives.
_OTHERS = re.compile(r"(sr|fd|mtdblock)\d+|mmcblk\d+(boot\d+|rpmb)")
_WORDS = (
    ("dm-", "a volume of the device mapper"),
    ("md", "an array (md)"),
    ("bcache", "a bcache device"),
    ("zram", "memory (zram)"),
    ("ram", "memory (a RAM disk)"),
    ("sr", "an optical drive"),
    ("fd", "a floppy drive"),
)


def is_drive_name(name: str, root: Path = ROOT) -> bool:
    """Return whether a kernel name is that of a whole drive, or of a loop in use."""
    folder = block_folder(name, root)
    if not folder.exists() or (folder / "partition").exists():
        return False
    if _OTHERS.fullmatch(name) or read_flag(folder / "hidden"):
        return False
    if "/devices/virtual/block/" in os.path.realpath(folder):
        return bool(read_text(folder / "loop/backing_file"))
    return True


def find_name(path: str, root: Path = ROOT, *, look: Look = look_at) -> str:
    """Return the kernel name of the whole drive that a path means."""
    named = path if "/" in path else f"/dev/{path}"
    place = within(root, named) if named.startswith("/") else Path(named)
    node = look(place)
    if node.kind == "char":
        _refuse_char(path, node, root)
    if node.kind != "block":
        _refuse_other(path, node, place)
    folder = Path(os.path.realpath(root / "sys/dev/block" / node.number))
    name = folder.name
    if not block_folder(name, root).exists():
        raise TargetRefusedError(
            target=path,
            reason=f"the kernel has no data of block device {node.number}",
            remedy="Check whether it is still attached and /sys is mounted.",
        )
    require_drive_name(name, path, root)
    return name


def require_drive_name(name: str, shown: str, root: Path = ROOT) -> None:
    """Require the kernel name of a whole drive; ``shown`` is what the user wrote."""
    if is_drive_name(name, root):
        return
    if (block_folder(name, root) / "partition").exists():
        whole = ", ".join(find_drives_below(name, root)) or "something else"
        raise TargetRefusedError(
            target=shown,
            reason=f"this is a partition of {whole}; only whole drives are measured",
            remedy=f"Name {whole} if everything on it may be erased.",
        )
    if re.fullmatch(r"loop\d+", name):
        raise TargetRefusedError(
            target=shown,
            reason="this loop device has no backing file",
            remedy="Make one with a file: losetup --find --show --direct-io=on FILE.",
        )
    drives = find_drives_below(name, root)
    raise TargetRefusedError(
        target=shown,
        reason=f"this is {_kind_of(name)}, not a drive",
        remedy=f"{_name_one(drives)} if it may be erased with everything on it."
        if drives
        else _SEE_LIST,
    )


def find_drives_below(name: str, root: Path = ROOT) -> tuple[str, ...]:
    """Return the paths of the whole drives below a volume or partition."""
    waiting, seen, drives = [name], {name}, []
    while waiting:
        one = waiting.pop(0)
        folder = block_folder(one, root)
        if one != name and is_drive_name(one, root):
            drives.append(device_path(one))
            continue
        below = list(list_names(folder / "slaves"))
        if (folder / "partition").exists():
            below = [Path(os.path.realpath(folder)).parent.name]
        waiting += [other for other in below if other not in seen]
        seen.update(below)
    return tuple(drives)


def find_stable_paths(
    name: str, namespace_id: int | None = None, root: Path = ROOT
) -> tuple[str, ...]:
    """Return the links in /dev/disk/by-id to a drive, the plainest first.

    With several namespaces, the link without a number leads to the one that came last,
    so it is left out.
    """
    folder = root / _BY_ID
    node = os.path.realpath(root / device_path(name).lstrip("/"))
    leads = {link: os.path.realpath(folder / link) for link in list_names(folder)}
    found = [
        link
        for link, place in leads.items()
        if place == node and not _is_shared(link, leads)
    ]
    tail = f"_{namespace_id}"
    found.sort(
        key=lambda link: (
            bool(_BARE.match(link)),
            namespace_id is not None and not link.endswith(tail),
            len(link),
            link,
        )
    )
    return tuple(f"/{_BY_ID}/{link}" for link in found)


def device_path(name: str) -> str:
    """Return the path of a device; its kernel name has ``!`` for ``/``."""
    return f"/dev/{name.replace('!', '/')}"


def _is_shared(link: str, leads: dict[str, str]) -> bool:
    numbered = re.compile(re.escape(link) + r"_\d+")
    return any(
        place != leads[link]
        for other, place in leads.items()
        if numbered.fullmatch(other)
    )


def _kind_of(name: str) -> str:
    for start, words in _WORDS:
        if re.match(rf"{start}\d", name):
            return words
    return "a virtual device of the kernel"


def _name_one(drives: tuple[str, ...]) -> str:
    if len(drives) == 1:
        return f"Name the drive below it, {drives[0]},"
    return f"Name one of the drives below it, {', '.join(drives)},"


def _refuse_other(path: str, node: Node, place: Path) -> NoReturn:
    reason, remedy = "this is not a block device", _SEE_LIST
    if node.kind == "file":
        reason = "this is a file, not a block device"
        remedy = "To measure a file, name it as file:PATH,size=SIZE."
    elif node.kind == "missing":
        is_link = "\0" not in path and place.is_symlink()
        reason = "this link is broken" if is_link else "there is no such device"
    raise TargetRefusedError(target=path, reason=reason, remedy=remedy)


def _refuse_char(path: str, node: Node, root: Path) -> NoReturn:
    folder = Path(os.path.realpath(root / "sys/dev/char" / node.number))
    drives = [device_path(name) for name in _drives_of_char(folder, root)]
    is_controller = re.fullmatch(r"nvme\d+", folder.name) is not None
    what = "an NVMe controller" if is_controller else "a character device"
    if drives:
        remedy = f"Name the block device: {' or '.join(drives)}."
    elif is_controller:
        remedy = "It has no namespace that can be measured (see nvme list-ns --all)."
    else:
        remedy = _SEE_LIST
    raise TargetRefusedError(
        target=path, reason=f"this is {what}, not a block device", remedy=remedy
    )


def _drives_of_char(folder: Path, root: Path) -> list[str]:
    """Return the whole drives behind /dev/nvme0, /dev/ng0n1 or /dev/sg0."""
    generic = re.fullmatch(r"ng(\d+n\d+)", folder.name)
    if generic:
        names = [f"nvme{generic.group(1)}"]
    elif folder.name.startswith("nvme"):
        parts = (
            re.fullmatch(r"nvme(\d+)(?:c\d+)?n(\d+)", name)
            for name in list_names(folder)
        )
        names = [f"nvme{part.group(1)}n{part.group(2)}" for part in parts if part]
    else:
        names = list(list_names(folder / "device/block"))
    return [name for name in names if is_drive_name(name, root)]
