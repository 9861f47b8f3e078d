"""Checks of the network, for a drive that is reached by one."""

import re
from collections.abc import Iterator

from ssdlab.host.checks.check import (
    Check,
    Finding,
    bad,
    good,
    guide,
    not_applying,
    unknown,
    warn,
)
from ssdlab.host.checks.scene import Scene

_LEAST_MTU = 5000
_NET = "/sys/class/net"
_ADDRESS = re.compile(r"[\da-fA-F.:]+(?:%\w+)?")
_INTERFACE = re.compile(r"\bdev (\S+)")


def _check_mtu(scene: Scene) -> Finding:
    if _is_fibre_channel(scene):
        return not_applying("the drive is reached by Fibre Channel")
    used = tuple(dict.fromkeys(_used_interfaces(scene)))
    names = used or _open_interfaces(scene)
    raw = {name: scene.number(f"{_NET}/{name}/mtu") for name in names}
    sizes = {name: size for name, size in raw.items() if size is not None}
    if not sizes:
        return unknown(f"no interface in {_NET} is up and has an MTU")
    listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
    read = f"{listed} ({_NET}/*/mtu)"
    if used:
        read += ", through which the drive is reached"
    remedy = (
        "Set the same on the host, the switch and the storage: "
        f"sudo ip link set {min(sizes, key=lambda name: sizes[name])} mtu 9000"
    )
    if min(sizes.values()) >= _LEAST_MTU:
        return good(f"{read}; the switch and the storage must have the same")
    if max(sizes.values()) >= _LEAST_MTU:
        return warn(f"{read}: not all are large", remedy)
    return bad(read, remedy)


def _is_fibre_channel(scene: Scene) -> bool:
    folders = scene.fabric_controllers
    return bool(folders) and all(
        scene.text(f"{folder}/transport") == "fc" for folder in folders
    )


def _used_interfaces(scene: Scene) -> Iterator[str]:
    """Yield the interfaces through which the drive's controllers are reached."""
    for folder in scene.fabric_controllers:
        pairs = (
            part.partition("=") for part in scene.text(f"{folder}/address").split(",")
        )
        raw = {name.strip(): value.strip() for name, _, value in pairs}
        name = raw.get("host_iface", "") or _route(scene, raw.get("traddr", ""))
        if name in scene.names(_NET):
            yield name


def _route(scene: Scene, address: str) -> str:
    """Return the interface of the route to an address, "" if unknown."""
    if not _ADDRESS.fullmatch(address):
        return ""
    said = scene.run(("ip", "-o", "route", "get", address))
    found = _INTERFACE.search(said.text) if said and said.exit_code == 0 else None
    return found.group(1) if found else ""


def _open_interfaces(scene: Scene) -> tuple[str, ...]:
    """Return the interfaces that are up and not local."""
    return tuple(
        name
        for name in scene.names(_NET)
        if scene.text(f"{_NET}/{name}/operstate") == "up"
        and {"device", "bonding"} & set(scene.names(f"{_NET}/{name}"))
    )


MTU = Check(
    check_id="mtu",
    title="MTU of the network",
    why="Small frames cost the host an interrupt for each 1.5 kB.",
    source=guide("2.9"),
    look=_check_mtu,
    needs="network",
)
