"""How much of the host this process may use."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from pathlib import Path

from ssdlab.host.cgroups import group_folders, read_cpu_limit, read_memory_limit
from ssdlab.host.checks.check import Check, Finding, bad, good, missing, unknown, warn
from ssdlab.host.checks.scene import CPUS, Scene
from ssdlab.host.checks.system import LEAST_MEMORY_BYTES, read_memory_bytes
from ssdlab.host.notation import format_cpus
from ssdlab.model.units import GIB

_NO_GROUPS = (
    "/proc/self/cgroup and /proc/self/mountinfo name no control group of this process"
)


def _look_at_allowed(scene: Scene) -> Finding:
    if not scene.text(f"{CPUS}/online"):
        return missing(f"{CPUS}/online")
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
    found = _find_tightest(scene, folders, read_cpu_limit)
    if found is None:
        return _unlimited(scene, folders, "processor time")
    tightest, limit = found
    before, after = scene.before.throttled_groups, scene.after.throttled_groups
    most = max(after, key=lambda folder: after[folder], default="")
    count = after.get(most, 0)
    read = (
        f"{limit:g} processors' time of {len(scene.cpus)} ({tightest}); it "
        f"was made to wait {count} times since it was made"
    )
    remedy = (
        "Lift the limit: CPUQuota= of the service, --cpus of the container, "
        "limits.cpu of the pod."
    )
    if any(after[folder] > before.get(folder, after[folder]) for folder in after):
        return bad(f"{read}, and right now ({most}/cpu.stat)", remedy)
    if limit < len(scene.allowed) or count:
        return warn(read, remedy)
    return good(f"{read}: no less than the {len(scene.allowed)} that it may use")


def _look_at_memory(scene: Scene) -> Finding:
    folders = group_folders(scene.root, "memory")
    found = _find_tightest(scene, folders, read_memory_limit)
    if found is None:
        return _unlimited(scene, folders, "memory")
    tightest, limit = found
    memory = read_memory_bytes(scene)
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


def _find_tightest(
    scene: Scene,
    folders: Sequence[str],
    read: Callable[[Path, str], float | None],
) -> tuple[str, float] | None:
    """Return the control group with the tightest limit, and the limit."""
    told = {folder: read(scene.root, folder) for folder in folders}
    limits = {folder: limit for folder, limit in told.items() if limit is not None}
    return min(limits.items(), key=itemgetter(1), default=None)


def _unlimited(scene: Scene, folders: Sequence[str], what: str) -> Finding:
    """Judge that no limit is seen: above a container there may be one."""
    if not folders:
        return unknown(_NO_GROUPS)
    read = f"no limit of {what} in {folders[0]}"
    if scene.is_container:
        return unknown(f"{read}; what stands above this container is not seen")
    return good(f"{read}, nor above it")


ALLOWED = Check(
    check_id="allowed_cpus",
    title="Processors that jobs may use",
    why="Jobs that share too few processors wait for each other, not for the drive.",
    look=_look_at_allowed,
)
QUOTA = Check(
    check_id="cpu_quota",
    title="Limit of processor time",
    why="Whoever has used up a share waits for the next period, up to 0.1 s: that "
    "appears as latency of the drive.",
    look=_look_at_quota,
)
MEMORY = Check(
    check_id="memory_limit",
    title="Limit of memory",
    why="At its limit fio is slowed down or ended by the kernel.",
    look=_look_at_memory,
)
