"""A snapshot of mounts, swap and loop devices."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ssdlab.drive.in_use.loops import Loop, number_of, read_loops
from ssdlab.drive.in_use.mounts import Mount, Swap, read_mounts, read_swaps
from ssdlab.system.files import ROOT


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """A snapshot; ``on_number`` has the mounts by the devices that they concern.

    ``swap_on`` has the device of each swap device, or of the file system that a swap
    file is on.
    """

    mounts: tuple[Mount, ...]
    on_number: Mapping[str, tuple[Mount, ...]]
    swaps: tuple[Swap, ...]
    swap_on: Mapping[str, tuple[Swap, ...]]
    loops: tuple[Loop, ...]

    def mounts_on(self, number: str) -> tuple[Mount, ...]:
        """Return the mounts that concern a block device."""
        return self.on_number.get(number, ()) if number else ()


def look_around(root: Path = ROOT) -> Sight:
    """Take a snapshot, opening only loop devices, for reading."""
    mounts = read_mounts(root)
    numbers: dict[str, str] = {}
    on_number: dict[str, list[Mount]] = {}
    for mount in mounts:
        for path in mount.sources:
            if path not in numbers:
                numbers[path] = number_of(path, root) if "/dev/" in path else ""
        places = {mount.number, *(numbers[path] for path in mount.sources)}
        for number in places - {""}:
            on_number.setdefault(number, []).append(mount)
    swaps = read_swaps(root)
    swap_on: dict[str, list[Swap]] = {}
    for swap in swaps:
        for number in _numbers_of_swap(swap, mounts, root):
            swap_on.setdefault(number, []).append(swap)
    return Sight(
        mounts=mounts,
        on_number={number: tuple(found) for number, found in on_number.items()},
        swaps=swaps,
        swap_on={number: tuple(found) for number, found in swap_on.items()},
        loops=read_loops(root),
    )


def _numbers_of_swap(swap: Swap, mounts: tuple[Mount, ...], root: Path) -> set[str]:
    if not swap.is_file:
        return {number_of(swap.path, root)} - {""}
    path = PurePosixPath(swap.path)
    own = [mount for mount in mounts if not mount.process]
    holding = [mount for mount in own if path.is_relative_to(mount.place)]
    if not holding:
        return set()
    host = max(reversed(holding), key=lambda mount: len(mount.place))  # the uppermost
    return {host.number, *(number_of(source, root) for source in host.sources)} - {""}
