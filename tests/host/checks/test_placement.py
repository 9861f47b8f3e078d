"""Where the drive, its interrupts and the jobs are."""

from pathlib import Path

import pytest

from ssdlab.host.checks import find_settings
from tests.host.made_host import CPUS, Case, make_scene, require_found

NODES = "sys/devices/system/node"
TWO_NODES: dict[str, str | None] = {
    f"{NODES}/node0/cpulist": "0-1",
    f"{NODES}/node1/cpulist": "2-3",
    f"{CPUS}/online": "0-3",
}
BOTH_ON_0: dict[str, str | None] = {"proc/irq/32/effective_affinity_list": "0"}
ONE_QUEUE: dict[str, str | None] = {
    "proc/interrupts": "  CPU0 CPU1\n 31: 9 9 PCI-MSIX nvme0q1\n",
}

CASES = (
    Case(check="numa_node", verdict="good", says="there is one NUMA node"),
    Case(
        check="numa_node",
        verdict="good",
        says="on node 1, CPUs 2-3; jobs may use CPUs 0-2 (numa_node of its PCI device)"
        ": ssdlab places them on CPU 2",
        files=TWO_NODES,
        drive={"numa_node": 1},
        allowed=frozenset({0, 1, 2}),
    ),
    Case(
        check="numa_node",
        verdict="bad",
        says="the drive is on node 1, CPUs 2-3; jobs may use CPUs 0-1",
        files=TWO_NODES,
        drive={"numa_node": 1},
    ),
    Case(
        check="numa_node",
        verdict="unknown",
        says="the drive's node is unknown",
        files=TWO_NODES,
        drive={"numa_node": None},
    ),
    Case(
        check="numa_node",
        verdict="unknown",
        says="/sys/devices/system/node",
        files={f"{NODES}/node0/cpulist": None},
    ),
    Case(
        check="irq_affinity",
        verdict="good",
        says="2 interrupts on CPUs 0-1; local to the drive: CPUs 0-1",
    ),
    Case(
        check="irq_affinity",
        verdict="bad",
        says="2 interrupts on CPU 0; local to the drive: CPUs 0-1",
        files=BOTH_ON_0,
    ),
    Case(
        check="irq_affinity",
        verdict="bad",
        says="all are on another node",
        files=TWO_NODES,
        drive={"numa_node": 1},
    ),
    Case(
        check="irq_affinity",
        verdict="warn",
        says="1 interrupt on CPU 0",
        files=ONE_QUEUE,
    ),
    Case(
        check="irq_affinity",
        verdict="unknown",
        says="no interrupt of the drive was found",
        files={"proc/interrupts": "  CPU0\n 1: 5 IO-APIC i8042\n"},
    ),
    Case(
        check="irq_affinity",
        verdict="unknown",
        says="does not list its CPUs",
        files={
            f"proc/irq/{irq}/{name}_list": None
            for irq in (31, 32)
            for name in ("effective_affinity", "smp_affinity")
        },
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_placement_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


def test_interrupts_are_spread_over_the_near_cpus_without_the_admin_queue(
    tmp_path: Path,
) -> None:
    case = Case(
        check="irq_affinity",
        verdict="bad",
        says="",
        files=BOTH_ON_0,
        drive={"bus": "scsi"},
    )
    wanted = find_settings(make_scene(tmp_path, case), "irq_affinity")
    assert [(setting.path, setting.value) for setting in wanted] == [
        ("/proc/irq/31/smp_affinity_list", "0"),
        ("/proc/irq/32/smp_affinity_list", "1"),
    ]


@pytest.mark.parametrize(
    ("bus", "balanced", "says", "is_appliable"),
    [
        ("scsi", "irqbalance", "Pin them by hand: /proc/irq/N", True),
        ("scsi", "another", "sudo systemctl start irqbalance; or: Pin", True),
        ("nvme", "another", "The kernel places the interrupts of this drive", False),
        ("virtio", "another", "The kernel places the interrupts of this drive", False),
    ],
)
def test_remedy_for_interrupts_is_one_that_can_be_followed(
    bus: str,
    balanced: str,
    says: str,
    is_appliable: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    process = f"18 ({balanced}) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 1"
    case = Case(
        check="irq_affinity",
        verdict="bad",
        says="one CPU handles every completion",
        files={**BOTH_ON_0, "proc/18/stat": process},
        drive={"bus": bus},
    )
    found = require_found(tmp_path, case)
    assert says in found.remedy
    assert ("irqbalance" in found.remedy) is (bus == "scsi" and balanced == "another")
    assert found.is_appliable is is_appliable


def test_one_interrupt_that_is_near_is_left_where_it_is(tmp_path: Path) -> None:
    case = Case(
        check="irq_affinity", verdict="warn", says="1 interrupt", files=ONE_QUEUE
    )
    assert not require_found(tmp_path, case).is_appliable


def test_interrupts_of_a_drive_without_a_link_are_those_of_the_device_above_it(
    tmp_path: Path,
) -> None:
    device = tmp_path / "sys/devices/pci0/0000:00:02.0"
    (device / "msi_irqs").mkdir(parents=True)
    for irq in (31, 32):
        (device / f"msi_irqs/{irq}").write_text("msix\n")
    (device / "virtio1/block/vdz").mkdir(parents=True)
    (tmp_path / "sys/block").mkdir(parents=True)
    (tmp_path / "sys/block/vdz").symlink_to(device / "virtio1/block/vdz")
    case = Case(
        check="irq_affinity",
        verdict="good",
        says="1 interrupt on CPU 0",
        files={
            "proc/interrupts": " CPU0\n 31: 9 PCI-MSIX virtio1-req.0\n"
            " 32: 9 PCI-MSIX virtio1-config\n",
            f"{CPUS}/online": "0",
        },
        drive={"name": "vdz", "controller": "", "pcie": None, "bus": "virtio"},
    )
    require_found(tmp_path, case)
