"""The steps of a plan and their results.

A plan reads a `PtsTest` and yields `Step` objects; a backend runs each and returns a
`StepResult`.
"""

from dataclasses import dataclass
from typing import Literal

from ssdlab.model.spec import Workload

# A mean is an imported average over a window, not a single measurement.
StepKind = Literal["purge", "precondition", "pre_write", "cell", "histogram", "mean"]


SUSPEND_S = 0.1  # two clocks read one after the other differ by less


@dataclass(frozen=True, kw_only=True, slots=True)
class Segments:
    """The pieces of an active range of ``span_bytes`` that random IOs stay in.

    There are ``count`` of them; ``seed`` decides where, the same for all of a range.
    """

    count: int
    span_bytes: int
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One task of a backend: a purge, or one fio run.

    A fio step ends by time, ``runtime_s``, or by amount, ``io_bytes``; with both,
    whichever is first. The amount is that of each thread or, if the step
    ``is_divided``, of all of them, each in its own part of the range. ``offset_bytes``
    is where a sequential stream begins. ``round`` and ``cell`` count from 1. A purge
    has no workload. A step with ``over_provisioning`` is a fill by fio's ``sprandom``,
    which ends by itself. ``wait_s`` is how long the host rests before the first IO,
    including all that the harness adds. With ``segments`` the range is in pieces that
    add up to ``range_bytes``; otherwise it is one piece from LBA 0 on.
    """

    step_id: str
    test_id: str
    phase_id: str
    kind: StepKind
    round: int | None = None
    cell: int | None = None
    workload: Workload | None = None
    range_bytes: int = 0
    offset_bytes: int = 0
    runtime_s: float | None = None
    io_bytes: int | None = None
    seed: int = 0
    uses_random_map: bool = False
    series_interval_ms: int | None = None
    wait_s: float = 0.0
    is_divided: bool = False
    segments: Segments | None = None
    over_provisioning: float | None = None

    @property
    def whole_amount_bytes(self) -> int | None:
        """The amount of all threads in a step that ends by amount, or the most."""
        if self.io_bytes is None or self.workload is None:
            return None
        return self.io_bytes * (1 if self.is_divided else self.workload.threads)


@dataclass(frozen=True, kw_only=True, slots=True)
class Handover:
    """Where the time between the IO of two fio processes went, as the later one saw it.

    ``released_s`` is the Unix time at which its gate was opened, ``armed_for_s`` how
    long before that its process was started. ``unready_s`` is how long after it the
    last thread came to the gate: 0 if all were waiting there, and ``None`` if not all
    came. ``reports_s`` lies between the reports of its first and its last thread that
    their IO has ended.
    """

    released_s: float
    armed_for_s: float
    unready_s: float | None
    reports_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class JobResult:
    """The result of one job of a step that runs the jobs of a file."""

    job: str
    iops: float | None = None
    bw_bytes_per_s: float | None = None
    lat_mean_ns: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StepResult:
    """What a plan knows of a completed step.

    Rates are sums over directions and threads; ``lat_mean_ns`` is weighted by IO
    count. A value that was not measured is ``None``. ``idle_before_s`` is the time from
    the last IO of the previous step to the first IO of this one, and ``is_contiguous``
    says whether a measurement window may span it. ``jobs`` are those of a step that
    runs the jobs of a file.
    """

    step_id: str
    read_bytes: int = 0
    written_bytes: int = 0
    iops: float | None = None
    bw_bytes_per_s: float | None = None
    lat_mean_ns: float | None = None
    idle_before_s: float | None = None
    is_contiguous: bool = True
    jobs: tuple[JobResult, ...] = ()
