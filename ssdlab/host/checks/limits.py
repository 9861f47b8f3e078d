"""Checks of the limits on this process."""

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


def _check_allowed(scene: Scene) -> Finding:
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
        return good(f"{read}; all that are local to the drive are among them")
    return warn(
        read,
        "Start it without taskset, numactl or a cpuset (AllowedCPUs= of a service, "
        "--cpuset-cpus of a container), and check /proc/cmdline for isolcpus.",
    )


def _check_quota(scene: Scene) -> Finding:
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
        f"was throttled {count} times since it was made"
    )
    remedy = (
        "Lift the limit: CPUQuota= of the service, --cpus of the container, "
        "limits.cpu of the pod."
    )
    if any(after[folder] > before.get(folder, after[folder]) for folder in after):
        return bad(f"{read}, and right now ({most}/cpu.stat)", remedy)
    if limit < len(scene.allowed) or count:
        return warn(read, remedy)
    return good(f"{read}: at least the {len(scene.allowed)} that it may use")


def _check_memory(scene: Scene) -> Finding:
    folders = group_folders(scene.root, "memory")
    found = _find_tightest(scene, folders, read_memory_limit)
    if found is None:
        return _unlimited(scene, folders, "memory")
    tightest, limit = found
    memory = read_memory_bytes(scene)
    whole = f" of {memory / GIB:.1f} GiB" if memory else ""
    read = f"{limit / GIB:.1f} GiB{whole} ({tightest})"
    if memory is not None and limit >= memory:
        return good(f"{read}: at least as much as there is")
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
    raw = {folder: read(scene.root, folder) for folder in folders}
    limits = {folder: limit for folder, limit in raw.items() if limit is not None}
    return min(limits.items(), key=itemgetter(1), default=None)


def _unlimited(scene: Scene, folders: Sequence[str], what: str) -> Finding:
    """Judge that no limit is visible: above a container there may be one."""
    if not folders:
        return unknown(_NO_GROUPS)
    read = f"no limit of {what} in {folders[0]}"
    if scene.is_container:
        return unknown(f"{read}; limits above this container are not visible")
    return good(f"{read}, nor above it")


ALLOWED = Check(
    check_id="allowed_cpus",
    title="Processors that jobs may use",
    why="Jobs that share too few processors wait for each other, not for the drive.",
    look=_check_allowed,
)
QUOTA = Check(
    check_id="cpu_quota",
    title="Limit of processor time",
    why="A process that has used up its quota waits for the next period, up to 0.1 s: "
    "that appears as latency of the drive.",
    look=_check_quota,
)
MEMORY = Check(
    check_id="memory_limit",
    title="Limit of memory",
    why="At the limit the kernel slows fio down or kills it.",
    look=_check_memory,
)
