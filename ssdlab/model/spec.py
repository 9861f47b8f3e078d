"""A PTS test as data: what the standard requires; nothing here runs anything."""

import math
import re
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from ssdlab.model.fio_option import FioOption, FioOptions, JobOption
from ssdlab.model.units import GIB, MIB, block_size_label, mix_label

Access = Literal["rnd", "seq"]
Metric = Literal["iops", "bw_bytes_per_s", "lat_mean_ns"]
Direction = Literal["total", "read", "write", "trim"]  # total: all of them merged
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MIXED_PERCENT = -1  # jobs that run together and differ in their share of reads

JOB_TEST = "job"  # the first word of a test that is a job file of the user

_NAME = re.compile(r"(?!\.)[^/\\\x00-\x1f\x7f]{1,120}")


def label_of_test(test: str) -> str:
    """Return a test as it is written: of the PTS in capitals, of a job file as named.

    >>> label_of_test("wsat"), label_of_test("job-mixed")
    ('WSAT', 'job-mixed')
    """
    return test if test.partition("-")[0] == JOB_TEST else test.upper()


def stimulus_label(
    access: str, block_size_bytes: int, read_percent: int, *, streams: int = 0
) -> str:
    """Return a stimulus as the PTS writes it.

    A block size of 0 means that many IO ``streams``, or a composite if there are none.
    """
    is_mixed = read_percent == MIXED_PERCENT
    mix = "several R/W" if is_mixed else mix_label(read_percent)
    if streams:
        return f"{streams} streams, {mix}"
    size = block_size_label(block_size_bytes) if block_size_bytes else "composite"
    return f"{access.upper()} {size} {mix}"


def _require_closed(options: FioOptions) -> None:
    """Require that each option was checked, whatever the types of the caller."""
    if not all(isinstance(option, FioOption) for option in options):
        msg = f"not all of {options!r} are options of a published job"
        raise TypeError(msg)


@dataclass(frozen=True, kw_only=True, slots=True)
class Composite:
    """Many block sizes in access zones at once: PTS 2.0.2, section 13.

    ``block_shares`` are sizes [B] with their share of IOs [%], ``zones`` the share of
    IOs [%] that goes to each next part of the active range [%]. ``alignment_bytes`` of
    0 aligns every IO to the smallest block, which is fio's default.
    """

    block_shares: tuple[tuple[int, int], ...]
    zones: tuple[tuple[int, int], ...]
    alignment_bytes: int = 0

    @property
    def mean_block_bytes(self) -> float:
        """The mean size of an IO [B]."""
        return sum(size * share for size, share in self.block_shares) / 100


@dataclass(frozen=True, kw_only=True, slots=True)
class IoStream:
    """One IO stream of a capture: size, access, direction, share of IOs: RWSW PTS."""

    access: Access
    block_size_bytes: int
    is_read: bool
    share_percent: float

    @property
    def label(self) -> str:
        """The stream in words, such as ``RND 4 KiB read``."""
        direction = "read" if self.is_read else "write"
        size = block_size_label(self.block_size_bytes)
        return f"{self.access.upper()} {size} {direction}"


LONGEST_JOB_NAME = 80
_REGION_BLOCKS: Final = 200  # at most two in each of the 100 regions of sprandom
REPLAYS: Final = "replays"  # the folder of a run that keeps the logs of its jobs
_DIGEST: Final = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """The IO log that a job replays: the user's ``file``, and what was made of it.

    ``digest`` is the SHA-256 of the log that fio reads. Its ``ios`` are reads, writes
    and trims, of ``io_bytes`` together. The furthest ends at ``end_bytes``, and each
    offset and size is a multiple of ``unit_bytes``. ``span_s`` is the time from the
    first to the last, and ``pause_s`` the longest between two; 0 if they follow each
    other as fast as possible [s].
    """

    file: str
    digest: str
    ios: int
    io_bytes: int
    end_bytes: int
    unit_bytes: int
    span_s: float
    pause_s: float = 0.0
    has_trims: bool = False

    def __post_init__(self) -> None:
        """Refuse a digest that could name another file, and numbers of no log."""
        if _DIGEST.fullmatch(self.digest) is None:
            msg = f"{self.digest[:LONGEST_JOB_NAME]!r} is no SHA-256"
            raise ValueError(msg)
        counts = (self.ios, self.io_bytes, self.end_bytes, self.unit_bytes)
        if min(counts) < 1 or not 0 <= self.pause_s <= self.span_s < math.inf:
            msg = f"{counts}, {self.span_s} s and {self.pause_s} s are of no log"
            raise ValueError(msg)

    @property
    def kept_as(self) -> str:
        """The name of the log in the folder `REPLAYS` of a run."""
        return f"{self.digest[:16]}.iolog"


