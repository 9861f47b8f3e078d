"""Which processors are near a drive, on a machine of two nodes."""

from dataclasses import replace
from typing import Any

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import Device, nvme, on_image
from tests.vm.guest import Guest

TWO_NODES = (
    *("-object", "memory-backend-ram,id=near0,size=512M"),
    *("-object", "memory-backend-ram,id=near1,size=512M"),
    *("-numa", "node,nodeid=0,cpus=0,memdev=near0"),
    *("-numa", "node,nodeid=1,cpus=1,memdev=near1"),
)
ASK = """
import json
import os
from ssdlab.drive.inventory import find_drive
from ssdlab.host.affinity import list_nodes, local_cpus
from ssdlab.host.checks import examine_host
os.sched_setaffinity(0, {allowed})
told = {{}}
for path in {paths}:
    drive = find_drive(path)
    checks = {{check.check_id: check for check in examine_host(drive)}}
    told[drive.serial] = {{
        "node": drive.numa_node,
        "cpus": local_cpus(drive),
        "verdict": checks["numa_node"].verdict,
        "read": checks["numa_node"].read,
    }}
print(json.dumps({{"nodes": list_nodes(), "drives": told}}))
"""


def on_node(device: Device, node: int) -> Device:
    """Return the drive behind a bridge that belongs to a node."""
    bridge = {
        "driver": "pxb-pcie",
        "id": f"bridge-{node}",
        "bus": "pcie.0",
        "bus_nr": 128,
        "numa_node": node,
    }
    ports = tuple({**port, "bus": f"bridge-{node}"} for port in device.needs)
    return replace(device, needs=(bridge, *ports))


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    guest = boot(
        on_node(nvme("far", on_image(disk("far")), serial="FAR1"), 1),
        machine_args=TWO_NODES,
    )
    guest.warm("ssdlab.drive.inventory", "ssdlab.host.checks")
    return guest


def ask(guest: Guest, allowed: set[int]) -> dict[str, Any]:
    paths = guest.nodes("FAR1")
    answer: dict[str, Any] = guest.check_python(
        ASK.format(paths=paths, allowed=allowed)
    ).json()
    return answer


def test_cpus_of_the_drive_are_those_of_its_node(guest: Guest) -> None:
    told = ask(guest, {0, 1})
    assert told["nodes"] == [0, 1]
    far = told["drives"]["FAR1"]
    assert (far["node"], far["cpus"], far["verdict"]) == (1, [1], "good")
    assert "ssdlab places them on CPU 1" in far["read"]


def test_drive_on_a_node_that_may_not_be_used_is_told(guest: Guest) -> None:
    far = ask(guest, {0})["drives"]["FAR1"]
    assert (far["cpus"], far["verdict"]) == ([], "bad")
    assert "on node 1, CPU 1; jobs may use CPU 0" in far["read"]
