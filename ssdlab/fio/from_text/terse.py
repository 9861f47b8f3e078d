"""fio's terse output, versions 2 to 5, as documents, pure.

fio prints a line per job, and with ``status-interval`` all lines repeatedly: each
printing is a document. See `ssdlab.fio.from_text.terse` for which lines belong to
one, and `ssdlab.fio.from_text.terse_line` for the content of a line.

Group the lines of fio's terse output by printing.

fio does not mark printings. With ``status-interval`` all lines are repeated later; with
``numjobs`` several lines of one printing have the same name. The evidence: the disks at
the end of each line advance between printings, the group number goes back, and in all
lines no counter decreases from one printing to the next.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ssdlab.fio.document import SUM_ENTRY, Doubt, FioDocument, FioSide
from ssdlab.fio.from_text.normal_lines import is_foreign, iterate_rows
from ssdlab.fio.from_text.terse_line import TerseLine, parse_terse_line
from ssdlab.fio.from_text.terse_side import UnreadableLineError

Lines = Sequence[TerseLine | None]

_KIB = 1024
_LEAST_INTERVAL_MS = 100  # jobs that ran at the same time differ by less
_SURE_OF_PRINTINGS = 3
_LINE = re.compile(
    r"[345];fio[- ][^;]*;|2;.{0,400}?;[0-9]{1,9};-?[0-9]{1,9};[0-9]+;[0-9]+;",
    re.ASCII,
)
_BEGINNING = re.compile(r"[345];fio-[0-9][^;\s]*;", re.ASCII)
_NAME_MARK = ";fio"
_PERCENTILE_MARK = "%="
_PROGRESS = re.compile(r"Jobs: [0-9]", re.ASCII)
_BANNER = re.compile(r"fio[- ][0-9]+\.[0-9]\S*", re.ASCII)
_ROUNDED = (
    "terse output truncates latencies, minima, maxima and percentiles to whole us, "
    "bytes and sampled rates to whole KiB and IOPS to whole numbers"
)
_UNNAMED_KIND = (
    "percentiles are assumed to be of clat; with lat_percentiles=1 fio prints those of "
    "lat there without saying so"
)


def split_printings(lines: Lines) -> Iterator[int]:
    """Yield the number of lines of each printing, of adjacent lines.

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
    """Tell whether bytes match the parts, each of which was truncated to whole KiB."""
    done = sum((side.io_bytes or 0) for side in parts if side is not None)
    return 0 <= (total or 0) - done <= (len(parts) + 1) * _KIB


def has_disk_io(line: TerseLine) -> bool:
    """Tell whether any disk of a line did IO."""
    return any(disk.did_io for disk in line.disks)


def _sure_lengths(lines: Lines) -> Iterator[int]:
    """Yield the lengths of parts that the disks or the group separate."""
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
    """Return the length of the shortest printing, if this part is a multiple of it."""
    size = min(lengths)
    if size == len(part) or len(part) % size:
        return None
    return size if all(_pairs_continue(part, size)) else None


