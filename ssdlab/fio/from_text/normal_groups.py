"""What fio's normal text says after the entries: of groups of jobs, and of disks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ssdlab.fio.document import DIRECTIONS, Direction, Doubt, FioDisk, FioJob
from ssdlab.fio.from_text.disks import find_disk_doubts, read_disk
from ssdlab.fio.from_text.normal_lines import Line
from ssdlab.fio.from_text.text_numbers import parse_amount

# Bytes of an entry have three digits or more, so their sum is within that of the truth.
_ROUNDING_RATIO = 0.01
_DISK_NUMBERS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class _GroupSide:
    """What a group did in one direction."""

    group_id: int
    direction: Direction
    line: Line


def check_results(
    jobs: Sequence[FioJob], results: Sequence[Line]
) -> tuple[tuple[Doubt, ...], bool]:
    """Hold what fio says of groups against their entries.

    Returns the doubts, and whether fio has printed all that belongs there.
    """
    groups = {int(line.parts[0]) for line in results if line.kind == "group"}
    rows: dict[tuple[int, Direction], _GroupSide] = {}
    doubts = [
        _differs(row, "fio says a direction of a group twice")
        for row in _group_sides(results)
        if rows.setdefault((row.group_id, row.direction), row) is not row
    ]
    by_group: dict[int, list[FioJob]] = {}
    for job in jobs:
        by_group.setdefault(job.group_id or 0, []).append(job)
    for (group_id, _), row in rows.items():
        doubts += _doubts_of(row, by_group.get(group_id, []))
    wanted = {
        (job.group_id, side.direction)
        for job in jobs
        for side in job.sides.values()
        if side.direction != "mixed" or len(job.sides) == 1
    }
    is_whole = (
        wanted <= rows.keys()
        and groups >= {job.group_id for job in jobs}
        and not any(
            line.kind == "damaged" and not is_damaged_disk(line) for line in results
        )
        and not _lacks_disks(results)
    )
    return tuple(doubts), is_whole


def _lacks_disks(results: Sequence[Line]) -> bool:
    kinds = {line.kind for line in results}
    has_any = "disk" in kinds or any(map(is_damaged_disk, results))
    return "disks" in kinds and not has_any


def _group_sides(results: Sequence[Line]) -> Iterator[_GroupSide]:
    group_id: int | None = None
    names = {direction.upper(): direction for direction in DIRECTIONS}
    for line in results:
        if line.kind == "group":
            group_id = int(line.parts[0])
        elif line.kind in {"group-side", "old-group-side"} and group_id is not None:
            direction = names[line.parts[0]]
            yield _GroupSide(group_id=group_id, direction=direction, line=line)


def _doubts_of(row: _GroupSide, jobs: Sequence[FioJob]) -> Iterator[Doubt]:
    """Yield where the jobs of a group are not what is said of it."""
    is_old = row.line.kind == "old-group-side"
    printed = parse_amount(
        row.line.parts[1], kilo=1024 if is_old else 1000, is_old=is_old
    )
    sides = [job.sides[row.direction] for job in jobs if row.direction in job.sides]
    done = sum(side.io_bytes or 0 for side in sides)
    if printed is None or not printed.is_near(done, slack=done * _ROUNDING_RATIO):
        meaning = (
            f"group {row.group_id} did {row.line.parts[1]} of {row.direction}, its "
            f"entries {done} B"
        )
        yield _differs(row, meaning)
    runtimes = [side.runtime_ms or 0 for side in sides]
    said = [int(text) for text in row.line.parts[2:4]]
    is_sum_of_parts = row.direction == "mixed" and any(len(j.sides) > 1 for j in jobs)
    if runtimes and not is_sum_of_parts and said != [min(runtimes), max(runtimes)]:
        meaning = (
            f"group {row.group_id} ran {said[0]} to {said[1]} ms, its entries "
            f"{min(runtimes)} to {max(runtimes)} ms"
        )
        yield _differs(row, meaning)


def _differs(row: _GroupSide, meaning: str) -> Doubt:
    place = f"line {row.line.number}"
    return Doubt(kind="group-differs", place=place, meaning=meaning, is_grave=True)


def find_disks(results: Sequence[Line]) -> Iterator[FioDisk]:
    """Yield what the kernel counted of each disk, and of the disks below it."""
    for line in results:
        for numbers, is_of_members in _numbers_of_disks(line):
            yield read_disk(line.parts[0], numbers, is_of_members=is_of_members)


def find_doubts_of_disks(results: Sequence[Line]) -> Iterator[Doubt]:
    """Yield what of the disks cannot be or is not read; no result rests on it."""
    for line in results:
        place = f"line {line.number}"
        if is_damaged_disk(line):
            said = repr(line.text.strip()[:80])
            meaning = f"not read, its form is not fio's: {said}"
            yield Doubt(kind="unreadable-line", place=place, meaning=meaning)
        for numbers, _ in _numbers_of_disks(line):
            yield from find_disk_doubts(line.parts[0], numbers, place=place)


def is_damaged_disk(line: Line) -> bool:
    """Tell whether a line is of a disk, not cut short and yet not of fio's form."""
    return line.kind == "damaged" and line.parts == ("disk",) and line.is_ended


def _numbers_of_disks(line: Line) -> Iterator[tuple[Sequence[str], bool]]:
    """Yield the numbers of a disk and those of its members, which the flag tells."""
    if line.kind != "disk":
        return
    numbers = line.parts[1:]
    yield numbers[:_DISK_NUMBERS], False
    if numbers[_DISK_NUMBERS]:
        yield numbers[_DISK_NUMBERS:], True
