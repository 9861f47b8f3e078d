"""IOs that are due at times of their own, whatever the drive does: an open loop.

A job with a rate and one IO per thread is as many clients as it has threads. fio counts
the latency of an IO from its submission. An IO that is due while its client still waits
for the one before is late, and that wait is in no latency of fio's (coordinated
omission). How many are late is bounded, for a client is busy for the sum of its
latencies, and its IOs come at a known rate: so latencies from the due time are bounded,
too. Decision 110 has the reasons; jobs that have several IOs per thread are no clients,
because fio waits for all of them before it pauses.
"""

import math
from collections.abc import Mapping
from typing import Final, Literal

import pandas as pd

from ssdlab.fio.jobs.workload import parse_size
from ssdlab.model.spec import FileJob, Workload

Follows = Literal["kept", "behind", "ahead"]

POISSON: Final = "poisson"
_TOLERANCE: Final = 0.01  # of the IOs that were due
_SIGMAS: Final = 3.0
_US: Final = 1_000_000
_NS: Final = 1e9
_PLACES: Final = {100: 0, 0: 1}  # of the rates of reads and writes


def asked_rate(job: FileJob) -> float:
    """Return the IOPS that each thread of a job is limited to; NaN without a limit.

    ``rate_iops`` is in the order of reads, writes and trims; of a mix each direction
    has its own limit, so that the shares decide which one is reached: NaN, too.
    """
    rates = dict(job.options).get("rate_iops", "").split(",")
    place = _PLACES.get(-1 if job.read_percent is None else job.read_percent)
    text = rates[0] if len(rates) == 1 else "".join(rates[place or 0 :][:1])
    rate = parse_size(text) if place is not None else None
    return float(rate or math.nan)


def due_rate(job: FileJob) -> float:
    """Return the IOPS that fio's rate process makes of the limit of a thread.

    Of a Poisson process fio 3 draws whole microseconds with the mean of a whole number
    of microseconds, rounded down both times: at high rates it is faster than asked.

    Examples
    --------
    >>> from ssdlab.model.fio_option import JobOption
    >>> rates = {"rate_iops": "70000", "rate_process": "poisson"}
    >>> job = FileJob(
    ...     name="a",
    ...     options=tuple(JobOption(*one) for one in rates.items()),
    ...     block_sizes_bytes=(4096,),
    ...     read_percent=100,
    ... )
    >>> round(due_rate(job))
    74041
    """
    asked = asked_rate(job)
    if math.isnan(asked) or dict(job.options).get("rate_process") != POISSON:
        return asked
    mean_us = _US // int(asked)
    return _US * math.expm1(1 / mean_us) if mean_us else math.nan


def is_client(job: FileJob) -> bool:
    """Return whether each thread of a job is a client with IOs due at a known rate."""
    options = dict(job.options)
    pauses = any(name.startswith(("thinktime", "rate_cycle")) for name in options)
    return job.queue_depth == 1 and not pauses and not math.isnan(due_rate(job))


def offered_iops(workload: Workload) -> float:
    """Return the IOPS that all jobs are limited to; NaN if one of them has no limit."""
    if not workload.jobs:
        return math.nan
    return math.fsum(job.threads * asked_rate(job) for job in workload.jobs)


def due_iops(workload: Workload) -> float:
    """Return the IOPS that fio makes of these limits; NaN if a job has none."""
    if not workload.jobs:
        return math.nan
    return math.fsum(job.threads * due_rate(job) for job in workload.jobs)


def find_following(ios: float, *, due_ios: float) -> Follows | None:
    """Return whether the IOs of a measurement are those that were due.

    They may differ by 1 %, or by what is left to chance of a Poisson process.

    >>> [find_following(ios, due_ios=10_000.0) for ios in (9_600, 9_750, 10_400)]
    ['behind', 'kept', 'ahead']
    """
    if math.isnan(due_ios):
        return None
    allowed = max(_TOLERANCE * due_ios, _SIGMAS * math.sqrt(due_ios))
    if ios < due_ios - allowed:
        return "behind"
    return "ahead" if ios > due_ios + allowed else "kept"


def bound_late_share(workload: Workload, jobs: pd.DataFrame) -> float:
    """Return the most of the IOs that can have been late, as a share; NaN if unknown.

    ``jobs`` has a row for each round of each job, of all directions together:
    ``job``, ``total_ios`` and ``lat_mean_ns``.

    Notes
    -----
    IOs become late only while their client is busy, for the sum of the latencies. At a
    fixed rate r at most r x busy are due in that time; of a Poisson process a number
    with this mean, whatever the latencies depend on: 3 standard deviations are added.
    """
    clients = {job.name: job for job in workload.jobs if is_client(job)}
    ios = float(jobs["total_ios"].astype(float).sum())
    if not ios or len(clients) < len(workload.jobs) or set(jobs["job"]) != set(clients):
        return math.nan
    busy = _busy_s(jobs)
    late = math.fsum(due_rate(job) * busy[name] for name, job in clients.items())
    return min(1.0, (late + _SIGMAS * math.sqrt(late)) / ios)


def _busy_s(jobs: pd.DataFrame) -> Mapping[str, float]:
    """Return for how long the threads of each job waited for IOs, in sum [s]."""
    waited = jobs["total_ios"].astype(float) * jobs["lat_mean_ns"].astype(float) / _NS
    return {
        str(name): float(s) for name, s in waited.groupby(jobs["job"]).sum().items()
    }


def due_level(level: float, late_share: float) -> float | None:
    """Return the percentile of fio's latencies that bounds one from the due time [%].

    If all late IOs were slower than any other, and fio had them among its fastest, the
    percentile would be that of so many more IOs. ``None`` if nothing bounds it.

    >>> due_level(99.0, 0.0025), due_level(99.9, 0.0025)
    (99.25, None)
    """
    found = level + 100 * late_share
    return round(found, 6) if found < 100 else None
