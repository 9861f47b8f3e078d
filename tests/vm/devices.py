"""The drives of a guest: each function returns what QEMU must be told of one.

A drive stands on a backend: an image file, one with bad sectors, a server of the NBD
protocol, or one that can be throttled. Properties go to QEMU as JSON, so that a serial
number may hold commas or anything else.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

MIB: Final = 1 << 20
Properties = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Backend:
    """Where a drive keeps its data: QEMU's nodes, the lowest first."""

    node: str
    nodes: tuple[Properties, ...]
    objects: tuple[Properties, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Device:
    """A drive: its backends, what it is plugged into, and its own parts in order.

    ``needs`` holds what several drives may share; it is added once. ``modules`` are
    the kernel's that it takes to see the drive.
    """

    device_id: str
    modules: tuple[str, ...]
    backends: tuple[Backend, ...]
    needs: tuple[Properties, ...]
    parts: tuple[Properties, ...]

    @property
    def drives(self) -> int:
        """How many drives the guest sees, less those that are detached at first."""
        return len(self.backends) - sum("detached" in part for part in self.parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Namespace:
    """One name space of an NVMe drive."""

    backend: Backend
    sector_bytes: int = 512
    properties: Properties | None = None


def make_image(path: Path, size_mib: int = 64) -> Path:
    """Make a sparse file of zeros for a drive to stand on, and return its path."""
    with path.open("wb") as image:
        image.truncate(size_mib * MIB)
    return path


def image_sha256(path: Path) -> str:
    """Return the checksum of all that a drive holds; sync in the guest first."""
    with path.open("rb") as image:
        return hashlib.file_digest(image, "sha256").hexdigest()


# --- Backends -----------------------------------------------------------------


def on_image(image: Path, *, access: Literal["rw", "ro"] = "rw") -> Backend:
    """Stand on an image file; what is discarded or zeroed leaves holes in it."""
    node = f"image-{_mark(image)}"
    file = {
        "driver": "file",
        "node-name": node,
        "filename": str(image),
        "discard": "unmap",
        "detect-zeroes": "unmap",
        "read-only": access == "ro",
    }
    return Backend(node=node, nodes=(file,))


def on_nbd(socket: Path) -> Backend:
    """Stand on an NBD server, such as the virtual SSD."""
    node = f"nbd-{_mark(socket)}"
    client = {
        "driver": "nbd",
        "node-name": node,
        "server": {"type": "unix", "path": str(socket)},
        "discard": "unmap",
        "detect-zeroes": "unmap",
    }
    return Backend(node=node, nodes=(client,))


def with_bad_sectors(
    below: Backend,
    sectors: Iterable[int],
    *,
    fails: Literal["read", "write", "write-zeroes", "discard", "flush"] = "read",
) -> Backend:
    """Let requests that touch one of these 512-byte sectors fail."""
    node = f"bad-{below.node}"
    errors = [
        {"event": "none", "iotype": fails, "sector": sector, "errno": 5}
        for sector in sectors
    ]
    bad = {
        "driver": "blkdebug",
        "node-name": node,
        "image": below.node,
        "inject-error": errors,
        "discard": "unmap",
        "detect-zeroes": "unmap",
    }
    return Backend(node=node, nodes=(*below.nodes, bad), objects=below.objects)


def with_throttle(below: Backend, group: str) -> Backend:
    """Let `Guest.throttle` limit it; it is free at first."""
    node = f"slow-{below.node}"
    limited = {
        "driver": "throttle",
        "node-name": node,
        "throttle-group": group,
        "file": below.node,
        "discard": "unmap",
        "detect-zeroes": "unmap",
    }
    the_group = {"qom-type": "throttle-group", "id": group}
    return Backend(
        node=node, nodes=(*below.nodes, limited), objects=(*below.objects, the_group)
    )


# --- Drives -------------------------------------------------------------------


def nvme(
    device_id: str,
    backend: Backend,
    *,
    serial: str | None = None,
    sector_bytes: int = 512,
    **properties: object,
) -> Device:
    """Return an NVMe drive of one name space; it can be unplugged and plugged again.

    QEMU's models name themselves "QEMU NVMe Ctrl" and take no other model or firmware.
    """
    controller = {
        "driver": "nvme",
        "id": device_id,
        "bus": f"port-{device_id}",
        "drive": backend.node,
        "serial": device_id if serial is None else serial,
        "logical_block_size": sector_bytes,
        "physical_block_size": max(sector_bytes, 512),
        **properties,
    }
    return Device(
        device_id=device_id,
        modules=("nvme",),
        backends=(backend,),
        needs=(_root_port(device_id),),
        parts=(controller,),
    )


def nvme_of_namespaces(
    device_id: str,
    namespaces: Sequence[Namespace],
    *,
    serial: str | None = None,
    subsystem: str | None = None,
    **properties: object,
) -> Device:
    """Return an NVMe drive of several name spaces, maybe one of several of a subsystem.

    Name spaces of a subsystem are seen by each of its drives that came before, if
    they are ``shared``, which is what QEMU does when they say nothing else.
    """
    controller = {
        "driver": "nvme",
        "id": device_id,
        "bus": f"port-{device_id}",
        "serial": device_id if serial is None else serial,
        **({"subsys": subsystem} if subsystem else {}),
        **properties,
    }
    shared = ({"driver": "nvme-subsys", "id": subsystem},) if subsystem else ()
    spaces = tuple(
        {
            "driver": "nvme-ns",
            "id": f"{device_id}-n{number}",
            "bus": device_id,
            "drive": space.backend.node,
            "nsid": number,
            "logical_block_size": space.sector_bytes,
            "physical_block_size": space.sector_bytes,
            **(space.properties or {}),
        }
        for number, space in enumerate(namespaces, start=1)
    )
    return Device(
        device_id=device_id,
        modules=("nvme",),
        backends=tuple(space.backend for space in namespaces),
        needs=(*shared, _root_port(device_id)),
        parts=(controller, *spaces),
    )


def ata(
    device_id: str,
    backend: Backend,
    *,
    serial: str | None = None,
    model: str = "LABATA",
    firmware: str = "1.0",
    **properties: object,
) -> Device:
    """Return an ATA drive on the machine's AHCI controller (six ports)."""
    disk = {
        "driver": "ide-hd",
        "id": device_id,
        "bus": "ide.?",
        "drive": backend.node,
        "serial": device_id if serial is None else serial,
        "model": model,
        "ver": firmware,
        "rotation_rate": 1,  # which says that it is solid state
        **properties,
    }
    return Device(
        device_id=device_id,
        modules=("ahci", "sd_mod"),
        backends=(backend,),
        needs=(),
        parts=(disk,),
    )


def scsi(
    device_id: str,
    backend: Backend,
    *,
    serial: str | None = None,
    model: str = "LABSCSI",
    firmware: str = "1.0",
    **properties: object,
) -> Device:
    """Return a SCSI drive on a virtio controller."""
    disk = {
        "driver": "scsi-hd",
        "id": device_id,
        "bus": "scsi.0",
        "drive": backend.node,
        "serial": device_id if serial is None else serial,
        "vendor": "SSDLAB",
        "product": model,
        "ver": firmware,
        "rotation_rate": 1,
        **properties,
    }
    bus = {"driver": "virtio-scsi-pci", "id": "scsi"}
    return Device(
        device_id=device_id,
        modules=("virtio_scsi", "sd_mod"),
        backends=(backend,),
        needs=(bus,),
        parts=(disk,),
    )


def usb(device_id: str, backend: Backend, *, serial: str | None = None) -> Device:
    """Return a removable drive on USB; it shows a second after the others."""
    stick = {
        "driver": "usb-storage",
        "id": device_id,
        "bus": "usb.0",
        "drive": backend.node,
        "serial": device_id if serial is None else serial,
        "removable": True,
    }
    bus = {"driver": "qemu-xhci", "id": "usb"}
    return Device(
        device_id=device_id,
        modules=("xhci_pci", "usb_storage", "sd_mod"),
        backends=(backend,),
        needs=(bus,),
        parts=(stick,),
    )


def _root_port(device_id: str) -> Properties:
    return {"driver": "pcie-root-port", "id": f"port-{device_id}"}


def _mark(path: Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()[:12]
