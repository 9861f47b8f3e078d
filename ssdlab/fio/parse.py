"""fio's JSON and JSON+ output as documents: fio 2.x and 3.x, pure.

What differs between versions, and is made equal here:

- before 2.99 latencies are in microseconds under ``slat clat lat`` and ``io_bytes``
  counts KiB; since then nanoseconds under ``slat_ns clat_ns lat_ns`` and bytes,
- early 3.x and all 2.x give the data rate only as ``bw``, in KiB/s,
- early 2.x give no IO counts, and only late 3.x the count behind a latency, ``N``.
"""

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from ssdlab.analysis.latency import LatencySummary
from ssdlab.fio.document import (
    DIRECTIONS,
    Direction,
    FioDocument,
    FioJob,
    FioSide,
    LatencyBins,
)
from ssdlab.fio.scan import FoundJson, find_json
from ssdlab.fio.values import (
    Place,
    parse_version,
    take,
    take_count,
    take_count_if_there,
    take_integer,
    take_number,
    take_object,
    take_objects,
    take_texts,
)

_Table = Mapping[str, object]

_BYTES_SINCE = (2, 99)
_COUNTS_SINCE = (2, 2)  # fio 2.1.4 gives no total_ios, short_ios, drop_ios
_NS_PER_US = 1000.0
_MAX_COUNT = 1 << 48  # so that sums of bins stay exact
_SUM_ENTRY = "All clients"


def parse_documents(
    data: bytes | str, *, source: str = "fio output"
) -> tuple[FioDocument, ...]:
    """Return every document in fio's output, oldest first.

    With ``status-interval`` values accumulate: the last document is the result.
    An error names the key, the version of fio and ``source``.
    """
    return tuple(_document(found, source) for found in find_json(data, source=source))


def parse_document(data: bytes | str, *, source: str = "fio output") -> FioDocument:
    """Return the result in fio's output: its last document."""
    return _document(find_json(data, source=source)[-1], source)


def _document(found: FoundJson, source: str) -> FioDocument:
    content = found.content
    version = str(content["fio version"])
    place = Place(source, version, parse_version(version))
    jobs, left_out = _jobs(content, place)
    return FioDocument(
        source=source,
        fio_version=version,
        timestamp_s=_timestamp_s(content, place),
        global_options=take_texts(content, "global options", place),
        jobs=jobs,
        prefix=found.prefix,
        suffix=found.suffix,
        left_out=left_out,
    )


def _jobs(content: _Table, place: Place) -> tuple[tuple[FioJob, ...], tuple[str, ...]]:
    """Return the job entries, and what they and their list hold besides."""
    key = "client_stats" if "client_stats" in content else "jobs"
    jobs: list[FioJob] = []
    left_out: list[str] = []
    for number, entry in enumerate(take_objects(content, key, place)):
        at = place.below(f"{key}[{number}]")
        if key == "client_stats" and entry.get("jobname") == _SUM_ENTRY:
            left_out.append(f"{at.path}: {_SUM_ENTRY!r}, the sum of the others")
            continue
        left_out.extend(_left_out_of(entry, at))
        jobs.append(_job(entry, at))
    return tuple(jobs), tuple(left_out)


def _timestamp_s(content: _Table, place: Place) -> float | None:
    if "timestamp_ms" in content:
        return take_number(content, "timestamp_ms", place) / 1000
    if "timestamp" in content:
        return take_number(content, "timestamp", place)
    return None


def _left_out_of(entry: _Table, place: Place) -> list[str]:
    left_out = []
    for key, value in entry.items():
        if not isinstance(value, dict):
            continue
        if key not in DIRECTIONS and value.get("total_ios"):
            ios = value["total_ios"]
            left_out.append(f"{place.path}.{key}: {ios} IOs that are no read or write")
        for kind in ("slat", "clat", "lat"):
            if _has_old_bins(value, kind):
                at = f"{place.path}.{key}.{kind}.bins"
                left_out.append(f"{at}: bins of fio before 2.99")
    missing = {"read", "write"}.difference(entry)
    if missing and "mixed" not in entry:
        left_out.append(f"{place.path}: has no section {' nor '.join(sorted(missing))}")
    return left_out


def _has_old_bins(side: _Table, kind: str) -> bool:
    table = side.get(kind)
    return isinstance(table, dict) and "bins" in table


def _job(entry: _Table, place: Place) -> FioJob:
    sides = {
        name: _side(take_object(entry, name, place), name, place.below(name))
        for name in DIRECTIONS
        if name in entry
    }
    if not sides:
        take(entry, "read", place)
    return FioJob(
        name=str(take(entry, "jobname", place)),
        hostname=str(entry.get("hostname", "")),
        group_id=take_count(entry, "groupid", place),
        error=take_integer(entry, "error", place),
        total_errors=take_count_if_there(entry, "total_err", place),
        elapsed_s=take_count_if_there(entry, "elapsed", place),
        usr_cpu_percent=take_number(entry, "usr_cpu", place),
        sys_cpu_percent=take_number(entry, "sys_cpu", place),
        options=take_texts(entry, "job options", place),
        sides=sides,
    )


