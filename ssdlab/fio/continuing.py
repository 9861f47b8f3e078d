"""Decide whether one document of fio continues another, as part of the same run.

Documents of one run have the same options, processes and start time, and their
counters never decrease. That separates runs that were written into one file. Counters
that did not decrease prove nothing alone: of two runs of one job, the second may have
done a little more.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from ssdlab.fio.document import (
    FioDisk,
    FioDocument,
    FioJob,
    FioLatency,
    FioSide,
    LatencyBins,
)
from ssdlab.fio.jobs.workload import parse_seconds
from ssdlab.stats.latency import LatencySummary

Continuation = Literal["same", "other", "unclear"]
Pairs = Sequence[tuple[FioJob, FioJob]]

_MS_PER_S = 1000.0
_ELAPSED_STEP_S = 1.0  # fio's `elapsed` is in whole seconds, rounded up
_STAMP_SLACK_S = 0.1
_EXACT_STAMP_SLACK_S = 0.02
_WHOLE_STAMP_SLACK_S = 1.0
_PRINTED_SLACK_S = 1.5  # normal text names whole seconds
_IDLE_SLACK_S = 0.5  # between the end of the jobs and their last printing
_RAMP_SLACK_S = 1.0  # before a job and its ramp begin
_LAST_INTERVAL_S = 0.1
_MOST_SPEED_UP = 10.0
_IN_FLIGHT_IOS = 2.0
_MEAN_STEP_NS = 0.001  # terse output gives means in us to six digits
_CUT_NS = 999.0  # and cuts the greatest to whole us
# Normal text cuts to whole us or ms from 2 (minima) and 100 (maxima) of them on, and
# may change its unit from one printing to the next; its bytes are rounded too.
_TEXT_SLACK = (1.5, 1.011)


def judge_continuation(earlier: FioDocument, later: FioDocument) -> Continuation:
    """Tell whether a document is of the same run as the previous one of its form.

    ``unclear`` if there is no evidence beyond counters that did not decrease.
    """
    pairs = _pairs(earlier, later)
    if earlier.fio_version != later.fio_version or pairs is None:
        return "other"
    if later.begins_run or _differ(earlier, later, pairs):
        return "other"
    if _are_equal(earlier, later):
        return "same"
    return (
        _judge_by_start(pairs)
        or _judge_by_clock(earlier, later, pairs)
        or _judge_by_counts(earlier, later, pairs)
        or _judge_by_process(earlier, later, pairs)
    )


def _judge_by_counts(
    earlier: FioDocument, later: FioDocument, pairs: Pairs
) -> Literal["same", "other"] | None:
    """Decide by counters that decreased; if none did, that proves nothing."""
    is_text = earlier.form == "normal"
    fallen = [pair for pair in pairs if not _has_grown(*pair, is_text=is_text)]
    if fallen:
        was_in_ramp = all(_was_in_ramp(earlier, *pair) for pair in fallen)
        return "same" if was_in_ramp else "other"
    return None if _have_disks_grown(earlier.disks, later.disks) else "other"


def ran_ms(document: FioDocument) -> int:
    """Return how long the groups ran [ms], one after another as with ``stonewall``."""
    longest: dict[int | None, int] = {}
    for job in document.jobs:
        for side in job.sides.values():
            known = longest.get(job.group_id, 0)
            longest[job.group_id] = max(known, side.runtime_ms or 0)
    return sum(longest.values())


def _differ(earlier: FioDocument, later: FioDocument, pairs: Pairs) -> bool:
    """Tell whether the options differ, or the processes."""
    if earlier.global_options != later.global_options:
        return True
    return any(
        job.options != twin.options or _are_known_to_differ(job.pid, twin.pid)
        for job, twin in pairs
    )


def _are_known_to_differ(one: object, other: object) -> bool:
    return one is not None and other is not None and one != other


def _are_equal(earlier: FioDocument, later: FioDocument) -> bool:
    """Tell whether the same numbers are repeated: no two runs measure the same."""
    did_io = any(job.parts for job in earlier.jobs)
    return did_io and _numbers(earlier) == _numbers(later)


def _numbers(document: FioDocument) -> list[tuple[object, ...]]:
    return [
        (
            *(job.name, job.group_id, job.hostname, side.direction),
            *(side.io_bytes, side.total_ios, side.runtime_ms),
            *(latency.summary for latency in side.latencies.values()),
            *(
                (bins.lat_ns.tobytes(), bins.counts.tobytes())
                for latency in side.latencies.values()
                if (bins := latency.bins) is not None
            ),
        )
        for job in document.jobs
        for side in job.sides.values()
    ]


def _judge_by_start(
    pairs: Pairs,
) -> Literal["same", "other"] | None:
    """Decide by the start time of each job, if fio gives it."""
    starts = {(job.started_s, twin.started_s) for job, twin in pairs}
    if not starts or not all(one and other for one, other in starts):
        return None
    return "same" if all(one == other for one, other in starts) else "other"


def _judge_by_process(
    earlier: FioDocument, later: FioDocument, pairs: Pairs
) -> Continuation:
    """Decide by the processes that did the IO, and the time that passed."""
    pids = [(job.pid, twin.pid) for job, twin in pairs]
    if later.begins_run is None or not pids or any(None in pair for pair in pids):
        return "unclear"
    if earlier.printed_s is None or later.printed_s is None:
        return "unclear"
    passed_s = later.printed_s - earlier.printed_s
    grown_s = (ran_ms(later) - ran_ms(earlier)) / _MS_PER_S
    return "same" if abs(passed_s - grown_s) <= _PRINTED_SLACK_S else "unclear"


def _have_disks_grown(earlier: Iterable[FioDisk], later: Iterable[FioDisk]) -> bool:
    """Tell whether no disk counts fewer IOs than before."""
    after = {(disk.hostname, disk.name, disk.is_of_members): disk for disk in later}
    pairs = [
        (disk, after.get((disk.hostname, disk.name, disk.is_of_members)))
        for disk in earlier
    ]
    return not any(
        twin is not None
        and (
            _is_less(twin.read_ios, disk.read_ios)
            or _is_less(twin.write_ios, disk.write_ios)
        )
        for disk, twin in pairs
    )


def _pairs(
    earlier: FioDocument, later: FioDocument
) -> list[tuple[FioJob, FioJob]] | None:
    """Return each entry with its later state; more entries may be between them.

    ``None`` if an entry is missing, unless the later document was truncated.
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


