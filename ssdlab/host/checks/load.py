"""Checks of other load on the host."""

import re

from ssdlab.host.checks.check import Check, Finding, bad, good, missing, unknown, warn
from ssdlab.host.checks.scene import Scene

_SOME_BUSY, _MUCH_BUSY = 0.10, 0.50  # share of all processors
_SOME_WAIT, _MUCH_WAIT = 1.0, 10.0  # percent of the last ten seconds
_BUSY_PROCESS = 0.20  # share of one processor
_NAMED = 3
_PRESSURE = "/proc/pressure"
_PRESSURES = {"CPU": "cpu", "IO": "io"}
_REMEDY = "Stop what need not run, and check again: top, iotop"


def _check_load(scene: Scene) -> Finding:
    busy, waits = _busy_ratio(scene), _waits(scene)
    if busy is None:
        return unknown("/proc/stat does not show how busy the processors are")
    processes = _busy_processes(scene)
    read = "; ".join((
        f"{busy * 100:.0f} % of the processors are busy (/proc/stat)",
        f"load average {scene.text('/proc/loadavg').split(' ')[0] or 'unknown'}",
        *(
            f"{what} pressure: {share:g} % of the last 10 s "
            f"({_PRESSURE}/{_PRESSURES[what]})"
            for what, share in waits.items()
        ),
        *processes,
    ))
    longest = max(waits.values(), default=0.0)
    if busy >= _MUCH_BUSY or longest >= _MUCH_WAIT:
        return bad(read, _REMEDY)
    if busy >= _SOME_BUSY or longest >= _SOME_WAIT or processes:
        return warn(read, _REMEDY)
    return good(read)


def _check_swap(scene: Scene) -> Finding:
    text = scene.text("/proc/swaps")
    if not text:
        return missing("/proc/swaps", ": this kernel has no swap")
    areas = [line.split() for line in text.splitlines()[1:]]
    used = {area[0]: int(area[3]) for area in areas if len(area) > 3}
    earlier, later = scene.before.swapped_pages, scene.after.swapped_pages
    remedy = "Free memory, then: sudo swapoff -a"
    if earlier is not None and later is not None and later > earlier:
        return bad("pages are being swapped in or out now (/proc/vmstat)", remedy)
    in_use = ", ".join(f"{kib} KiB on {name}" for name, kib in used.items() if kib)
    if in_use:
        return warn(f"{in_use} (/proc/swaps)", remedy)
    return good(f"none is in use ({len(used)} set up, /proc/swaps)")


def _busy_ratio(scene: Scene) -> float | None:
    before, after = scene.before, scene.after
    if before.cpu_ticks is None or after.cpu_ticks is None:
        return None
    passed = after.cpu_ticks - before.cpu_ticks
    idle = (after.idle_ticks or 0) - (before.idle_ticks or 0)
    return max(0.0, (passed - idle) / passed) if passed > 0 else None


def _waits(scene: Scene) -> dict[str, float]:
    """Return the share of the last ten seconds in which something waited [%]."""
    found = {}
    for what, name in _PRESSURES.items():
        path = f"{_PRESSURE}/{name}"
        match = re.search(r"^some avg10=([\d.]+)", scene.text(path), re.MULTILINE)
        if match:
            found[what] = float(match.group(1))
    return found


def _busy_processes(scene: Scene) -> list[str]:
    """Return the processes that keep a processor busy, the busiest first."""
    before, after = scene.before, scene.after
    if before.cpu_ticks is None or after.cpu_ticks is None:
        return []
    passed = (after.cpu_ticks - before.cpu_ticks) / max(1, len(scene.cpus))
    shares = {
        pid: (process.ticks - before.processes[pid].ticks) / passed
        for pid, process in after.processes.items()
        if pid in before.processes and pid != scene.pid and passed > 0
    }
    busiest = sorted(shares, key=lambda pid: shares[pid], reverse=True)[:_NAMED]
    return [
        f"{after.processes[pid].name} (process {pid}) uses {shares[pid] * 100:.0f} % "
        "of a processor"
        for pid in busiest
        if shares[pid] >= _BUSY_PROCESS
    ]


LOAD = Check(
    check_id="other_load",
    title="Other load",
    why="Other work takes processors, memory bandwidth and the drive's bus away, and "
    "unevenly.",
    look=_check_load,
)
SWAP = Check(
    check_id="swap",
    title="Swap",
    why="A host that is short of memory stops fio while it fetches pages from a disk.",
    look=_check_swap,
)