def _side(side: _Table, direction: Direction, place: Place) -> FioSide:
    slat, slat_bins, slat_percentiles = _latency(side, "slat", place)
    clat, clat_bins, clat_percentiles = _latency(side, "clat", place)
    lat, lat_bins, lat_percentiles = _latency(side, "lat", place)
    is_in_bytes = "io_kbytes" in side or place.version >= _BYTES_SINCE
    return FioSide(
        direction=direction,
        io_bytes=take_count(side, "io_bytes", place) * (1 if is_in_bytes else 1024),
        total_ios=_io_count(side, "total_ios", place),
        short_ios=_io_count(side, "short_ios", place),
        drop_ios=_io_count(side, "drop_ios", place),
        runtime_ms=take_count(side, "runtime", place),
        iops=take_number(side, "iops", place),
        bw_bytes_per_s=_bw_bytes_per_s(side, place),
        slat=slat,
        clat=clat,
        lat=lat,
        slat_bins=slat_bins,
        clat_bins=clat_bins,
        lat_bins=lat_bins,
        slat_percentiles=slat_percentiles,
        clat_percentiles=clat_percentiles,
        lat_percentiles=lat_percentiles,
    )


def _io_count(side: _Table, key: str, place: Place) -> int | None:
    if place.version < _COUNTS_SINCE:
        return take_count_if_there(side, key, place)
    return take_count(side, key, place)


def _bw_bytes_per_s(side: _Table, place: Place) -> float:
    if "bw_bytes" in side:
        return take_number(side, "bw_bytes", place)
    return take_number(side, "bw", place) * 1024


_Latency = tuple[LatencySummary | None, LatencyBins | None, dict[float, float]]


def _latency(side: _Table, kind: str, place: Place) -> _Latency:
    """Return summary, bins and percentiles of ``slat``, ``clat`` or ``lat``."""
    key = kind if kind in side else f"{kind}_ns"
    scale = _NS_PER_US if key == kind else 1.0
    table = take_object(side, key, place)
    at = place.below(key)
    summary = _summary(table, scale, at, total_ios=side.get("total_ios"))
    if summary is None:
        return None, None, {}
    has_bins = "bins" in table and key != kind
    bins = _bins(take_object(table, "bins", at), at) if has_bins else None
    return summary, bins, _percentiles(table, scale, at)


def _summary(
    table: _Table, scale: float, place: Place, *, total_ios: object
) -> LatencySummary | None:
    """Return a latency summary, or ``None`` where fio measured none.

    A latency that is switched off or belongs to no IO is printed as zeros; late
    versions of fio also say ``N: 0``.
    """
    maximum = take_number(table, "max", place)
    mean = take_number(table, "mean", place)
    count = take_count_if_there(table, "N", place)
    if count == 0 or (count is None and (total_ios == 0 or maximum == mean == 0)):
        return None
    if count is None and isinstance(total_ios, int):
        count = total_ios
    return LatencySummary(
        min_ns=take_number(table, "min", place) * scale,
        mean_ns=mean * scale,
        stddev_ns=take_number(table, "stddev", place) * scale,
        max_ns=maximum * scale,
        count=count,
    )


def _percentiles(table: _Table, scale: float, place: Place) -> dict[float, float]:
    """Return levels and latencies; fio 2.x and 3.1 pad the list with ``"0.00"``."""
    if "percentile" not in table:
        return {}
    printed = take_object(table, "percentile", place)
    at = place.below("percentile")
    try:
        levels = {float(key): key for key in printed}
    except ValueError:
        at.fail("has a key that is no number")
    return {
        level: take_number(printed, key, at) * scale
        for level, key in levels.items()
        if level > 0
    }


def _bins(printed: Mapping[str, Any], place: Place) -> LatencyBins | None:
    """Return the bins that hold IOs, ascending; some versions print empty ones."""
    size = len(printed)
    try:
        values = np.fromiter(map(int, printed), np.int64, size)
        counts = np.fromiter(map(index, printed.values()), np.int64, size)
    except (ValueError, TypeError, OverflowError):
        place.below("bins").fail("has an entry that is no bin")
    if size and not 0 <= counts.min() <= counts.max() < _MAX_COUNT:
        place.below("bins").fail("has a count that cannot be")
    if size and values.min() < 0:
        place.below("bins").fail("has a negative latency")
    if (np.diff(values) <= 0).any():
        order = np.argsort(values)
        values, counts = values[order], counts[order]
    if not counts.all():
        values, counts = values[counts > 0], counts[counts > 0]
    return LatencyBins(lat_ns=values, counts=counts) if counts.size else None
