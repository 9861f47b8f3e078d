"""The form of a published report of TKperf's, typed in: one file a report.

A report prints each cell as its mean over the measurement window, and the rounds of
the tracking variables in their windows. A file holds no more, and no more is known.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """What a report prints of device, host and options; what it does not is empty.

    ``capacity_mb`` is decimal, ``measurement_window`` the number as printed, which
    counts the steps between rounds. ``doubts`` are what is uncertain, in words.
    """

    device_model: str
    device_serial: str = ""
    firmware: str = ""
    capacity_mb: int = 0
    write_cache: bool | None = None
    tkperf_version: str = ""
    fio_version: str = ""
    test_date: dt.date | None = None
    numjobs: int = 0
    iodepth: int = 0
    options: str = ""
    device_node: str = ""
    kernel: str = ""
    operating_system: str = ""
    measurement_window: int = 4
    max_rounds: int = 25
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class IopsTable:
    """Average IOPS: a row a block size, a column each of ``read_percent``."""

    read_percent: tuple[int, ...]
    average: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ThroughputTable:
    """Average throughput [MiB/s], which the report labels MB/s."""

    read_percent: tuple[int, ...]
    mib_per_s: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class LatencyTable:
    """Average and maximum latency [ms]."""

    read_percent: tuple[int, ...]
    average_ms: dict[str, Any]
    maximum_ms: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class PrintedWindow:
    """The tracking variable in its window; ``rounds`` count from 0, as printed."""

    rounds: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PrintedWindows:
    """The windows: IOPS, throughput in KiB/s, latency in us."""

    iops: PrintedWindow | None = None
    throughput: PrintedWindow | None = None
    latency: PrintedWindow | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TkperfReport:
    """One published report: its tables as far as it has them, and their windows."""

    title: str
    setup: Setup
    windows: PrintedWindows
    iops: IopsTable | None = None
    throughput: ThroughputTable | None = None
    latency: LatencyTable | None = None
