"""The content of one output of fio, in ssdlab's units: ns, bytes, bytes per second.

A document is one JSON document, one run in normal text, or the terse lines of one
run. ``None`` means that fio measured or printed nothing; it never stands for 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.stats.latency import LatencySummary

Form = Literal["json", "terse", "normal"]
Direction = Literal["read", "write", "trim", "mixed"]
LatencyKind = Literal["slat", "clat", "lat"]
DIRECTIONS: tuple[Direction, ...] = ("read", "write", "trim", "mixed")
SUM_ENTRY = "All clients"  # what a client calls the sum of all its servers
LATENCY_KINDS: tuple[LatencyKind, ...] = ("slat", "clat", "lat")


@dataclass(frozen=True, kw_only=True, slots=True)
class Doubt:
    """One doubt: its kind, its place in the output, its meaning for the numbers.

    ``is_grave``: a number that results depend on is missing or may be wrong, so the
    output is not a complete measurement; it is refused in runs of ssdlab. A doubt about
    a value that no result depends on concerns only that value.
    """

    kind: str
    place: str
    meaning: str
    is_grave: bool = False


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LatencyBins:
    """A histogram of fio: the name of each bin [ns], ascending, and its IOs.

    fio before 2.99 kept microseconds: its bins are ``unit_ns`` = 1000 times as wide.
    ``foreign`` is how many names are not those of fio's bins.
    """

    lat_ns: NDArray[np.int64]
    counts: NDArray[np.int64]
    unit_ns: int = 1
    foreign: int = 0


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioLatency:
    """One kind of latency: four numbers, bins, and percentiles by level [%] in ns."""

    summary: LatencySummary
    bins: LatencyBins | None
    percentiles: Mapping[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class RateSummary:
    """Summary of a rate that fio sampled during the run: IOPS, or B/s."""

    minimum: float
    maximum: float
    mean: float
    stddev: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioSide:
    """One direction of one job entry.

    ``mixed`` is for ``unified_rw_reporting``. Counts are ``None`` if the version of fio
    gives none, or an impossible one; rates are then NaN. A kind of latency that was not
    measured is not among ``latencies``.
    """

    direction: Direction
    io_bytes: int | None
    total_ios: int | None
    short_ios: int | None
    dropped_ios: int | None
    runtime_ms: int | None
    iops: float
    bw_bytes_per_s: float
    latencies: Mapping[LatencyKind, FioLatency]
    sampled_iops: RateSummary | None = None
    sampled_bw: RateSummary | None = None

    @property
    def did_io(self) -> bool:
        """Whether fio did any IO in this direction."""
        return bool(self.total_ios or self.io_bytes)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioSync:
    """The fsyncs of a job entry; they are not IOs of any direction."""

    total_ios: int | None
    lat: FioLatency | None


@dataclass(frozen=True, kw_only=True, slots=True)
class FioOption:
    """One option as fio printed it; with a host only in client/server runs."""

    name: str
    value: str
    hostname: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FioSteadyState:
    """The result of fio's own steady-state rule (``ss``), with a sample per second.

    Latencies are present if the rule is on latency, possible since fio 3.41.
    """

    criterion: str
    duration_s: float
    is_attained: bool
    found: str
    max_deviation: float
    slope: float
    bw_mean_bytes_per_s: float | None
    iops_mean: float | None
    iops: tuple[float, ...]
    bw_bytes_per_s: tuple[float, ...]
    lat_mean_ns: float | None = None
    lat_ns: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FioDisk:
    """The kernel's counters of a disk during the run.

    ``is_of_members`` marks sums or averages of fio over the disks below it. The host is
    only given in client/server runs.
    """

    name: str
    read_ios: int | None
    write_ios: int | None
    read_merges: int | None
    write_merges: int | None
    read_ticks_ms: int | None
    write_ticks_ms: int | None
    in_queue_ms: int | None
    util_percent: float
    is_of_members: bool = False
    hostname: str = ""

    @property
    def did_io(self) -> bool:
        """Whether the kernel counted any IO on it."""
        return bool(self.read_ios or self.write_ios)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioJob:
    """One entry of ``jobs``: a job, or a group of them under ``group_reporting``.

    ``is_aggregate`` marks the sum of the others (``All clients``). ``total_errors``
    counts errors ignored by ``continue_on_error``. ``pid`` is the process that did the
    IO, and ``members`` the number of jobs of the entry, which normal text has.
    """

    name: str
    hostname: str
    group_id: int | None
    error: int | None
    total_errors: int | None
    elapsed_s: int | None
    usr_cpu_percent: float
    sys_cpu_percent: float
    options: tuple[FioOption, ...]
    sides: Mapping[Direction, FioSide]
    is_aggregate: bool = False
    started_s: float | None = None
    sync: FioSync | None = None
    steady_state: FioSteadyState | None = None
    pid: int | None = None
    members: int | None = None

    @property
    def parts(self) -> tuple[FioSide, ...]:
        """The directions that did IO, none counted twice.

        ``unified_rw_reporting=both`` gives a sum in addition to its parts; the parts
        count.
        """
        busy = [side for side in self.sides.values() if side.did_io]
        split = [side for side in busy if side.direction != "mixed"]
        return tuple(split or busy)

    def failed_ios(self, side: FioSide) -> int | None:
        """Return how many IOs of a direction failed and were ignored, if known.

        fio counts them for all directions of a job at once.
        """
        if self.total_errors == 0 or len(self.parts) == 1:
            return self.total_errors if side in self.parts else 0
        return None

    def is_sum(self, side: FioSide) -> bool:
        """Tell whether a side is the sum of other sides of the entry."""
        if self.is_aggregate:
            return True
        return side.direction == "mixed" and any(
            other.did_io for other in self.sides.values() if other is not side
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioDocument:
    """One document of fio.

    ``jobs`` come in fio's order, sums among them. ``prefix`` and ``suffix`` are the
    text before and after it, where fio says why a run ended. A truncated document is
    not ``is_whole``: it holds only its complete job entries. ``doubts`` arose in
    reading it. ``begins_run``: fio introduced itself or its jobs just before it;
    ``printed_s`` is when it was printed, in an unknown time zone. Only normal text has
    these two.
    """

    source: str
    form: Form
    fio_version: str
    timestamp_s: float | None
    global_options: tuple[FioOption, ...]
    jobs: tuple[FioJob, ...]
    disks: tuple[FioDisk, ...]
    prefix: str
    suffix: str
    is_whole: bool
    doubts: tuple[Doubt, ...]
    begins_run: bool | None = None
    printed_s: float | None = None

    @property
    def measured(self) -> tuple[FioJob, ...]:
        """The job entries that are not sums of others."""
        return tuple(job for job in self.jobs if not job.is_aggregate)
