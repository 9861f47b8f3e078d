"""The results in an output of fio: one, or several of runs and groups of jobs.

A step of an import is one of them. Jobs of one group run together. Those of a later
group ran after them, unless the times in the output contradict that (``new_group``).
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

from ssdlab.fio.document import Doubt, FioDocument, FioJob
from ssdlab.fio.output import parse_output
from ssdlab.fio.runs import doubts_of_runs, place_in_runs
from ssdlab.model.errors import FioOutputError, RunFolderError
from ssdlab.model.plain import from_plain
from ssdlab.store.records import to_json
from ssdlab.system.folders import Folder

_PART_FILE = "part.json"
_OF_ENTRY = re.compile(r"(?:jobs|client_stats)\[(\d+)\]")
_MS_PER_S = 1000.0
_SLACK_MS = 100.0
_ELAPSED_SLACK_MS = 1000.0  # fio reports the time of a whole run in seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One of several results in an output: its run of fio and its group of jobs."""

    run: int
    group: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultPart:
    """A result of an output, and how the others in it ran.

    ``part`` is ``None`` if it is the only one. ``after_ms`` is how long the groups
    after it ran, without gaps between them.
    """

    document: FioDocument
    part: Part | None = None
    after_ms: float = 0.0
    is_last: bool = True
    is_order_told: bool = True
    ran_together: bool = False

    def order_s(self, printed_s: float | None) -> float | None:
        """Return the latest time at which it ended, if the output was printed then."""
        return None if printed_s is None else printed_s - self.after_ms / _MS_PER_S


def read_results(data: bytes, *, source: str) -> tuple[ResultPart, ...]:
    """Return every result in an output of fio of any form, in its order."""
    documents = parse_output(data, source=source)
    places = place_in_runs(documents)
    doubts: dict[int, list[Doubt]] = {}
    for number, doubt in doubts_of_runs(documents, places):
        doubts.setdefault(number, []).append(doubt)
    found: list[ResultPart] = []
    for number, (document, place) in enumerate(zip(documents, places, strict=True)):
        if place.is_result:
            more = tuple(doubts.get(number, ()))
            whole = replace(document, doubts=(*document.doubts, *more))
            found += _groups(whole, place.run)
    if len(found) == 1:
        return (replace(found[0], part=None),)
    return tuple(found)


def read_part(data: bytes, part: Part | None, *, source: str) -> FioDocument:
    """Return one of the results in an output."""
    found = [each for each in read_results(data, source=source) if each.part == part]
    if not found:
        raise FioOutputError(
            source=source,
            reason="it does not hold the result of this step",
            remedy="Restore it from a copy, or import the file again.",
        )
    return found[0].document


def write_part(folder: Folder, part: Part | None) -> None:
    """Record which result of its output a step is, if there are several."""
    if part is not None:
        folder.write(_PART_FILE, to_json(asdict(part)))


def find_part(folder: Folder) -> Part | None:
    """Return which result of its output a step is; ``None`` if it is the only one."""
    if not folder.has_file(_PART_FILE):
        return None
    try:
        return from_plain(Part, json.loads(folder.read(_PART_FILE)))
    except (OSError, ValueError, RecursionError) as error:
        raise RunFolderError(
            folder=str(folder.path),
            reason=f"{_PART_FILE} is damaged ({error})",
            remedy="Restore it from a copy, or import the file again.",
        ) from error


def _groups(document: FioDocument, run: int) -> Iterator[ResultPart]:
    """Yield the groups of jobs of one run of fio."""
    groups = list(dict.fromkeys(job.group_id or 0 for job in document.measured))
    jobs = [[j for j in document.jobs if (j.group_id or 0) == g] for g in groups]
    if len(groups) < 2:
        yield ResultPart(document=document, part=Part(run=run, group=0))
        return
    times = [_ran_ms(of_group) for of_group in jobs]
    is_told, ran_together = _judge_order(document, times, jobs)
    for number, group in enumerate(groups):
        yield ResultPart(
            document=_of_group(document, group),
            part=Part(run=run, group=group),
            after_ms=math.fsum(times[number + 1 :]),
            is_last=number == len(groups) - 1,
            is_order_told=is_told,
            ran_together=ran_together,
        )


def _of_group(document: FioDocument, group: int) -> FioDocument:
    """Return a document of one group; the disks were counted over all of them."""
    kept = [n for n, job in enumerate(document.jobs) if (job.group_id or 0) == group]
    return replace(
        document,
        jobs=tuple(document.jobs[number] for number in kept),
        disks=(),
        doubts=tuple(
            doubt
            for doubt in document.doubts
            if (entry := _OF_ENTRY.match(doubt.place)) is None or int(entry[1]) in kept
        ),
    )


def _ran_ms(jobs: Sequence[FioJob]) -> float:
    sides = [side for job in jobs for side in job.parts]
    return float(max((side.runtime_ms or 0 for side in sides), default=0))


def _judge_order(
    document: FioDocument, times: Sequence[float], jobs: Sequence[Sequence[FioJob]]
) -> tuple[bool, bool]:
    """Return whether the times show if groups overlapped, and whether they did.

    Either each job reports its start, or all report the total time of fio.
    """
    starts = [job.started_s for of_group in jobs for job in of_group]
    if None not in starts:
        begun = [min(job.started_s or 0 for job in of_group) for of_group in jobs]
        return True, any(
            (after - before) * _MS_PER_S < ran - _SLACK_MS
            for (before, after), ran in zip(pairwise(begun), times, strict=False)
        )
    elapsed = [job.elapsed_s for job in document.measured if job.elapsed_s is not None]
    if not elapsed:
        return False, False
    return True, math.fsum(times) > max(elapsed) * _MS_PER_S + _ELAPSED_SLACK_MS
