"""A host on which much is wrong that can be set."""

from pathlib import Path

from ssdlab.host.tuning import Tuned, apply_tuning
from tests.host.made_host import CPUS, QUEUE, Case, make_scene, see_scene

GOVERNORS = [f"{CPUS}/cpu{cpu}/cpufreq/scaling_governor" for cpu in (0, 1)]
SCHEDULER, REQUESTS = f"{QUEUE}/scheduler", f"{QUEUE}/nr_requests"
ASPM, AIO = "sys/module/pcie_aspm/parameters/policy", "proc/sys/fs/aio-max-nr"
WRONG: dict[str, str | None] = {
    GOVERNORS[0]: "ondemand",
    GOVERNORS[1]: "powersave",
    f"{CPUS}/cpu1/cpuidle/state1/disable": "0",
    f"{CPUS}/cpu1/power/energy_perf_bias": "6",
    f"{CPUS}/cpu0/cpufreq/energy_performance_preference": "balance_performance",
    ASPM: "[default] performance powersave",
    "sys/bus/pci/devices/0000:01:00.0/link/l1_aspm": "1",
    f"{CPUS}/cpu1/cpufreq/energy_performance_preference": None,
    SCHEDULER: "[mq-deadline] none",
    REQUESTS: "64",
    f"{QUEUE}/rq_affinity": "0",
    f"{QUEUE}/wbt_lat_usec": "2000",
    AIO: "1024",
}
MADE = {  # nr_requests: 1024 IOs in two queues
    **dict.fromkeys(GOVERNORS, "performance"),
    f"{CPUS}/cpu1/cpuidle/state1/disable": "1",
    f"{CPUS}/cpu1/power/energy_perf_bias": "0",
    f"{CPUS}/cpu0/cpufreq/energy_performance_preference": "performance",
    ASPM: "performance",
    "sys/bus/pci/devices/0000:01:00.0/link/l1_aspm": "0",
    SCHEDULER: "none",
    REQUESTS: "512",
    f"{QUEUE}/rq_affinity": "2",
    f"{QUEUE}/wbt_lat_usec": "0",
    AIO: "1048576",
}


AS_IT_IS = Case(check="", verdict="", says="", habits={"buffered": ("one",)})


def make(root: Path) -> None:
    make_scene(root, Case(check="", verdict="", says="", files=WRONG))


def apply(root: Path, journal: Path) -> tuple[Tuned, ...]:
    scene = see_scene(root, AS_IT_IS)
    return apply_tuning(scene, journal=journal, now=lambda: 1e9)


def read(root: Path, name: str) -> str:
    return (root / name).read_text().strip()


def snapshot(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_text().strip() for path in files}