def _judge_by_clock(
    earlier: FioDocument, later: FioDocument, pairs: Pairs
) -> Literal["same", "other"] | None:
    """Decide by the time stamps whether the run is the same; ``None`` if unclear.

    A run that is older than the time since the last document continues even if its
    counts fell: ``ramp_time`` resets them. One that is younger began after it.
    """
    if earlier.timestamp_s is None or later.timestamp_s is None:
        return None
    passed_s = later.timestamp_s - earlier.timestamp_s
    is_coarse = earlier.timestamp_s.is_integer() and later.timestamp_s.is_integer()
    slack_s = _WHOLE_STAMP_SLACK_S if is_coarse else _STAMP_SLACK_S
    age_s, age_before_s = _elapsed_s(later), _elapsed_s(earlier)
    if age_s is not None and age_before_s is not None and later.is_whole:
        began_later_s = passed_s - (age_s - age_before_s)
        if abs(began_later_s) > _ELAPSED_STEP_S + slack_s:
            return "other"
    if passed_s < -slack_s or _is_younger(later, age_s, passed_s - slack_s):
        return "other"
    if _least_age_s(later, age_s) > passed_s + (
        slack_s if is_coarse else _EXACT_STAMP_SLACK_S
    ):
        return "same"
    has_begun = all(job.parts and not _ramp_s(earlier, job) for job, _ in pairs)
    is_other = has_begun and _was_idle(earlier, later, passed_s - slack_s)
    return "other" if is_other else None


def _is_younger(later: FioDocument, age_s: int | None, passed_s: float) -> bool:
    if age_s is not None:
        return age_s < passed_s and later.is_whole
    return ran_ms(later) / _MS_PER_S < passed_s and later.is_whole


def _least_age_s(later: FioDocument, age_s: int | None) -> float:
    """Return the least duration of a run; a group runs as long as its longest job."""
    runtimes = [
        side.runtime_ms or 0 for job in later.jobs for side in job.sides.values()
    ]
    longest_s = max(runtimes, default=0) / _MS_PER_S
    return max(longest_s, 0.0 if age_s is None else age_s - _ELAPSED_STEP_S)


