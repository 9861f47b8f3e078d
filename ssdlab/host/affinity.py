"""The processors that are local to a drive."""

import os
from collections.abc import Collection
from pathlib import Path

from ssdlab.host.notation import parse_cpus
from ssdlab.model.drive import Drive
from ssdlab.system.files import ROOT, list_names, read_text, within

NODES = "/sys/devices/system/node"


def local_cpus(
    drive: Drive | None, root: Path = ROOT, *, allowed: Collection[int] | None = None
) -> tuple[int, ...]:
    """Return the processors of the drive's NUMA node that this process may use."""
    node = None if drive is None else drive.numa_node
    if node is None or node < 0 or len(list_nodes(root)) < 2:
        return ()
    may_use = os.sched_getaffinity(0) if allowed is None else allowed
    return tuple(sorted(node_cpus(node, root) & frozenset(may_use)))


def list_nodes(root: Path = ROOT) -> tuple[int, ...]:
    """Return the NUMA nodes that have processors; none if unknown."""
    names = list_names(within(root, NODES))
    nodes = (int(name[4:]) for name in names if name[4:].isdecimal())
    return tuple(sorted(node for node in nodes if node_cpus(node, root)))


def node_cpus(node: int, root: Path = ROOT) -> frozenset[int]:
    """Return the processors of a NUMA node."""
    return parse_cpus(read_text(within(root, f"{NODES}/node{node}/cpulist")))
