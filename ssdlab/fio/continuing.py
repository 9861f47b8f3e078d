"""Whether one document of fio continues another: whether they are of one run.

What fio wrote of one run has the same options, was begun at the same moment, and
counts no less than before. Runs that were written into one file are told by these.
"""

from collections.abc import Iterable

import numpy as np

from ssdlab.fio.document import FioDocument, FioJob, FioLatency, FioSide, LatencyBins
from ssdlab.fio.jobs.workload import parse_seconds

_MS_PER_S = 1000.0
_ELAPSED_STEP_S = 1.0  # fio's `elapsed` is in whole seconds, rounded up
_STAMP_SLACK_S = 0.1
_WHOLE_STAMP_SLACK_S = 1.0
_RAMP_SLACK_S = 1.0  # before a job and its ramp begin
_LAST_INTERVAL_S = 0.1
_MOST_SPEED_UP = 10.0
# Normal text cuts to whole us or ms from 2 (minima) and 100 (maxima) of them on, and
# may change its unit from one printing to the next; its bytes are rounded too.
_TEXT_SLACK = (1.5, 1.011)


def does_continue(earlier: FioDocument, later: FioDocument) -> bool:
    """Tell whether a document is of the same run as the one before it, of its form."""
    pairs = _pairs(earlier, later)
    if earlier.fio_version != later.fio_version or pairs is None:
        return False
    if _differ_in_options(earlier, later, pairs):
        return False
    verdict = _judge_by_clock(earlier, later)
    if verdict is not None:
        return verdict
    is_text = earlier.form == "normal"
    return all(
        _has_grown(job, twin, is_text=is_text) or _was_in_ramp(earlier, job, twin)
        for job, twin in pairs
    )


def _differ_in_options(
    earlier: FioDocument, later: FioDocument, pairs: Iterable[tuple[FioJob, FioJob]]
) -> bool:
    if earlier.global_options != later.global_options:
        return True
    return any(job.options != twin.options for job, twin in pairs)


def _pairs(
    earlier: FioDocument, later: FioDocument
) -> list[tuple[FioJob, FioJob]] | None:
    """Return each entry with what became of it; more may have come between them.

    ``None`` if an entry is gone, unless the later document was cut short.
    """
    found: list[tuple[FioJob, FioJob]] = []
    rest = iter(later.jobs)
    for job in earlier.jobs:
        twin = next((twin for twin in rest if _key(twin) == _key(job)), None)
        if twin is None:
            return None if later.is_whole else found
        found.append((job, twin))
    return found


def _key(job: FioJob) -> tuple[str, int | None, str]:
    return job.name, job.group_id, job.hostname


def _judge_by_clock(earlier: FioDocument, later: FioDocument) -> bool | None:
    """Tell by the time stamps whether the run is the same; ``None``: they cannot.

    One run began at one moment. A run that is older than the time since the last
    document goes on even where its counts fell: ``ramp_time`` resets them.
    """
    if earlier.timestamp_s is None or later.timestamp_s is None:
        return None
    passed_s = later.timestamp_s - earlier.timestamp_s
    is_coarse = earlier.timestamp_s.is_integer() and later.timestamp_s.is_integer()
    slack_s = _WHOLE_STAMP_SLACK_S if is_coarse else _STAMP_SLACK_S
    if passed_s < -slack_s:
        return False
    age_s, age_before_s = _elapsed_s(later), _elapsed_s(earlier)
    if age_s is None:
        is_older = _ran_s(later.jobs) + slack_s > passed_s
        return None if is_older or not later.is_whole else False
    if age_before_s is not None and later.is_whole:
        began_later_s = passed_s - (age_s - age_before_s)
        if abs(began_later_s) > _ELAPSED_STEP_S + slack_s:
            return False
    return True if age_s - _ELAPSED_STEP_S > passed_s + slack_s else None


def _elapsed_s(document: FioDocument) -> int | None:
    known = [job.elapsed_s for job in document.jobs if job.elapsed_s is not None]
    return max(known, default=None)


