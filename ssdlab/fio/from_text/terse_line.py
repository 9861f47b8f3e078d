"""One line of fio's terse output, versions 2 to 5, pure.

A line is the job, a block for each direction, CPU time, depths, buckets of latency,
disks and optional fields. The directions follow from the number of blocks: two are read
and write, a third is trim (not in version 3), one more is their sum
(``unified_rw_reporting=both``), and a single one is ``mixed``. Latencies are in
microseconds, bytes in KiB, both truncated to whole numbers except means and deviations;
IOs are not counted. Before 3.x a merged direction cannot be distinguished from read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ssdlab.fio.document import (
    Direction,
    Doubt,
    FioDisk,
    FioJob,
)
from ssdlab.fio.from_text.disks import find_disk_doubts, read_disk
from ssdlab.fio.from_text.terse_side import (
    BLOCK,
    BLOCK_V5,
    FIELDS_BEFORE_PERCENTILES,
    PERCENTILE,
    PERCENTILES,
    UnreadableLineError,
    build_side,
    find_side_doubts,
    take_count,
    take_integer,
    take_percent,
)
from ssdlab.fio.from_text.text_numbers import COUNTER, REAL, parse_count

_USAGE = 5  # user, system, context switches, major and minor faults
_SHARES = 7 + 10 + 12  # depths, buckets of us, buckets of ms
_ALL_SHARES = re.compile(rf"(?:{REAL}%;){{{_SHARES - 1}}}{REAL}%", re.ASCII)
_DISK = 9
_COUNTERS = re.compile(rf"{COUNTER}(?:;{COUNTER}){{{_DISK - 3}}}", re.ASCII)
_MAY_BE_WRAPPED = re.compile(r"-|[0-9]{19}", re.ASCII)
_MEMBERS = "slaves"
_WITHOUT_TRIM: tuple[Direction, ...] = ("read", "write", "mixed")
_WITH_TRIM: tuple[Direction, ...] = ("read", "write", "trim", "mixed")
# The end of a line that was truncated within a disk or the counts of errors.
_CUT_END = re.compile(r"[0-9]+|[^;]*(?:;[0-9]+){1,7}(?:;[0-9.]*)?;?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class TerseLine:
    """One job entry and its disks; ``may_be_cut`` if some of them may be missing.

    The place of a doubt is below the entry.
    """

    form_version: int
    fio_version: str
    job: FioJob
    disks: tuple[FioDisk, ...]
    doubts: tuple[Doubt, ...]
    may_be_cut: bool


def parse_terse_line(text: str) -> TerseLine:
    """Parse one line."""
    fields = text.split(";")
    form_version = take_count(fields[0])
    first = 1 if form_version == 2 else 2
    start = _first_percentile(fields) - FIELDS_BEFORE_PERCENTILES
    if start < first + 3:
        msg = "the job is missing"
        raise UnreadableLineError(msg)
    size = BLOCK_V5 if form_version == 5 else BLOCK
    blocks = _blocks(fields[start:], size)
    sides = {
        direction: build_side(direction, block)
        for direction, block in zip(
            _directions(form_version, len(blocks)), blocks, strict=True
        )
    }
    after = start + size * len(blocks)
    usr, sys = _usage(fields[after:])
    end = fields[after + _USAGE + _SHARES :]
    disks, total_errors, left = _end(end)
    job = FioJob(
        name=";".join(fields[first : start - 2]),
        hostname="",
        group_id=take_count(fields[start - 2]),
        error=take_integer(fields[start - 1]),
        total_errors=total_errors,
        elapsed_s=None,
        usr_cpu_percent=usr,
        sys_cpu_percent=sys,
        options=(),
        sides=sides,
    )
    return TerseLine(
        form_version=form_version,
        fio_version=fields[1] if first == 2 else "",
        job=job,
        disks=disks,
        doubts=(
            *(
                doubt
                for side, block in zip(sides.values(), blocks, strict=True)
                for doubt in find_side_doubts(side, block)
            ),
            *_doubts_of_disks(end[: _DISK * len(disks)]),
        ),
        may_be_cut=_CUT_END.fullmatch(left) is not None,
    )


def _first_percentile(fields: Sequence[str]) -> int:
    for number, field in enumerate(fields):
        if PERCENTILE.fullmatch(field) and _is_list(fields[number + 1 :]):
            return number
    msg = "it is truncated"
    raise UnreadableLineError(msg)


def _is_list(following: Sequence[str]) -> bool:
    """Tell whether all of fio's percentiles are there, as far as the line goes."""
    rest = following[: PERCENTILES - 1]
    return all("%=" in field for field in rest[:-1])


def _blocks(fields: Sequence[str], size: int) -> list[Sequence[str]]:
    """Return the block of each direction: all before the CPU time."""
    blocks: list[Sequence[str]] = []
    for start in range(0, len(fields), size):
        block = fields[start : start + size]
        if block[0].endswith("%"):
            return blocks
        if len(block) == size:
            blocks.append(block)
    msg = "it is truncated"
    raise UnreadableLineError(msg)


def _directions(form_version: int, count: int) -> tuple[Direction, ...]:
    has_trim = form_version != 3
    known = _WITH_TRIM if has_trim else _WITHOUT_TRIM
    is_possible = count in {3, 4} if has_trim else count in {2, 3}
    if count == 1:
        return ("mixed",)
    if is_possible or (form_version, count) == (2, 2):
        return known[:count]
    msg = f"it has {count} directions"
    raise UnreadableLineError(msg)


def _usage(fields: Sequence[str]) -> tuple[float, float]:
    if len(fields) < _USAGE + _SHARES:
        msg = "it is truncated"
        raise UnreadableLineError(msg)
    shares = fields[_USAGE : _USAGE + _SHARES]
    if not _ALL_SHARES.fullmatch(";".join(shares)):
        for field in shares:
            take_percent(field)
    return take_percent(fields[0]), take_percent(fields[1])


def _end(fields: Sequence[str]) -> tuple[tuple[FioDisk, ...], int | None, str]:
    """Return the disks, the number of ignored errors, and the rest.

    The rest is the description of the job, or the truncated part of the others.
    """
    disks: list[FioDisk] = []
    while (disk := _disk(fields[:_DISK], disks)) is not None:
        disks.append(disk)
        fields = fields[_DISK:]
    counts = [parse_count(field) for field in fields[:2]]
    if len(counts) == 2 and None not in counts:
        return tuple(disks), counts[0], ";".join(fields[2:])
    return tuple(disks), None, ";".join(fields)


def _disk(fields: Sequence[str], before: Sequence[FioDisk]) -> FioDisk | None:
    """Return a disk, or the sum over those below the previous one."""
    if len(fields) < _DISK or not fields[-1].endswith("%"):
        return None
    if not _COUNTERS.fullmatch(";".join(fields[1:-1])):
        return None
    is_of_members = fields[0] == _MEMBERS and bool(before)
    name = before[-1].name if is_of_members else fields[0]
    numbers = [*fields[1:-1], fields[-1][:-1]]
    return read_disk(name, numbers, is_of_members=is_of_members)


def _doubts_of_disks(fields: Sequence[str]) -> Iterator[Doubt]:
    """Yield the counters of disks that wrapped; no result depends on them."""
    if not _MAY_BE_WRAPPED.search(";".join(fields)):
        return
    for number in range(len(fields) // _DISK):
        name, *numbers = fields[_DISK * number : _DISK * (number + 1)]
        yield from find_disk_doubts(name, numbers, place=f"disks[{number}]")
