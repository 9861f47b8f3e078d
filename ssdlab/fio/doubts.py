"""Doubts about data read from fio's output, in words."""

from collections.abc import Iterator

from ssdlab.fio.bins import is_last_bin, last_bin_start_ns
from ssdlab.fio.document import (
    Doubt,
    FioDocument,
    FioJob,
    FioLatency,
    FioSide,
    LatencyBins,
)
from ssdlab.fio.from_json.values import is_known_version, parse_version

_NANOSECONDS_SINCE = (2, 99)
_SHOWN_CHARACTERS = 500
_MS_PER_S = 1000.0
_KIB = 1024
_RATE_SLACK_RATIO = 0.002


def find_doubts(document: FioDocument) -> tuple[Doubt, ...]:
    """Return every doubt about one document."""
    is_of_clients = any(job.hostname for job in document.jobs)
    key = "client_stats" if is_of_clients else "jobs"
    return (
        *_doubts_of_document(document),
        *(
            doubt
            for number, job in enumerate(document.jobs)
            for doubt in _doubts_of_job(job, f"{key}[{number}]")
        ),
        *(
            doubt
            for number, job in enumerate(document.jobs)
            for side in job.sides.values()
            if document.form == "json"
            for doubt in _doubts_of_rates(side, f"{key}[{number}].{side.direction}")
        ),
    )


def _doubts_of_document(document: FioDocument) -> Iterator[Doubt]:
    if document.form == "json":
        yield from _doubts_of_version(document)
    where = "the JSON" if document.form == "json" else "the document"
    for kind, text in (("before", document.prefix), ("after", document.suffix)):
        if text:
            meaning = text if len(text) <= _SHOWN_CHARACTERS else _cut(text)
            yield Doubt(kind=f"text-{kind}", place=f"{kind} {where}", meaning=meaning)
    if not document.jobs and not any(doubt.is_grave for doubt in document.doubts):
        meaning = "there is no job entry: fio ran no job, or did not finish"
        yield Doubt(kind="no-jobs", place="jobs", meaning=meaning)
    yield from document.doubts


def _doubts_of_version(document: FioDocument) -> Iterator[Doubt]:
    if not is_known_version(document.fio_version):
        yield Doubt(
            kind="unknown-version",
            place="fio version",
            meaning=f"{document.fio_version!r:.80} is treated as a version since 2.99",
        )
    elif parse_version(document.fio_version) < _NANOSECONDS_SINCE:
        yield Doubt(
            kind="microseconds",
            place="fio version",
            meaning="latencies are in whole us and io_bytes in whole KiB",
        )


def _cut(text: str) -> str:
    left_out = len(text) - _SHOWN_CHARACTERS
    return f"{text[:_SHOWN_CHARACTERS]}... ({left_out} more characters)"


def _doubts_of_job(job: FioJob, place: str) -> Iterator[Doubt]:
    if job.is_aggregate:
        meaning = f"{job.name!r} is fio's sum of the other entries; it is kept separate"
        yield Doubt(kind="aggregate", place=place, meaning=meaning)
        return
    if job.error:
        meaning = f"the job ended with error {job.error}; its numbers are partial"
        yield Doubt(kind="job-error", place=f"{place}.error", meaning=meaning)
    if job.total_errors:
        yield _doubt_of_failures(job, f"{place}.total_err")
    if not job.parts:
        yield Doubt(kind="no-io", place=place, meaning="the job did no IO")
    if "mixed" in job.sides:
        yield Doubt(
            kind="mixed",
            place=f"{place}.mixed",
            meaning="fio merged the directions; the others are part of it",
        )
    for side in job.parts:
        yield from _doubts_of_side(side, f"{place}.{side.direction}")
    if job.sync is not None and job.sync.lat is not None:
        yield from _doubts_of_latency(job.sync.lat, f"{place}.sync.lat")


def _doubt_of_failures(job: FioJob, place: str) -> Doubt:
    counts = [side.total_ios for side in job.parts]
    known = [count for count in counts if count is not None]
    of_all = f" of {sum(known)}" if counts and len(known) == len(counts) else ""
    meaning = (
        f"{job.total_errors}{of_all} IOs failed and were ignored; they count in the "
        "IOs and the IOPS, but not in the bytes"
    )
    return Doubt(kind="job-error", place=place, meaning=meaning, is_grave=True)


def _doubts_of_side(side: FioSide, place: str) -> Iterator[Doubt]:
    if side.total_ios is None:
        meaning = "this output has no IO counts, and IOPS are whole numbers"
        yield Doubt(kind="no-io-count", place=place, meaning=meaning)
    if side.runtime_ms == 0:
        meaning = "the IO took less than 1 ms, so there is no rate"
        yield Doubt(kind="runtime-0", place=f"{place}.runtime", meaning=meaning)
    if side.short_ios:
        meaning = f"{side.short_ios} IOs transferred fewer bytes than requested"
        yield Doubt(kind="short-ios", place=f"{place}.short_ios", meaning=meaning)
    if side.dropped_ios:
        meaning = f"{side.dropped_ios} IOs were dropped, not done"
        yield Doubt(kind="dropped-ios", place=f"{place}.drop_ios", meaning=meaning)
    if "lat" not in side.latencies:
        meaning = "the latency was not measured"
        yield Doubt(kind="no-latency", place=f"{place}.lat", meaning=meaning)
    for kind, latency in side.latencies.items():
        yield from _doubts_of_latency(latency, f"{place}.{kind}")


def _doubts_of_rates(side: FioSide, place: str) -> Iterator[Doubt]:
    """Yield rates that do not match the IOs, bytes and runtime of the same side.

    Old versions cut bytes and rates to whole KiB, and IOPS to whole numbers.
    """
    if not side.runtime_ms:
        return
    per_s = _MS_PER_S / side.runtime_ms
    amounts = (
        ("iops", side.iops, side.total_ios, 1.0),
        ("bw", side.bw_bytes_per_s, side.io_bytes, _KIB * (1 + per_s)),
    )
    for key, rate, amount, slack in amounts:
        if amount is None:
            continue
        expected = amount * per_s
        if abs(rate - expected) > slack + _RATE_SLACK_RATIO * expected:
            meaning = (
                f"it is {rate:.6g} a second, but {amount} in {side.runtime_ms} ms are "
                f"{expected:.6g}"
            )
            at = f"{place}.{key}"
            yield Doubt(kind="rate-differs", place=at, meaning=meaning, is_grave=True)


def _doubts_of_latency(latency: FioLatency, place: str) -> Iterator[Doubt]:
    bins = latency.bins
    if bins is None:
        return
    at = f"{place}.bins"
    if bins.foreign:
        meaning = (
            f"{bins.foreign} names are not bins of fio: their edges are approximate"
        )
        yield Doubt(kind="foreign-bins", place=at, meaning=meaning)
    count, total = latency.summary.count, int(bins.counts.sum())
    if count is not None and count != total:
        meaning = f"the bins hold {total} IOs of {count}"
        yield Doubt(kind="bins-differ", place=at, meaning=meaning)
    yield from _doubt_of_end(bins, at)


def _doubt_of_end(bins: LatencyBins, place: str) -> Iterator[Doubt]:
    if bins.lat_ns[-1] >= last_bin_start_ns(bins.unit_ns):  # they are ascending
        is_last = is_last_bin(bins.lat_ns, bins.unit_ns)
        ios = int(bins.counts[is_last].sum())
        meaning = (
            f"{ios} IOs are in fio's last bin, which has no upper end: they may have "
            "taken longer"
        )
        yield Doubt(kind="censored", place=place, meaning=meaning)
