"""Which lines of fio's terse output were printed at once, and which later again.

fio marks neither. With ``status-interval`` all lines come again, later in time; with
``numjobs`` several lines of one printing have the same name. What tells them apart: the
disks at the end of each line moved on between printings, the group went back, and in
all lines nothing went back from one printing to the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ssdlab.fio.document import SUM_ENTRY, FioSide
from ssdlab.fio.from_text.terse_line import TerseLine

Lines = Sequence[TerseLine | None]

_KIB = 1024
_LEAST_INTERVAL_MS = 100  # jobs that ran at the same time differ by less
_SURE_OF_PRINTINGS = 3


def split_printings(lines: Lines) -> Iterator[int]:
    """Yield how many lines each printing has, of lines with nothing between them.

    A line that could not be read is ``None``.
    """
    lengths = [*_sure_lengths(lines)]
    start = 0
    for length in lengths:
        part = lines[start : start + length]
        size = _length_of_others(part, lengths) or _length_by_itself(part)
        for at in range(0, length, size):
            yield min(size, length - at)
        start += length


def mark_sum(lines: Sequence[TerseLine]) -> list[TerseLine]:
    """Return the lines of a printing, the last one marked if it is a client's sum."""
    others, last = lines[:-1], lines[-1:]
    if not others or last[0].job.name != SUM_ENTRY:
        return list(lines)
    is_sum = all(
        _is_near(side.io_bytes, [other.job.sides.get(direction) for other in others])
        for direction, side in last[0].job.sides.items()
    )
    job = replace(last[0].job, is_aggregate=is_sum)
    return [*others, replace(last[0], job=job)]


def _is_near(total: int | None, parts: Sequence[FioSide | None]) -> bool:
    """Tell whether bytes are those of the parts, each of which was cut to whole KiB."""
    done = sum((side.io_bytes or 0) for side in parts if side is not None)
    return 0 <= (total or 0) - done <= (len(parts) + 1) * _KIB


def has_disk_io(line: TerseLine) -> bool:
    """Tell whether any disk of a line did IO."""
    return any(disk.did_io for disk in line.disks)


def _sure_lengths(lines: Lines) -> Iterator[int]:
    """Yield the lengths of parts between which the disks or the group tell."""
    length = 0
    first: TerseLine | None = None
    last: TerseLine | None = None
    for line in lines:
        if line is not None:
            if first is not None and last is not None and _differ(first, last, line):
                yield length
                length, first = 0, None
            first, last = first or line, line
        length += 1
    if length:
        yield length


def _differ(first: TerseLine, last: TerseLine, line: TerseLine) -> bool:
    said, said_first = ((x.form_version, x.fio_version) for x in (line, first))
    if said != said_first or _group(line) < _group(last):
        return True
    return line.disks != first.disks and (has_disk_io(line) or has_disk_io(first))


def _group(line: TerseLine) -> int:
    return line.job.group_id or 0


def _length_of_others(part: Lines, lengths: Sequence[int]) -> int | None:
    """Return the length of the shortest printing, if this part is several like it."""
    size = min(lengths)
    if size == len(part) or len(part) % size:
        return None
    return size if all(_pairs_go_on(part, size)) else None


def _length_by_itself(part: Lines) -> int:
    """Return the length of a printing, if a part can only be several of them."""
    total = len(part)
    for size in range(1, total // 2 + 1):
        if total % size == 0 and _is_repeated(part, size):
            return size
    return total


def _is_repeated(part: Lines, size: int) -> bool:
    if not all(_pairs_go_on(part, size)):
        return False
    growths = [_growth_ms(part, start, size) for start in range(size, len(part), size)]
    if _is_same(part, size):
        return True
    is_many = len(growths) + 1 >= _SURE_OF_PRINTINGS
    if not is_many and any(line is not None and has_disk_io(line) for line in part):
        return False
    # The last printing, when a run ends, may follow the one before at once.
    needed = growths[:-1] if is_many else growths
    return all(growth >= _LEAST_INTERVAL_MS for growth in needed)


def _pairs_go_on(part: Lines, size: int) -> Iterator[bool]:
    for old, new in zip(part, part[size:], strict=False):
        yield old is not None and new is not None and _goes_on(old, new)


def _is_same(part: Lines, size: int) -> bool:
    """Tell whether jobs that had ended are printed again; no two jobs do the same."""
    did_io = any(line is not None and line.job.parts for line in part)
    pairs = zip(part, part[size:], strict=False)
    return did_io and all(
        old is not None and new is not None and _numbers(old) == _numbers(new)
        for old, new in pairs
    )


def _growth_ms(part: Lines, start: int, size: int) -> int:
    """Return by how much the jobs of a printing ran longer than in the one before."""
    pairs = zip(part[start - size : start], part[start : start + size], strict=False)
    return max(
        (_runtime_ms(new) - _runtime_ms(old) for old, new in pairs if old and new),
        default=0,
    )


def _runtime_ms(line: TerseLine) -> int:
    return max(side.runtime_ms or 0 for side in line.job.sides.values())


def _numbers(line: TerseLine) -> list[tuple[object, ...]]:
    return [
        (
            side.io_bytes,
            side.runtime_ms,
            *(latency.summary for latency in side.latencies.values()),
        )
        for side in line.job.sides.values()
    ]


def _goes_on(old: TerseLine, new: TerseLine) -> bool:
    """Tell whether a line may be of the same job, later: nothing in it went back."""
    if old.job.name != new.job.name or _group(old) != _group(new):
        return False
    return all(
        direction in new.job.sides and _side_goes_on(side, new.job.sides[direction])
        for direction, side in old.job.sides.items()
    )


def _side_goes_on(old: FioSide, new: FioSide) -> bool:
    if (new.io_bytes or 0) < (old.io_bytes or 0):
        return False
    if (new.runtime_ms or 0) < (old.runtime_ms or 0):
        return False
    return all(
        kind in new.latencies
        and new.latencies[kind].summary.min_ns <= latency.summary.min_ns
        and new.latencies[kind].summary.max_ns >= latency.summary.max_ns
        for kind, latency in old.latencies.items()
    )
