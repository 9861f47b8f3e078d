"""Where a sequential stream goes on: pts.md section 7.

Reads and writes are a stream each, and a cell goes on where the last cell of its
direction ended. At the end of its span fio returns to the offset where its job
began and not to LBA 0; so when what is left of the range is less than the last
cell moved, the next cell begins at LBA 0.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Stream:
    """The position after the last cell, and how much that cell moved [B]."""

    position: int = 0
    moved: int = 0

    def next_offset(self, range_bytes: int) -> int:
        """Return where the next cell begins [B]."""
        left = range_bytes - self.position
        return self.position if left > 0 and left >= self.moved else 0

    def advance(self, range_bytes: int, moved: int) -> "Stream":
        """Return the stream after one more cell that moved so many bytes."""
        begin = self.next_offset(range_bytes)
        span = range_bytes - begin
        passed = moved if moved <= span else moved % span
        return Stream(position=begin + passed, moved=moved)
