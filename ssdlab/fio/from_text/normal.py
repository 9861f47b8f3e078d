"""fio's normal text output as documents: fio 2.x and 3.x, pure.

A document is one printing of all jobs: their entries, then what groups did, then what
disks did. A banner or a definition of jobs begins a run; with ``status-interval`` a
run has several cumulative documents. A client prints the entries of one server
after those of another; they are one document.

The text has no time zone, few options and no histograms. It rounds: see
`ssdlab.fio.from_text.normal_side` for what is computed from whole numbers instead.
Under ``unified_rw_reporting`` a direction is ``mixed``.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ssdlab.fio.document import (
    DIRECTIONS,
    Direction,
    Doubt,
    FioDisk,
    FioDocument,
    FioJob,
)
from ssdlab.fio.from_json.values import is_known_version, parse_version
from ssdlab.fio.from_text.definitions import options_of_entry, sizes_of_group
from ssdlab.fio.from_text.disks import find_disk_doubts, read_disk
from ssdlab.fio.from_text.normal_job import build_job, parse_printed_s
from ssdlab.fio.from_text.normal_lines import Line
from ssdlab.fio.from_text.normal_runs import Printing, Section, iterate_printings
from ssdlab.fio.from_text.text_numbers import parse_amount

# Bytes of an entry have three digits or more, so their sum is that accurate.
_ROUNDING_RATIO = 0.01
_DISK_NUMBERS = 8
_READ_SINCE = (2, 0)
_RIGHT_SINCE = (3, 26)
_ROUNDED = (
    "fio's text rounds: minima, maxima and percentiles to whole numbers of their unit "
    "or to five digits, means and deviations to a hundredth of it; bytes are IOs times "
    "the block size if that is named and fits, and off by one IO during a run"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _GroupSide:
    """The results of a group in one direction."""

    group_id: int
    direction: Direction
    line: Line


def check_results(
    jobs: Sequence[FioJob], results: Sequence[Line]
) -> tuple[tuple[Doubt, ...], bool]:
    """Compare fio's results of groups with their entries.

    Returns the doubts, and whether fio has printed everything there.
    """
    groups = {int(line.parts[0]) for line in results if line.kind == "group"}
    rows: dict[tuple[int, Direction], _GroupSide] = {}
    doubts = [
        _differs(row, "fio prints a direction of a group twice")
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
    """Yield differences between the jobs of a group and its results."""
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
    """Yield the kernel's counters of each disk, and of the disks below it."""
    for line in results:
        for numbers, is_of_members in _numbers_of_disks(line):
            yield read_disk(line.parts[0], numbers, is_of_members=is_of_members)


def find_doubts_of_disks(results: Sequence[Line]) -> Iterator[Doubt]:
    """Yield doubts about the disks, on which no result depends."""
    for line in results:
        place = f"line {line.number}"
        if is_damaged_disk(line):
            said = repr(line.text.strip()[:80])
            meaning = f"not read, not in fio's format: {said}"
            yield Doubt(kind="unreadable-line", place=place, meaning=meaning)
        for numbers, _ in _numbers_of_disks(line):
            yield from find_disk_doubts(line.parts[0], numbers, place=place)


def is_damaged_disk(line: Line) -> bool:
    """Tell whether a line is of a disk, not truncated, but not in fio's format."""
    return line.kind == "damaged" and line.parts == ("disk",) and line.is_ended


def _numbers_of_disks(line: Line) -> Iterator[tuple[Sequence[str], bool]]:
    """Yield the numbers of a disk and of its members, distinguished by the flag."""
    if line.kind != "disk":
        return
    numbers = line.parts[1:]
    yield numbers[:_DISK_NUMBERS], False
    if numbers[_DISK_NUMBERS]:
        yield numbers[_DISK_NUMBERS:], True


def parse_normal(text: str, *, source: str) -> tuple[FioDocument, ...]:
    """Return every document of fio's normal form in a text, oldest first.

    It raises nothing: text that is not from fio is skipped, and text from fio that
    cannot be read is a grave doubt.
    """
    return tuple(document for _, document in iterate_normal(text, source=source))


