"""Documents of fio made from single latencies, so that the truth of sums is known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ssdlab.fio.bins import bin_index, bin_value
from ssdlab.fio.document import (
    Direction,
    FioDocument,
    FioJob,
    FioLatency,
    FioSide,
    LatencyBins,
    LatencyKind,
)
from ssdlab.stats.latency import LatencySummary, merge_bins

BLOCK = 4096


@dataclass(frozen=True, kw_only=True, slots=True)
class Did:
    """What one direction of a job did: its latencies [ns], and for how long."""

    lat_ns: tuple[int, ...]
    runtime_ms: int = 1000
    direction: Direction = "read"
    kinds: tuple[LatencyKind, ...] = ("lat",)
    has_bins: bool = True
    is_counted: bool = True


def summary_of(lat_ns: Sequence[int]) -> LatencySummary:
    values = np.array(lat_ns, np.float64)
    return LatencySummary(
        min_ns=float(values.min()),
        mean_ns=float(values.mean()),
        stddev_ns=float(values.std(ddof=1)) if values.size > 1 else 0.0,
        max_ns=float(values.max()),
        count=values.size,
    )


def bins_of(lat_ns: Sequence[int]) -> LatencyBins:
    names = bin_value(bin_index(np.array(lat_ns, np.int64)))
    values, counts = merge_bins([(names, np.ones(names.size, np.int64))])
    return LatencyBins(lat_ns=values, counts=counts)


def side_of(did: Did) -> FioSide:
    count = len(did.lat_ns)
    seconds = did.runtime_ms / 1000
    latencies: dict[LatencyKind, FioLatency] = {
        kind: FioLatency(
            summary=summary_of(did.lat_ns),
            bins=bins_of(did.lat_ns) if did.has_bins else None,
            percentiles={},
        )
        for kind in did.kinds
        if count
    }
    return FioSide(
        direction=did.direction,
        io_bytes=count * BLOCK,
        total_ios=count if did.is_counted else None,
        short_ios=0,
        dropped_ios=0,
        runtime_ms=did.runtime_ms,
        iops=count / seconds if seconds else 0.0,
        bw_bytes_per_s=count * BLOCK / seconds if seconds else 0.0,
        latencies=latencies,
    )


def job_of(
    name: str,
    *sides: Did,
    group_id: int = 0,
    error: int = 0,
    is_aggregate: bool = False,
) -> FioJob:
    return FioJob(
        name=name,
        hostname="",
        group_id=group_id,
        error=error,
        total_errors=None,
        elapsed_s=None,
        usr_cpu_percent=1.0,
        sys_cpu_percent=1.0,
        options=(),
        sides={did.direction: side_of(did) for did in sides},
        is_aggregate=is_aggregate,
    )


def document_of(
    *jobs: FioJob,
    source: str = "a.json",
    timestamp_s: float | None = None,
    is_whole: bool = True,
) -> FioDocument:
    return FioDocument(
        source=source,
        form="json",
        fio_version="fio-3.33",
        timestamp_s=timestamp_s,
        global_options=(),
        jobs=jobs,
        disks=(),
        prefix="",
        suffix="",
        is_whole=is_whole,
        doubts=(),
    )
