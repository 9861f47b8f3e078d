"""The input of the checks: files of the kernel, the drive, ssdlab's own jobs."""

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ssdlab.host.affinity import list_nodes, node_cpus
from ssdlab.host.busy import ReadBusy, read_busy
from ssdlab.host.cgroups import read_throttles
from ssdlab.host.notation import parse_cpus
from ssdlab.host.programs import RunProgram, run_program
from ssdlab.model.drive import Drive
from ssdlab.system.files import ROOT, list_names, read_number, read_text, within

_STAT = re.compile(r"\d+ \((.*)\) (.*)", re.DOTALL)
CPUS = "/sys/devices/system/cpu"
_FABRICS = ("tcp", "rdma", "fc")
_CONTAINER_SIGNS = (
    "/.dockerenv",
    "/run/.containerenv",
    "/run/systemd/container",
    "/sys/fs/cgroup/cgroup.type",  # the top of all control groups has none
)
_NVME = re.compile(r"nvme\d+$")
_CONTAINER = re.compile(r"/(?:docker|kubepods|lxc|libpod|containerd)\b")
_SAMPLE_S = 0.25


@dataclass(frozen=True, kw_only=True, slots=True)
class Process:
    """A process: its name, and the processor time that it has used [ticks]."""

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
        match = _STAT.match(read_text(folder / name / "stat"))
        fields = match.group(2).split() if match else []
        if match and len(fields) > 12:
            ticks = int(fields[11]) + int(fields[12])
            found[int(name)] = Process(name=match.group(1), ticks=ticks)
    return found


def _throttled(root: Path, cpus: tuple[int, ...]) -> dict[int, int]:
    name = "thermal_throttle/core_throttle_count"
    paths = {cpu: f"/sys/devices/system/cpu/cpu{cpu}/{name}" for cpu in cpus}
    counts = {cpu: read_number(within(root, path)) for cpu, path in paths.items()}
    return {cpu: count for cpu, count in counts.items() if count is not None}


def _swapped(text: str) -> int | None:
    pages = re.findall(r"^pswp(?:in|out) (\d+)$", text, re.MULTILINE)
    return sum(map(int, pages)) if pages else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Habits:
    """What ssdlab itself does in a run, as read from its tests and job files.

    Unknown values are empty or ``None``.

    Attributes
    ----------
    engines : tuple of str
        The fio engines of jobs with more than one IO at a time.
    buffered : tuple of str, optional
        The jobs that use the page cache.
    most_outstanding : int, optional
        The most IOs at a time, of all threads.
    block_sizes_bytes : tuple of int
        The block sizes of its tests [bytes].
    fio_needed : str
        The oldest fio that ssdlab supports.
    peak_jobs : tuple of str
        The jobs of the guide, in order.
    unpurged : tuple of str, optional
        The tests or jobs that write without a purge first.
    unwritten : tuple of str, optional
        The tests or jobs that read before preconditioning has written.
    """

    engines: tuple[str, ...] = ()
    buffered: tuple[str, ...] | None = None
    most_outstanding: int | None = None
    block_sizes_bytes: tuple[int, ...] = ()
    fio_needed: str = ""
    peak_jobs: tuple[str, ...] = ()
    unpurged: tuple[str, ...] | None = None
    unwritten: tuple[str, ...] | None = None


def _own_cpus() -> frozenset[int]:
    return frozenset(os.sched_getaffinity(0))