def _length_by_itself(part: Lines) -> int:
    """Return the length of a printing, if a part must be several of them."""
    total = len(part)
    for size in range(1, total // 2 + 1):
        if total % size == 0 and _is_repeated(part, size):
            return size
    return total


def _is_repeated(part: Lines, size: int) -> bool:
    if not all(_pairs_continue(part, size)):
        return False
    growths = [_growth_ms(part, start, size) for start in range(size, len(part), size)]
    if _is_same(part, size):
        return True
    is_many = len(growths) + 1 >= _SURE_OF_PRINTINGS
    if not is_many and any(line is not None and has_disk_io(line) for line in part):
        return False
    # The last printing, at the end of a run, may immediately follow the previous one.
    needed = growths[:-1] if is_many else growths
    return all(growth >= _LEAST_INTERVAL_MS for growth in needed)


def _pairs_continue(part: Lines, size: int) -> Iterator[bool]:
    for old, new in zip(part, part[size:], strict=False):
        yield old is not None and new is not None and _goes_on(old, new)


def _is_same(part: Lines, size: int) -> bool:
    """Tell whether ended jobs are printed again; no two jobs have the same results."""
    did_io = any(line is not None and line.job.parts for line in part)
    pairs = zip(part, part[size:], strict=False)
    return did_io and all(
        old is not None and new is not None and _numbers(old) == _numbers(new)
        for old, new in pairs
    )


def _growth_ms(part: Lines, start: int, size: int) -> int:
    """Return how much longer the jobs ran than in the previous printing."""
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
    """Tell whether a line may be of the same job, later: no counter decreased."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """One line of fio, read or not, and the text before it.

    ``is_apart``: other lines precede it; ``before`` are those that are not fio's, and
    ``banner`` is the last version of fio that was named.
    """

    number: int
    read: TerseLine | None
    reason: str
    is_cut: bool
    is_apart: bool
    before: str
    banner: str


def parse_terse(text: str, *, source: str) -> tuple[FioDocument, ...]:
    """Return every document of fio's terse form in a text, oldest first.

    It raises nothing: other lines are skipped, and a truncated or damaged line is a
    grave doubt.
    """
    if _NAME_MARK not in text and _PERCENTILE_MARK not in text:
        return ()
    found, suffix = _find(text)
    groups = [*_documents(found)]
    last = len(groups) - 1
    return tuple(
        _document(group, source, suffix=suffix if number == last else "")
        for number, group in enumerate(groups)
    )


def is_sum_line(lines: str) -> bool:
    """Tell whether a client printed the sum of all its servers last."""
    return f";{SUM_ENTRY};" in lines.strip().rpartition("\n")[2]


def _find(text: str) -> tuple[list[_Found], str]:
    """Return every line of fio, and the text after the last one."""
    found: list[_Found] = []
    others: list[str] = []
    banner, has_v2, is_apart = "", False, False
    for number, row, is_ended in _rows(text):
        line = row.strip()
        is_v2 = line.startswith("2;")
        has_v2 = has_v2 or (is_v2 and _PERCENTILE_MARK in line)
        if _LINE.match(line) and (has_v2 or not is_v2):
            read, reason = _read(line)
            found.append(
                _Found(
                    number=number,
                    read=read,
                    reason=reason,
                    is_cut=not is_ended and (read is None or read.may_be_cut),
                    is_apart=is_apart,
                    before="\n".join(others),
                    banner=banner,
                )
            )
            others, is_apart = [], False
        elif line and not _PROGRESS.match(line):
            is_apart = True
            others += [row.rstrip()] if is_foreign(row) else []
            banner = line if _BANNER.fullmatch(line) else banner
    return found, "\n".join(others)


def _rows(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the rows of a text by number, and whether each was ended.

    A truncated line ends where the next one begins in the same row.
    """
    for number, (row, is_ended) in enumerate(iterate_rows(text), start=1):
        marks = (
            [match.start() for match in _BEGINNING.finditer(row)]
            if row.count(_NAME_MARK) > 1
            else []
        )
        if len(marks) > 1 and _LINE.match(row.strip()):
            for start, end in pairwise(marks):
                yield number, row[start:end], False
            yield number, row[marks[-1] :], is_ended
        else:
            yield number, row, is_ended


def _read(line: str) -> tuple[TerseLine | None, str]:
    """Return the content of a line, or why it cannot be read."""
    try:
        return parse_terse_line(line), ""
    except UnreadableLineError as error:
        return None, str(error)


def _documents(found: Sequence[_Found]) -> Iterator[Sequence[_Found]]:
    starts = [
        number
        for number, line in enumerate(found)
        if number and (line.is_apart or _is_end(found[number - 1]))
    ]
    for start, end in pairwise([0, *starts, len(found)]):
        at = start
        for length in split_printings([line.read for line in found[start:end]]):
            yield found[at : at + length]
            at += length


def _is_end(line: _Found) -> bool:
    """Tell whether a run ended with a line: a client's sum, or a truncated one."""
    is_sum = line.read is not None and line.read.job.name == SUM_ENTRY
    return line.is_cut or is_sum


def _document(lines: Sequence[_Found], source: str, *, suffix: str) -> FioDocument:
    read = mark_sum([line.read for line in lines if line.read is not None])
    doubts = [
        replace(doubt, place=f"jobs[{number}].{doubt.place}")
        for number, line in enumerate(read)
        for doubt in line.doubts
    ]
    return FioDocument(
        source=source,
        form="terse",
        fio_version=(read[0].fio_version if read else "") or lines[0].banner,
        timestamp_s=None,
        global_options=(),
        jobs=tuple(line.job for line in read),
        disks=read[-1].disks if read else (),
        prefix=lines[0].before,
        suffix=suffix,
        is_whole=not any(line.is_cut or line.read is None for line in lines),
        doubts=(*doubts, *_doubts_of_lines(lines), *_doubts_of_form(read)),
    )


def _doubts_of_lines(lines: Sequence[_Found]) -> Iterator[Doubt]:
    for line in lines:
        if line.is_cut or line.read is None:
            said = f"left out: {line.reason}" if line.reason else "its disks may be"
            kind = "truncated" if line.is_cut else "unreadable-line"
            yield Doubt(
                kind=kind,
                place=f"line {line.number}",
                meaning=f"the line is truncated or damaged; {said}",
                is_grave=True,
            )


def _doubts_of_form(read: Sequence[TerseLine]) -> Iterator[Doubt]:
    if not read:
        return
    yield Doubt(kind="rounded", place="terse", meaning=_ROUNDED)
    if any(_has_unnamed_percentiles(line) for line in read):
        yield Doubt(kind="percentiles-unnamed", place="terse", meaning=_UNNAMED_KIND)


def _has_unnamed_percentiles(line: TerseLine) -> bool:
    return any(
        bool(latency.percentiles) and {"clat", "lat"} <= {*side.latencies}
        for side in line.job.sides.values()
        for latency in side.latencies.values()
    )