def iterate_normal(text: str, *, source: str) -> Iterator[tuple[int, FioDocument]]:
    """Yield every document, and the first line of its results; 0 without any."""
    for found in iterate_printings(text):
        yield found.first_line, _document(found, source)


def _document(found: Printing, source: str) -> FioDocument:
    jobs: list[FioJob] = []
    disks: list[FioDisk] = []
    doubts: list[Doubt] = []
    is_whole = bool(found.sections)
    for section in found.sections:
        of_section, of_jobs = _jobs(section, found, len(jobs))
        of_groups, is_checked = check_results(
            [job for job in of_section if not job.is_aggregate], section.results
        )
        jobs += of_section
        disks += find_disks(section.results)
        doubts += [*of_jobs, *of_groups, *_unreadable(section.results)]
        doubts += find_doubts_of_disks(section.results)
        is_whole &= is_checked and len(of_section) == len(section.entries)
    return FioDocument(
        source=source,
        form="normal",
        fio_version=found.version,
        timestamp_s=None,
        global_options=(),
        jobs=tuple(jobs),
        disks=tuple(disks),
        prefix="\n".join(found.said),
        suffix="\n".join(found.after),
        is_whole=is_whole,
        doubts=(*doubts, *_doubts(found, jobs, is_whole=is_whole)),
        begins_run=found.begins_run,
        printed_s=_printed_s(found),
    )


def _printed_s(found: Printing) -> float | None:
    first = [section.entries[0][0] for section in found.sections if section.entries]
    is_begun = bool(first) and first[0].kind == "entry"
    return parse_printed_s(first[0]) if is_begun else None


def _jobs(
    section: Section, found: Printing, first: int
) -> tuple[list[FioJob], list[Doubt]]:
    jobs: list[FioJob] = []
    doubts: list[Doubt] = []
    groups = Counter(map(_group, section.entries))
    for lines in section.entries:
        group = _group(lines)
        job, of_job = build_job(
            lines,
            sizes=sizes_of_group(found.definitions, int(group)),
            is_interim=found.is_interim,
            number=first + len(jobs),
        )
        if job is not None:
            hostname = "" if job.is_aggregate else found.hostname
            options = options_of_entry(
                found.definitions, job.name, int(group), is_alone=groups[group] == 1
            )
            jobs.append(replace(job, hostname=hostname, options=options))
        doubts += of_job
    if _prints_right(found.version):
        doubts = [
            replace(doubt, is_grave=doubt.is_grave or doubt.kind == "misprinted")
            for doubt in doubts
        ]
    return jobs, doubts


def _prints_right(version: str) -> bool:
    """Tell whether a version of fio prints fractions correctly."""
    return is_known_version(version) and parse_version(version) >= _RIGHT_SINCE


def _group(lines: Sequence[Line]) -> str:
    return lines[0].parts[1] if lines[0].kind == "entry" else "-1"


def _unreadable(results: Sequence[Line]) -> list[Doubt]:
    return [
        Doubt(
            kind="unreadable-line",
            place=f"line {line.number}",
            meaning=f"not read, not in fio's format: {line.text.strip()[:80]!r}",
            is_grave=True,
        )
        for line in results
        if line.kind == "damaged" and not is_damaged_disk(line)
    ]


def _doubts(found: Printing, jobs: Sequence[FioJob], *, is_whole: bool) -> list[Doubt]:
    doubts = []
    if not is_whole:
        meaning = "the output is truncated or damaged: fio printed more than is here"
        doubts.append(
            Doubt(kind="truncated", place="end", meaning=meaning, is_grave=True)
        )
    elif not jobs:
        meaning = "fio printed no job, so none did IO"
        is_grave = not found.is_interim
        doubts.append(
            Doubt(kind="no-io", place="jobs", meaning=meaning, is_grave=is_grave)
        )
    if jobs:
        doubts.append(Doubt(kind="rounded", place="text", meaning=_ROUNDED))
    if is_known_version(found.version) and parse_version(found.version) < _READ_SINCE:
        kind, meaning = (
            "old-version",
            f"{found.version} is older than the oldest supported version, 2.0",
        )
        doubts.append(
            Doubt(kind=kind, place="fio version", meaning=meaning, is_grave=True)
        )
    return doubts
