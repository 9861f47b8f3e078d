"""The kernel's counters of a disk in fio's text: seven counters and a share.

No result depends on them. A counter that wrapped is absent, with its own doubt.
"""

import math
from collections.abc import Iterator, Sequence

from ssdlab.fio.document import Doubt, FioDisk
from ssdlab.fio.from_text.text_numbers import parse_counter, parse_real

_FIELDS = (
    *("read_ios", "write_ios", "read_merges", "write_merges"),
    *("read_ticks", "write_ticks", "in_queue"),
)


def read_disk(
    name: str, numbers: Sequence[str], *, is_of_members: bool = False
) -> FioDisk:
    """Return a disk from its seven counters and the share [%] of time it was busy."""
    counts = [parse_counter(number) for number in numbers[:-1]]
    util = parse_real(numbers[-1])
    return FioDisk(
        name=name,
        read_ios=counts[0],
        write_ios=counts[1],
        read_merges=counts[2],
        write_merges=counts[3],
        read_ticks_ms=counts[4],
        write_ticks_ms=counts[5],
        in_queue_ms=counts[6],
        util_percent=math.nan if util is None or util < 0 else util,
        is_of_members=is_of_members,
    )


def find_disk_doubts(
    name: str, numbers: Sequence[str], *, place: str
) -> Iterator[Doubt]:
    """Yield each counter of a disk that wrapped, by field and value."""
    for field, number in zip(_FIELDS, numbers[:-1], strict=True):
        if parse_counter(number) is None:
            meaning = f"{field} is {number}, which is not a count (disk {name[:60]!r})"
            yield Doubt(kind="bad-value", place=place, meaning=meaning)
