"""What one JSON document of fio says, in ssdlab's units: ns, bytes, bytes per second.

``None`` means that fio measured or said nothing; it never stands for 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.analysis.latency import LatencySummary

Direction = Literal["read", "write", "trim", "mixed"]
DIRECTIONS: tuple[Direction, ...] = ("read", "write", "trim", "mixed")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LatencyBins:
    """A histogram of fio: the name of each bin [ns], ascending, and its IOs."""

    lat_ns: NDArray[np.int64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioSide:
    """One direction of one job entry.

    ``mixed`` is what fio says under ``unified_rw_reporting``. Counts are ``None``
    where the version of fio gives none. Percentiles map levels [%] to ns.
    """

    direction: Direction
    io_bytes: int
    total_ios: int | None
    short_ios: int | None
    drop_ios: int | None
    runtime_ms: int
    iops: float
    bw_bytes_per_s: float
    slat: LatencySummary | None
    clat: LatencySummary | None
    lat: LatencySummary | None
    slat_bins: LatencyBins | None
    clat_bins: LatencyBins | None
    lat_bins: LatencyBins | None
    slat_percentiles: Mapping[float, float]
    clat_percentiles: Mapping[float, float]
    lat_percentiles: Mapping[float, float]

    @property
    def did_io(self) -> bool:
        """Whether fio did any IO in this direction."""
        return bool(self.total_ios or self.io_bytes)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioJob:
    """One entry of ``jobs``: a job, or a group of them under ``group_reporting``.

    ``total_errors`` counts errors that ``continue_on_error`` passed over.
    """

    name: str
    hostname: str
    group_id: int
    error: int
    total_errors: int | None
    elapsed_s: int | None
    usr_cpu_percent: float
    sys_cpu_percent: float
    options: Mapping[str, str]
    sides: Mapping[Direction, FioSide]

    @property
    def parts(self) -> tuple[FioSide, ...]:
        """The directions that did IO, none counted twice.

        ``unified_rw_reporting=both`` gives a sum beside its parts; the parts count.
        """
        busy = [side for side in self.sides.values() if side.did_io]
        split = [side for side in busy if side.direction != "mixed"]
        return tuple(split or busy)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioDocument:
    """One JSON document of fio.

    ``prefix`` and ``suffix`` are the text before and after it, where fio says why a
    run ended. ``left_out`` names, in words, what the document holds and this does not.
    """

    source: str
    fio_version: str
    timestamp_s: float | None
    global_options: Mapping[str, str]
    jobs: tuple[FioJob, ...]
    prefix: str
    suffix: str
    left_out: tuple[str, ...]
