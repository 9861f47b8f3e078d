"""A capture of IO streams over time, as data: RWSW PTS.

It is a table of counts, not a trace: the number of IOs of each stream in each time
step. ssdlab experimental, not the RWSW standard.
"""

from dataclasses import dataclass
from typing import Literal

from ssdlab.model.spec import Access, IoStream

EXPERIMENTAL = "ssdlab experimental, not the RWSW standard"


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamCount:
    """The number of IOs of one stream: access, size [B] and direction."""

    access: Access
    block_size_bytes: int
    is_read: bool
    ios: int

    @property
    def label(self) -> str:
        """The stream in words, such as ``RND 4 KiB read``."""
        return self.with_share(0).label

    def with_share(self, share_percent: float) -> IoStream:
        """Return the stream with its share of IOs [%] in place of its count."""
        return IoStream(
            access=self.access,
            block_size_bytes=self.block_size_bytes,
            is_read=self.is_read,
            share_percent=share_percent,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CaptureStep:
    """The IOs of one time step.

    ``queue_depth`` is the mean number of outstanding IOs, ``None`` if not known. A
    step without streams is idle.
    """

    number: int
    start_s: float
    duration_s: float
    queue_depth: float | None = None
    streams: tuple[StreamCount, ...] = ()

    @property
    def ios(self) -> int:
        """IOs of all streams."""
        return sum(stream.ios for stream in self.streams)

    @property
    def iops(self) -> float:
        """IOs per second during the capture [1/s]."""
        return self.ios / self.duration_s

    @property
    def bw_bytes_per_s(self) -> float:
        """Data rate during the capture [B/s]."""
        moved = sum(stream.ios * stream.block_size_bytes for stream in self.streams)
        return moved / self.duration_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Capture:
    """Steps in order of time; ``name`` is given by the user."""

    name: str
    steps: tuple[CaptureStep, ...]

    @property
    def busy_steps(self) -> tuple[CaptureStep, ...]:
        """The steps that have any IO."""
        return tuple(step for step in self.steps if step.streams)


SizeShares = tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamMix:
    """Streams as one fio job can produce them, in whole per cent.

    fio draws the direction of an IO, then whether it is random, by a share of its
    direction, and its size [B]. Sizes have shares of their own either by direction,
    ``first_sizes`` those of reads and ``second_sizes`` those of writes, or by access:
    first those of SEQ and second those of RND. If one of the two is absent, it has the
    sizes of the other.
    """

    read_percent: int
    read_random_percent: int
    write_random_percent: int
    sizes_by: Literal["direction", "access"]
    first_sizes: SizeShares
    second_sizes: SizeShares
