"""A job file of a user as stimuli: what of it a run carries out, and what it refuses.

Jobs between two stonewalls run together, so they are one stimulus. Every job runs on
the target of the run, by time, with latencies measured: options that would leave the
target, run a program, read or write a file, or end a job in another way are refused.
Options are passed on from a closed list: decision 105.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Final, NoReturn

from ssdlab.fio.jobs.iolog import ReadLog
from ssdlab.fio.jobs.jobspec import JobFile, parse_job_file
from ssdlab.fio.jobs.workload import (
    DEFAULT_BLOCK,
    SYNCHRONOUS_ENGINES,
    describe_workload,
    parse_seconds,
    parse_size,
    parse_size_range,
)
from ssdlab.model.errors import FioOutputError, UserFileError
from ssdlab.model.fio_option import JOB_ENGINES, JOB_OPTIONS, JobOption
from ssdlab.model.spec import (
    LONGEST_JOB_NAME,
    MIXED_PERCENT,
    FileJob,
    Replay,
    Workload,
    is_job_name,
)
from ssdlab.model.units import capacity_label

_MOST_JOBS: Final = 64
_MOST_THREADS: Final = 1024
DEFAULT_ENGINE: Final = "psync"

# What ssdlab sets itself, or reads from the output: no IO differs without them.
_SET_BY_SSDLAB: Final = frozenset({
    *("name", "description", "group_reporting", "new_group", "thread", "stats"),
    *("randseed", "randrepeat", "allrandrepeat", "invalidate", "disk_util"),
    *("lat_percentiles", "clat_percentiles", "slat_percentiles", "percentile_list"),
    *("significant_figures", "unified_rw_reporting", "per_job_logs"),
    *("write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log"),
    *("log_avg_msec", "log_hist_msec", "log_hist_coarseness", "log_max_value"),
    *("log_offset", "log_prio", "log_compression", "log_store_compressed"),
    *("log_unix_epoch", "log_alternate_epoch", "bwavgtime", "iopsavgtime"),
    *("time_based", "stonewall"),
})
_REASONS: Final[Mapping[str, frozenset[str]]] = {
    "names a target or a file of its own, and every job runs on that of the run": (
        frozenset({
            *("filename", "directory", "filename_format", "unique_filename"),
            *("opendir", "lockfile", "nrfiles", "openfiles", "file_service_type"),
            *("filesize", "file_append", "fill_device", "create_on_open"),
            *("create_only", "create_serialize", "create_fsync", "allow_file_create"),
            *("allow_mounted_write", "unlink", "unlink_each_loop", "pre_read"),
            *("overwrite", "fallocate", "hostname", "port", "uri", "replay_redirect"),
        })
    ),
    "runs another program": frozenset({"exec_prerun", "exec_postrun", "profile"}),
    "reads or writes another file": frozenset({
        *("include", "read_iolog", "write_iolog", "merge_blktrace_file"),
        *("verify_state_load", "verify_state_save", "verify_dump"),
    }),
    "checks data, which costs time that would be measured": frozenset({
        *("verify", "do_verify", "verify_only", "verify_interval", "verify_pattern"),
        *("verify_fatal", "verify_async", "verify_backlog", "trim_verify_zero"),
    }),
    "changes the host": frozenset({
        *("cgroup", "cgroup_weight", "cgroup_nodelete", "uid", "gid", "nice", "prio"),
        *("prioclass", "ioscheduler", "lockmem", "mem", "hugepage-size"),
        *("numa_cpu_nodes", "numa_mem_policy", "cpumask"),
    }),
    "ends jobs by a rule of its own, and ssdlab ends them by time": frozenset({
        *("number_ios", "io_size", "loops", "exitall", "exit_what", "max_latency"),
        *("exitall_on_error", "steadystate", "steadystate_duration"),
        *("latency_target", "latency_window", "latency_percentile", "latency_run"),
    }),
    "hides errors": frozenset({"continue_on_error", "ignore_error", "error_dump"}),
    "leaves latencies out": frozenset({
        *("gtod_reduce", "disable_lat", "disable_clat", "disable_slat"),
        *("disable_bw_measurement", "gtod_cpu"),
    }),
    "makes jobs wait for each other; use stonewall": frozenset({"wait_for"}),
}
_LOG: Final = "read_iolog"
_OF_REPLAYS: Final = frozenset({
    *("ioengine", "iodepth", "direct", "buffered", "fixedbufs", "registerfiles"),
    *("sqthread_poll", "sqthread_poll_cpu", "hipri", "nonvectored", "userspace_reap"),
    *("cpus_allowed", "cpus_allowed_policy", "runtime", "startdelay"),
    *("replay_no_stall", "replay_time_scale"),
})
_SAID_BY_LOG: Final = frozenset({  # without effect: the log has the IOs
    *("rw", "rw_sequencer", "rwmixread", "rwmixwrite", "bs", "bsrange", "bssplit"),
    *("ba", "bs_unaligned", "bs_is_seq_rand", "size", "offset", "offset_increment"),
    *("offset_align", "norandommap", "random_generator", "random_distribution"),
    *("percentage_random",),
})
_REPLAY_SLACK: Final = 1.05  # a drive that falls behind has so much longer
_REPLAY_SLACK_S: Final = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class FileStimulus:
    """Jobs that run together, and how long the file lets them run.

    ``name`` is that of the workload without what a matrix changes. ``left_out`` are the
    names of options that ssdlab sets itself. ``runtime_s`` is ``None`` if the file says
    nothing [s]. ``logs`` are what its jobs replay, by the names under which a run keeps
    them.
    """

    name: str
    workload: Workload
    runtime_s: float | None
    left_out: tuple[str, ...]
    logs: Mapping[str, bytes] = field(default_factory=dict)


def read_file_jobs(
    text: str,
    *,
    source: str,
    changes: Mapping[str, str] | None = None,
    name: str = "",
    read_log: ReadLog | None = None,
) -> tuple[FileStimulus, ...]:
    r"""Return the stimuli of a job file, one for all jobs that run together.

    Parameters
    ----------
    text : str
        The job file.
    source : str
        Its name, for errors.
    changes : mapping, optional
        Options that replace those of every job: a cell of a matrix.
    name : str, optional
        What all jobs of the file are called together, instead of the file's name.
    read_log : callable, optional
        Returns an IO log beside the file, by its name; without it none is replayed.

    Raises
    ------
    UserFileError
        If it is no job file, or asks for what a run does not do.

    Examples
    --------
    >>> text = "[global]\niodepth=8\n[read]\nrw=randread\n[log]\nrw=write\nbs=64k\n"
    >>> (found,) = read_file_jobs(text, source="two.fio")
    >>> found.workload.name, [job.name for job in found.workload.jobs]
    ('two', ['read', 'log'])
    """
    try:
        job_file = parse_job_file(text, source=source)
    except FioOutputError as error:
        _refuse(source, error.reason)
    named = changes or {}
    _require_names(source, job_file)
    groups: list[list[_Asked]] = []
    for number, section in enumerate(job_file.jobs):
        if any(name == "include" for name, _ in section.options):
            _refuse_option(source, section.name, "include")
        options = job_file.resolved(number)
        asked = _ask(source, section.name, {**options, **named}, read_log=read_log)
        if not groups or _is_on(options, "stonewall"):
            groups.append([])
        groups[-1].append(asked)
    whole = name or PurePath(source).stem
    made = tuple(
        _together(source, group, named, whole=whole if name or len(groups) == 1 else "")
        for group in groups
    )
    names = [one.workload.name for one in made]
    if len(set(names)) < len(names):
        _refuse(source, "two groups of jobs have the same name; name the jobs apart")
    return made


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """One job: as it will run, and what else its section says."""

    job: FileJob
    block_size_bytes: int | None
    runtime_s: float | None
    left_out: tuple[str, ...] = ()
    log: bytes = b""


def _require_names(source: str, job_file: JobFile) -> None:
    names = [section.name for section in job_file.jobs]
    if not names:
        _refuse(source, "it has no job: a section that is not [global]")
    if len(names) > _MOST_JOBS:
        _refuse(source, f"it has {len(names)} jobs; at most {_MOST_JOBS} are measured")
    for name in names:
        if not is_job_name(name):
            _refuse(
                source,
                f"the job name {name[:90]!r} is not 1 to {LONGEST_JOB_NAME} printable "
                "characters without [ ] ; #",
            )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        _refuse(source, f"two jobs are named {twice!r}; results are told apart by name")
    for section in job_file.sections:
        if section.is_global and any(name == "include" for name, _ in section.options):
            _refuse_option(source, section.name, "include")


def _is_on(options: Mapping[str, str | None], flag: str) -> bool:
    """Return whether a flag is set; without a value it is."""
    return flag in options and (options[flag] or "1") != "0"


def _ask(
    source: str,
    name: str,
    options: Mapping[str, str | None],
    *,
    read_log: ReadLog | None,
) -> _Asked:
    """Return one job of a file, with every option checked."""
    if read_log is not None and _LOG in options:
        asked, without_effect = _of_replay(source, name, options)
        checked, left_out = _check(source, name, asked)
        log = options[_LOG] or ""
        replayed = _ask_replay(source, name, checked, log=log, read_log=read_log)
        return replace(replayed, left_out=(*without_effect, *left_out))
    checked, left_out = _check(source, name, options)
    kept = dict(checked)
    found = describe_workload(kept or {"rw": "read"})
    if found is None or found.threads is None or found.queue_depth is None:
        _refuse(source, f"[{name}] its numjobs or iodepth cannot be read")
    job = FileJob(
        name=name,
        options=_without_runtime(checked),
        block_sizes_bytes=_block_sizes(source, name, kept),
        access="rnd" if kept.get("rw", "read").startswith("rand") else "seq",
        read_percent=found.read_percent,
        threads=found.threads,
        queue_depth=found.queue_depth,
        ramp_s=sum(
            parse_seconds(kept.get(option, "0")) or 0.0
            for option in ("startdelay", "ramp_time")
        ),
    )
    return _Asked(
        job=job,
        block_size_bytes=found.block_size_bytes,
        runtime_s=_runtime_s(kept),
        left_out=left_out,
    )


def _check(
    source: str, name: str, options: Mapping[str, str | None]
) -> tuple[tuple[JobOption, ...], tuple[str, ...]]:
    """Return the options of a job that are passed on, and those that are left out."""
    kept: dict[str, str] = {}
    left_out = []
    is_by_time = _is_on(options, "time_based")
    for option, given in options.items():
        if option in _SET_BY_SSDLAB or (option == "loops" and is_by_time):
            left_out.append(option)
        elif option not in JOB_OPTIONS:
            _refuse_option(source, name, option)
        elif option == "ioengine" and given not in JOB_ENGINES:
            known = ", ".join(JOB_ENGINES)
            _refuse(source, f"[{name}] ioengine={given} is none of {known}")
        else:
            kept[option] = "1" if given is None else given.strip()
    engine = kept.get("ioengine", DEFAULT_ENGINE)
    if engine in SYNCHRONOUS_ENGINES and kept.get("iodepth", "1") != "1":
        del kept["iodepth"]  # has no effect: each thread has one IO at a time
        left_out.append("iodepth")
    try:
        checked = tuple(JobOption(option, value) for option, value in kept.items())
    except ValueError as error:
        _refuse(source, f"[{name}] {error}")
    return checked, tuple(left_out)


def _without_runtime(options: Sequence[JobOption]) -> tuple[JobOption, ...]:
    return tuple(one for one in options if one.name != "runtime")


def _runtime_s(options: Mapping[str, str]) -> float | None:
    return parse_seconds(options.get("runtime", "0")) or None


def _of_replay(
    source: str, name: str, options: Mapping[str, str | None]
) -> tuple[dict[str, str | None], tuple[str, ...]]:
    """Return the options that a replay may have, and those that have no effect."""
    unused = tuple(option for option in options if option in _SAID_BY_LOG)
    if options.get("numjobs", "1") != "1":
        _refuse(source, f"[{name}] each of its numjobs would replay all of the log")
    asked = {
        option: given
        for option, given in options.items()
        if option not in {*unused, _LOG, "numjobs"}
    }
    for option in asked:
        if option in JOB_OPTIONS - _OF_REPLAYS:
            _refuse(source, f"[{name}] {option} has no place beside {_LOG}")
    return asked, unused


def _ask_replay(
    source: str,
    name: str,
    options: tuple[JobOption, ...],
    *,
    log: str,
    read_log: ReadLog,
) -> _Asked:
    """Return a job that replays a log, which stands beside its file."""
    named = dict(options)
    if not is_job_name(log) or set(log) & set("/\\:") or log in {".", "..", "-"}:
        _refuse(source, f"[{name}] {_LOG}={log[:90]} does not stand beside the file")
    found = read_log(log)
    is_timed = found.span_us > 0 and named.get("replay_no_stall", "0") == "0"
    slower = 100 / int(named.get("replay_time_scale", "100"))
    moved = found.reads + found.writes
    replay = Replay(
        file=log,
        digest=found.digest,
        ios=found.ios,
        io_bytes=found.io_bytes,
        end_bytes=found.end_bytes,
        unit_bytes=found.unit_bytes,
        span_s=found.span_us * slower / 1e6 if is_timed else 0.0,
        pause_s=found.pause_us * slower / 1e6 if is_timed else 0.0,
        has_trims=found.trims > 0,
    )
    job = FileJob(
        name=name,
        options=_without_runtime(options),
        block_sizes_bytes=found.sizes_bytes,
        access="seq" if 2 * found.sequential_ios > found.ios else "rnd",
        read_percent=None if found.trims else round(100 * found.reads / moved),
        queue_depth=int(named.get("iodepth", "1")),
        ramp_s=parse_seconds(named.get("startdelay", "0")) or 0.0,
        replay=replay,
    )
    sizes = found.sizes_bytes
    return _Asked(
        job=job,
        block_size_bytes=sizes[0] if len(sizes) == 1 else None,
        runtime_s=_runtime_s(named),
        log=found.content,
    )


def _whole_replay_s(jobs: Sequence[FileJob]) -> float | None:
    """Return how long jobs may take that replay logs at their times, or ``None``."""
    spans = [0.0 if job.replay is None else job.replay.span_s for job in jobs]
    if not all(spans):
        return None
    return math.ceil(max(spans) * _REPLAY_SLACK + _REPLAY_SLACK_S)


def _together(
    source: str, asked: Sequence[_Asked], changes: Mapping[str, str], *, whole: str
) -> FileStimulus:
    """Return jobs that run at the same time as one stimulus.

    ``whole`` is the name of the file if these are all of its jobs.
    """
    jobs = tuple(one.job for one in asked)
    if all(job.replay is not None for job in jobs):
        for option in changes.keys() & _SAID_BY_LOG | changes.keys() & {"numjobs"}:
            _refuse(source, f"[{jobs[0].name}] {option} changes nothing in its log")
    threads = sum(job.threads for job in jobs)
    if threads > _MOST_THREADS:
        _refuse(source, f"{threads} threads are asked for; at most {_MOST_THREADS}")
    times = {one.runtime_s for one in asked}
    if len(times) > 1:
        names = ", ".join(job.name for job in jobs)
        _refuse(source, f"jobs that run together have several runtimes: {names}")
    sizes = {one.block_size_bytes for one in asked}
    shares = {job.read_percent for job in jobs}
    depths = {job.queue_depth for job in jobs}
    size, share, depth = (
        next(iter(values)) if len(values) == 1 else None
        for values in (sizes, shares, depths)
    )
    name = _name(whole, jobs)
    changed = " ".join(f"{option}={value}" for option, value in changes.items())
    workload = Workload(
        access="rnd" if any(job.access == "rnd" for job in jobs) else "seq",
        block_size_bytes=size or 0,
        read_percent=MIXED_PERCENT if share is None else share,
        threads=threads,
        queue_depth=depth or 0,
        name=", ".join(filter(None, (name, changed))),
        jobs=jobs,
    )
    left_out = dict.fromkeys(name for one in asked for name in one.left_out)
    return FileStimulus(
        name=name,
        workload=workload,
        runtime_s=times.pop() or _whole_replay_s(jobs),
        left_out=tuple(left_out),
        logs={
            one.job.replay.kept_as: one.log
            for one in asked
            if one.job.replay is not None
        },
    )


def _name(whole: str, jobs: Sequence[FileJob]) -> str:
    """Return a name by the file or the jobs."""
    names = whole or " + ".join(job.name for job in jobs)
    if len(names) > LONGEST_JOB_NAME:
        return f"{jobs[0].name[:50]} and {len(jobs) - 1} more"
    return names


def _block_sizes(source: str, name: str, options: Mapping[str, str]) -> tuple[int, ...]:
    """Return the sizes of blocks that options name, in ascending order [B]."""
    sizes = set(_named_sizes(options))
    if None in sizes or 0 in sizes:
        _refuse(source, f"[{name}] its block sizes cannot be read")
    return tuple(sorted(size for size in sizes if size))


def _named_sizes(options: Mapping[str, str]) -> Iterator[int | None]:
    if "bssplit" in options:
        for part in re.split("[:,]", options["bssplit"]):
            yield parse_size(part.partition("/")[0])
    elif "bsrange" in options:
        for part in options["bsrange"].split(","):
            yield from parse_size_range(part) or (None,)
    else:
        for part in re.split("[,:-]", options.get("bs", DEFAULT_BLOCK)):
            yield parse_size(part)


def find_overrun(job: FileJob, capacity_bytes: int) -> str:
    """Return which place of a job lies behind the end of a device, or an empty text.

    >>> from ssdlab.model.fio_option import JobOption
    >>> far = (JobOption("offset", "3g"), JobOption("size", "2g"))
    >>> find_overrun(FileJob(name="a", options=far, block_sizes_bytes=(4096,)), 4 << 30)
    'job a: offset 3g and size 2g'
    """
    if job.replay is not None:
        reaches = capacity_label(job.replay.end_bytes)
        is_beyond = job.replay.end_bytes > capacity_bytes
        return f"job {job.name}: {job.replay.file} to {reaches}" if is_beyond else ""
    options = dict(job.options)
    first = _place(options.get("offset", "0"), capacity_bytes)
    apart = _place(options.get("offset_increment", "0"), capacity_bytes)
    last = first + apart * (job.threads - 1)
    size = _place(options.get("size", "0"), capacity_bytes)
    if last + size <= capacity_bytes and last < capacity_bytes:
        return ""
    names = ("offset", "offset_increment", "size")
    said = " and ".join(f"{one} {options[one]}" for one in names if one in options)
    return f"job {job.name}: {said}"


def _place(text: str, capacity_bytes: int) -> int:
    if text.endswith("%"):
        return capacity_bytes * int(text[:-1]) // 100
    return parse_size(text) or 0


def _refuse_option(source: str, section: str, option: str) -> NoReturn:
    why = next(
        (reason for reason, names in _REASONS.items() if option in names),
        "is not an option that ssdlab passes on to fio",
    )
    _refuse(source, f"[{section}] {option} {why}")


def _refuse(source: str, reason: str) -> NoReturn:
    raise UserFileError(source=source, reason=reason) from None
