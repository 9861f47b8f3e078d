"""The rows of one document of fio, table by table."""

from collections.abc import Iterator

from ssdlab.fio.document import (
    LATENCY_KINDS,
    FioDocument,
    FioLatency,
    FioSide,
    FioSteadyState,
    FioSync,
    RateSummary,
)
from ssdlab.fio.frames.columns import Row
from ssdlab.fio.runs import RunPlace

_NOTHING_OF_FOUR = (None, None, None, None)

Place = tuple[str, int]


def document_row(place: Place, document: FioDocument, of_run: RunPlace) -> Row:
    """Return the row of ``documents``."""
    return (
        *place,
        of_run.run,
        of_run.is_result,
        document.is_whole,
        document.form,
        document.fio_version,
        document.timestamp_s,
        len(document.jobs),
        document.prefix,
        document.suffix,
    )


def job_rows(place: Place, document: FioDocument, of_run: RunPlace) -> Iterator[Row]:
    """Return the rows of ``jobs``: directions, then syncs, entry by entry."""
    for entry, job in enumerate(document.jobs):
        is_whole = document.is_whole
        head = (*place, document.fio_version, entry, of_run.is_result, is_whole)
        who = (job.hostname, job.name, job.group_id)
        ended = (job.error, job.total_errors, job.started_s, job.elapsed_s)
        cpu = (job.usr_cpu_percent, job.sys_cpu_percent)
        for side in job.sides.values():
            measured = _side_values(side, job.failed_ios(side))
            yield (
                *head,
                job.is_sum(side),
                *who,
                side.direction,
                *ended,
                *measured,
                *cpu,
            )
        if job.sync is not None:
            measured = _sync_values(job.sync)
            yield (*head, job.is_aggregate, *who, "sync", *ended, *measured, *cpu)


def _side_values(side: FioSide, failed_ios: int | None) -> Row:
    slat, clat, lat = (
        _summary_values(side.latencies.get(kind)) for kind in LATENCY_KINDS
    )
    return (
        side.runtime_ms,
        side.total_ios,
        side.short_ios,
        side.dropped_ios,
        failed_ios,
        side.io_bytes,
        side.iops,
        side.bw_bytes_per_s,
        *slat,
        *clat,
        *lat,
        *_rate_values(side.sampled_iops),
        *_rate_values(side.sampled_bw),
    )


def _sync_values(sync: FioSync) -> Row:
    ios = (None, sync.total_ios, None, None, None, None, None, None)
    unknown = _NOTHING_OF_FOUR
    return (*ios, *unknown, *unknown, *_summary_values(sync.lat), *unknown, *unknown)


def _summary_values(latency: FioLatency | None) -> Row:
    if latency is None:
        return _NOTHING_OF_FOUR
    summary = latency.summary
    return summary.min_ns, summary.mean_ns, summary.stddev_ns, summary.max_ns


def _rate_values(rate: RateSummary | None) -> Row:
    if rate is None:
        return _NOTHING_OF_FOUR
    return rate.minimum, rate.mean, rate.stddev, rate.maximum


def option_rows(place: Place, document: FioDocument) -> Iterator[Row]:
    """Return the rows of ``options``: those of all entries first."""
    for number, option in enumerate(document.global_options):
        yield (*place, None, option.hostname, option.name, number, option.value)
    for entry, job in enumerate(document.jobs):
        for number, option in enumerate(job.options):
            hostname = option.hostname or job.hostname
            yield (*place, entry, hostname, option.name, number, option.value)


def disk_rows(place: Place, document: FioDocument) -> Iterator[Row]:
    """Return the rows of ``disks``."""
    for disk in document.disks:
        yield (
            *place,
            disk.hostname,
            disk.name,
            disk.is_of_members,
            disk.read_ios,
            disk.write_ios,
            disk.read_merges,
            disk.write_merges,
            disk.read_ticks_ms,
            disk.write_ticks_ms,
            disk.in_queue_ms,
            disk.util_percent,
        )


def steady_state_rows(place: Place, document: FioDocument) -> Iterator[Row]:
    """Return the rows of ``steadystate``: one per sample, or only the rule."""
    for entry, job in enumerate(document.jobs):
        state = job.steady_state
        if state is None:
            continue
        for sample in _samples(state):
            yield (
                *place,
                entry,
                *sample,
                state.criterion,
                state.duration_s,
                state.is_attained,
                state.found,
                state.max_deviation,
                state.slope,
                state.iops_mean,
                state.bw_mean_bytes_per_s,
                state.lat_mean_ns,
            )


def _samples(state: FioSteadyState) -> Iterator[Row]:
    kinds = (state.iops, state.bw_bytes_per_s, state.lat_ns)
    count = max(map(len, kinds))
    for number in range(count):
        yield (number, *(_at(samples, number) for samples in kinds))
    if not count:
        yield None, None, None, None


def _at(values: tuple[float, ...], place: int) -> float | None:
    return values[place] if place < len(values) else None
