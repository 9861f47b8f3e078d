"""What one output of fio says, in ssdlab's units: ns, bytes, bytes per second.

A document is one JSON document, one run in normal text, or the terse lines of one
run. ``None`` means that fio measured or said nothing; it never stands for 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.analysis.latency import LatencySummary

Form = Literal["json", "terse", "normal"]
Direction = Literal["read", "write", "trim", "mixed"]
LatencyKind = Literal["slat", "clat", "lat"]
DIRECTIONS: tuple[Direction, ...] = ("read", "write", "trim", "mixed")
SUM_ENTRY = "All clients"  # what a client calls the sum of all its servers
LATENCY_KINDS: tuple[LatencyKind, ...] = ("slat", "clat", "lat")


@dataclass(frozen=True, kw_only=True, slots=True)
class Doubt:
    """One doubt: what sort, where in the output, what it means for the numbers.

    ``is_grave`` says that a number on which results rest is missing or may be wrong,
    so that the output is no whole measurement; what reads our own runs refuses it then.
    A value on which none rests is a doubt about that value alone.
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
    """What fio says of a rate that it sampled during the run: IOPS, or B/s."""

    minimum: float
    maximum: float
    mean: float
    stddev: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioSide:
    """One direction of one job entry.

    ``mixed`` is what fio says under ``unified_rw_reporting``. Counts are ``None``
    where the version of fio gives none, or none that can be; rates are NaN then. A
    kind of latency that was not measured is not among ``latencies``.
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
    """The fsyncs and the like of a job entry; they are no IO of any direction."""

    total_ios: int | None
    lat: FioLatency | None


@dataclass(frozen=True, kw_only=True, slots=True)
class FioOption:
    """One option as fio printed it; the host is said in client/server runs alone."""

    name: str
    value: str
    hostname: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FioSteadyState:
    """What fio's own steady-state rule (``ss``) found; samples are one a second.

    Latencies are there if the rule is one of latency, as since fio 3.41 it may be.
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
    """What the kernel counted of a disk during the run.

    ``is_of_members`` marks what fio added up or averaged over the disks below it. The
    host is said in client/server runs alone.
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
        """Whether the kernel counted any IO of it."""
        return bool(self.read_ios or self.write_ios)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioJob:
    """One entry of ``jobs``: a job, or a group of them under ``group_reporting``.

    ``is_aggregate`` marks the sum of the others (``All clients``). ``total_errors``
    counts errors that ``continue_on_error`` passed over. ``pid`` is the process that
    did the IO, and ``members`` how many jobs the entry is of, which normal text names.
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

        ``unified_rw_reporting=both`` gives a sum beside its parts; the parts count.
        """
        busy = [side for side in self.sides.values() if side.did_io]
        split = [side for side in busy if side.direction != "mixed"]
        return tuple(split or busy)

    def failed_ios(self, side: FioSide) -> int | None:
        """Return how many IOs of a direction failed and were passed over, if known.

        fio counts them for all directions of a job at once.
        """
        if self.total_errors == 0 or len(self.parts) == 1:
            return self.total_errors if side in self.parts else 0
        return None

    def is_sum(self, side: FioSide) -> bool:
        """Tell whether a side is the sum of others that are there too."""
        if self.is_aggregate:
            return True
        return side.direction == "mixed" and any(
            other.did_io for other in self.sides.values() if other is not side
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioDocument:
    """One document of fio.

    ``jobs`` come in fio's order, sums among them. ``prefix`` and ``suffix`` are the
    text before and after it, where fio says why a run ended. A document that was cut
    short is not ``is_whole``: it holds the job entries that were. ``doubts`` are
    those that arose in reading it. ``begins_run`` says whether fio introduced itself
    or its jobs just before it, and ``printed_s`` when it was printed, by a clock of no
    known time zone; of both only normal text speaks.
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
        """The job entries without sums of others."""
        return tuple(job for job in self.jobs if not job.is_aggregate)
