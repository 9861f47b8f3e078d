"""What runs on: counters that mean something only when they are read twice."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ssdlab.host.cgroups import read_throttles
from ssdlab.system.files import list_names, read_number, read_text, within

_STAT = re.compile(r"\d+ \((.*)\) (.*)", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Process:
    """A process: its name, and the processor time that it has had [ticks]."""

    name: str
    ticks: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One reading of the counters; empty or ``None`` where the kernel has none.

    ``cpu_ticks`` and ``idle_ticks`` are those of all processors together.
    """

    cpu_ticks: int | None
    idle_ticks: int | None
    processes: Mapping[int, Process]
    throttled: Mapping[int, int]
    swapped_pages: int | None
    throttled_groups: Mapping[str, int]


def take_sample(root: Path, cpus: tuple[int, ...]) -> Sample:
    """Read the counters once."""
    first_line = read_text(within(root, "/proc/stat")).split("\n", maxsplit=1)[0]
    ticks = [int(field) for field in first_line.split()[1:] if field.isdecimal()]
    return Sample(
        cpu_ticks=sum(ticks[:8]) if len(ticks) >= 5 else None,
        idle_ticks=ticks[3] + ticks[4] if len(ticks) >= 5 else None,
        processes=_processes(within(root, "/proc")),
        throttled=_throttled(root, cpus),
        swapped_pages=_swapped(read_text(within(root, "/proc/vmstat"))),
        throttled_groups=read_throttles(root),
    )


def _processes(folder: Path) -> dict[int, Process]:
    found = {}
    for name in list_names(folder):
        if not name.isdecimal():
            continue
        told = _STAT.match(read_text(folder / name / "stat"))
        fields = told.group(2).split() if told else []
        if told and len(fields) > 12:
            ticks = int(fields[11]) + int(fields[12])
            found[int(name)] = Process(name=told.group(1), ticks=ticks)
    return found


def _throttled(root: Path, cpus: tuple[int, ...]) -> dict[int, int]:
    name = "thermal_throttle/core_throttle_count"
    paths = {cpu: f"/sys/devices/system/cpu/cpu{cpu}/{name}" for cpu in cpus}
    counts = {cpu: read_number(within(root, path)) for cpu, path in paths.items()}
    return {cpu: count for cpu, count in counts.items() if count is not None}


def _swapped(text: str) -> int | None:
    pages = re.findall(r"^pswp(?:in|out) (\d+)$", text, re.MULTILINE)
    return sum(map(int, pages)) if pages else None
