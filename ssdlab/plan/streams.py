"""Where a sequential stream continues: PTS 2.0.2, section 8.

Reads and writes are separate streams, and a cell continues where the last cell of its
direction ended. At the end of its span fio returns to the offset where its job began
and not to LBA 0. So when what is left of the range is less than the last cell moved,
one cell is placed to end where the range ends, and the next begins at LBA 0: no part of
the range is skipped, lap after lap.
"""

from dataclasses import dataclass

from ssdlab.model.spec import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class Stream:
    """The position after the last cell, and how much that cell moved [B].

    ``ends_lap``: the last cell was placed to end where the range ends.
    """

    position: int = 0
    moved: int = 0
    ends_lap: bool = False

    def next_offset(self, range_bytes: int) -> int:
        """Return where the next cell begins [B], in a range of whole blocks."""
        left = range_bytes - self.position
        if self.ends_lap or left <= 0 or self.moved >= range_bytes:
            return 0
        if left >= self.moved:
            return self.position
        return range_bytes - self.moved

    def advance(self, range_bytes: int, moved: int) -> "Stream":
        """Return the stream after one more cell that moved so many bytes."""
        begin = self.next_offset(range_bytes)
        span = range_bytes - begin
        passed = moved if moved <= span else moved % span
        return Stream(
            position=begin + passed,
            moved=moved,
            ends_lap=begin not in {0, self.position},
        )


def whole_blocks(size_bytes: int, workload: Workload) -> int:
    """Return how much of a size is whole blocks of a workload [B]."""
    return size_bytes - size_bytes % workload.block_size_bytes
