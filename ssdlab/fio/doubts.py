"""Every doubt about what was read from fio's output, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ssdlab.analysis.latency import LatencySummary
from ssdlab.fio.bins import is_bin_value
from ssdlab.fio.document import FioDocument, FioJob, FioSide, LatencyBins
from ssdlab.fio.values import is_known_version, parse_version

_NANOSECONDS_SINCE = (2, 99)


@dataclass(frozen=True, kw_only=True, slots=True)
class Doubt:
    """One doubt: what sort, where in the output, what it means for the numbers."""

    kind: str
    place: str
    meaning: str


def find_doubts(document: FioDocument) -> tuple[Doubt, ...]:
    """Return every doubt about one document."""
    return (
        *_doubts_of_document(document),
        *(
            doubt
            for number, job in enumerate(document.jobs)
            for doubt in _doubts_of_job(job, f"jobs[{number}]")
        ),
    )


def doubt_of_progress(documents: Sequence[FioDocument]) -> tuple[Doubt, ...]:
    """Return the doubt that earlier documents of a file are no results."""
    if len(documents) < 2:
        return ()
    meaning = (
        f"{len(documents)} documents; their numbers accumulate, so the last one is the "
        "result and they must not be added"
    )
    return (Doubt(kind="several-documents", place="file", meaning=meaning),)


def _doubts_of_document(document: FioDocument) -> Iterator[Doubt]:
    if not is_known_version(document.fio_version):
        yield Doubt(
            kind="unknown-version",
            place="fio version",
            meaning=f"{document.fio_version!r} is read as a version since 2.99",
        )
    elif parse_version(document.fio_version) < _NANOSECONDS_SINCE:
        yield Doubt(
            kind="microseconds",
            place="fio version",
            meaning="latencies were kept in whole us and io_bytes in whole KiB",
        )
    for kind, text in (("before", document.prefix), ("after", document.suffix)):
        if text:
            yield Doubt(kind=f"text-{kind}", place=f"{kind} the JSON", meaning=text)
    for what in document.left_out:
        place, _, meaning = what.partition(": ")
        yield Doubt(kind="left-out", place=place, meaning=f"{meaning}; not read")


def _doubts_of_job(job: FioJob, place: str) -> Iterator[Doubt]:
    if job.error:
        meaning = f"the job ended with error {job.error}; its numbers are partial"
        yield Doubt(kind="job-error", place=f"{place}.error", meaning=meaning)
    if job.total_errors:
        meaning = f"{job.total_errors} IO errors were passed over"
        yield Doubt(kind="job-error", place=f"{place}.total_err", meaning=meaning)
    if not job.parts:
        yield Doubt(kind="no-io", place=place, meaning="the job did no IO")
    if "mixed" in job.sides:
        yield Doubt(
            kind="mixed",
            place=f"{place}.mixed",
            meaning="fio merged the directions; what stands beside it is part of it",
        )
    for side in job.parts:
        yield from _doubts_of_side(side, f"{place}.{side.direction}")


def _doubts_of_side(side: FioSide, place: str) -> Iterator[Doubt]:
    if side.total_ios is None:
        meaning = "this version counts no IOs and cuts IOPS to whole numbers"
        yield Doubt(kind="no-io-count", place=place, meaning=meaning)
    if side.short_ios:
        meaning = f"{side.short_ios} IOs moved fewer bytes than asked"
        yield Doubt(kind="short-ios", place=f"{place}.short_ios", meaning=meaning)
    if side.lat is None:
        meaning = "the latency was not measured"
        yield Doubt(kind="no-latency", place=f"{place}.lat", meaning=meaning)
    for kind, bins, summary in (
        ("slat", side.slat_bins, side.slat),
        ("clat", side.clat_bins, side.clat),
        ("lat", side.lat_bins, side.lat),
    ):
        if bins is not None:
            yield from _doubts_of_bins(bins, summary, f"{place}.{kind}.bins")


def _doubts_of_bins(
    bins: LatencyBins, summary: LatencySummary | None, place: str
) -> Iterator[Doubt]:
    foreign = int(np.count_nonzero(~is_bin_value(bins.lat_ns)))
    if foreign:
        meaning = f"{foreign} names are not those of fio's bins: edges are of others"
        yield Doubt(kind="foreign-bins", place=place, meaning=meaning)
    count, total = summary and summary.count, int(bins.counts.sum())
    if count is not None and count != total:
        meaning = f"the bins hold {total} IOs of {count}"
        yield Doubt(kind="bins-differ", place=place, meaning=meaning)
