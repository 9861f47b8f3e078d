"""fio's terse output, versions 2 to 5, as documents, pure.

fio prints a line a job, and with ``status-interval`` all lines again and again: each
printing is a document. See `ssdlab.fio.from_text.terse_runs` for which lines are of
one, and `ssdlab.fio.from_text.terse_line` for what a line says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ssdlab.fio.document import SUM_ENTRY, Doubt, FioDocument
from ssdlab.fio.from_text.normal_lines import is_foreign, iterate_rows
from ssdlab.fio.from_text.terse_line import TerseLine, parse_terse_line
from ssdlab.fio.from_text.terse_runs import mark_sum, split_printings
from ssdlab.fio.from_text.terse_side import UnreadableLineError

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
    "terse output cuts latencies, minima, maxima and percentiles, to whole us, bytes "
    "and sampled rates to whole KiB and IOPS to whole numbers"
)
_UNNAMED_KIND = (
    "percentiles are taken to be of clat; with lat_percentiles=1 fio prints those of "
    "lat there and does not say so"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """One line of fio's, read or not, and what stands before it.

    ``is_apart`` says that other lines do, ``before`` those of them that are not
    fio's, and ``banner`` the last version of fio that was named.
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

    It raises nothing: other lines are passed over, and a line that is cut short or
    damaged is a grave doubt.
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
    """Return every line of fio's, and the text that follows the last one."""
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

    A line that was cut short ends where the next one begins in the same row.
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
    """Return what a line says, or why it cannot be read."""
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
    """Tell whether a run ended with a line: a client's sum, or what was cut short."""
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
                meaning=f"the line is cut short or damaged; {said}",
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
