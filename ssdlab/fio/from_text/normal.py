"""fio's normal text output as documents: fio 2.x and 3.x, pure.

A document is one printing of all jobs: their entries, then what groups did, then what
disks did. A banner or a definition of jobs begins a run; with ``status-interval`` a
run has several documents, which accumulate. A client prints the entries of one server
after those of another, and they are one document.

The text has no time zone, few options and no histograms. It rounds: see
`ssdlab.fio.from_text.normal_side` for what is computed from whole numbers instead.
Under ``unified_rw_reporting`` a direction is ``mixed``.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ssdlab.fio.document import Doubt, FioDisk, FioDocument, FioJob
from ssdlab.fio.from_json.values import is_known_version, parse_version
from ssdlab.fio.from_text.definitions import options_of_entry, sizes_of_group
from ssdlab.fio.from_text.normal_groups import (
    check_results,
    find_disks,
    find_doubts_of_disks,
    is_damaged_disk,
)
from ssdlab.fio.from_text.normal_job import build_job, parse_printed_s
from ssdlab.fio.from_text.normal_lines import Line
from ssdlab.fio.from_text.normal_runs import Printing, Section, iterate_printings

_READ_SINCE = (2, 0)
_RIGHT_SINCE = (3, 26)
_ROUNDED = (
    "fio's text rounds: minima, maxima and percentiles to whole numbers of their unit "
    "or to five digits, means and deviations to a hundredth of it; bytes are IOs times "
    "the block size where that is named and fits, and an IO more or less while a run "
    "goes on"
)


def parse_normal(text: str, *, source: str) -> tuple[FioDocument, ...]:
    """Return every document of fio's normal form in a text, oldest first.

    It raises nothing: what is not fio's is passed over, and what is fio's and cannot
    be read is a grave doubt.
    """
    return tuple(document for _, document in iterate_normal(text, source=source))


def iterate_normal(text: str, *, source: str) -> Iterator[tuple[int, FioDocument]]:
    """Yield every document, and the line at which its results begin; 0 without any."""
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
    """Tell whether a version of fio prints fractions as they are."""
    return is_known_version(version) and parse_version(version) >= _RIGHT_SINCE


def _group(lines: Sequence[Line]) -> str:
    return lines[0].parts[1] if lines[0].kind == "entry" else "-1"


def _unreadable(results: Sequence[Line]) -> list[Doubt]:
    return [
        Doubt(
            kind="unreadable-line",
            place=f"line {line.number}",
            meaning=f"not read, its form is not fio's: {line.text.strip()[:80]!r}",
            is_grave=True,
        )
        for line in results
        if line.kind == "damaged" and not is_damaged_disk(line)
    ]


def _doubts(found: Printing, jobs: Sequence[FioJob], *, is_whole: bool) -> list[Doubt]:
    doubts = []
    if not is_whole:
        meaning = "the output is cut short or damaged: fio printed more than is here"
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
            f"{found.version} is older than what is read: 2.0",
        )
        doubts.append(
            Doubt(kind=kind, place="fio version", meaning=meaning, is_grave=True)
        )
    return doubts
