"""The measurement of one fio step, as rows of the stored tables.

Job entries that ran together are added, as are directions in the row ``total``: rates
add, means are weighted by IO count, percentiles come from added bins, clipped to the
exact minimum and maximum latency.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.bins import bin_edges, is_last_bin
from ssdlab.fio.document import FioDocument, FioJob, FioSide, LatencyKind
from ssdlab.model.errors import FioOutputError
from ssdlab.stats.latency import (
    UNKNOWN_EXTREMES,
    Extremes,
    Histogram,
    hold_within,
    is_supported,
    merge_bins,
    merge_summaries,
    percentile_places,
    sum_rates,
)

Row = dict[str, Any]
Columns = dict[str, NDArray[Any]]

# The confidence levels of the PTS's latency histogram: PTS 2.0.2, section 9.
DEFAULT_LEVELS: tuple[float, ...] = (
    *(1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0),
    *(99.0, 99.9, 99.99, 99.999, 99.9999),
)

_MS_PER_S = 1000.0
_LATENCY_ORDER: tuple[LatencyKind, ...] = ("lat", "clat", "slat")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StepMeasurement:
    """Rows of ``measurements``, ``percentiles`` and ``bins`` from ``direction`` on.

    ``measurements`` has a dictionary per row; the others an array per column. None has
    the columns of the run and the step. ``bins_of`` is the latency of bins and
    percentiles: ``lat``, or ``clat`` if fio kept no bins of ``lat``, or ``None`` if it
    kept neither.
    """

    measurements: tuple[Row, ...]
    percentiles: Columns
    bins: Columns
    bins_of: LatencyKind | None


def measure(
    document: FioDocument, *, levels: Sequence[float] = DEFAULT_LEVELS
) -> StepMeasurement:
    """Return the results of a step: a row per direction that did IO, and ``total``.

    A step that did no IO has no row. ``levels`` are percentiles [%].
    """
    _require_one_group(document)
    _require_amounts(document)
    sides = _sides_by_direction(document)
    bins_of = _kind_of_bins(list(chain.from_iterable(sides.values())))
    unit_ns = _unit_ns(sides, bins_of)
    histograms = {
        direction: merge_bins(_histogram(side, bins_of) for side in parts)
        for direction, parts in sides.items()
        if bins_of is not None
    }
    return StepMeasurement(
        measurements=tuple(
            _measurement_row(direction, parts, document.measured)
            for direction, parts in sides.items()
        ),
        percentiles=_percentile_columns(
            histograms, _extremes(sides, bins_of), levels=levels, unit_ns=unit_ns
        ),
        bins=_bin_columns(histograms, unit_ns=unit_ns),
        bins_of=bins_of,
    )


def measure_jobs(document: FioDocument) -> dict[str, StepMeasurement]:
    """Return the results of each job of a step, by its name; one without IO has no row.

    Threads of a job have entries of their own, of the same name.
    """
    entries: dict[str, list[FioJob]] = {}
    for entry in document.measured:
        entries.setdefault(entry.name, []).append(entry)
    return {
        name: measure(replace(document, jobs=tuple(own)))
        for name, own in entries.items()
    }


def _require_one_group(document: FioDocument) -> None:
    groups = {job.group_id for job in document.measured}
    if len(groups) > 1:
        raise FioOutputError(
            source=document.source,
            reason=f"its jobs are of {len(groups)} groups, which may not have run at "
            "the same time, so their rates cannot be added",
            remedy="A step is one group of jobs; read it with ssdlab.read_fio().",
        )


def _require_amounts(document: FioDocument) -> None:
    for job in document.measured:
        for side in job.parts:
            if side.io_bytes is None or side.runtime_ms is None:
                raise FioOutputError(
                    source=document.source,
                    reason=f"the {side.direction} side of job {job.name!r} has no "
                    f"{'bytes' if side.io_bytes is None else 'runtime'}",
                    remedy="A measurement is complete or absent: measure again.",
                )


def _sides_by_direction(document: FioDocument) -> dict[str, list[FioSide]]:
    """Return the sides of each direction that did IO, then those of ``total``.

    What fio merged itself (``mixed``) has no direction and is only in the total.
    """
    parts = [side for job in document.measured for side in job.parts]
    sides: dict[str, list[FioSide]] = {}
    for direction in ("read", "write", "trim"):
        if same := [side for side in parts if side.direction == direction]:
            sides[direction] = same
    return {**sides, "total": parts} if parts else {}


def _measurement_row(
    direction: str, sides: Sequence[FioSide], jobs: Sequence[FioJob]
) -> Row:
    counts = [side.total_ios for side in sides if side.total_ios is not None]
    row: Row = {
        "direction": direction,
        "total_ios": sum(counts) if len(counts) == len(sides) else None,
        "io_bytes": sum(side.io_bytes or 0 for side in sides),
        "runtime_s": max(side.runtime_ms or 0 for side in sides) / _MS_PER_S,
        "iops": sum_rates(side.iops for side in _timed(sides)),
        "bw_bytes_per_s": sum_rates(side.bw_bytes_per_s for side in _timed(sides)),
    }
    for kind in _LATENCY_ORDER:
        row |= _latency_columns(kind, sides)
    return row | {
        "usr_cpu_percent": math.fsum(j.usr_cpu_percent for j in jobs) / len(jobs),
        "sys_cpu_percent": math.fsum(j.sys_cpu_percent for j in jobs) / len(jobs),
    }


def _timed(sides: Sequence[FioSide]) -> Sequence[FioSide]:
    """Return the sides with a rate: IO that took less than 1 ms has none.

    An example is the tail of a range that is less than a block. Its IOs and bytes
    count, but it adds no rate to sides that ran for seconds. Alone it has none.
    """
    return [side for side in sides if side.runtime_ms != 0] or sides


def _latency_columns(kind: LatencyKind, sides: Sequence[FioSide]) -> Row:
    """Return four columns; missing if any part was not measured."""
    measured = [s.latencies[kind].summary for s in sides if kind in s.latencies]
    whole = merge_summaries(measured) if len(measured) == len(sides) else None
    return {
        f"{kind}_min_ns": math.nan if whole is None else whole.min_ns,
        f"{kind}_mean_ns": math.nan if whole is None else whole.mean_ns,
        f"{kind}_stddev_ns": math.nan if whole is None else whole.stddev_ns,
        f"{kind}_max_ns": math.nan if whole is None else whole.max_ns,
    }


def _kind_of_bins(sides: Sequence[FioSide]) -> LatencyKind | None:
    kinds: tuple[LatencyKind, ...] = ("lat", "clat")
    for kind in kinds:
        if sides and all(_has_bins(side, kind) for side in sides):
            return kind
    return None


def _has_bins(side: FioSide, kind: LatencyKind) -> bool:
    return kind in side.latencies and side.latencies[kind].bins is not None


def _histogram(side: FioSide, kind: LatencyKind) -> Histogram:
    bins = side.latencies[kind].bins
    if bins is None:
        msg = f"{side.direction} has no bins of {kind}"
        raise ValueError(msg)
    return bins.lat_ns, bins.counts


def _unit_ns(sides: Mapping[str, Sequence[FioSide]], kind: LatencyKind | None) -> int:
    """Return the unit of the bins, which follows from the version of fio."""
    bins = [
        side.latencies[kind].bins
        for side in chain.from_iterable(sides.values())
        if kind is not None
    ]
    return next((found.unit_ns for found in bins if found is not None), 1)


def _extremes(
    sides: Mapping[str, Sequence[FioSide]], kind: LatencyKind | None
) -> Mapping[str, Extremes]:
    """Return the exact minimum and maximum latency of each direction.

    ``kind`` is the kind of latency of the bins.
    """
    if kind is None:
        return dict.fromkeys(sides, UNKNOWN_EXTREMES)
    known = {name: _latency_columns(kind, parts) for name, parts in sides.items()}
    return {
        name: (columns[f"{kind}_min_ns"], columns[f"{kind}_max_ns"])
        for name, columns in known.items()
    }


def _percentile_columns(
    histograms: Mapping[str, Histogram],
    extremes: Mapping[str, Extremes],
    *,
    levels: Sequence[float],
    unit_ns: int,
) -> Columns:
    parts = [
        values[percentile_places(counts, levels)]
        for values, counts in histograms.values()
    ]
    held = [
        hold_within(named, extremes[direction])
        for direction, named in zip(histograms, parts, strict=True)
    ]
    named = np.concatenate(parts) if parts else np.empty(0, np.int64)
    lower, upper = bin_edges(named, unit_ns)
    supported = [
        is_supported(levels, int(counts.sum())) for _, counts in histograms.values()
    ]
    return {
        "direction": np.repeat(np.array([*histograms], dtype=object), len(levels)),
        "percentile": np.tile(np.asarray(levels, np.float64), len(parts)),
        "lat_ns": np.concatenate(held) if parts else np.empty(0, np.float64),
        "lat_lower_ns": lower.astype(np.float64),
        "lat_upper_ns": upper.astype(np.float64),
        "is_censored": is_last_bin(named, unit_ns),
        "is_supported": np.concatenate(supported) if parts else np.empty(0, np.bool_),
    }


def _bin_columns(histograms: Mapping[str, Histogram], *, unit_ns: int) -> Columns:
    sizes = [values.size for values, _ in histograms.values()]
    names = np.array([*histograms], dtype=object)
    empty = [np.empty(0, np.int64)]
    lat_ns = np.concatenate([v for v, _ in histograms.values()] or empty)
    lower, upper = bin_edges(lat_ns, unit_ns)
    return {
        "direction": np.repeat(names, sizes),
        "lat_ns": lat_ns,
        "lat_lower_ns": lower,
        "lat_upper_ns": upper,
        "count": np.concatenate([c for _, c in histograms.values()] or empty),
    }
