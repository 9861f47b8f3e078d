"""What the checks look at: the files of the kernel, the drive, and ssdlab's habits."""

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ssdlab.host.affinity import list_nodes, node_cpus
from ssdlab.host.busy import ReadBusy, read_busy
from ssdlab.host.checks.sample import Sample, take_sample
from ssdlab.host.notation import parse_cpus
from ssdlab.host.programs import RunProgram, run_program
from ssdlab.model.drive import Drive
from ssdlab.system.files import ROOT, list_names, read_number, read_text, within

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
class Habits:
    """What ssdlab does by itself in a run, as read from its own tests and job files.

    What is not told is empty or ``None``.

    Attributes
    ----------
    engines : tuple of str
        The fio engines of the jobs with more than one IO at a time.
    buffered : tuple of str, optional
        What goes through the page cache.
    most_outstanding : int, optional
        The most IOs at a time, of all threads.
    block_sizes_bytes : tuple of int
        The sizes of the blocks that its tests read and write [bytes].
    fio_needed : str
        The oldest fio that ssdlab measures with.
    peak_jobs : tuple of str
        The jobs of the guide, as they follow each other.
    unpurged : tuple of str, optional
        What writes without a purge before it.
    unwritten : tuple of str, optional
        What reads before preconditioning has written.
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
    """How the host is asked: programs, time, and which processors may be used."""

    run: RunProgram = run_program
    busy: ReadBusy = read_busy
    pause: Callable[[float], None] = time.sleep
    allowed: Callable[[], frozenset[int]] = _own_cpus
    pid: Callable[[], int] = os.getpid


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """All that a check may look at; ``before`` and ``after`` lie a moment apart."""

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
        """Return what a file of the system says, "" if it tells nothing."""
        return read_text(within(self.root, path))

    def number(self, path: str) -> int | None:
        """Return the whole number that a file of the system says, if it does."""
        return read_number(within(self.root, path))

    def names(self, folder: str) -> tuple[str, ...]:
        """Return what lies in a folder of the system, in order."""
        return list_names(within(self.root, folder))

    @property
    def cpus(self) -> tuple[int, ...]:
        """The processors that run."""
        return tuple(sorted(_online(self.root) or self.allowed))

    @property
    def is_virtual_machine(self) -> bool:
        """Whether the processors say that a hypervisor stands below them."""
        return "hypervisor" in self.cpu_info.get("flags", "").split()

    @property
    def is_container(self) -> bool:
        """Whether something tells that this is a container."""
        return any(
            within(self.root, path).exists() for path in _CONTAINER_SIGNS
        ) or bool(_CONTAINER.search(self.text("/proc/1/cgroup")))

    @property
    def fabric_controllers(self) -> tuple[str, ...]:
        """The folders of the controllers by which a network reaches the drive."""
        return _fabric_controllers(self.drive, self.root)

    @property
    def cpu_info(self) -> Mapping[str, str]:
        """What ``/proc/cpuinfo`` says of the first processor, by its own names."""
        first = self.text("/proc/cpuinfo").split("\n\n", maxsplit=1)[0]
        pairs = (line.partition(":") for line in first.splitlines())
        return {name.strip(): value.strip() for name, _, value in pairs}

    @property
    def local(self) -> frozenset[int]:
        """The processors of the drive's node; all that run if it has none."""
        node = None if self.drive is None else self.drive.numa_node
        if node is None or node < 0 or len(list_nodes(self.root)) < 2:
            return frozenset(self.cpus)
        return node_cpus(node, self.root)

    @property
    def queue(self) -> str:
        """The folder of the drive's settings in the block layer."""
        return f"/sys/block/{self.drive.name if self.drive else ''}/queue"

    def each_cpu(self, name: str) -> dict[int, str]:
        """Return what a file says for each processor that has it."""
        told = {cpu: self.text(f"{CPUS}/cpu{cpu}/{name}") for cpu in self.cpus}
        return {cpu: text for cpu, text in told.items() if text}


def set_scene(
    drive: Drive | None,
    *,
    target_kind: str = "",
    is_network: bool = False,
    habits: Habits | None = None,
    root: Path = ROOT,
    means: Means | None = None,
) -> Scene:
    """Return what the checks look at, its counters read twice."""
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

    A drive of several controllers is named after their subsystem.
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