@dataclass(frozen=True, kw_only=True, slots=True)
class Means:
    """How the host is queried: programs, time, and the allowed processors."""

    run: RunProgram = run_program
    busy: ReadBusy = read_busy
    pause: Callable[[float], None] = time.sleep
    allowed: Callable[[], frozenset[int]] = _own_cpus
    pid: Callable[[], int] = os.getpid


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """The input of a check; ``before`` and ``after`` are read a moment apart."""

    root: Path = ROOT
    drive: Drive | None = None
    target_kind: str = ""
    is_network: bool = False
    habits: Habits = field(default_factory=Habits)
    run: RunProgram
    busy: ReadBusy
    allowed: frozenset[int]
    pid: int
    before: Sample
    after: Sample

    def text(self, path: str) -> str:
        """Return the text of a file of the system, "" if it has none."""
        return read_text(within(self.root, path))

    def number(self, path: str) -> int | None:
        """Return the whole number in a file of the system, if it has one."""
        return read_number(within(self.root, path))

    def names(self, folder: str) -> tuple[str, ...]:
        """Return the names in a folder of the system, in order."""
        return list_names(within(self.root, folder))

    @property
    def cpus(self) -> tuple[int, ...]:
        """The processors that are online."""
        return tuple(sorted(_online(self.root) or self.allowed))

    @property
    def is_virtual_machine(self) -> bool:
        """Whether the processors report a hypervisor."""
        return "hypervisor" in self.cpu_info.get("flags", "").split()

    @property
    def is_container(self) -> bool:
        """Whether this is a container."""
        return any(
            within(self.root, path).exists() for path in _CONTAINER_SIGNS
        ) or bool(_CONTAINER.search(self.text("/proc/1/cgroup")))

    @property
    def fabric_controllers(self) -> tuple[str, ...]:
        """The folders of the drive's controllers of NVMe over fabrics."""
        return _fabric_controllers(self.drive, self.root)

    @property
    def cpu_info(self) -> Mapping[str, str]:
        """The fields of the first processor in ``/proc/cpuinfo``."""
        first = self.text("/proc/cpuinfo").split("\n\n", maxsplit=1)[0]
        pairs = (line.partition(":") for line in first.splitlines())
        return {name.strip(): value.strip() for name, _, value in pairs}

    @property
    def local(self) -> frozenset[int]:
        """The processors of the drive's node; all that are online if it has none."""
        node = None if self.drive is None else self.drive.numa_node
        if node is None or node < 0 or len(list_nodes(self.root)) < 2:
            return frozenset(self.cpus)
        return node_cpus(node, self.root)

    @property
    def queue(self) -> str:
        """The folder of the drive's settings in the block layer."""
        return f"/sys/block/{self.drive.name if self.drive else ''}/queue"

    def each_cpu(self, name: str) -> dict[int, str]:
        """Return the text of a file for each processor that has it."""
        raw = {cpu: self.text(f"{CPUS}/cpu{cpu}/{name}") for cpu in self.cpus}
        return {cpu: text for cpu, text in raw.items() if text}


def set_scene(
    drive: Drive | None,
    *,
    target_kind: str = "",
    is_network: bool = False,
    habits: Habits | None = None,
    root: Path = ROOT,
    means: Means | None = None,
) -> Scene:
    """Return the input of the checks, with its counters read twice."""
    used = means or Means()
    cpus = _online(root) or used.allowed()
    before = take_sample(root, tuple(sorted(cpus)))
    used.pause(_SAMPLE_S)
    return Scene(
        root=root,
        drive=drive,
        target_kind=target_kind,
        is_network=is_network or bool(_fabric_controllers(drive, root)),
        habits=habits or Habits(),
        run=used.run,
        busy=used.busy,
        allowed=used.allowed(),
        pid=used.pid(),
        before=before,
        after=take_sample(root, tuple(sorted(cpus))),
    )


def _online(root: Path) -> frozenset[int]:
    return parse_cpus(read_text(within(root, f"{CPUS}/online")))


def _fabric_controllers(drive: Drive | None, root: Path) -> tuple[str, ...]:
    """Return the folders of a drive's controllers of NVMe over fabrics.

    A drive with several controllers is named after their subsystem.
    """
    if drive is None or not drive.controller:
        return ()
    subsystem = f"/sys/class/nvme-subsystem/{drive.controller}"
    names = [name for name in list_names(within(root, subsystem)) if _NVME.match(name)]
    folders = [f"/sys/class/nvme/{name}" for name in names or [drive.controller]]
    return tuple(
        folder
        for folder in folders
        if read_text(within(root, f"{folder}/transport")) in _FABRICS
    )
