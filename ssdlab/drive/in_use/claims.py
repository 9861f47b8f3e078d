"""Uses of a block device that do not appear among its holders."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from ssdlab.drive.in_use.loops import number_of
from ssdlab.drive.in_use.mounts import Mount
from ssdlab.drive.in_use.stack import Layer
from ssdlab.drive.safe_text import list_places, shown
from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Use
from ssdlab.system.files import ROOT, list_names, read_text


def find_claims(
    layers: Sequence[Layer], mounts: Sequence[Mount], root: Path = ROOT
) -> list[Use]:
    """Return what claims a device without being listed as its holder."""
    on_number = {layer.number: layer for layer in layers if layer.number}
    return [
        *_btrfs_members(layers, mounts, root),
        *_bcache_members(layers, root),
        *_compressed_swaps(on_number, root),
        *_nvme_exports(on_number, root),
        *_scsi_exports(on_number, root),
    ]


def _btrfs_members(
    layers: Sequence[Layer], mounts: Sequence[Mount], root: Path
) -> Iterator[Use]:
    """Yield the members of a mounted btrfs: /proc lists only one of them."""
    paths = {layer.name: layer.path for layer in layers}
    for pool in sorted((root / "sys/fs/btrfs").glob("*/devices")):
        members = set(list_names(pool))
        mine = sorted(members & set(paths))
        if not mine:
            continue
        numbers = {read_text(block_folder(name, root) / "dev") for name in members}
        places = tuple(
            mount.place
            for mount in mounts
            if mount.kind == "btrfs" and number_of(mount.source, root) in numbers
        )
        where = f" that is mounted at {list_places(places)}" if places else ""
        for name in mine:
            yield Use(
                kind="mounted",
                device=paths[name],
                reason=f"{paths[name]} is part of a btrfs file system{where}",
                remedy=f"Unmount it: umount {shlex.quote(places[0])}."
                if places
                else "Unmount that file system wherever it is mounted.",
            )


def _bcache_members(layers: Sequence[Layer], root: Path) -> Iterator[Use]:
    for layer in layers:
        folder = block_folder(layer.name, root) / "bcache"
        if not folder.is_dir() or layer.name.startswith("bcache"):
            continue
        is_cache = (folder / "set").exists()
        place = f"/sys/class/block/{layer.name}/bcache"
        yield Use(
            kind="holder",
            device=layer.path,
            reason=f"{layer.path} is a {'cache' if is_cache else 'backing'} device of "
            "bcache",
            remedy=f"Stop it: echo 1 > {place}/{'set/stop' if is_cache else 'stop'}.",
        )


def _compressed_swaps(on_number: dict[str, Layer], root: Path) -> Iterator[Use]:
    for name in list_names(root / "sys/class/block"):
        backing = read_text(block_folder(name, root) / "backing_dev")
        layer = on_number.get(number_of(backing, root)) if backing else None
        if layer is not None:
            yield Use(
                kind="swap",
                device=layer.path,
                reason=f"/dev/{name} (zram) stores pages on {layer.path}",
                remedy=f"Reset it: swapoff /dev/{name}; "
                f"echo 1 > /sys/block/{name}/reset.",
            )


def _nvme_exports(on_number: dict[str, Layer], root: Path) -> Iterator[Use]:
    """Yield what an NVMe target serves: it opens devices without claiming them."""
    below = root / "sys/kernel/config/nvmet/subsystems"
    for place in sorted(below.glob("*/namespaces/*")):
        layer = on_number.get(number_of(read_text(place / "device_path"), root))
        if layer is None or read_text(place / "enable") != "1":
            continue
        switch = f"/sys/kernel/config/{place.relative_to(root / 'sys/kernel/config')}"
        yield Use(
            kind="holder",
            device=layer.path,
            reason=f"{layer.path} is served to other hosts as a namespace of the NVMe "
            f"target {shown(place.parent.parent.name)}",
            remedy=f"Disable it: echo 0 > {shlex.quote(f'{switch}/enable')}.",
        )


def _scsi_exports(on_number: dict[str, Layer], root: Path) -> Iterator[Use]:
    for place in sorted((root / "sys/kernel/config/target/core").glob("*/*")):
        layer = on_number.get(number_of(read_text(place / "udev_path"), root))
        if layer is not None and read_text(place / "enable") == "1":
            yield Use(
                kind="holder",
                device=layer.path,
                reason=f"{layer.path} is served to other hosts by the SCSI target as "
                f"{shown(place.name)}",
                remedy="Remove it from the target (targetcli: /backstores delete).",
            )