@dataclass(frozen=True, kw_only=True, slots=True)
class FileJob:
    """One job of a user's job file: its name, its options, and what they mean.

    ``block_sizes_bytes`` are the sizes that its options name, in ascending order [B].
    A job that trims has no ``read_percent``. One with a ``replay`` does the IOs of a
    log instead.
    """

    name: str
    options: tuple[JobOption, ...]
    block_sizes_bytes: tuple[int, ...]
    access: Access = "rnd"
    read_percent: int | None = None
    threads: int = 1
    queue_depth: int = 1
    ramp_s: float = 0.0
    replay: Replay | None = None

    def __post_init__(self) -> None:
        """Refuse options that are not of the closed set, and names that end a line."""
        if not all(isinstance(option, JobOption) for option in self.options):
            msg = f"not all of {self.options!r} are options of a job of a run"
            raise TypeError(msg)
        if not is_job_name(self.name):
            msg = f"{self.name[:LONGEST_JOB_NAME]!r} is no name of a job"
            raise ValueError(msg)


def is_job_name(name: str) -> bool:
    r"""Return whether a section of a job file can have a name, and only that.

    Nothing in it begins a comment, an option or another section, and ``global`` begins
    what holds for the sections below.

    >>> is_job_name("reader 1"), is_job_name("a]"), is_job_name("a\nexec_prerun=x")
    (True, False, False)
    """
    is_plain = name.isprintable() and not set(name) & set("[];#")
    return (
        is_plain
        and 0 < len(name) <= LONGEST_JOB_NAME
        and name == name.strip()
        and not name.startswith("global")
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """A stimulus: access, block size, R/W mix, threads (TC) and queue depth (QD).

    ``threads`` and ``queue_depth`` are 0 if an imported file does not record them. So
    is ``block_size_bytes`` where a ``composite`` or ``streams`` have the sizes.
    ``fio_options`` are those of a published job: they replace those of ssdlab. ``jobs``
    are those of a user's job file, which run together under a ``name``; what they do
    not share is 0, and ``read_percent`` is `MIXED_PERCENT`.
    """

    access: Access
    block_size_bytes: int
    read_percent: int
    threads: int
    queue_depth: int
    composite: Composite | None = None
    streams: tuple[IoStream, ...] = ()
    fio_options: FioOptions = ()
    name: str = ""
    jobs: tuple[FileJob, ...] = ()

    def __post_init__(self) -> None:
        """Refuse options that are not of the closed set."""
        _require_closed(self.fio_options)

    @property
    def label(self) -> str:
        """Its name, or what it is as the PTS writes it, such as ``RND 4 KiB 0/100``."""
        return self.name or stimulus_label(
            self.access,
            self.block_size_bytes,
            self.read_percent,
            streams=len(self.streams),
        )

    @property
    def block_range_bytes(self) -> tuple[int, int]:
        """The smallest and the largest size of an IO [B]."""
        if self.jobs:
            sizes = [size for job in self.jobs for size in job.block_sizes_bytes]
            return min(sizes), max(sizes)
        if self.streams:
            held = [stream.block_size_bytes for stream in self.streams]
            return min(held), max(held)
        if self.composite is None:
            return self.block_size_bytes, self.block_size_bytes
        sizes = [size for size, _ in self.composite.block_shares]
        return min(sizes), max(sizes)

    @property
    def ramp_s(self) -> float:
        """The ramp time of a job: IO that is not counted [s]."""
        of_jobs = (job.ramp_s for job in self.jobs)
        published = float(dict(self.fio_options).get("ramp_time", 0))
        return max(published, *of_jobs, 0.0)

    @property
    def replayed_bytes(self) -> int | None:
        """What its IO ends after, if all of its jobs replay logs; or ``None``."""
        logs = [job.replay for job in self.jobs if job.replay is not None]
        if not logs or len(logs) < len(self.jobs):
            return None
        return sum(log.io_bytes for log in logs)

    @property
    def outstanding(self) -> int:
        """The most IOs that are outstanding at once."""
        if self.jobs:
            return sum(job.threads * job.queue_depth for job in self.jobs)
        return self.threads * self.queue_depth


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyStateCriteria:
    """The steady-state rule: PTS 2.0.2, 2.1.24.

    ``window_rounds`` counts rounds; the slope excursion spans one step fewer. The
    two optional limits are the stricter reading of some authors (PTS 2.1.24): each
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
    """A tracking variable: the cell whose value per round is judged.

    ``threads`` and ``queue_depth`` distinguish cells that differ in nothing else; 0 is
    any. ``streams`` counts the IO streams of a cell that has no single block size. A
    cell of jobs of a file is found by its ``name``; ``job`` is the one that is judged,
    and empty for all of them together.
    """

    access: Access
    block_size_bytes: int
    read_percent: int
    metric: Metric
    threads: int = 0
    queue_depth: int = 0
    streams: int = 0
    name: str = ""
    job: str = ""

    @property
    def label(self) -> str:
        """The cell as the PTS writes it, such as ``RND 4 KiB 0/100``; or its name."""
        if self.name:
            return f"{self.name}, job {self.job}" if self.job else self.name
        cell = stimulus_label(
            self.access,
            self.block_size_bytes,
            self.read_percent,
            streams=self.streams,
        )
        return f"{cell} T{self.threads}/Q{self.queue_depth}" if self.threads else cell


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveRange:
    """A part of the device from LBA 0 on: PTS-C 1.x loops over several.

    ``percent`` of the user capacity may be used. ``amount_bytes`` is how much of it the
    measured cells access; ``None`` is all of it. Random cells access that many
    ``segments`` at random places, sequential ones a single piece.
    """

    percent: float
    amount_bytes: int | None = None
    segments: int = 1

    @property
    def name(self) -> str:
        """Its name in phases, such as ``AR75-8GiB`` or ``AR75-all``."""
        part = f"AR{self.percent:g}"
        if self.amount_bytes is None:
            return f"{part}-all"
        if self.amount_bytes % GIB == 0:
            return f"{part}-{self.amount_bytes // GIB}GiB"
        return f"{part}-{self.amount_bytes / MIB:g}MiB"


@dataclass(frozen=True, kw_only=True, slots=True)
class Purge:
    """Return the device to a state as if never used (PTS 2.0.2, 3.2)."""

    phase_id: str = "purge"


@dataclass(frozen=True, kw_only=True, slots=True)
class Precondition:
    """Workload-independent preconditioning: sequential writes (PTS 2.0.2, 3.3).

    ``capacity_multiple`` counts user capacities, written inside the active range. If
    ``is_divided``, each thread writes its share to its own part of the range;
    otherwise each writes all of them, from LBA 0 on. An ``active_range`` of ``None`` is
    that of the profile, here and in other phases. ``fio_options`` are those of a
    published job: they replace those of ssdlab. With ``over_provisioning``, physical
    over user capacity less 1, fio's ``sprandom`` writes at random instead.
    """

    phase_id: str
    block_size_bytes: int
    queue_depth: int
    capacity_multiple: float
    threads: int = 1
    is_divided: bool = False
    active_range: ActiveRange | None = None
    fio_options: FioOptions = ()
    over_provisioning: float | None = None

    def __post_init__(self) -> None:
        """Refuse options that are not of the closed set."""
        _require_closed(self.fio_options)

    @property
    def written_capacities(self) -> float:
        """How many user capacities all threads write."""
        return self.capacity_multiple * (1 if self.is_divided else self.threads)

    @property
    def rounded_bytes(self) -> int:
        """How much less all threads may write, as fio writes whole blocks.

        ``sprandom`` rounds in each of its regions.
        """
        blocks = self.threads if self.over_provisioning is None else _REGION_BLOCKS
        return blocks * self.block_size_bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Rounds:
    """Rounds over ``cells`` until every tracking variable is steady.

    The order of ``cells`` is that of the standard and must not be changed.
    A phase without tracking variables runs as many rounds as ``same_rounds_as``.
    With ``carries_on`` a sequential cell begins where the last one of its direction
    ended, not at LBA 0. Each round is preceded by its ``pre_write``.
    """

    phase_id: str
    cells: tuple[Workload, ...]
    cell_seconds: float
    tracking: tuple[Tracking, ...]
    max_rounds: int = 25  # PTS 2.0.2, section 7
    criteria: SteadyStateCriteria = PTS_CRITERIA
    same_rounds_as: str = ""
    carries_on: bool = True
    pre_write: "PreWrite | None" = None
    active_range: ActiveRange | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it is judged for steady state."""
        return bool(self.tracking)


@dataclass(frozen=True, kw_only=True, slots=True)
class PreWrite:
    """Writes before each round of a demand variation: PTS 2.0.2, section 13, step 3a.

    They end after ``seconds``, or after ``capacity_multiple`` user capacities if that
    is earlier; ``None`` leaves only the time.
    """

    workload: Workload
    seconds: float
    capacity_multiple: float | None = None

    def thread_bytes(self, capacity_bytes: int) -> int | None:
        """Return the most that each thread writes [B], in whole blocks."""
        if self.capacity_multiple is None:
            return None
        work = self.workload
        block = work.block_range_bytes[1]
        share = int(self.capacity_multiple * capacity_bytes / work.threads)
        return max(1, share // block) * block

    def expected_seconds(self, capacity_bytes: int, speed_bytes_per_s: float) -> float:
        """Return how long [s] they take on a drive of this write speed."""
        if self.capacity_multiple is None:
            return self.seconds
        amount = self.capacity_multiple * capacity_bytes
        return min(self.seconds, amount / speed_bytes_per_s)


def _whole_rounds(seconds: float, round_seconds: float) -> int:
    """Return the number of rounds; 0.3 s is three of 0.1 s, not four."""
    return math.ceil(round(seconds / round_seconds, 9))


@dataclass(frozen=True, kw_only=True, slots=True)
class Stimulus:
    """One workload, round after round, until the first stop rule applies.

    The rules: ``capacity_multiple`` user capacities written, ``time_limit_s`` of
    stimulus, and a steady state of samples: the round ``first_sample_round`` and each
    ``sample_every_rounds`` after it. ``None`` leaves a rule out; without
    ``ends_when_steady`` the samples are judged and end nothing. Between two rounds the
    host rests for ``wait_s`` and before the first for ``first_wait_s`` (HIR, PTS
    section 11), which is no stimulus.
    """

    phase_id: str
    workload: Workload
    round_seconds: float
    time_limit_s: float
    capacity_multiple: float | None = None
    sample_every_rounds: int | None = None
    first_sample_round: int | None = None
    tracking: Tracking | None = None
    wait_s: float = 0.0
    first_wait_s: float = 0.0
    ends_when_steady: bool = True
    criteria: SteadyStateCriteria = PTS_CRITERIA

    @property
    def is_judged(self) -> bool:
        """Whether its samples are judged."""
        return self.tracking is not None and self.sample_every_rounds is not None

    @property
    def max_rounds(self) -> int:
        """The number of rounds that the time limit allows."""
        return _whole_rounds(self.time_limit_s, self.round_seconds)

    def sample_of(self, round_number: int) -> int | None:
        """Return the number of the sample that a round is, from 1, or ``None``."""
        if self.sample_every_rounds is None:
            return None
        after = round_number - (self.first_sample_round or self.sample_every_rounds)
        if after < 0 or after % self.sample_every_rounds:
            return None
        return after // self.sample_every_rounds + 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """One long run in which each response time is counted (PTS sections 9, 10)."""

    phase_id: str
    workload: Workload
    seconds: float
    active_range: ActiveRange | None = None


PointName = Literal["max", "mid", "min"]


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatingPoint:
    """One point of a demand variation, measured at length: PTS 13, steps 4 and 5.

    It is a cell of the last round of ``demand_phase``, chosen when that has ended:
    `ssdlab.pts.demand.summary.select_points`. ``pre_write`` and ``workload`` get its TC
    and QD. Rounds of pre-writes are followed by a run in which each response time is
    counted.
    """

    phase_id: str
    point: PointName
    demand_phase: str
    max_lat_ns: float
    pre_write: Workload
    pre_write_s: float
    round_seconds: float
    workload: Workload
    histogram_s: float

    @property
    def pre_write_rounds(self) -> int:
        """The number of rounds of pre-writes."""
        return _whole_rounds(self.pre_write_s, self.round_seconds)


Phase = Purge | Precondition | Rounds | Stimulus | Histogram | OperatingPoint


def is_saturation(test_id: str) -> bool:
    """Tell whether a test is a write saturation, optional ones included.

    Its writes may end by amount or time without a steady state: PTS 2.0.2, section 10.

    >>> is_saturation("wsat"), is_saturation("wsat-oltp"), is_saturation("lat")
    (True, True, False)
    """
    return test_id.partition("-")[0] == "wsat"


@dataclass(frozen=True, kw_only=True, slots=True)
class PtsTest:
    """One test of the suite: its phases in the order of the standard.

    ``fallback`` are further phases, run if the last one that was judged did not reach
    steady state. ``settings`` are the groups of profile values that it was made of,
    besides those of every test; they are not part of the plan.
    """

    test_id: str
    title: str
    pts_section: str
    phases: tuple[Phase, ...]
    fallback: tuple[Phase, ...] = ()
    settings: tuple[str, ...] = field(default=(), metadata={"is_of_plan": False})

    def __post_init__(self) -> None:
        """Refuse names that cannot be part of a folder name, as steps are folders."""
        for name in (self.test_id, *(one.phase_id for one in self.possible_phases)):
            if _NAME.fullmatch(name) is None:
                msg = f"{name!r} is not a valid name of a test or phase"
                raise ValueError(msg)

    @property
    def possible_phases(self) -> tuple[Phase, ...]:
        """All phases, including those that may not be needed."""
        return (*self.phases, *self.fallback)

    @property
    def judged_phases(self) -> tuple["Rounds | Stimulus", ...]:
        """The phases that are judged for steady state."""
        return tuple(
            phase
            for phase in self.possible_phases
            if isinstance(phase, Rounds | Stimulus) and phase.is_judged
        )
