"""How much of the host this process may use."""

from ssdlab.host.cgroups import group_folders, read_cpu_limit, read_memory_limit
from ssdlab.host.checks.check import (
    OWN,
    Check,
    Finding,
    bad,
    good,
    unknown,
    warn,
)
from ssdlab.host.checks.scene import CPUS, Scene
from ssdlab.host.checks.system import LEAST_MEMORY_BYTES, read_memory_bytes
from ssdlab.host.notation import format_cpus
from ssdlab.model.units import GIB

_NO_GROUPS = (
    "/proc/self/cgroup and /proc/self/mountinfo name no control group of this process"
)


def _look_at_allowed(scene: Scene) -> Finding:
    if not scene.text(f"{CPUS}/online"):
        return unknown(f"there is no {CPUS}/online here")
    usable = scene.allowed & frozenset(scene.cpus)
    read = (
        f"jobs may use {len(usable)} of {len(scene.cpus)} processors: "
        f"{format_cpus(usable) or 'none'} (sched_getaffinity, {CPUS}/online)"
    )
    if len(usable) == len(scene.cpus):
        return good(read)
    if scene.drive is not None and scene.local <= usable:
        return good(f"{read}; all that are near the drive are among them")
    return warn(
        read,
        "Start it without taskset, numactl or a cpuset (AllowedCPUs= of a service, "
        "--cpuset-cpus of a container), and look for isolcpus in /proc/cmdline.",
    )


def _look_at_quota(scene: Scene) -> Finding:
    folders = group_folders(scene.root, "cpu")
    if not folders:
        return unknown(_NO_GROUPS)
    told = {folder: read_cpu_limit(scene.root, folder) for folder in folders}
    limits = {folder: limit for folder, limit in told.items() if limit is not None}
    if not limits:
        return _unlimited(scene, f"no limit of processor time in {folders[0]}")
    tightest = min(limits, key=lambda folder: limits[folder])
    before, after = scene.before.throttled_groups, scene.after.throttled_groups
    most = max(after, key=lambda folder: after[folder], default="")
    count = after.get(most, 0)
    read = (
        f"{limits[tightest]:g} processors' time of {len(scene.cpus)} ({tightest}); it "
        f"was made to wait {count} times since it was made"
    )
    remedy = (
        "Lift the limit: CPUQuota= of the service, --cpus of the container, "
        "limits.cpu of the pod."
    )
    if any(after[folder] > before.get(folder, after[folder]) for folder in after):
        return bad(f"{read}, and right now ({most}/cpu.stat)", remedy)
    if limits[tightest] < len(scene.allowed) or count:
        return warn(read, remedy)
    return good(f"{read}: no less than the {len(scene.allowed)} that it may use")


def _look_at_memory(scene: Scene) -> Finding:
    folders = group_folders(scene.root, "memory")
    if not folders:
        return unknown(_NO_GROUPS)
    told = {folder: read_memory_limit(scene.root, folder) for folder in folders}
    limits = {folder: limit for folder, limit in told.items() if limit is not None}
    if not limits:
        return _unlimited(scene, f"no limit of memory in {folders[0]}")
    tightest = min(limits, key=lambda folder: limits[folder])
    limit, memory = limits[tightest], read_memory_bytes(scene)
    whole = f" of {memory / GIB:.1f} GiB" if memory else ""
    read = f"{limit / GIB:.1f} GiB{whole} ({tightest})"
    if memory is not None and limit >= memory:
        return good(f"{read}: no less than there is")
    remedy = (
        "Lift the limit: MemoryMax= and MemoryHigh= of the service, --memory of the "
        "container, limits.memory of the pod."
    )
    if limit < LEAST_MEMORY_BYTES:
        return bad(f"{read}: less than the 16 GB of the guide", remedy)
    return warn(read, remedy)


def _unlimited(scene: Scene, read: str) -> Finding:
    """Judge that no limit is seen: above a container there may be one."""
    if scene.is_container:
        return unknown(f"{read}; what stands above this container is not seen")
    return good(f"{read}, nor above it")


ALLOWED = Check(
    check_id="allowed_cpus",
    title="Processors that jobs may use",
    why="Jobs that share too few processors wait for each other, not for the drive.",
    source=OWN,
    look=_look_at_allowed,
)
QUOTA = Check(
    check_id="cpu_quota",
    title="Limit of processor time",
    why="Whoever has used up a share waits for the next period, up to 0.1 s: that "
    "appears as latency of the drive.",
    source=OWN,
    look=_look_at_quota,
)
MEMORY = Check(
    check_id="memory_limit",
    title="Limit of memory",
    why="At its limit fio is slowed down or ended by the kernel.",
    source=OWN,
    look=_look_at_memory,
)
