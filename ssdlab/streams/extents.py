"""The totals of a capture of IO streams, and the part that a test applies: RWSW PTS.

ssdlab experimental, not the RWSW standard.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pandas as pd

from ssdlab.model.capture import Capture, CaptureStep, StreamCount
from ssdlab.model.spec import Access, IoStream

LEAST_SHARE_PERCENT = 80.0  # RWSW PTS: the streams of at least 80 % of IOs
_REST = "All other streams"
_Key = tuple[Access, int, bool]


def sum_streams(steps: Iterable[CaptureStep]) -> tuple[StreamCount, ...]:
    """Add the IOs of each stream up over steps: the cumulative workload.

    Each stream once, most IOs first; of equal ones RND before SEQ, small blocks
    before large ones, reads before writes.

    >>> one = StreamCount(access="rnd", block_size_bytes=4096, is_read=True, ios=3)
    >>> step = CaptureStep(number=1, start_s=0, duration_s=1, streams=(one,))
    >>> [(total.label, total.ios) for total in sum_streams([step, step])]
    [('RND 4 KiB read', 6)]
    """
    counts: Counter[_Key] = Counter()
    for step in steps:
        for stream in step.streams:
            counts[stream.access, stream.block_size_bytes, stream.is_read] += stream.ios
    return tuple(
        StreamCount(access=access, block_size_bytes=size, is_read=is_read, ios=ios)
        for (access, size, is_read), ios in sorted(counts.items(), key=_order)
        if ios
    )


def _order(item: tuple[_Key, int]) -> tuple[int, Access, int, bool]:
    (access, size, is_read), ios = item
    return -ios, access, size, not is_read


def share_streams(counts: Sequence[StreamCount]) -> tuple[IoStream, ...]:
    """Return streams with their share of all IOs [%] in place of their count.

    >>> one = StreamCount(access="rnd", block_size_bytes=4096, is_read=True, ios=3)
    >>> share_streams([one])[0].share_percent
    100.0
    """
    total = sum(stream.ios for stream in counts)
    return tuple(stream.with_share(100 * stream.ios / total) for stream in counts)


def select_streams(
    counts: Sequence[StreamCount], *, least_percent: float = LEAST_SHARE_PERCENT
) -> tuple[IoStream, ...]:
    """Choose the dominant streams, as few as make up a share of IOs: RWSW PTS.

    This is the applied test workload: most IOs first, with shares scaled to 100 %. Of
    streams with equal counts the one that `sum_streams` puts first is chosen.
    """
    if not 0 < least_percent <= 100:
        msg = f"a share of {least_percent:g} % is not above 0 and at most 100 %"
        raise ValueError(msg)
    step = CaptureStep(number=1, start_s=0, duration_s=1, streams=tuple(counts))
    ordered, total = sum_streams([step]), step.ios
    if not total:
        msg = "there are no IOs to choose streams from"
        raise ValueError(msg)
    wanted = Fraction(least_percent) * total / 100
    chosen: list[StreamCount] = []
    for stream in ordered:
        if sum(other.ios for other in chosen) >= wanted:
            break
        chosen.append(stream)
    return share_streams(chosen)


def merge_steps(steps: Sequence[CaptureStep]) -> CaptureStep:
    """Return one step in place of several consecutive ones.

    It spans all of them, with all their IOs. Its queue depth is the mean over the time
    of the steps, unknown if that of any step is.
    """
    if not steps:
        msg = "there is no step to merge"
        raise ValueError(msg)
    depths = [step.queue_depth for step in steps]
    known = [depth for depth in depths if depth is not None]
    spent = sum(step.duration_s for step in steps)
    weighted = sum(s.duration_s * (s.queue_depth or 0.0) for s in steps) / spent
    last = steps[-1]
    return CaptureStep(
        number=steps[0].number,
        start_s=steps[0].start_s,
        duration_s=last.start_s + last.duration_s - steps[0].start_s,
        queue_depth=weighted if len(known) == len(depths) else None,
        streams=sum_streams(steps),
    )


def tabulate_capture(capture: Capture, *, most: int = 8) -> pd.DataFrame:
    """Return the share of each stream in each step: the IO stream map."""
    named = [stream.label for stream in sum_streams(capture.steps)[:most]]
    rows = [
        {
            "step": step.number,
            "start_s": step.start_s,
            "duration_s": step.duration_s,
            "stream": label,
            "rank": named.index(label) + 1 if label in named else len(named) + 1,
            "ios": ios,
            "share_percent": 100 * ios / step.ios,
            "iops": step.iops,
            "queue_depth": step.queue_depth,
        }
        for step in capture.busy_steps
        for label, ios in _named_counts(step, named).items()
    ]
    names = ["step", "start_s", "duration_s", "stream", "rank", "ios"]
    names += ["share_percent", "iops", "queue_depth"]
    frame = pd.DataFrame(rows, columns=names)
    frame["queue_depth"] = frame["queue_depth"].astype(float)
    return frame


def _named_counts(step: CaptureStep, named: Sequence[str]) -> dict[str, int]:
    """Return the IOs of each named stream in a step, 0 included, and of all others."""
    counts = dict.fromkeys(named, 0)
    for stream in step.streams:
        name = stream.label if stream.label in counts else _REST
        counts[name] = counts.get(name, 0) + stream.ios
    return counts
