"""A step as a fio job file.

Thread count is ``numjobs`` and queue depth is ``iodepth``; every cell is time based
and direct, with its own recorded seed, on the 64 bit generator.
"""

from collections.abc import Collection, Mapping

from ssdlab.fio.jobs.jobspec import JobFile, JobSection, render_job_file
from ssdlab.fio.jobs.published import (
    file_job_options,
    published_end,
    published_options,
)
from ssdlab.fio.jobs.segments import segment_options
from ssdlab.fio.jobs.streams import stream_options
from ssdlab.model.io_engine import AUTO_ENGINE, reached_by
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step

PERCENTILES = (50, 90, 95, 99, 99.5, 99.9, 99.99, 99.999, 99.9999)

Options = dict[str, str]

# Required for reading the output; no effect on IO.
_READING = {
    "disk_util": "0",
    "lat_percentiles": "1",
    "clat_percentiles": "0",
    "percentile_list": ":".join(f"{level:g}" for level in PERCENTILES),
}


def render_job(
    step: Step,
    target_options: Mapping[str, str],
    *,
    cpus: Collection[int] | None = None,
    io_engine: str = AUTO_ENGINE,
) -> str:
    """Return the job file of a fio step on a target, reached by an engine.

    Published jobs and those of a user's file name their own engine.
    """
    workload = step.workload
    if workload is None or (step.runtime_s is None and step.io_bytes is None):
        msg = f"step {step.step_id} is not a fio step, or has no end"
        raise ValueError(msg)
    if workload.jobs:
        shared = {**target_options, "thread": "1", "time_based": "1"}
        shared |= {"runtime": f"{round((step.runtime_s or 0) * 1000)}ms"}
        last = {
            job.name: file_job_options(job, target_options, cpus=cpus) | _series(step)
            for job in workload.jobs
        }
    elif workload.fio_options:
        shared = published_options(workload, target_options, cpus=cpus)
        last = {"job": published_end(step) | _series(step)}
    else:
        depth = workload.queue_depth
        reached = reached_by(target_options, io_engine, queue_depth=depth)
        shared = reached | _shared(step, workload)
        shared["direct"] = reached.get("direct", "1")  # /dev/zero takes none
        last = _fill(step, workload) if step.runtime_s is None else _timed(step)
    shared |= {"randseed": str(step.seed), **_READING}
    return render_job_file(_job_file({"global": shared} | last))


def _shared(step: Step, workload: Workload) -> Options:
    """Return the options of every job of ssdlab."""
    is_plain = workload.composite is None and not workload.streams
    has_map = step.uses_random_map and is_plain and step.segments is None
    shared = {
        "direct": "1",
        "thread": "1",
        "group_reporting": "1",
        **_stimulus(workload),
        **segment_options(step),
        "numjobs": str(workload.threads),
        "iodepth": str(workload.queue_depth),
        "refill_buffers": "1",
        "randrepeat": "0",
        "random_generator": "tausworthe64",
        "norandommap": "0" if has_map else "1",
    }
    if has_map or step.over_provisioning is not None:
        del shared["random_generator"]  # fio's map needs its own generator
    return shared


def _stimulus(workload: Workload) -> Options:
    """Return direction, mix and sizes."""
    if workload.streams:
        return stream_options(workload)
    return {"rw": _direction(workload), **_mix(workload), **_blocks(workload)}


def _direction(workload: Workload) -> str:
    names = {
        ("rnd", 100): "randread",
        ("rnd", 0): "randwrite",
        ("seq", 100): "read",
        ("seq", 0): "write",
    }
    mixed = {"rnd": "randrw", "seq": "rw"}
    return names.get((workload.access, workload.read_percent), mixed[workload.access])


def _mix(workload: Workload) -> Options:
    if workload.read_percent in {0, 100}:
        return {}
    return {"rwmixread": str(workload.read_percent)}


def _blocks(workload: Workload) -> Options:
    """Return the size of the blocks, or the shares of many: PTS 2.0.2, section 13."""
    composite = workload.composite
    if composite is None:
        return {"bs": str(workload.block_size_bytes)}
    shares = (f"{size}/{share}" for size, share in composite.block_shares)
    zones = (f"{share}/{part}" for share, part in composite.zones)
    options = {
        "bssplit": ":".join(shares),
        "random_distribution": f"zoned:{':'.join(zones)}",
    }
    if composite.alignment_bytes:
        options["blockalign"] = str(composite.alignment_bytes)
    return options


def _timed(step: Step) -> dict[str, Options]:
    by_amount = {"io_size": str(step.io_bytes)}  # per thread: fio has no group limit
    options = {
        **({"time_based": "1"} if step.io_bytes is None else by_amount),
        "runtime": f"{round((step.runtime_s or 0) * 1000)}ms",
        "offset": str(step.offset_bytes),
        "size": str(_span_bytes(step) - step.offset_bytes),
    }
    return {"cell": options | _series(step)}


def _span_bytes(step: Step) -> int:
    return step.segments.span_bytes if step.segments else step.range_bytes


def _series(step: Step) -> Options:
    if step.series_interval_ms is None:
        return {}
    return {
        "log_avg_msec": str(step.series_interval_ms),
        "per_job_logs": "0",
        "write_iops_log": "series",
        "write_bw_log": "series",
        "write_lat_log": "series",
    }


def _fill(step: Step, workload: Workload) -> dict[str, Options]:
    """Return the sections of a fill that reaches every sector equally often.

    One by ``sprandom`` ends by itself.

    A divided range has equal parts of whole blocks, one for each thread. The remaining
    blocks, and a tail of less than a block, which fio would leave out, have a section
    each: it writes them as often as the range is written.
    """
    if step.over_provisioning is not None:
        spare = f"{step.over_provisioning:g}"
        options = {"sprandom": "1", "spr_op": spare, "size": str(step.range_bytes)}
        return {"fill": options}
    amount, span, block = (
        step.io_bytes or 0,
        step.range_bytes,
        workload.block_size_bytes,
    )
    blocks, tail = divmod(span, block)
    parts = max(1, min(workload.threads, blocks)) if step.is_divided else 1
    rest = blocks % parts * block
    passes = amount // span
    share = amount - passes * (rest + tail)
    if parts > 1:
        share = -(-share // (parts * block)) * block
    part = blocks // parts * block
    sections: dict[str, Options] = {}
    if part:
        sections["fill"] = {"size": str(part), "io_size": str(share)}
    if part and step.is_divided:
        sections["fill"] |= {"numjobs": str(parts), "offset_increment": str(part)}
    repeats = passes if step.is_divided else passes * workload.threads
    for name, size, block_bytes in (("rest", rest, block), ("tail", tail, tail)):
        if size:
            sections[name] = {
                "offset": str(parts * part if name == "rest" else span - tail),
                "size": str(size),
                "io_size": str(repeats * size),
                "bs": str(block_bytes),
                "iodepth": "1",
                "numjobs": "1",
            }
    return sections


def count_threads(step: Step) -> int:
    """Return how many threads fio starts for a step."""
    work = step.workload
    if work is None:
        msg = f"step {step.step_id} is not a fio step"
        raise ValueError(msg)
    if work.fio_options or step.runtime_s is not None:
        return work.threads
    sections = _fill(step, work).values()
    return sum(int(options.get("numjobs", work.threads)) for options in sections)


def _job_file(sections: Mapping[str, Mapping[str, str]]) -> JobFile:
    return JobFile(
        sections=tuple(
            JobSection(name=name, options=tuple(options.items()))
            for name, options in sections.items()
        )
    )
