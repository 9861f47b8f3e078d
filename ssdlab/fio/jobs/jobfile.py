"""A step as a fio job file: pts.md section 20.

Thread count is ``numjobs`` and queue depth is ``iodepth``; every cell is time based
and direct, with its own recorded seed, on the 64 bit generator.
"""

from collections.abc import Collection, Mapping

from ssdlab.fio.jobs.jobspec import JobFile, JobSection, render_job_file
from ssdlab.fio.jobs.published import published_end, published_options
from ssdlab.fio.jobs.streams import stream_options
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step

PERCENTILES = (50, 90, 95, 99, 99.5, 99.9, 99.99, 99.999, 99.9999)

Options = dict[str, str]

# What reading the output needs; no IO changes by it.
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
) -> str:
    """Return the job file of a fio step on a target.

    Parameters
    ----------
    step : Step
        A step with a workload.
    target_options : mapping of str to str
        The fio options that reach the target, such as ``ioengine`` and ``filename``.
    cpus : set of int, optional
        The processors of the host, of which a published job may name some.

    Returns
    -------
    str
        The text of the job file.

    Raises
    ------
    ValueError
        If the step has no workload, or neither or both of time and amount, or if
        fio could not read an option of the target back.
    """
    workload = step.workload
    if workload is None or (step.runtime_s is None) == (step.io_bytes is None):
        msg = f"step {step.step_id} is no fio step with one way to end"
        raise ValueError(msg)
    if workload.fio_options:
        shared = published_options(workload, target_options, cpus=cpus)
        last = {"job": published_end(step) | _series(step)}
    else:
        shared = {**target_options, **_shared(step, workload)}
        last = _timed(step) if step.io_bytes is None else _fill(step, workload)
    shared |= {"randseed": str(step.seed), **_READING}
    return render_job_file(_job_file({"global": shared} | last))


def _shared(step: Step, workload: Workload) -> Options:
    """Return what holds for every job of ours, however it ends."""
    is_plain = workload.composite is None and not workload.streams
    has_map = step.uses_random_map and is_plain
    shared = {
        "direct": "1",
        "thread": "1",
        "group_reporting": "1",
        **_stimulus(workload),
        "numjobs": str(workload.threads),
        "iodepth": str(workload.queue_depth),
        "refill_buffers": "1",
        "randrepeat": "0",
        "random_generator": "tausworthe64",
        "norandommap": "0" if has_map else "1",
    }
    if has_map:
        del shared["random_generator"]  # fio's map wants its own generator
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
    """Return the size of the blocks, or the shares of many: pts.md 12.1."""
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
    options = {
        "time_based": "1",
        "runtime": f"{round((step.runtime_s or 0) * 1000)}ms",
        "offset": str(step.offset_bytes),
        "size": str(step.range_bytes - step.offset_bytes),
    }
    return {"cell": options | _series(step)}


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
    """Return the sections of a fill that reaches the last sector as often as the rest.

    fio leaves out what is left of a range when it is no whole block; a second
    section writes that tail as one smaller block, once for each pass of each thread.
    """
    amount, span = step.io_bytes or 0, step.range_bytes
    tail = span % workload.block_size_bytes
    if not tail:
        return {"fill": {"size": str(span), "io_size": str(amount)}}
    tails = amount // span * tail
    return {
        "fill": {"size": str(span - tail), "io_size": str(amount - tails)},
        "tail": {
            "offset": str(span - tail),
            "size": str(tail),
            "io_size": str(tails * workload.threads),
            "bs": str(tail),
            "iodepth": "1",
            "numjobs": "1",
        },
    }


def _job_file(sections: Mapping[str, Mapping[str, str]]) -> JobFile:
    return JobFile(
        sections=tuple(
            JobSection(name=name, options=tuple(options.items()))
            for name, options in sections.items()
        )
    )
