"""Every reading of the table ``telemetry``, declared once: name, words, unit, kind.

Readers of the drives' logs, the findings, the page on the drive and the data
dictionary follow from these lines. What is not reported has no reading, never 0.
"""

from dataclasses import dataclass
from typing import Literal

# A gauge goes up and down, a counter only up until it is reset; a state is 1 or 0,
# and a limit is what a gauge is compared with.
Kind = Literal["gauge", "counter", "state", "limit"]
Source = Literal["block", "virtual", "host", "meter"]

DRIVE: Source = "block"
TEMPERATURE = "temperature_celsius"
WARNING_TEMPERATURE = "warning_temperature_celsius"
CRITICAL_TEMPERATURE = "critical_temperature_celsius"
WARNING_TIME = "warning_temperature_s"
CRITICAL_TIME = "critical_temperature_s"
THROTTLED = "temperature_throttled_s"
WRITTEN = "host_written_bytes"
MEDIA_WRITTEN = "media_written_bytes"
NAND_WRITTEN = "nand_written_bytes"
VIRTUAL: Source = "virtual"
MEDIA_ERRORS = "media_errors"
WARNINGS = "critical_warnings"
IS_FAILING = "is_failing"
CACHE_IS_ON = "write_cache_is_on"
WEAR = "wear_percent"
SLOW_COMMANDS = "slow_commands"
METER: Source = "meter"
POWER = "power_watts"
ENERGY = "energy_joules"
CLOCK_ERROR = "clock_error_s"
READING_TOOK = "health_read_s"
LINK_PREFIX = "pcie_link_"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A reading: its ``name`` ends in its unit; ``words`` is its label.

    ``origin`` is where it comes from. Those of `HEALTH_READINGS` are fields, or
    properties, of `ssdlab.model.drive.DriveHealth`.
    """

    name: str
    words: str
    unit: str = ""
    kind: Kind = "gauge"
    source: Source = DRIVE
    origin: str


def _of(
    source: Source, origin: str, *rows: tuple[str, str, str, Kind]
) -> tuple[Reading, ...]:
    return tuple(
        Reading(
            name=name, words=words, unit=unit, kind=kind, source=source, origin=origin
        )
        for name, words, unit, kind in rows
    )


HEALTH_READINGS = _of(
    DRIVE,
    "the drive's health log",
    (IS_FAILING, "Reports that it is failing", "", "state"),
    (WARNINGS, "Active critical warnings", "", "gauge"),
    (TEMPERATURE, "Temperature", "°C", "gauge"),
    (WARNING_TEMPERATURE, "Warning temperature", "°C", "limit"),
    (CRITICAL_TEMPERATURE, "Critical temperature", "°C", "limit"),
    (WEAR, "Rated life used", "%", "gauge"),
    ("spare_percent", "Spare blocks left", "%", "gauge"),
    ("spare_threshold_percent", "Spare block threshold", "%", "limit"),
    (WRITTEN, "Written by hosts", "B", "counter"),
    ("host_read_bytes", "Read by hosts", "B", "counter"),
    (MEDIA_WRITTEN, "Written to its media", "B", "counter"),
    (MEDIA_ERRORS, "Media errors", "", "counter"),
    ("error_log_entries", "Error log entries", "", "counter"),
    (THROTTLED, "Thermal throttling", "s", "counter"),
    (WARNING_TIME, "Above warning temperature", "s", "counter"),
    (CRITICAL_TIME, "Above critical temperature", "s", "counter"),
    ("power_on_hours", "Power-on hours", "h", "counter"),
    ("power_cycles", "Power cycles", "", "counter"),
    ("unsafe_shutdowns", "Unsafe shutdowns", "", "counter"),
    (SLOW_COMMANDS, "Commands over the limit of its latency monitor", "", "counter"),
    ("slow_command_limit_s", "Limit of its latency monitor", "s", "limit"),
)
LINK_READINGS = _of(
    DRIVE,
    "sysfs",
    ("pcie_link_width", "Link width", "lanes", "gauge"),
    ("pcie_link_speed_gt_s", "Link speed per lane", "GT/s", "gauge"),
)


def most_of(link: Reading) -> str:
    """Return the name of the reading for the maximum of the drive's link."""
    return f"{link.name}_max"


_LINK_LIMITS = _of(
    DRIVE,
    "sysfs",
    *(
        (most_of(link), f"{link.words}, maximum", link.unit, "limit")
        for link in LINK_READINGS
    ),
)
_BESIDE = (
    Reading(
        name=CACHE_IS_ON, words="Write cache is on", kind="state", origin="the drive"
    ),
    Reading(
        name=READING_TOOK,
        words="Time to read its health",
        unit="s",
        origin="the host's clock",
    ),
)
_OF_METER = _of(
    METER,
    "a meter",
    (ENERGY, "Energy since the meter began", "J", "counter"),
    (POWER, "Mean power since the reading before", "W", "gauge"),
    (CLOCK_ERROR, "How far the clocks may be apart", "s", "limit"),
)


_OF_HOST = _of(
    "host",
    "/proc",
    ("load_average_1_min", "Load average, 1 min", "", "gauge"),
    ("cpu_all_s", "Processor time, including idle", "s", "counter"),
    ("cpu_busy_s", "Processor time", "s", "counter"),
    ("cpu_user_s", "Processor time of programs", "s", "counter"),
    ("cpu_system_s", "Processor time of the kernel", "s", "counter"),
)
_OF_MODEL = _of(
    VIRTUAL,
    "the virtual SSD",
    (WRITTEN, "Written by the host", "B", "counter"),
    ("host_read_bytes", "Read by the host", "B", "counter"),
    (NAND_WRITTEN, "Written to its flash", "B", "counter"),
    ("gc_moved_bytes", "Moved by garbage collection", "B", "counter"),
    ("idle_moved_bytes", "Moved while idle", "B", "counter"),
    ("erases", "Blocks erased", "", "counter"),
    ("idle_erases", "Blocks erased while idle", "", "counter"),
    ("mapped_bytes", "Mapped data", "B", "gauge"),
    ("read_requests", "Reads", "", "counter"),
    ("write_requests", "Writes", "", "counter"),
    ("late_requests", "Requests answered over 1 ms late", "", "counter"),
    ("late_ns_max", "Maximum delay of an answer", "ns", "gauge"),
    ("in_flight", "Outstanding requests", "", "gauge"),
    ("in_flight_max", "Maximum outstanding requests", "", "gauge"),
)
READINGS = (
    *HEALTH_READINGS,
    *LINK_READINGS,
    *_LINK_LIMITS,
    *_BESIDE,
    *_OF_METER,
    *_OF_MODEL,
    *_OF_HOST,
)