def _was_idle(earlier: FioDocument, later: FioDocument, passed_s: float) -> bool:
    """Tell whether more time passed than the jobs, all already started, ran."""
    grown_s = (ran_ms(later) - ran_ms(earlier)) / _MS_PER_S
    return later.is_whole and passed_s - max(grown_s, 0.0) > _IDLE_SLACK_S


def _elapsed_s(document: FioDocument) -> int | None:
    known = [job.elapsed_s for job in document.jobs if job.elapsed_s is not None]
    return max(known, default=None)


def _has_grown(earlier: FioJob, later: FioJob, *, is_text: bool) -> bool:
    """Tell whether no counter of a job decreased."""
    if _is_less(later.elapsed_s, earlier.elapsed_s):
        return False
    if not earlier.sides.keys() <= later.sides.keys():
        return False
    return all(
        _has_side_grown(side, later.sides[name], is_text=is_text)
        for name, side in earlier.sides.items()
    )


def _was_in_ramp(document: FioDocument, job: FioJob, later: FioJob) -> bool:
    """Tell whether a job was in its ``ramp_time``, which fio does not count.

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
    if not _have_latencies_spread(earlier, later, slack) or _has_leapt(earlier, later):
        return False
    return is_text or _can_sums_have_grown(earlier, later)


def _is_less(after: int | None, before: int | None) -> bool:
    return after is not None and before is not None and after < before


def _have_latencies_spread(
    earlier: FioSide, later: FioSide, slack: tuple[float, float]
) -> bool:
    """Tell whether no latency range narrowed, and no bin lost IOs."""
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


def _can_sums_have_grown(earlier: FioSide, later: FioSide) -> bool:
    """Tell whether the total time of IOs grew by that of the IOs in between.

    Each of them took at least the minimum and at most the maximum.
    """
    return all(
        _can_sum_have_grown(
            (_ios(earlier, latency), latency.summary),
            (_ios(later, later.latencies[kind]), later.latencies[kind].summary),
        )
        for kind, latency in earlier.latencies.items()
    )


def _can_sum_have_grown(
    earlier: tuple[tuple[float, float], LatencySummary],
    later: tuple[tuple[float, float], LatencySummary],
) -> bool:
    (least_before, most_before), before = earlier
    (least_after, most_after), after = later
    slack_ns = _MEAN_STEP_NS * most_after
    low_ns = least_after * after.mean_ns - most_before * before.mean_ns - slack_ns
    high_ns = most_after * after.mean_ns - least_before * before.mean_ns + slack_ns
    if not (math.isfinite(low_ns) and math.isfinite(high_ns)):
        return True
    is_counted = before.count is not None and after.count is not None
    in_flight = 0.0 if is_counted else _IN_FLIGHT_IOS
    most = max(most_after - least_before, 0.0) + in_flight
    least = max(least_after - most_before - in_flight, 0.0)
    greatest_ns = after.max_ns + _CUT_NS
    return low_ns <= most * greatest_ns and high_ns >= least * after.min_ns


def _ios(side: FioSide, latency: FioLatency) -> tuple[float, float]:
    """Return the least and greatest number of IOs of a latency.

    Terse output has IOPS as whole numbers, and no counts.
    """
    count = latency.summary.count
    if count is not None:
        return count, count
    if side.total_ios is not None or side.runtime_ms is None:
        return 0.0, math.inf
    seconds = side.runtime_ms / _MS_PER_S
    return side.iops * seconds, (side.iops + 1) * seconds


def _has_leapt(earlier: FioSide, later: FioSide) -> bool:
    """Tell whether there are more IOs than possible in almost no time.

    Without this, runs of the same length may look like one run by chance.
    """
    if None in {earlier.runtime_ms, later.runtime_ms}:
        return False
    passed_s = ((later.runtime_ms or 0) - (earlier.runtime_ms or 0)) / _MS_PER_S
    if passed_s > _LAST_INTERVAL_S:
        return False
    done = (later.io_bytes or 0) - (earlier.io_bytes or 0)
    fastest = max(earlier.bw_bytes_per_s, later.bw_bytes_per_s)
    return done > fastest * _LAST_INTERVAL_S * _MOST_SPEED_UP
