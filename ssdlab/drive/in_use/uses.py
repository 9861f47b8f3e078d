"""Uses of a drive that forbid destroying it; nothing is opened for writing."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ssdlab.drive.in_use.claims import find_claims
from ssdlab.drive.in_use.loops import find_loop_uses, own_loop
from ssdlab.drive.in_use.mounted import find_mounted, find_swaps
from ssdlab.drive.in_use.openers import (
    Opener,
    Openers,
    Sought,
    character_devices,
    find_openers,
)
from ssdlab.drive.in_use.relatives import find_relatives, relation, shares_controller
from ssdlab.drive.in_use.signatures import find_signatures
from ssdlab.drive.in_use.snapshot import Sight, look_around
from ssdlab.drive.in_use.stack import Layer, find_stack
from ssdlab.drive.inventory import list_drives
from ssdlab.drive.purge.running import find_running_purge
from ssdlab.drive.safe_text import list_places, shown
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Drive, Use
from ssdlab.system.files import ROOT, within


def find_uses(
    drive: Drive, *, root: Path = ROOT, ask: Ask = ask_tool
) -> tuple[Use, ...]:
    """Return every reason why a drive must not be destroyed; empty if there is none.

    If something uses it now, only that is returned: wiping a drive in use is not a
    remedy.
    """
    live = find_live_uses(drive, root=root)
    if live:
        return live
    found = _find_data(drive, root=root, ask=ask)
    if any(use.kind == "unknown" for use in found):
        running = _find_running_purge(drive, root=root, ask=ask)
        if running is not None:
            return (running,)
    others = find_relatives(drive, list_drives(root))
    return (*found, *_find_data_of(others, drive, root=root, ask=ask))


def find_uses_of_known(
    drive: Drive, others: Sequence[Drive], *, root: Path = ROOT, ask: Ask = ask_tool
) -> tuple[Use, ...]:
    """Return the same of a drive whose data is known to be the run's own.

    A mark that is looked for in what fio wrote at random is found now and then. Nothing
    else can have made one since the drive was held.
    """
    live = find_live_uses(drive, root=root)
    if live:
        return live
    partitions = _list_partitions(drive, root)
    found = [_known_partitions(drive, partitions)] if partitions else []
    return (*found, *_find_data_of(others, drive, root=root, ask=ask))


def find_live_uses(drive: Drive, *, root: Path = ROOT) -> tuple[Use, ...]:
    """Return the current uses of a drive, whatever its content."""
    if drive.capacity_bytes <= 0:
        return (_too_small(drive),)
    sight = look_around(root)
    found = _live(drive, sight, root)
    for other in find_relatives(drive, list_drives(root)):
        uses = [use for use in _live(other, sight, root) if use.kind != "read-only"]
        found += _of_relative(drive, other, uses)
    roots = tuple(use for use in found if use.kind == "root")
    return roots or tuple(found)


def find_openers_of(drive: Drive, root: Path = ROOT) -> Openers:
    """Return the other processes that have a drive open, even only for reading."""
    sight = look_around(root)
    layers = find_stack(drive.name, sight.loops, root)
    return find_openers(_sought(drive, layers, sight=sight, root=root), root)


def explain_claim(drive: Drive, root: Path = ROOT) -> tuple[Use, ...]:
    """Return the possible holders of a drive, which the kernel does not name.

    A holder may have it open only for reading. Empty if nothing is known except that it
    is claimed.
    """
    live = find_live_uses(drive, root=root)
    if live:
        return live
    openers = find_openers_of(drive, root)
    processes = tuple(dict.fromkeys(opener.process for opener in openers.found))
    if processes:
        return (_open_exclusively(drive, processes),)
    return (_hidden(drive, openers.unread),) if openers.unread else ()


def _live(drive: Drive, sight: Sight, root: Path) -> list[Use]:
    layers = find_stack(drive.name, sight.loops, root)
    sought = _sought(drive, layers, sight=sight, root=root)
    found = [
        *find_mounted(layers, sight),
        *find_swaps(layers, sight),
        *find_claims(layers, sight.mounts, root),
        *_standing(layers),
        *_opened(find_openers(sought, root).found, layers, sight),
        *find_loop_uses(drive, sight.loops, sight.swaps),
    ]
    if drive.is_read_only:
        found.append(_read_only(drive))
    return found


def _find_running_purge(drive: Drive, *, root: Path, ask: Ask) -> Use | None:
    """Query what a drive is doing that this user may read but cannot."""
    may_read = os.access(within(root, drive.path), os.R_OK)
    return find_running_purge(drive, ask) if may_read else None


def _find_data_of(
    others: Sequence[Drive], drive: Drive, *, root: Path, ask: Ask
) -> list[Use]:
    return [
        use
        for other in others
        for use in _of_relative(drive, other, _find_data(other, root=root, ask=ask))
    ]


def _list_partitions(drive: Drive, root: Path) -> list[Layer]:
    layers = find_stack(drive.name, (), root)
    return [layer for layer in layers if layer.is_partition]


def _find_data(drive: Drive, *, root: Path, ask: Ask) -> list[Use]:
    """Return what is on a drive and on each of its partitions."""
    partitions = _list_partitions(drive, root)
    found: list[Use] = []
    for path in (*(layer.path for layer in partitions), drive.path):
        found += find_signatures(path, root=root, ask=ask)
    if partitions and not any(use.kind == "partition-table" for use in found):
        found.append(
            _known_partitions(drive, partitions, ", though it has no partition table")
        )
    return found


def _standing(layers: Sequence[Layer]) -> list[Use]:
    """Return the stack on a drive, from the top, in the order of removal."""
    return [
        Use(
            kind="loop-backing" if layer.name.startswith("loop") else "holder",
            device=layer.on,
            reason=f"{layer.path} ({layer.words}) uses {layer.on}",
            remedy=f"If it is not needed, remove it: {layer.remedy}.",
        )
        for layer in reversed(layers)
        if layer.on and not layer.is_partition
    ]


def _opened(
    found: Sequence[Opener], layers: Sequence[Layer], sight: Sight
) -> list[Use]:
    unseen = {layer.path for layer in layers if not sight.mounts_on(layer.number)}
    uses = []
    for device in dict.fromkeys(opener.device for opener in found):
        ways = {
            way: tuple(
                opener.process
                for opener in found
                if (opener.device, opener.way) == (device, way)
            )
            for way in ("writes", "files")
        }
        if ways["writes"]:
            uses.append(open_to_write(device, ways["writes"]))
        if ways["files"] and device in unseen:
            uses.append(_unmounted_but_open(device, ways["files"]))
    return uses


def _sought(
    drive: Drive, layers: Sequence[Layer], *, sight: Sight, root: Path
) -> Sought:
    own = [layer for layer in layers if layer.is_partition or not layer.on]
    backing = own_loop(drive, sight.loops)
    return Sought(
        blocks={layer.number: layer.path for layer in own if layer.number},
        characters=character_devices(drive.name, root),
        files={(backing.host, backing.inode): backing.backing}
        if backing and backing.inode
        else {},
    )


def _of_relative(drive: Drive, other: Drive, uses: Sequence[Use]) -> list[Use]:
    words = relation(drive, other)
    return [
        replace(
            use,
            kind="other-namespace"
            if shares_controller(drive, other) and use.kind != "unknown"
            else use.kind,
            reason=f"{words}: {use.reason}",
        )
        for use in uses
    ]


def open_to_write(device: str, processes: tuple[str, ...]) -> Use:
    """Return the use of a device that processes have open for writing."""
    return Use(
        kind="opened",
        device=device,
        reason=f"{shown(device)} is open for writing by {list_places(processes)}",
        remedy="End that program, or wait until it is done.",
    )


def _open_exclusively(drive: Drive, processes: tuple[str, ...]) -> Use:
    return Use(
        kind="opened",
        device=drive.path,
        reason=f"{drive.path} is held exclusively, probably by "
        f"{list_places(processes)}",
        remedy="End that program, or wait until it is done.",
    )


def _hidden(drive: Drive, unread: int) -> Use:
    return Use(
        kind="unknown",
        device=drive.path,
        reason=f"{drive.path} is held exclusively by something that this user cannot "
        f"see (the open files of {unread} processes are hidden)",
        remedy=f"Let root check: sudo fuser --verbose {drive.path}.",
    )


def _unmounted_but_open(device: str, processes: tuple[str, ...]) -> Use:
    return Use(
        kind="mounted",
        device=device,
        reason=f"the file system on {device} has no visible mount, but "
        f"{list_places(processes)} has files of it open (as after umount --lazy)",
        remedy="End that program, or let it close them.",
    )


def _known_partitions(
    drive: Drive, partitions: Sequence[Layer], though: str = ""
) -> Use:
    paths = list_places(tuple(layer.path for layer in partitions))
    return Use(
        kind="partition-table",
        device=drive.path,
        reason=f"the system still has partitions of {drive.path} ({paths}){though}",
        remedy=f"If they are not needed: partx --delete {drive.path}.",
    )


def _read_only(drive: Drive) -> Use:
    return Use(
        kind="read-only",
        device=drive.path,
        reason=f"{drive.path} is read-only",
        remedy="Check the drive for a lock, and its health; if it was only set "
        f"read-only: blockdev --setrw {drive.path}.",
    )


def _too_small(drive: Drive) -> Use:
    return Use(
        kind="too-small",
        device=drive.path,
        reason=f"{drive.path} has a capacity of 0 bytes: it has no media, or does not "
        "answer",
        remedy="Check its state: ssdlab devices.",
    )
