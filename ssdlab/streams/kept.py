"""The share of a capture that the applied streams cover, and what a test omits.

ssdlab experimental, not the RWSW standard.
"""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ssdlab.model.capture import StreamCount
from ssdlab.model.spec import IoStream, Workload


def streams_of(workload: Workload) -> tuple[IoStream, ...]:
    """Return the streams of a workload; a plain one is a single stream."""
    if workload.streams:
        return workload.streams
    alone = IoStream(
        access=workload.access,
        block_size_bytes=workload.block_size_bytes,
        is_read=workload.read_percent == 100,
        share_percent=100.0,
    )
    return (alone,)


def keep_streams(
    counts: Iterable[StreamCount], applied: Iterable[IoStream]
) -> tuple[StreamCount, ...]:
    """Return the counts of the applied streams only."""
    keys = {(s.access, s.block_size_bytes, s.is_read) for s in applied}
    return tuple(
        count
        for count in counts
        if (count.access, count.block_size_bytes, count.is_read) in keys
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptShares:
    """The share of a capture that the applied streams are, and the reads of both [%].

    A share of something absent from the capture is NaN.
    """

    ios_percent: float
    bytes_percent: float
    written_bytes_percent: float
    captured_read_percent: float
    applied_read_percent: float

    @property
    def lost_direction(self) -> str:
        """``read`` or ``write`` if the capture has such IOs and the applied none."""
        if self.captured_read_percent < 100 and self.applied_read_percent == 100:
            return "write"
        has_lost = self.captured_read_percent > 0 and self.applied_read_percent == 0
        return "read" if has_lost else ""


def measure_kept(
    counts: Collection[StreamCount], applied: Collection[IoStream]
) -> KeptShares:
    """Return the share of the counts that the applied streams are.

    Shares of IOs, of bytes and of written bytes, and the shares of reads.

    >>> read = StreamCount(access="rnd", block_size_bytes=4096, is_read=True, ios=3)
    >>> write = StreamCount(access="rnd", block_size_bytes=4096, is_read=False, ios=1)
    >>> kept = measure_kept([read, write], [read.with_share(100)])
    >>> kept.ios_percent, kept.written_bytes_percent, kept.lost_direction
    (75.0, 0.0, 'write')
    """
    kept = keep_streams(counts, applied)
    return KeptShares(
        ios_percent=_percent(_ios(kept), _ios(counts)),
        bytes_percent=_percent(_bytes(kept), _bytes(counts)),
        written_bytes_percent=_percent(_written(kept), _written(counts)),
        captured_read_percent=_percent(_reads(counts), _ios(counts)),
        applied_read_percent=_percent(_reads(kept), _ios(kept)),
    )


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else math.nan


def _ios(counts: Iterable[StreamCount]) -> int:
    return sum(count.ios for count in counts)


def _reads(counts: Iterable[StreamCount]) -> int:
    return sum(count.ios for count in counts if count.is_read)


def _bytes(counts: Iterable[StreamCount]) -> int:
    return sum(count.ios * count.block_size_bytes for count in counts)


def _written(counts: Iterable[StreamCount]) -> int:
    return _bytes(count for count in counts if not count.is_read)
