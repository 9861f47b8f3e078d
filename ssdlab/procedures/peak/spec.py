"""Seven jobs for peak numbers: HGST/WD, 17 April 2018."""

from collections.abc import Iterable, Iterator

from ssdlab.model.asked import Procedure
from ssdlab.model.fio_option import fio_options
from ssdlab.model.spec import (
    Access,
    Histogram,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Workload,
)
from ssdlab.model.units import KIB, parse_size
from ssdlab.reference.hgst import PeakJob, read_hgst_peak_jobs

PEAK = "peak"
SOURCE = "HGST/WD, Flash Performance Best Practices, 17 April 2018"
SECONDS, RAMP_S = 30, 5  # HGST/WD, 17 April 2018
_FILL_CAPACITIES = 1.0
_ALL_OF_IT = "100%"
_SMALL_BYTES = 4 * KIB  # the guide's border between its two formats
_SMALL_SECTOR_BYTES = 512
_NOT_PTS = (
    "These are not tests of the PTS: there is no steady state, and each job that "
    "writes starts on a purged device. They show peaks that a device does not sustain."
)
_RULES = (
    "The guide's rules: the jobs in their order; a format before each job that writes; "
    "job 04, which writes everything once, before any job that reads, because reads of "
    "unwritten blocks do not touch the flash."
)


def peak(*, seconds: float = SECONDS, ramp_s: int = RAMP_S) -> Procedure:
    """Return the seven jobs as one test, each that writes after a purge."""
    if not seconds > 0 or ramp_s < 0:
        msg = f"a job of {seconds:g} s after {ramp_s} s measures nothing"
        raise ValueError(msg)
    return Procedure(
        name=PEAK,
        title="HGST/WD peak jobs",
        source=SOURCE,
        tests=(
            PtsTest(
                test_id=PEAK,
                title="Peak jobs",
                pts_section="",
                phases=tuple(_phases(seconds=seconds, ramp_s=ramp_s)),
            ),
        ),
        notes=(_NOT_PTS, _RULES, *_scaling(seconds=seconds, ramp_s=ramp_s)),
    )


def job_phase(number: str) -> str:
    """Return the name of the phase that is a job, such as ``job-01``."""
    return f"job-{number}"


def find_format_advice(
    sector_bytes: int, block_sizes_bytes: Iterable[int]
) -> tuple[str, ...]:
    """Return where the sectors of a device differ from the guide's recommendation.

    Sectors of 512 B are for blocks smaller than 4 KiB, of 4 KiB for all others. A
    device whose sectors are not known has none of these findings.
    """
    sizes = tuple(block_sizes_bytes)
    found = []
    if sector_bytes == _SMALL_SECTOR_BYTES and max(sizes) >= _SMALL_BYTES:
        all_of = "all jobs" if min(sizes) >= _SMALL_BYTES else "some jobs"
        found.append(
            f"The device has sectors of 512 B, and {all_of} have blocks of 4 KiB or "
            "larger: for these, the guide recommends sectors of 4 KiB."
        )
    if sector_bytes > _SMALL_SECTOR_BYTES and min(sizes) < _SMALL_BYTES:
        found.append(
            f"The device has sectors of {sector_bytes:,} B, and some jobs have blocks "
            "smaller than 4 KiB: for these, the guide recommends sectors of 512 B."
        )
    return tuple(found)


def _phases(*, seconds: float, ramp_s: int) -> Iterator[Phase]:
    for job in read_hgst_peak_jobs():
        options = dict(job.options)
        if _read_percent(options) < 100:
            yield Purge(phase_id=f"format-{job.number}")
        is_timed = options.pop("runtime", None) is not None
        if is_timed:
            options["ramp_time"] = str(ramp_s)
            yield Histogram(
                phase_id=job_phase(job.number),
                workload=_workload(options),
                seconds=seconds,
            )
        else:
            yield _fill(job, options)


def _fill(job: PeakJob, options: dict[str, str]) -> Precondition:
    """Return the job that ends when everything was written."""
    work = _workload(options)
    if options.get("size") != _ALL_OF_IT or work.access != "seq" or work.read_percent:
        msg = f"job {job.number} has no end: neither a time nor everything written"
        raise ValueError(msg)
    return Precondition(
        phase_id=job_phase(job.number),
        block_size_bytes=work.block_size_bytes,
        queue_depth=work.queue_depth,
        capacity_multiple=_FILL_CAPACITIES,
        threads=work.threads,
        fio_options=work.fio_options,
    )


def _workload(options: dict[str, str]) -> Workload:
    access: Access = "rnd" if options["rw"].startswith("rand") else "seq"
    return Workload(
        access=access,
        block_size_bytes=parse_size(options["bs"]),
        read_percent=_read_percent(options),
        threads=int(options.get("numjobs", 1)),
        queue_depth=int(options["iodepth"]),
        fio_options=fio_options(options),
    )


def _read_percent(options: dict[str, str]) -> int:
    return 0 if options["rw"] == "write" else int(options["rwmixread"])


def _scaling(*, seconds: float, ramp_s: int) -> Iterator[str]:
    """Say which times are not the published ones."""
    times = (("measured", seconds, SECONDS), ("ramped up", ramp_s, RAMP_S))
    words = [
        f"{what} for {asked:g} s instead of {published} s"
        for what, asked, published in times
        if asked != published
    ]
    if words:
        yield f"Scaled: timed jobs are {' and '.join(words)}."
