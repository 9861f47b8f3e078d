"""Documents of fio as data frames: one frame per table, for many files."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ssdlab.fio.document import (
    Doubt,
    FioDocument,
    FioJob,
    FioLatency,
    LatencyBins,
)
from ssdlab.fio.doubts import find_doubts
from ssdlab.fio.frames import tables
from ssdlab.fio.frames.columns import (
    GroupKey,
    GroupTable,
    Row,
    RowTable,
    edge_columns,
    edge_columns_of_named,
)
from ssdlab.fio.frames.intervals import FioIntervals, true_intervals
from ssdlab.fio.frames.merge import MergedFio, Timing, merge_jobs
from ssdlab.fio.frames.rows import (
    Place,
    disk_rows,
    document_row,
    job_rows,
    option_rows,
    steady_state_rows,
)
from ssdlab.fio.from_json.values import parse_version
from ssdlab.fio.measure import DEFAULT_LEVELS
from ssdlab.fio.runs import doubts_of_runs, place_in_runs

if TYPE_CHECKING:
    import pandas as pd

_NANOSECONDS_SINCE = (2, 99)
_NS_PER_US = 1000
_COUNTS = (
    "group_id",
    "error",
    "total_errors",
    "runtime_ms",
    "total_ios",
    "short_ios",
    "dropped_ios",
    "failed_ios",
    "io_bytes",
)
_DISK_COUNTS = tuple(
    column.name
    for column in tables.DISKS.columns
    if column.dtype == "int64" and not column.is_key
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioResult:
    """fio's output as frames whose columns `ssdlab.fio.frames.tables` declares.

    Documents and entries count from 0, as in the JSON. Latency is in ns, data in
    bytes, for every version of fio; values that were not measured are missing. Read
    ``issues``: each row is a doubt about the numbers.
    """

    documents: "pd.DataFrame"
    jobs: "pd.DataFrame"
    percentiles: "pd.DataFrame"
    bins: "pd.DataFrame"
    options: "pd.DataFrame"
    disks: "pd.DataFrame"
    steadystate: "pd.DataFrame"
    issues: "pd.DataFrame"

    def merge(
        self,
        by: Sequence[str] = ("file",),
        *,
        timing: Timing,
        levels: Sequence[float] = DEFAULT_LEVELS,
    ) -> MergedFio:
        """Merge the results of runs: see `ssdlab.fio.frames.merge.merge_jobs`."""
        return merge_jobs(
            self.jobs,
            self.bins,
            self.documents,
            by=by,
            timing=timing,
            levels=levels,
        )

    def intervals(self, *, levels: Sequence[float] = DEFAULT_LEVELS) -> FioIntervals:
        """Return the intervals between cumulative documents.

        See `ssdlab.fio.frames.intervals.true_intervals`.
        """
        return true_intervals(self.jobs, self.bins, self.documents, levels=levels)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioFile:
    """One file: its documents, none if it is of another kind, and its doubts."""

    source: str
    documents: tuple[FioDocument, ...]
    doubts: tuple[Doubt, ...] = ()


def tabulate(files: Iterable[Sequence[FioDocument]]) -> FioResult:
    """Return the frames of many files, each given by its documents."""
    return tabulate_files(
        FioFile(source=documents[0].source, documents=tuple(documents))
        for documents in files
        if documents
    )


def tabulate_files(files: Iterable[FioFile]) -> FioResult:
    """Return the frames of many files; each is released before the next is read."""
    builder = _Builder()
    for file in files:
        builder.add(file)
    return FioResult(
        documents=builder.documents.frame(),
        jobs=builder.jobs.frame(),
        percentiles=_percentiles_frame(builder),
        bins=_bins_frame(builder),
        options=builder.options.frame(),
        disks=builder.disks.frame(),
        steadystate=builder.steadystate.frame(),
        issues=builder.issues.frame(),
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Builder:
    """The tables while they grow."""

    documents: RowTable = field(default_factory=lambda: RowTable(tables.DOCUMENTS))
    jobs: RowTable = field(default_factory=lambda: RowTable(tables.JOBS, _COUNTS))
    percentiles: GroupTable = field(
        default_factory=lambda: GroupTable(tables.PERCENTILES)
    )
    levels: "array[float]" = field(default_factory=lambda: array("d"))
    level_values: "array[float]" = field(default_factory=lambda: array("d"))
    bins: GroupTable = field(default_factory=lambda: GroupTable(tables.BINS))
    bin_parts: list[LatencyBins] = field(default_factory=list)
    options: RowTable = field(
        default_factory=lambda: RowTable(tables.OPTIONS, ("entry",))
    )
    disks: RowTable = field(
        default_factory=lambda: RowTable(tables.DISKS, _DISK_COUNTS)
    )
    steadystate: RowTable = field(
        default_factory=lambda: RowTable(tables.STEADYSTATE, ("sample",))
    )
    issues: RowTable = field(
        default_factory=lambda: RowTable(tables.ISSUES, ("document",))
    )

    def add(self, file: FioFile) -> None:
        places = place_in_runs(file.documents)
        for number, document in enumerate(file.documents):
            place, of_run = (file.source, number), places[number]
            self.documents.extend([document_row(place, document, of_run)])
            self.jobs.extend(job_rows(place, document, of_run))
            self.options.extend(option_rows(place, document))
            self.disks.extend(disk_rows(place, document))
            self.steadystate.extend(steady_state_rows(place, document))
            self._add_latencies(place, document)
        of_runs = doubts_of_runs(file.documents, places)
        self.issues.extend(_issue_rows(file, of_runs))

    def _add_latencies(self, place: Place, document: FioDocument) -> None:
        is_in_us = parse_version(document.fio_version) < _NANOSECONDS_SINCE
        unit_ns = _NS_PER_US if is_in_us else 1
        for entry, job in enumerate(document.jobs):
            for direction, kind, latency in _latencies(job):
                key = (*place, entry, direction, kind)
                self._add_latency(key, latency, unit_ns=unit_ns)

    def _add_latency(self, key: GroupKey, latency: FioLatency, *, unit_ns: int) -> None:
        bins, percentiles = latency.bins, latency.percentiles
        if bins is not None:
            self.bins.begin(key, bins.counts.size, unit_ns=bins.unit_ns)
            self.bin_parts.append(bins)
        if percentiles:
            if unit_ns > 1 and any(value % unit_ns for value in percentiles.values()):
                unit_ns = 1  # development builds before 2.99 already count in ns
            self.percentiles.begin(key, len(percentiles), unit_ns=unit_ns)
            self.levels.extend(percentiles.keys())
            self.level_values.extend(percentiles.values())


def _latencies(job: FioJob) -> Iterator[tuple[str, str, FioLatency]]:
    for side in job.sides.values():
        for kind, latency in side.latencies.items():
            yield side.direction, kind, latency
    if job.sync is not None and job.sync.lat is not None:
        yield "sync", "lat", job.sync.lat


def _percentiles_frame(builder: _Builder) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    groups, lat_ns = builder.percentiles, np.array(builder.level_values)
    lower, upper, is_last = edge_columns_of_named(lat_ns, groups.units_ns())
    columns = {
        **groups.keys(),
        "percentile": np.array(builder.levels),
        "lat_ns": lat_ns,
        "lat_lower_ns": lower,
        "lat_upper_ns": upper,
        "is_censored": is_last,
    }
    return pd.DataFrame(columns, copy=False)


def _bins_frame(builder: _Builder) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    groups, parts, none = builder.bins, builder.bin_parts, np.empty(0, np.int64)
    lat_ns = np.concatenate([none, *(bins.lat_ns for bins in parts)])
    lower, upper, is_last = edge_columns(lat_ns, groups.units_ns())
    columns = {
        **groups.keys(),
        "lat_ns": lat_ns,
        "lat_lower_ns": lower,
        "lat_upper_ns": upper,
        "count": np.concatenate([none, *(bins.counts for bins in parts)]),
        "is_censored": is_last,
    }
    return pd.DataFrame(columns, copy=False)


def _issue_rows(file: FioFile, of_runs: Iterable[tuple[int, Doubt]]) -> Iterator[Row]:
    placed: list[tuple[int | None, Doubt]] = [(None, doubt) for doubt in file.doubts]
    placed += of_runs
    for number, document in enumerate(file.documents):
        placed += ((number, doubt) for doubt in find_doubts(document))
    for place, doubt in placed:
        yield (
            file.source,
            place,
            doubt.kind,
            doubt.place,
            doubt.meaning,
            doubt.is_grave,
        )
