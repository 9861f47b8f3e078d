"""A host made of files, on which every check is good, and what may be changed of it."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ssdlab.host.checks import CHECKS, Habits, Means, Scene, set_scene
from ssdlab.host.checks.check import examine
from ssdlab.host.programs import Said
from ssdlab.model.drive import Drive, PcieLink
from ssdlab.model.host_checks import HostCheck

CPUS = "sys/devices/system/cpu"
QUEUE = "sys/block/nvme0n1/queue"
DEVICE = "sys/bus/pci/devices/0000:01:00.0"
SLICE = "sys/fs/cgroup/user.slice"
GROUP = f"{SLICE}/run.scope"
BOOT_ID = "proc/sys/kernel/random/boot_id"
DRIVE = Drive(
    path="/dev/nvme0n1",
    name="nvme0n1",
    model="LAB 1",
    serial="S1",
    firmware="1",
    wwn="",
    bus="nvme",
    capacity_bytes=10**12,
    logical_sector_bytes=512,
    physical_sector_bytes=512,
    device_number="259:0",
    controller="nvme0",
    namespace_id=1,
    numa_node=0,
    pcie=PcieLink(
        address="0000:01:00.0", width=4, width_max=4, speed_gt_s=16, speed_gt_s_max=16
    ),
)
HABITS = Habits(
    engines=("libaio",),
    buffered=(),
    most_outstanding=1024,
    block_sizes_bytes=(512, 4096),
    fio_needed="3.16",
    peak_jobs=("job-01", "job-02"),
    unpurged=(),
    unwritten=(),
)
ANSWERS: dict[str, Said | None] = {
    "fio --version": Said(exit_code=0, text="fio-3.33"),
    "fio --enghelp": Said(
        exit_code=0, text="Available IO engines:\n\tio_uring\n\tnbd\n\tlibaio"
    ),
    "x86_energy_perf_policy -r": None,
}


def cpu_info(
    *, model: str = "Xeon @ 2.50GHz", mhz: float = 2500, flags: str = ""
) -> str:
    return "\n\n".join(
        f"processor\t: {cpu}\nmodel name\t: {model}\ncpu MHz\t\t: {mhz:.3f}\n"
        f"flags\t\t: fpu tsc {flags}"
        for cpu in (0, 1)
    )


def _cpu(number: int) -> dict[str, str]:
    folder = f"{CPUS}/cpu{number}"
    return {
        f"{folder}/cpufreq/scaling_governor": "performance",
        f"{folder}/cpufreq/scaling_available_governors": "performance powersave",
        f"{folder}/cpufreq/scaling_driver": "acpi-cpufreq",
        f"{folder}/cpufreq/scaling_cur_freq": "2500000",
        f"{folder}/cpufreq/cpuinfo_max_freq": "2500000",
        f"{folder}/cpufreq/energy_performance_preference": "performance",
        f"{folder}/power/energy_perf_bias": "0",
        f"{folder}/cpuidle/state0/name": "POLL",
        f"{folder}/cpuidle/state0/latency": "0",
        f"{folder}/cpuidle/state0/disable": "0",
        f"{folder}/cpuidle/state1/name": "C6",
        f"{folder}/cpuidle/state1/latency": "133",
        f"{folder}/cpuidle/state1/disable": "1",
        f"{folder}/thermal_throttle/core_throttle_count": "0",
        f"{folder}/topology/physical_package_id": "0",
    }


def good_files() -> dict[str, str]:
    """Return the files of a host of two processors on one node, all as it should be."""
    return {
        **_cpu(0),
        **_cpu(1),
        f"{CPUS}/online": "0-1",
        f"{CPUS}/intel_pstate/no_turbo": "1",
        f"{CPUS}/vulnerabilities/spectre_v1": "Mitigation: usercopy/swapgs barriers",
        f"{CPUS}/vulnerabilities/spectre_v2": "Mitigation: Enhanced / Automatic IBRS",
        "sys/devices/system/node/node0/cpulist": "0-1",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
        "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet",
        "sys/module/pcie_aspm/parameters/policy": "default [performance] powersave",
        "sys/firmware/acpi/platform_profile": "performance",
        "sys/class/hwmon/hwmon0/fan1_input": "9000",
        "sys/class/net/eth0/mtu": "9216",
        "sys/class/net/eth0/operstate": "up",
        "sys/class/net/eth0/device/vendor": "0x8086",
        "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us": "0",
        f"{DEVICE}/link/l1_aspm": "0",
        f"{DEVICE}/link/clkpm": "0",
        f"{DEVICE}/msi_irqs/30": "msix",
        f"{DEVICE}/msi_irqs/31": "msix",
        f"{DEVICE}/msi_irqs/32": "msix",
        f"{QUEUE}/scheduler": "[none] mq-deadline",
        f"{QUEUE}/nr_requests": "1023",
        f"{QUEUE}/write_cache": "write back",
        f"{QUEUE}/rq_affinity": "1",
        f"{QUEUE}/nomerges": "0",
        f"{QUEUE}/io_poll": "0",
        f"{QUEUE}/wbt_lat_usec": "0",
        "sys/block/nvme0n1/mq/0/nr_tags": "1023",
        "sys/block/nvme0n1/mq/1/nr_tags": "1023",
        "proc/cmdline": "root=/dev/sda1 ro",
        "proc/cpuinfo": cpu_info(),
        "proc/meminfo": "MemTotal:       65536000 kB\nMemFree: 1 kB",
        "proc/interrupts": "           CPU0       CPU1\n"
        " 30:          9          0  PCI-MSIX-0000:01:00.0   0-edge      nvme0q0\n"
        " 31:        100          0  PCI-MSIX-0000:01:00.0   1-edge      nvme0q1\n"
        " 32:          0        100  PCI-MSIX-0000:01:00.0   2-edge      nvme0q2\n"
        "NMI:          0          0   Non-maskable interrupts\n",
        "proc/irq/30/effective_affinity_list": "1",
        "proc/irq/31/effective_affinity_list": "0",
        "proc/irq/31/smp_affinity_list": "0",
        "proc/irq/32/effective_affinity_list": "1",
        "proc/irq/32/smp_affinity_list": "1",
        "proc/stat": "cpu  1000 0 1000 8000 0 0 0 0 0 0\ncpu0 1",
        "proc/loadavg": "0.02 0.01 0.00 1/99 1234",
        "proc/pressure/cpu": "some avg10=0.10 avg60=0.00 avg300=0.00 total=1",
        "proc/pressure/io": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1",
        "proc/17/stat": "17 (made up) S 1 1 1 0 -1 0 0 0 0 0 500 500 0 0 20 0 1 0 1",
        "proc/vmstat": "pgpgin 1\npswpin 5\npswpout 7",
        "proc/self/cgroup": "0::/user.slice/run.scope",
        "proc/self/mountinfo": "30 24 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 "
        "cgroup2 rw,nsdelegate",
        f"{GROUP}/cpu.max": "max 100000",
        f"{GROUP}/cpu.stat": "usage_usec 1\nnr_periods 0\nnr_throttled 0",
        f"{GROUP}/memory.max": "max",
        "proc/swaps": "Filename\tType\tSize\tUsed\tPriority",
        "proc/sys/fs/aio-max-nr": "65536",
        "proc/sys/fs/aio-nr": "0",
        "proc/sys/kernel/io_uring_disabled": "0",
        "etc/systemd/system/timers.target.wants/fstrim.timer": "[Timer]",
        BOOT_ID: "b-1",
    }


# What a quiet quarter of a second does.
QUIET = {"proc/stat": "cpu  1000 0 1001 8049 0 0 0 0 0 0\ncpu0 1"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """What differs from the good host, and what a check must then find.

    A file of ``None`` is not there. ``later`` are files that change while it looks,
    ``loaded`` those that change as soon as a processor is kept busy.
    """

    check: str
    verdict: str
    says: str
    files: Mapping[str, str | None] = field(default_factory=dict)
    later: Mapping[str, str] = field(default_factory=dict)
    loaded: Mapping[str, str] = field(default_factory=dict)
    drive: Mapping[str, Any] | None = field(default_factory=dict)
    habits: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Said | None] = field(default_factory=dict)
    target_kind: str = "block"
    is_network: bool = False
    allowed: frozenset[int] = frozenset({0, 1})

    def __str__(self) -> str:
        return f"{self.check} is {self.verdict}: {self.says}"


def write_files(root: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        path = root / name
        if text is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", "utf-8")


def make_scene(root: Path, case: Case) -> Scene:
    """Make the host of a case below the root, of a good one if that stands there."""
    is_made = (root / BOOT_ID).exists()
    write_files(root, case.files if is_made else {**good_files(), **case.files})
    return see_scene(root, case)


def restore(root: Path, case: Case) -> None:
    """Make a good host again of that of a case."""
    good = good_files()
    for name in {*case.files, *QUIET, *case.later, *case.loaded}:
        write_files(root, {name: good.get(name)})
        with suppress(OSError):  # it holds what a good host has
            os.removedirs((root / name).parent)


def see_scene(root: Path, case: Case) -> Scene:
    """Look at a host that was made before."""
    answers = {**ANSWERS, **case.answers}

    def run(command: Sequence[str]) -> Said | None:
        return answers[" ".join(command)]

    def busy(cpu: int, read: Callable[[], float | None], /) -> float | None:
        if cpu not in case.allowed:
            return None
        write_files(root, case.loaded)
        return read()

    means = Means(
        run=run,
        busy=busy,
        pause=lambda _: write_files(root, {**QUIET, **case.later}),
        allowed=lambda: case.allowed,
        pid=lambda: 1,
    )
    return set_scene(
        None if case.drive is None else replace(DRIVE, **case.drive),
        target_kind=case.target_kind,
        is_network=case.is_network,
        habits=replace(HABITS, **case.habits),
        root=root,
        means=means,
    )


def look(root: Path, case: Case) -> HostCheck:
    """Return what the check of a case finds."""
    check = next(check for check in CHECKS if check.check_id == case.check)
    return examine(check, make_scene(root, case))


def require_found(root: Path, case: Case) -> HostCheck:
    """Require that a check finds what the case says."""
    found = look(root, case)
    assert (found.verdict, case.says in found.read) == (case.verdict, True), found
    assert bool(found.remedy) or found.verdict in {"good", "unknown"}, found
    return found
