"""Every reading of the table ``telemetry``, declared once: name, words, unit, kind.

What the drives' logs are read into, the findings, the page on the drive and the data
dictionary follow from these lines. What is not told has no reading, and is never 0.
"""

from dataclasses import dataclass
from typing import Literal

# A gauge goes up and down, a counter only up until it begins anew; a state is 1 or 0,
# and a limit is what a gauge is held against.
Kind = Literal["gauge", "counter", "state", "limit"]
Source = Literal["block", "virtual", "host"]

DRIVE: Source = "block"
TEMPERATURE = "temperature_celsius"
WARNING_TEMPERATURE = "warning_temperature_celsius"
CRITICAL_TEMPERATURE = "critical_temperature_celsius"
WARNING_TIME = "warning_temperature_s"
CRITICAL_TIME = "critical_temperature_s"
THROTTLED = "temperature_throttled_s"
WRITTEN = "host_written_bytes"
MEDIA_ERRORS = "media_errors"
WARNINGS = "critical_warnings"
IS_FAILING = "is_failing"
CACHE_IS_ON = "write_cache_is_on"
POWER = "power_watts"
READING_TOOK = "health_read_s"
LINK_PREFIX = "pcie_link_"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A reading: its ``name`` ends in its unit, ``words`` are what people call it.

    ``told_by`` is where it comes from. Those of `HEALTH_READINGS` are fields, or
    properties, of `ssdlab.model.drive.DriveHealth`.
    """

    name: str
    words: str
    unit: str = ""
    kind: Kind = "gauge"
    source: Source = DRIVE
    told_by: str


def _of(
    source: Source, told_by: str, *rows: tuple[str, str, str, Kind]
) -> tuple[Reading, ...]:
    return tuple(
        Reading(
            name=name, words=words, unit=unit, kind=kind, source=source, told_by=told_by
        )
        for name, words, unit, kind in rows
    )


HEALTH_READINGS = _of(
    DRIVE,
    "the drive's health log",
    (IS_FAILING, "Says that it is failing", "", "state"),
    (WARNINGS, "Critical warnings that stand", "", "gauge"),
    (TEMPERATURE, "Temperature", "°C", "gauge"),
    (WARNING_TEMPERATURE, "Its warning temperature", "°C", "limit"),
    (CRITICAL_TEMPERATURE, "Its critical temperature", "°C", "limit"),
    ("wear_percent", "Worn, of its rated life", "%", "gauge"),
    ("spare_percent", "Spare blocks left", "%", "gauge"),
    ("spare_threshold_percent", "Its threshold of spare blocks", "%", "limit"),
    (WRITTEN, "Written by hosts", "B", "counter"),
    ("host_read_bytes", "Read by hosts", "B", "counter"),
    (MEDIA_ERRORS, "Errors of the medium", "", "counter"),
    ("error_log_entries", "Entries of its error log", "", "counter"),
    (THROTTLED, "Throttled for its temperature", "s", "counter"),
    (WARNING_TIME, "Above its warning temperature", "s", "counter"),
    (CRITICAL_TIME, "Above its critical temperature", "s", "counter"),
    ("power_on_hours", "Powered on", "h", "counter"),
    ("power_cycles", "Power cycles", "", "counter"),
    ("unsafe_shutdowns", "Unsafe shutdowns", "", "counter"),
)
LINK_READINGS = _of(
    DRIVE,
    "sysfs",
    ("pcie_link_width", "Link width", "lanes", "gauge"),
    ("pcie_link_speed_gt_s", "Link speed, each lane", "GT/s", "gauge"),
)


def most_of(link: Reading) -> str:
    """Return the name of the reading of the most that the drive's link can do."""
    return f"{link.name}_max"


_LINK_LIMITS = _of(
    DRIVE,
    "sysfs",
    *(
        (most_of(link), f"{link.words}, at most", link.unit, "limit")
        for link in LINK_READINGS
    ),
)
_BESIDE = (
    Reading(
        name=CACHE_IS_ON, words="Write cache is on", kind="state", told_by="the drive"
    ),
    Reading(
        name=READING_TOOK,
        words="Reading its health took",
        unit="s",
        told_by="the clock of the host",
    ),
    Reading(name=POWER, words="Power", unit="W", told_by="a meter"),
)


_OF_HOST = _of(
    "host",
    "/proc",
    ("load_average_1_min", "Load average over a minute", "", "gauge"),
    ("cpu_all_s", "Processor time, idle time included", "s", "counter"),
    ("cpu_busy_s", "Processor time", "s", "counter"),
    ("cpu_user_s", "Processor time of programs", "s", "counter"),
    ("cpu_system_s", "Processor time of the kernel", "s", "counter"),
)
_OF_MODEL = _of(
    "virtual",
    "the virtual SSD",
    (WRITTEN, "Written by the host", "B", "counter"),
    ("host_read_bytes", "Read by the host", "B", "counter"),
    ("nand_written_bytes", "Written to its flash", "B", "counter"),
    ("gc_moved_bytes", "Moved by garbage collection", "B", "counter"),
    ("idle_moved_bytes", "Of these, moved while it was idle", "B", "counter"),
    ("erases", "Blocks erased", "", "counter"),
    ("idle_erases", "Of these, erased while it was idle", "", "counter"),
    ("mapped_bytes", "Holds data", "B", "gauge"),
    ("read_requests", "Reads", "", "counter"),
    ("write_requests", "Writes", "", "counter"),
    ("late_requests", "Answered over 1 ms late", "", "counter"),
    ("late_ns_max", "Latest answer", "ns", "gauge"),
    ("in_flight", "Outstanding requests", "", "gauge"),
    ("in_flight_max", "Most outstanding requests", "", "gauge"),
)
READINGS = (
    *HEALTH_READINGS,
    *LINK_READINGS,
    *_LINK_LIMITS,
    *_BESIDE,
    *_OF_MODEL,
    *_OF_HOST,
)
