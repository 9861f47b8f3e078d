"""A PTS test as data, and the steps that a plan turns it into.

A `PtsTest` says what the standard asks for; it runs nothing. A plan reads it and
yields `Step` objects; a backend carries each out and answers with a `StepResult`.
"""

from dataclasses import dataclass
from typing import Literal

from ssdlab.model.units import block_size_label, mix_label

Access = Literal["rnd", "seq"]
Metric = Literal["iops", "bw_bytes_per_s", "lat_mean_ns"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """A stimulus: access, block size, R/W mix, threads (TC) and queue depth (QD).

    An imported file may not tell ``threads`` and ``queue_depth``: they are 0 then.
    """

    access: Access
    block_size_bytes: int
    read_percent: int
    threads: int
    queue_depth: int

    @property
    def label(self) -> str:
        """The stimulus in the words of the PTS, such as ``RND 4 KiB 0/100``."""
        return (
            f"{self.access.upper()} {block_size_label(self.block_size_bytes)} "
            f"{mix_label(self.read_percent)}"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyStateCriteria:
    """The steady-state rule: PTS 2.0.2, 2.1.24.

    ``window_rounds`` counts rounds; the slope excursion spans one step fewer. The
    two optional limits are the stricter reading of some authors (pts.md 3.4): each
    value, and both ends of the fitted line, within a ratio of the average.
    ``None`` leaves a rule out.
    """

    window_rounds: int = 5
    max_range_ratio: float | None = 0.20  # 2.1.24 a
    max_slope_ratio: float | None = 0.10  # 2.1.24 b
    max_value_deviation_ratio: float | None = None
    max_fit_deviation_ratio: float | None = None


PTS_CRITERIA = SteadyStateCriteria()


@dataclass(frozen=True, kw_only=True, slots=True)
class Tracking:
    """A tracking variable: the cell whose value per round is judged."""

    access: Access
    block_size_bytes: int
    read_percent: int
    metric: Metric

    @property
    def label(self) -> str:
        """The cell in the words of the PTS, such as ``RND 4 KiB 0/100``."""
        return (
            f"{self.access.upper()} {block_size_label(self.block_size_bytes)} "
            f"{mix_label(self.read_percent)}"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Purge:
    """Put the device into a state as if never used (PTS 2.0.2, 3.2)."""

    phase_id: str = "purge"


@dataclass(frozen=True, kw_only=True, slots=True)
class Precondition:
    """Workload-independent preconditioning: sequential writes (PTS 2.0.2, 3.3).

    ``capacity_multiple`` counts user capacities, written inside the active range
    by each thread. More than one thread is TKperf's way: each begins at LBA 0.
    """

    phase_id: str
    block_size_bytes: int
    queue_depth: int
    capacity_multiple: float
    threads: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Rounds:
    """Rounds over ``cells`` until every tracking variable is steady.

    The order of ``cells`` is the order of the standard and is not to be changed.
    A phase without tracking variables runs as many rounds as ``same_rounds_as``.
    ``carries_on`` says that a sequential cell begins where the last one of its
    direction ended, and not at LBA 0.
    """

    phase_id: str
    cells: tuple[Workload, ...]
    cell_seconds: float
    tracking: tuple[Tracking, ...]
    max_rounds: int = 25  # PTS 2.0.2, section 7 and pts.md SS-4
    criteria: SteadyStateCriteria = PTS_CRITERIA
    same_rounds_as: str = ""
    carries_on: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Saturation:
    """Continuous writes from FOB: WSAT (PTS 2.0.2, section 10).

    Three stop rules, whichever is first: capacity written, time, and a steady state
    of samples taken every ``sample_every_rounds`` rounds (pts.md section 9).
    """

    phase_id: str
    workload: Workload
    round_seconds: float
    capacity_multiple: float
    time_limit_s: float
    sample_every_rounds: int | None
    tracking: Tracking
    criteria: SteadyStateCriteria = PTS_CRITERIA


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """One long run whose every response time is counted (pts.md sections 8 and 9)."""

    phase_id: str
    workload: Workload
    seconds: float


Phase = Purge | Precondition | Rounds | Saturation | Histogram


@dataclass(frozen=True, kw_only=True, slots=True)
class PtsTest:
    """One test of the suite: its phases in the order of the standard."""

    test_id: str
    title: str
    pts_section: str
    phases: tuple[Phase, ...]


StepKind = Literal["purge", "precondition", "cell", "histogram"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One thing for a backend to do: a purge, or one fio run.

    Of ``runtime_s`` and ``io_bytes`` a fio step has exactly one: it ends by time or
    by amount. ``offset_bytes`` is where a sequential stream begins. ``round`` and
    ``cell`` count from 1. A purge has no workload.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class StepResult:
    """What a plan may know of a step that was carried out.

    Rates are sums over directions and threads; ``lat_mean_ns`` is weighted by IO
    count. A value that was not measured is ``None``. ``idle_before_s`` is the time
    from the last IO of the step before to the first IO of this one, and
    ``is_contiguous`` says whether a measurement window may span it.
    """

    step_id: str
    read_bytes: int = 0
    written_bytes: int = 0
    iops: float | None = None
    bw_bytes_per_s: float | None = None
    lat_mean_ns: float | None = None
    idle_before_s: float | None = None
    is_contiguous: bool = True
