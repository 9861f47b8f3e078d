"""The stack on a block device: partitions, volumes, arrays and loop devices."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.in_use.loops import Loop
from ssdlab.drive.names import device_path
from ssdlab.drive.safe_text import shown
from ssdlab.drive.sysfs import block_folder
from ssdlab.system.files import ROOT, list_names, read_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """A block device: the drive itself, or one of its holders.

    ``on`` is the device just below, empty for the drive. ``words`` say what it is, and
    ``remedy`` how to remove it, unless it is a partition.
    """

    name: str
    path: str
    number: str
    on: str = ""
    words: str = ""
    remedy: str = ""
    is_partition: bool = False


def find_stack(
    name: str, loops: tuple[Loop, ...], root: Path = ROOT
) -> tuple[Layer, ...]:
    """Return a block device and its whole stack, from the bottom up."""
    layers = [_layer(name, root)]
    known = {name}
    for below in layers:  # it grows in the loop
        for layer in (
            *_partitions(below, root),
            *_holders(below, root),
            *_loops_on(below, loops, root),
        ):
            if layer.name not in known:
                known.add(layer.name)
                layers.append(layer)
    return tuple(layers)


def _shown_path(name: str, root: Path) -> str:
    """Return the usual path of a block device: a volume has a name."""
    volume = read_text(block_folder(name, root) / "dm/name")
    return f"/dev/mapper/{volume}" if volume else device_path(name)


def _layer(
    name: str, root: Path, *, on: str = "", words: str = "", remedy: str = ""
) -> Layer:
    return Layer(
        name=name,
        path=_shown_path(name, root),
        number=read_text(block_folder(name, root) / "dev"),
        on=on,
        words=words,
        remedy=remedy,
    )


def _partitions(below: Layer, root: Path) -> Iterator[Layer]:
    folder = block_folder(below.name, root)
    for name in list_names(folder):
        if name.startswith(below.name) and (folder / name / "partition").exists():
            number = read_text(folder / name / "dev")
            yield Layer(
                name=name,
                path=device_path(name),
                number=number,
                on=below.path,
                is_partition=True,
            )


def _holders(below: Layer, root: Path) -> Iterator[Layer]:
    for name in list_names(block_folder(below.name, root) / "holders"):
        words, remedy = _kind_of_holder(name, root)
        yield _layer(name, root, on=below.path, words=words, remedy=remedy)


def _loops_on(below: Layer, loops: tuple[Loop, ...], root: Path) -> Iterator[Layer]:
    for loop in loops:
        if below.number and below.number in {loop.number, loop.host}:
            yield _layer(
                loop.name,
                root,
                on=below.path,
                words=f"a loop device on {shown(loop.backing)}",
                remedy=f"losetup --detach /dev/{loop.name}",
            )


def _kind_of_holder(name: str, root: Path) -> tuple[str, str]:
    """Return the kind of a holder, and the command that removes it."""
    folder = block_folder(name, root)
    path = shlex.quote(_shown_path(name, root))
    if (folder / "md").is_dir():
        return "a RAID array (md)", f"mdadm --stop {path}"
    if (folder / "bcache").is_dir():
        return "a cached device (bcache)", f"echo 1 > /sys/block/{name}/bcache/stop"
    volume = read_text(folder / "dm/name")
    if not volume:
        return "another device of the kernel", f"see: lsblk --inverse {path}"
    owner = read_text(folder / "dm/uuid").partition("-")[0]
    quoted = shlex.quote(volume)
    known = {
        "LVM": ("a volume of LVM", f"lvchange --activate n {path}"),
        "CRYPT": ("an open encrypted volume", f"cryptsetup close {quoted}"),
        "mpath": ("a multipath map", f"multipath -f {quoted}"),
    }
    other = ("a device of the device mapper", f"dmsetup remove {quoted}")
    return known.get(owner, other)
