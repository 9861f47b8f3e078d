"""The record of a run: what was requested, of which drive, on which host."""

from dataclasses import dataclass, field
from typing import Literal

from ssdlab.model.asked import Asked, Import, Procedure
from ssdlab.model.departure import Departure
from ssdlab.model.drive import Consent, Drive, PurgeChoice, WriteCacheState
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.report_fields import ReportFields

FORMAT_VERSION = 2
MOST_MORE_ROUNDS = 1000

RunStatus = Literal["running", "finished", "failed", "interrupted"]
TargetKind = Literal["virtual", "file", "block", "imported"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetIdentity:
    """The device that a run measures; a resumed run must find the same one.

    For an imported run little is known: a size of 0 and an empty text mean unknown.
    """

    kind: TargetKind
    spec: str
    model: str
    serial: str
    firmware: str
    capacity_bytes: int
    sector_bytes: int
    interface: str = ""
    options: dict[str, str | int | float] = field(default_factory=dict)

    @property
    def is_virtual(self) -> bool:
        """Whether the target is a model or a file and never a drive."""
        return self.kind in {"virtual", "file"}


@dataclass(frozen=True, kw_only=True, slots=True)
class HostIdentity:
    """The host: PTS 2.0.2, section 5, "Test hardware" and "Test software"."""

    platform: str
    cpu: str
    dram_bytes: int
    operating_system: str
    kernel: str
    python_version: str
    fio_version: str
    ssdlab_version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CeilingPoint:
    """The rate that the host can issue at one TC/QD, without a device.

    ``read_percent`` is 100 or 0: for writes the host must also make random data.
    ``engine`` is the IO engine: ``null`` does not enter the kernel, any other reads
    and writes ``/dev/zero`` by the path of the run.
    """

    threads: int
    queue_depth: int
    block_size_bytes: int
    iops: float
    read_percent: int = 100
    engine: str = "null"


@dataclass(frozen=True, kw_only=True, slots=True)
class Extension:
    """The operator's request for more rounds than a run was begun with.

    PTS 2.0.2 leaves it to the operator where a test is not steady after round 25.

    Attributes
    ----------
    asked_at : str
        When, as ISO 8601.
    more_rounds : int
        How many more rounds each loop may take.
    test, phase : str
        The first phase that it applies to; it applies to all later ones too.
    """

    asked_at: str
    more_rounds: int
    test: str
    phase: str

    def __post_init__(self) -> None:
        """Refuse a number that is out of range."""
        if not 1 <= self.more_rounds <= MOST_MORE_ROUNDS:
            msg = f"{self.more_rounds} more rounds is not from 1 to {MOST_MORE_ROUNDS}"
            raise ValueError(msg)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRecord:
    """``run.json``: everything a plan is made from, so that a run can be resumed.

    ``asked`` holds every value of the profile, not just its name, and each phase and
    workload of the tests, so that a profile that changes later does not change the run.
    ``departures`` are those that an import found; those of a run follow from the rest
    and are not kept. ``write_cache_fault`` is why the write cache could not be set, if
    it could not. ``report_fields`` are what the machine and the user stated for the
    report when the run began. ``host_ceiling`` is empty if it was not requested.
    """

    run_id: str
    label: str
    started_at: str
    asked: Asked
    seed: int
    plan_hash: str
    target: TargetIdentity
    host: HostIdentity
    purge_method: str
    departures: tuple[Departure, ...] = ()
    host_ceiling: tuple[CeilingPoint, ...] = ()
    purge_choice: PurgeChoice | None = None
    write_cache: WriteCacheState = "as found"
    write_cache_fault: str = ""
    report_fields: ReportFields = field(default_factory=ReportFields)
    temperature_limit_celsius: float | None = None
    drive: Drive | None = None
    consent: Consent | None = None
    host_checks: tuple[HostCheck, ...] = ()
    format_version: int = FORMAT_VERSION

    def __post_init__(self) -> None:
        """Refuse imported results on a target of ssdlab, or the reverse."""
        if self.is_imported != (self.target.kind == "imported"):
            msg = "its target and its request disagree on whether it is an import"
            raise ValueError(msg)

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests by name, in the order requested."""
        return tuple(test.test_id for test in self.asked.tests)

    @property
    def is_imported(self) -> bool:
        """Whether the results were imported."""
        return isinstance(self.asked, Import)

    @property
    def is_cache_left(self) -> bool:
        """Whether the write cache was left as found."""
        is_to_be_set = self.asked.write_cache in {"enabled", "disabled"}
        is_left = bool(self.write_cache_fault) or self.write_cache == "as found"
        return is_to_be_set and is_left and not self.is_imported

    @property
    def is_procedure(self) -> bool:
        """Whether the run follows a procedure instead of the PTS."""
        return isinstance(self.asked, Procedure)
