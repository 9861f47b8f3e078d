"""Checks of the placement of the drive, its interrupts and the jobs."""

import re

from ssdlab.host.affinity import list_nodes, node_cpus
from ssdlab.host.checks.check import (
    Check,
    Finding,
    Setting,
    bad,
    good,
    guide,
    missing,
    name_cpus,
    unknown,
    warn,
)
from ssdlab.host.checks.scene import Scene
from ssdlab.host.notation import parse_cpus
from ssdlab.system.files import list_names, within

_ADMIN_QUEUE = re.compile(r"nvme\d+q0")
_BY_HAND = "Pin them by hand: /proc/irq/N/smp_affinity_list"
_BALANCE = f"sudo systemctl start irqbalance; or: {_BY_HAND}"
# Their drivers let the kernel place the interrupts; it cannot be overridden.
_MANAGED = ("nvme", "virtio")
_OF_THE_KERNEL = (
    "The kernel places the interrupts of this drive itself: check for boot options "
    "that restrict it (maxcpus, irqaffinity, isolcpus=managed_irq, nvme.poll_queues) "
    "and for processors that are offline."
)


def _check_node(scene: Scene) -> Finding:
    nodes = list_nodes(scene.root)
    if not nodes:
        return missing("/sys/devices/system/node/node*/cpulist")
    if len(nodes) == 1:
        return good("there is one NUMA node (/sys/devices/system/node)")
    node = scene.drive.numa_node if scene.drive else None
    if node is None or node < 0:
        return unknown(
            f"this host has {len(nodes)} NUMA nodes, and the drive's node is unknown",
            "See the manual of the mainboard for the socket of the drive's slot.",
        )
    near = node_cpus(node, scene.root)
    usable = near & scene.allowed
    read = (
        f"the drive is on node {node}, {name_cpus(near)}; jobs may use "
        f"{name_cpus(scene.allowed)} (numa_node of its PCI device)"
    )
    if usable:
        return good(f"{read}: ssdlab places them on {name_cpus(usable)}")
    return bad(
        read,
        f"Allow them: numactl --cpunodebind={node} --membind={node} ssdlab …",
    )


def _check_interrupts(scene: Scene) -> Finding:
    numbers = _interrupts(scene)
    if not numbers:
        return unknown("no interrupt of the drive was found in /proc/interrupts")
    places = {irq: _place(scene, irq) for irq in numbers}
    known = {irq: cpus for irq, cpus in places.items() if cpus}
    if not known:
        return unknown("/proc/irq/N/effective_affinity_list does not list its CPUs")
    used = frozenset[int]().union(*known.values())
    read = (
        f"{len(known)} interrupt{'s' if len(known) > 1 else ''} on {name_cpus(used)}; "
        f"local to the drive: {name_cpus(scene.local)} "
        "(/proc/interrupts, /proc/irq/N/effective_affinity_list)"
    )
    if not used & scene.local:
        return bad(f"{read}: all are on another node", _move_remedy(scene))
    if len(scene.local) == 1 or len(used & scene.local) > 1:
        return good(read)
    if len(known) == 1:
        remedy = "Nothing can be done: this device has one queue with an interrupt."
        return warn(f"{read}: one CPU handles every completion", remedy)
    return bad(f"{read}: one CPU handles every completion", _move_remedy(scene))


def _interrupts_to_move(scene: Scene) -> tuple[Setting, ...]:
    """Spread the interrupts over the local processors, one after the other."""
    if scene.drive is None or scene.drive.bus in _MANAGED:
        return ()
    near = sorted(scene.local)
    numbers = _interrupts(scene)
    if len(numbers) < 2 and _place(scene, numbers[0]) & scene.local:
        return ()
    return tuple(
        Setting(
            path=f"/proc/irq/{irq}/smp_affinity_list",
            value=str(near[at % len(near)]),
        )
        for at, irq in enumerate(numbers)
    )


def _move_remedy(scene: Scene) -> str:
    if scene.drive is not None and scene.drive.bus in _MANAGED:
        return _OF_THE_KERNEL
    running = {process.name for process in scene.after.processes.values()}
    return _BY_HAND if "irqbalance" in running else _BALANCE


def _interrupts(scene: Scene) -> list[int]:
    """Return the interrupts of the drive's queues, without its admin queue."""
    drive = scene.drive
    if drive is None:
        return []
    own = _message_interrupts(scene)
    queue = re.compile(rf"\b{re.escape(drive.controller or drive.name)}q[1-9]\d*$")
    found = []
    for line in scene.text("/proc/interrupts").splitlines()[1:]:
        irq, _, rest = line.partition(":")
        is_own = irq.strip() in own or bool(queue.search(rest))
        if is_own and irq.strip().isdecimal() and not _is_administration(rest):
            found.append(int(irq))
    return found


def _message_interrupts(scene: Scene) -> tuple[str, ...]:
    """Return the interrupts of the drive's PCI device."""
    drive = scene.drive
    if drive is None:
        return ()
    if drive.pcie is not None:
        return scene.names(f"/sys/bus/pci/devices/{drive.pcie.address}/msi_irqs")
    folder = within(scene.root, f"/sys/block/{drive.name}").resolve()
    for above in folder.parents:
        if not above.is_relative_to(scene.root.resolve() / "sys"):
            return ()
        if (above / "msi_irqs").is_dir():
            return list_names(above / "msi_irqs")
    return ()


def _is_administration(rest: str) -> bool:
    return bool(_ADMIN_QUEUE.search(rest)) or rest.rstrip().endswith("config")


def _place(scene: Scene, irq: int) -> frozenset[int]:
    folder = f"/proc/irq/{irq}"
    effective = parse_cpus(scene.text(f"{folder}/effective_affinity_list"))
    return effective or parse_cpus(scene.text(f"{folder}/smp_affinity_list"))


NODE = Check(
    check_id="numa_node",
    title="NUMA node of the drive",
    why="An IO from a processor of another node crosses the link between the sockets "
    "both ways.",
    source=guide("2.8.1"),
    look=_check_node,
    needs="drive",
)
INTERRUPTS = Check(
    check_id="irq_affinity",
    title="Interrupts of the drive",
    why="One processor that handles all completions, or one of another node, limits "
    "the IOPS before the drive does.",
    source=guide("2.8.2"),
    look=_check_interrupts,
    settings=_interrupts_to_move,
    needs="drive",
)
