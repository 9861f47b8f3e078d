"""How a run of the peak jobs departs from the published ones, by the jobs that ran."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.fio.jobs.published import count_cpus, differing_options
from ssdlab.fio.jobs.workload import parse_seconds
from ssdlab.paper.context import Context
from ssdlab.procedures.peak.spec import find_format_advice, job_phase
from ssdlab.reference.hgst import PeakJob, read_hgst_peak_jobs

Job = Mapping[str, str | None]

# What fio prints, keeps and logs, and what names the target: these change no IO.
_READING = {
    *("disk_util", "lat_percentiles", "clat_percentiles", "percentile_list"),
    *("log_avg_msec", "per_job_logs"),
    *("write_iops_log", "write_bw_log", "write_lat_log"),
}
_REACH = {"filename", "uri", "allow_file_create"}
_SEED = "randseed"
_CPUS = "cpus_allowed"
_TIMES = {"runtime", "ramp_time"}
_MISCOUNTED_RATIO = 0.01
_OVERRUN_RATIO = 1.05


def jobs_that_ran(context: Context, test: str) -> dict[str, Job]:
    """Return the options of each job that was done, by its number."""
    steps = context.steps_of(test).set_index("phase")["step_id"]
    ran: dict[str, Job] = {}
    for job in read_hgst_peak_jobs():
        step_id = steps.get(job_phase(job.number))
        text = context.run.job_file(str(step_id)) if step_id is not None else ""
        if text:
            ran[job.number] = parse_job_file(text).resolved(0)
    return ran


def find_deviations(context: Context, ran: Mapping[str, Job]) -> dict[str, list[str]]:
    """Return each deviation from the published options in words, with its jobs."""
    found: dict[str, list[str]] = {}
    for job in read_hgst_peak_jobs():
        if job.number in ran:
            for words in _deviations_of(context, job, ran[job.number]):
                found.setdefault(words, []).append(job.number)
    return found


def added_options(ran: Mapping[str, Job]) -> list[str]:
    """Return the names of the options that were added for reading and for the seed."""
    names = {name for options in ran.values() for name in options}
    return sorted(names & {*_READING, _SEED})


def crowded_text(job: PeakJob, ran: Job) -> str:
    """Say that a job ran on fewer processors than it has fio jobs; else nothing."""
    options = dict(job.options)
    threads = int(options.get("numjobs", "1"))
    if not ran or threads == 1:
        return ""
    allowed = ran.get(_CPUS)
    if not allowed:
        return f"{threads} jobs on CPUs that this host lacks: {options[_CPUS]}"
    try:
        cpus = count_cpus(allowed)
    except ValueError:
        return ""
    plural = "s" if cpus > 1 else ""
    return f"{threads} jobs on {cpus} CPU{plural}" if cpus < threads else ""


def warnings(context: Context, ran: Mapping[str, Job]) -> Iterator[str]:
    """Yield what makes the numbers of this run doubtful."""
    if _is_unpurged(context):
        writing = [n for n, job in ran.items() if job.get("rwmixread", "0") == "0"]
        did = f" {_jobs(writing)} did not start on a formatted device." * bool(writing)
        yield (
            f"Format before a job that writes: {context.record.purge_method}.{did} The "
            "guide detaches, formats and attaches the device."
        )
    crowded: dict[str, list[str]] = {}
    for job in read_hgst_peak_jobs():
        if words := crowded_text(job, ran.get(job.number, {})):
            crowded.setdefault(words, []).append(job.number)
    for words, numbers in crowded.items():
        yield (
            f"{_jobs(numbers)}: {words}. The host may have limited the peak; the guide "
            "gives four jobs four CPUs."
        )


def remarks(
    context: Context, ran: Mapping[str, Job], frame: pd.DataFrame
) -> Iterator[str]:
    """Yield what else a reader must know of this run."""
    target = context.record.target
    if not _is_unpurged(context):
        yield (
            f"Format before a job that writes: {context.record.purge_method}. The "
            "guide detaches, formats and attaches the device."
        )
    sizes = [int(size) for size in frame["block_size_bytes"].dropna()]
    if sizes and target.sector_bytes:
        yield from find_format_advice(target.sector_bytes, sizes)
    yield from _cached(ran)
    yield from _rest_unwritten(context, frame)
    yield from _counted(frame)
    yield from _overran(ran, frame)
    if any(parse_seconds(str(job.get("ramp_time"))) for job in ran.values()):
        yield (
            "What a job completes in its ramp is not in its numbers, nor in the bytes "
            "and drive fills of the steps: more was written than they say. IOs "
            "submitted in the ramp that ended after it are counted."
        )


def _is_unpurged(context: Context) -> bool:
    choice = context.record.purge_choice
    return choice is not None and choice.method == "none"


def _deviations_of(context: Context, job: PeakJob, ran: Job) -> Iterator[str]:
    differing = differing_options(dict(job.options), ran)
    for name, (published, value) in differing.items():
        if published is None and name in {*_READING, *_REACH, _SEED}:
            continue
        yield _words(context, name, said=(published, value))


def _words(context: Context, name: str, *, said: tuple[str | None, str | None]) -> str:
    published, value = (_shown(name, text) for text in said)
    if published is None:
        return f"{name}={value}: the published job does not set it"
    ran = "left out" if value is None else value
    return f"{name}: {ran} instead of {published}{_reason(context, name, value)}"


def _shown(name: str, value: str | None) -> str | None:
    seconds = parse_seconds(value) if value and name in _TIMES else None
    return value if seconds is None else f"{seconds:g} s"


def _reason(context: Context, name: str, value: str | None) -> str:
    if name in _TIMES:
        return ", scaled"
    if name == "ioengine":
        kinds = {"virtual": "the virtual SSD", "file": "the file"}
        return f", which reaches {kinds.get(context.record.target.kind, 'the device')}"
    if name == _CPUS:
        has = "this host has none of them" if value is None else "which this host has"
        return f", {has} ({context.record.host.cpu})"
    return ""


def _cached(ran: Mapping[str, Job]) -> Iterator[str]:
    """Say for a job without direct whether a page cache is in front of its target."""
    buffered = [n for n, job in ran.items() if job.get("direct", "0") == "0"]
    if not buffered:
        return
    jobs = _jobs(buffered)
    if "filename" not in ran[buffered[0]]:
        yield (
            f"{jobs} has no direct=1, as published. It makes no difference here: there "
            "is no page cache between fio and this target."
        )
        return
    yield (
        f"{jobs} has no direct=1, as published: it goes through the page cache of the "
        "host. Its numbers may be those of memory, and data that has not reached the "
        "device at its end is written while the next job starts."
    )


def _rest_unwritten(context: Context, frame: pd.DataFrame) -> Iterator[str]:
    """Say what a fill by whole blocks leaves at the end of the device."""
    for _, row in frame[frame["access"] == "seq"].iterrows():
        rest = context.record.target.capacity_bytes % int(row["block_size_bytes"])
        if rest:
            yield (
                f"Job {row['job']} leaves the last {rest:,} B of the device unwritten: "
                "less than a block."
            )


def _counted(frame: pd.DataFrame) -> Iterator[str]:
    """Say where fio's bytes, or its own count, cover other IOs than its histogram."""
    more = frame["ios_by_bytes"] - frame["total_ios"]
    said = [
        f"job {number} {count:+,}"
        for number, count in zip(frame["job"], more, strict=True)
        if pd.notna(count) and count
    ]
    if said:
        yield (
            "MB/s come from the bytes that fio counted, IOPS from the IOs in its "
            "histogram. The bytes include a few more IOs, completed in one batch with "
            f"the IO that ended the ramp: {', '.join(said)}. So IOPS times block size "
            "is not exactly MB/s."
        )
    differs = (frame["iops"] - frame["fio_iops"]).abs() > (
        frame["iops"] * _MISCOUNTED_RATIO
    )
    said = [
        f"job {row['job']} {row['fio_iops']:,.1f}"
        for _, row in frame[differs.fillna(value=False)].iterrows()
    ]
    if said:
        yield (
            "fio itself prints other IOPS: it counts an IO at submission, so those "
            "outstanding when the ramp ended are in its bytes and histogram, but not "
            f"in its own count: {', '.join(said)}."
        )


def _overran(ran: Mapping[str, Job], frame: pd.DataFrame) -> Iterator[str]:
    said = []
    for _, row in frame.iterrows():
        asked = parse_seconds(str(ran.get(str(row["job"]), {}).get("runtime")))
        took: Any = row["runtime_s"]
        if asked and pd.notna(took) and took > asked * _OVERRUN_RATIO:
            said.append(f"job {row['job']} {took:.1f} s instead of {asked:g} s")
    if said:
        yield (
            f"Ran longer than requested: {', '.join(said)}. When the time is over, fio "
            "waits for outstanding IOs and counts them and that time."
        )


def _jobs(numbers: list[str]) -> str:
    return f"Job{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
