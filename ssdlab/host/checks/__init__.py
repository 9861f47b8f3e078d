"""Host checks: what was read, why it matters, what to do.

A check is one function, its `Check`, its line in ``CHECKS`` and its test. `ssdlab
doctor --apply` applies settings in the order of the list.
"""

from pathlib import Path

from ssdlab.host.checks import (
    clock,
    fio,
    idle,
    jobs,
    limits,
    load,
    network,
    pcie,
    placement,
    queue,
    sectors,
    system,
    updates,
)
from ssdlab.host.checks.check import Check, Setting, examine
from ssdlab.host.checks.scene import Habits, Means, Scene, set_scene
from ssdlab.model.drive import Drive
from ssdlab.model.host_checks import HostCheck
from ssdlab.system.files import ROOT

__all__ = [
    "CHECKS",
    "Habits",
    "Means",
    "Scene",
    "Setting",
    "examine_host",
    "examine_scene",
    "find_settings",
    "set_scene",
]

CHECKS: tuple[Check, ...] = (
    clock.GOVERNOR,
    clock.CLOCK,
    clock.TURBO,
    clock.THROTTLED,
    clock.THROTTLE_COUNTS,
    idle.STATES,
    idle.POLICY,
    idle.PREFERENCE,
    idle.DRIVE_STATES,
    pcie.POLICY,
    pcie.STATES,
    pcie.LINK,
    placement.NODE,
    placement.INTERRUPTS,
    queue.SCHEDULER,
    queue.REQUESTS,
    queue.WRITE_CACHE,
    queue.COMPLETION,
    queue.MERGES,
    queue.POLLING,
    queue.WRITE_BACK,
    sectors.SMALL,
    sectors.LARGE,
    system.HARDWARE,
    system.FANS,
    system.SELINUX,
    system.MITIGATIONS,
    system.CLOCK_SOURCE,
    system.HYPERVISOR,
    limits.ALLOWED,
    limits.QUOTA,
    limits.MEMORY,
    load.LOAD,
    load.SWAP,
    updates.UPDATES,
    network.MTU,
    fio.VERSION,
    fio.ENGINES,
    fio.AIO,
    fio.IO_URING,
    jobs.ENGINE,
    jobs.DIRECT,
    jobs.ORDER,
    jobs.PURGES,
    jobs.FILLS,
)


def examine_host(
    drive: Drive | None,
    *,
    target_kind: str = "",
    is_network: bool = False,
    habits: Habits | None = None,
    root: Path = ROOT,
    means: Means | None = None,
) -> tuple[HostCheck, ...]:
    """Check the host, and how the drive is attached to it; change nothing."""
    scene = set_scene(
        drive,
        target_kind=target_kind,
        is_network=is_network,
        habits=habits,
        root=root,
        means=means,
    )
    return examine_scene(scene)


def examine_scene(scene: Scene) -> tuple[HostCheck, ...]:
    """Return the result of each of ``CHECKS``."""
    return tuple(examine(check, scene) for check in CHECKS)


def find_settings(scene: Scene, check_id: str) -> tuple[Setting, ...]:
    """Return the settings that would make a check good; none if it is or cannot be."""
    check = next(check for check in CHECKS if check.check_id == check_id)
    return check.settings(scene) if examine(check, scene).is_appliable else ()
