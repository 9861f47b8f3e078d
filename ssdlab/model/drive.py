"""A drive's identity, health, uses and purge methods: plain data."""

from dataclasses import dataclass
from typing import Literal, get_args

Bus = Literal["nvme", "ata", "scsi", "usb", "virtio", "loop", "other"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PcieLink:
    """The PCIe link of a drive: current and maximum width and speed.

    ``None`` is unknown. Speeds are in GT/s for one lane.
    """

    address: str
    width: int | None = None
    width_max: int | None = None
    speed_gt_s: float | None = None
    speed_gt_s_max: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Drive:
    """One whole block device, as the system describes it without querying the drive.

    Texts from the device are unchanged except for blanks at either end: they may be
    empty, long, the same for two drives, or hostile. ``serial`` is what a user types
    to consent; for a loop device it is the backing file. ``controller`` is the
    NVMe controller or, for a drive with several controllers, the subsystem.
    ``diskseq`` distinguishes devices that had the same name one after the other.
    """

    path: str
    name: str
    model: str
    serial: str
    firmware: str
    wwn: str
    bus: Bus
    capacity_bytes: int
    logical_sector_bytes: int
    physical_sector_bytes: int
    device_number: str
    diskseq: int | None = None
    stable_paths: tuple[str, ...] = ()
    controller: str = ""
    namespace_id: int | None = None
    is_read_only: bool = False
    is_removable: bool = False
    is_rotational: bool = False
    write_cache_is_on: bool | None = None
    discard_max_bytes: int = 0
    write_zeroes_max_bytes: int = 0
    numa_node: int | None = None
    pcie: PcieLink | None = None


UseKind = Literal[
    "mounted",
    "swap",
    "root",
    "holder",
    "loop-backing",
    "signature",
    "partition-table",
    "opened",
    "read-only",
    "removable",
    "other-namespace",
    "identity",
    "too-small",
    "unknown",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """One reason why a drive must not be destroyed, and what to do about it.

    ``device`` is the drive, or the partition, volume or namespace that is in use.
    """

    kind: UseKind
    device: str
    reason: str
    remedy: str


ConsentKind = Literal["serial number", "WWN", "path"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Consent:
    """The text by which a user consents to the erasure of one drive, and its kind.

    ``why`` says why it is not the serial number.
    """

    text: str
    what: ConsentKind
    why: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveHealth:
    """One reading of the drive's own log; ``None`` is what the drive does not report.

    ``warnings`` are the active critical warnings, in words. Counters cover the life of
    the drive. ``throttled_s`` is the time spent in thermal throttling.
    """

    temperature_celsius: float | None = None
    warning_temperature_celsius: float | None = None
    critical_temperature_celsius: float | None = None
    throttled_s: float | None = None
    warning_temperature_s: float | None = None
    critical_temperature_s: float | None = None
    wear_percent: float | None = None
    spare_percent: float | None = None
    spare_threshold_percent: float | None = None
    host_written_bytes: float | None = None
    host_read_bytes: float | None = None
    media_written_bytes: float | None = None
    media_errors: float | None = None
    error_log_entries: float | None = None
    power_on_hours: float | None = None
    power_cycles: float | None = None
    unsafe_shutdowns: float | None = None
    slow_commands: float | None = None
    slow_command_limit_s: float | None = None
    is_failing: bool | None = None
    warnings: tuple[str, ...] = ()

    @property
    def temperature_throttled_s(self) -> float | None:
        """The time of thermal throttling, under its name in the telemetry."""
        return self.throttled_s

    @property
    def critical_warnings(self) -> int | None:
        """The number of active warnings; ``None`` if the drive reports no state."""
        return None if self.is_failing is None else len(self.warnings)


PurgeMethod = Literal[
    "nvme-format-user-data",
    "nvme-format-crypto",
    "nvme-sanitize-block",
    "nvme-sanitize-crypto",
    "nvme-sanitize-overwrite",
    "ata-security-erase",
    "ata-security-erase-enhanced",
    "ata-sanitize-block",
    "ata-sanitize-crypto",
    "ata-sanitize-overwrite",
    "scsi-sanitize-block",
    "scsi-sanitize-crypto",
    "scsi-sanitize-overwrite",
    "scsi-format-unit",
    "discard-secure",
    "discard",
    "overwrite",
    "none",
]
PURGE_METHODS: tuple[PurgeMethod, ...] = get_args(PurgeMethod)  # the preferred first
AUTO_PURGE = "auto"  # the first of them that the drive says it supports


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeOption:
    """Whether a drive says that it can be purged by a method.

    ``reason`` says why, or why not. ``expected_s`` is the drive's own estimate of the
    time, if it gives one. ``erases`` names the other namespaces that are erased too.
    ``is_unknown``: neither the drive nor the system says; it is tried if requested.
    """

    method: PurgeMethod
    is_possible: bool
    reason: str
    expected_s: float | None = None
    erases: tuple[str, ...] = ()
    is_unknown: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeChoice:
    """The method by which a drive is purged, as worded in the report, and why."""

    method: PurgeMethod
    words: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FormatChoice(PurgeChoice):
    """An NVMe format that also gives the drive sectors of another size."""

    sector_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeOutcome:
    """How a purge ended: ``said`` is its record, one fact per line.

    A ``fault`` is why it failed, or cannot have worked. A ``doubt`` is why its effect
    is not proven: the test continues and is marked. If both are empty, it is proven.
    """

    said: str
    fault: str = ""
    doubt: str = ""


WriteCacheState = Literal["enabled", "disabled", "as found"]


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveChoices:
    """What the user, or the profile, chose for the drive of a run.

    Attributes
    ----------
    confirmed : str
        The serial number that the user typed: consent that this drive is erased.
    purge : str
        One of `PURGE_METHODS`, or `AUTO_PURGE`.
    write_cache : {"enabled", "disabled", "as found"}
        The state of the volatile write cache during the run.
    temperature_limit_celsius : float, optional
        Above it the run stops. The default is the drive's own critical temperature.
    """

    confirmed: str = ""
    purge: str = AUTO_PURGE
    write_cache: WriteCacheState = "as found"
    temperature_limit_celsius: float | None = None
