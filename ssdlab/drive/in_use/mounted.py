"""Mounts and swap on a drive, as uses."""

import shlex
from collections.abc import Iterator, Sequence

from ssdlab.drive.in_use.mounts import Mount
from ssdlab.drive.in_use.snapshot import Sight
from ssdlab.drive.in_use.stack import Layer
from ssdlab.drive.safe_text import list_places, shown
from ssdlab.model.drive import Use

ROOT_PLACES = frozenset((
    "/",
    "/boot",
    "/boot/efi",
    "/boot/firmware",
    "/efi",
    "/home",
    "/usr",
    "/var",
))
_FIRST_PROCESS = 1


def find_mounted(layers: Sequence[Layer], sight: Sight) -> Iterator[Use]:
    """Yield the mounts, the top of a stack first."""
    for layer in reversed(layers):
        mounts = sight.mounts_on(layer.number)
        own = [mount for mount in mounts if not mount.process]
        if any(_is_root(mount) for mount in mounts):
            yield _root(layer, [mount for mount in mounts if _is_root(mount)])
        elif own:
            yield _mounted_here(layer, own)
        elif mounts:
            yield _mounted_elsewhere(layer, mounts)


def find_swaps(layers: Sequence[Layer], sight: Sight) -> Iterator[Use]:
    """Yield the swap devices on a drive, and the swap files on its file systems."""
    for layer in reversed(layers):
        for swap in sight.swap_on.get(layer.number, ()):
            path = shown(swap.path)
            words = f"the swap file {path} is on {layer.path}"
            yield Use(
                kind="swap",
                device=layer.path,
                reason=words if swap.is_file else f"{layer.path} is used as swap",
                remedy=f"Disable it: swapoff {shlex.quote(path)}.",
            )


def _is_root(mount: Mount) -> bool:
    is_of_this_system = not mount.process or mount.pid == _FIRST_PROCESS
    return is_of_this_system and mount.place in ROOT_PLACES


def _root(layer: Layer, mounts: Sequence[Mount]) -> Use:
    return Use(
        kind="root",
        device=layer.path,
        reason=f"system disk: {layer.path} is mounted at {_places(mounts)}",
        remedy="Choose another drive.",
    )


def _mounted_here(layer: Layer, mounts: Sequence[Mount]) -> Use:
    how = " read-only" if all(mount.is_read_only for mount in mounts) else ""
    is_part = all(mount.folder != "/" for mount in mounts)
    what = f"a folder of {layer.path}" if is_part else layer.path
    places = dict.fromkeys(shlex.quote(shown(mount.place)) for mount in mounts)
    return Use(
        kind="mounted",
        device=layer.path,
        reason=f"{what} is mounted{how} at {_places(mounts)}",
        remedy=f"Unmount it: umount {' '.join(reversed(places))}.",
    )


def _mounted_elsewhere(layer: Layer, mounts: Sequence[Mount]) -> Use:
    first = mounts[0]
    place = shlex.quote(shown(first.place))
    return Use(
        kind="mounted",
        device=layer.path,
        reason=f"{layer.path} is mounted at {shown(first.place)} in the mount "
        f"namespace of {shown(first.process)}",
        remedy="Unmount it there: nsenter --mount --target "
        f"{first.pid} umount {place}.",
    )


def _places(mounts: Sequence[Mount]) -> str:
    return list_places(tuple(dict.fromkeys(mount.place for mount in mounts)))