def _ran_s(jobs: Iterable[FioJob]) -> float:
    """Return how long the groups ran, one after another as with ``stonewall``."""
    ran_ms: dict[int | None, int] = {}
    for job in jobs:
        for side in job.sides.values():
            longest = max(ran_ms.get(job.group_id, 0), side.runtime_ms or 0)
            ran_ms[job.group_id] = longest
    return sum(ran_ms.values()) / _MS_PER_S


def _has_grown(earlier: FioJob, later: FioJob, *, is_text: bool) -> bool:
    """Tell whether no counter of a job went back."""
    if _is_less(later.elapsed_s, earlier.elapsed_s):
        return False
    if not earlier.sides.keys() <= later.sides.keys():
        return False
    return all(
        _has_side_grown(side, later.sides[name], is_text=is_text)
        for name, side in earlier.sides.items()
    )


def _was_in_ramp(document: FioDocument, job: FioJob, later: FioJob) -> bool:
    """Tell whether a job was in its ``ramp_time``: fio forgets what it did there.

    It counts IOs and measures no latency then.
    """
    ramp_s = _ramp_s(document, job)
    if not ramp_s or job.elapsed_s is None or _is_less(later.elapsed_s, job.elapsed_s):
        return False
    if any(side.latencies for side in job.sides.values()):
        return False
    return job.elapsed_s <= ramp_s + _RAMP_SLACK_S + _ELAPSED_STEP_S


def _ramp_s(document: FioDocument, job: FioJob) -> float | None:
    asked = [
        option.value
        for option in (*document.global_options, *job.options)
        if option.name == "ramp_time"
    ]
    return parse_seconds(asked[-1]) if asked else None


def _has_side_grown(earlier: FioSide, later: FioSide, *, is_text: bool) -> bool:
    counters = (
        (None if is_text else later.io_bytes, earlier.io_bytes),
        (later.total_ios, earlier.total_ios),
        (later.runtime_ms, earlier.runtime_ms),
        (later.short_ios, earlier.short_ios),
        (later.dropped_ios, earlier.dropped_ios),
    )
    if any(_is_less(after, before) for after, before in counters):
        return False
    slack = _TEXT_SLACK if is_text else (1.0, 1.0)
    have_spread = _have_latencies_spread(earlier, later, slack)
    return have_spread and not _has_leapt(earlier, later)


def _is_less(after: int | None, before: int | None) -> bool:
    return after is not None and before is not None and after < before


def _have_latencies_spread(
    earlier: FioSide, later: FioSide, slack: tuple[float, float]
) -> bool:
    """Tell whether no latency became narrower, and no bin of it lost IOs."""
    if not earlier.latencies.keys() <= later.latencies.keys():
        return False
    pairs = [
        (latency, later.latencies[kind]) for kind, latency in earlier.latencies.items()
    ]
    return all(_has_spread(before, after, slack) for before, after in pairs)


def _has_spread(
    earlier: FioLatency, later: FioLatency, slack: tuple[float, float]
) -> bool:
    before, after = earlier.summary, later.summary
    if after.max_ns * slack[1] < before.max_ns:
        return False
    if after.min_ns > before.min_ns * slack[0]:
        return False
    if earlier.bins is None or later.bins is None:
        return True
    return _have_bins_grown(earlier.bins, later.bins)


def _have_bins_grown(earlier: LatencyBins, later: LatencyBins) -> bool:
    place = np.searchsorted(later.lat_ns, earlier.lat_ns)
    is_there = place < later.lat_ns.size
    if not is_there.all() or (later.lat_ns[place] != earlier.lat_ns).any():
        return False
    return bool((later.counts[place] >= earlier.counts).all())


def _has_leapt(earlier: FioSide, later: FioSide) -> bool:
    """Tell whether there are more IOs than can have come in next to no time.

    Runs of the same length may look like one run by chance, but for this.
    """
    if None in {earlier.runtime_ms, later.runtime_ms}:
        return False
    passed_s = ((later.runtime_ms or 0) - (earlier.runtime_ms or 0)) / _MS_PER_S
    if passed_s > _LAST_INTERVAL_S:
        return False
    done = (later.io_bytes or 0) - (earlier.io_bytes or 0)
    fastest = max(earlier.bw_bytes_per_s, later.bw_bytes_per_s)
    return done > fastest * _LAST_INTERVAL_S * _MOST_SPEED_UP
