"""Documents of fio as data frames: one frame a table, of many files at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ssdlab.analysis.latency import LatencySummary
from ssdlab.fio import tables
from ssdlab.fio.bins import bin_edges
from ssdlab.fio.document import FioDocument, FioJob, FioSide, LatencyBins
from ssdlab.fio.doubts import doubt_of_progress, find_doubts
from ssdlab.model.schema import Table

if TYPE_CHECKING:
    import pandas as pd

_Record = tuple[Any, ...]
_Place = tuple[str, int]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioResult:
    """What fio said, as frames whose columns `ssdlab.fio.tables` declares.

    Documents and entries count from 0, as in the JSON. Latency is in ns, data in
    bytes, on every version of fio; what was not measured is missing. Read ``issues``:
    each row is a doubt about the numbers.
    """

    documents: "pd.DataFrame"
    jobs: "pd.DataFrame"
    percentiles: "pd.DataFrame"
    bins: "pd.DataFrame"
    options: "pd.DataFrame"
    issues: "pd.DataFrame"


def tabulate(files: Iterable[Sequence[FioDocument]]) -> FioResult:
    """Return the frames of many files, each given by its documents."""
    sources = [tuple(documents) for documents in files]
    numbered = [
        ((document.source, number), document)
        for documents in sources
        for number, document in enumerate(documents)
    ]
    sides = [
        ((*place, entry), document, job, side)
        for place, document in numbered
        for entry, job in enumerate(document.jobs)
        for side in job.sides.values()
    ]
    counts = {"total_errors", "total_ios", "short_ios", "drop_ios"}
    return FioResult(
        documents=_frame(tables.DOCUMENTS, _document_records(sources)),
        jobs=_frame(tables.JOBS, map(_job_record, sides), nullable=counts),
        percentiles=_percentiles_frame(sides),
        bins=_bins_frame(sides),
        options=_frame(tables.OPTIONS, _option_records(numbered), nullable={"entry"}),
        issues=_frame(tables.ISSUES, _issue_records(sources)),
    )


def _frame(
    table: Table, records: Iterable[_Record], *, nullable: Iterable[str] = ()
) -> "pd.DataFrame":
    columns = list(zip(*records, strict=True)) or [()] * len(table.columns)
    return _typed(
        table, dict(zip(table.column_names, columns, strict=True)), nullable=nullable
    )


def _typed(
    table: Table, columns: Mapping[str, Any], *, nullable: Iterable[str] = ()
) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    dtypes: dict[str, Any] = {column.name: column.dtype for column in table.columns}
    dtypes |= dict.fromkeys(nullable, "Int64")
    return pd.DataFrame({
        name: pd.Series(values, dtype=dtypes[name]) for name, values in columns.items()
    })


def _document_records(sources: Sequence[Sequence[FioDocument]]) -> Iterator[_Record]:
    for documents in sources:
        for number, document in enumerate(documents):
            yield (
                document.source,
                number,
                number == len(documents) - 1,
                document.fio_version,
                document.timestamp_s,
                len(document.jobs),
                document.prefix,
                document.suffix,
            )


_PlacedSide = tuple[tuple[str, int, int], FioDocument, FioJob, FioSide]


def _job_record(placed: _PlacedSide) -> _Record:
    (file, number, entry), document, job, side = placed
    return (
        file,
        number,
        document.fio_version,
        entry,
        job.name,
        job.hostname,
        job.group_id,
        side.direction,
        job.error,
        job.total_errors,
        side.runtime_ms,
        side.total_ios,
        side.short_ios,
        side.drop_ios,
        side.io_bytes,
        side.iops,
        side.bw_bytes_per_s,
        *_summary_values(side.slat),
        *_summary_values(side.clat),
        *_summary_values(side.lat),
        job.usr_cpu_percent,
        job.sys_cpu_percent,
    )


def _summary_values(summary: LatencySummary | None) -> tuple[float | None, ...]:
    if summary is None:
        return (None,) * 4
    return summary.min_ns, summary.mean_ns, summary.stddev_ns, summary.max_ns


def _percentiles_frame(sides: Sequence[_PlacedSide]) -> "pd.DataFrame":
    keys: list[_Record] = []
    parts: list[Mapping[float, float]] = []
    for place, _, _, side in sides:
        for latency, percentiles in (
            ("slat", side.slat_percentiles),
            ("clat", side.clat_percentiles),
            ("lat", side.lat_percentiles),
        ):
            if percentiles:
                keys.append((*place, side.direction, latency))
                parts.append(percentiles)
    sizes = [len(percentiles) for percentiles in parts]
    count = sum(sizes)
    levels = np.fromiter(chain.from_iterable(parts), np.float64, count)
    values = chain.from_iterable(percentiles.values() for percentiles in parts)
    lat_ns = np.fromiter(values, np.float64, count)
    return _keyed(tables.PERCENTILES, (keys, sizes), [levels, lat_ns])


def _bins_frame(sides: Sequence[_PlacedSide]) -> "pd.DataFrame":
    keys: list[_Record] = []
    parts: list[LatencyBins] = []
    for place, _, _, side in sides:
        for latency, bins in (
            ("slat", side.slat_bins),
            ("clat", side.clat_bins),
            ("lat", side.lat_bins),
        ):
            if bins is not None:
                keys.append((*place, side.direction, latency))
                parts.append(bins)
    empty = [np.empty(0, np.int64)]
    lat_ns = np.concatenate([bins.lat_ns for bins in parts] or empty)
    counts = np.concatenate([bins.counts for bins in parts] or empty)
    sizes = [bins.counts.size for bins in parts]
    return _keyed(tables.BINS, (keys, sizes), [lat_ns, *bin_edges(lat_ns), counts])


def _keyed(
    table: Table,
    groups: tuple[Sequence[_Record], Sequence[int]],
    values: Sequence[NDArray[Any]],
) -> "pd.DataFrame":
    """Return a frame of groups of rows that share their keys."""
    keys, sizes = groups
    names = table.column_names
    key_names, value_names = names[: -len(values)], names[-len(values) :]
    key_columns = list(zip(*keys, strict=True)) or [()] * len(key_names)
    shared = _typed(table, dict(zip(key_names, key_columns, strict=True)))
    rows = shared.take(np.repeat(np.arange(len(keys)), sizes)).reset_index(drop=True)
    return rows.assign(**dict(zip(value_names, values, strict=True)))


def _option_records(
    numbered: Iterable[tuple[_Place, FioDocument]],
) -> Iterator[_Record]:
    for place, document in numbered:
        for option, value in document.global_options.items():
            yield (*place, None, option, value)
        for entry, job in enumerate(document.jobs):
            for option, value in job.options.items():
                yield (*place, entry, option, value)


def _issue_records(sources: Sequence[Sequence[FioDocument]]) -> Iterator[_Record]:
    for documents in sources:
        for number, document in enumerate(documents):
            doubts = find_doubts(document)
            if number == len(documents) - 1:
                doubts = (*doubt_of_progress(documents), *doubts)
            for doubt in doubts:
                yield (document.source, number, doubt.kind, doubt.place, doubt.meaning)
