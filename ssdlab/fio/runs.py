"""Assign the documents of a file to runs of fio, and find each run's result.

With ``status-interval`` fio writes documents repeatedly, with cumulative numbers; with
several output formats it writes the same in each. Two runs in one file do neither, and
must not be taken as one. If it is unclear, each document is kept as a run of its own,
with a grave doubt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from ssdlab.fio.continuing import Continuation, judge_continuation, ran_ms
from ssdlab.fio.document import Direction, Doubt, FioDocument, FioJob, FioSide, Form

_EXACTNESS: Mapping[Form, int] = {"json": 2, "terse": 1, "normal": 0}
_ROUNDED_RATIO = 0.02  # normal text gives four digits of the bytes at most
_LEAST_INTERVAL_MS = 100  # between two printings of status-interval
_RHYTHM_RATIO = 1.25
_LEAST_RHYTHM = 3  # printings
_UNCLEAR = (
    "it is unclear whether it is of the same run as the previous document, whose "
    "numbers it would include, or of another run: both are kept, and must not be "
    "added unless you know that fio ran twice"
)

_Moment = tuple[int, ...]


_REPEATED = (
    "several lines are of the same job: without disks it is unclear whether they ran "
    "at the same time (numjobs) or one after another, as runs that were appended to "
    "one file; all are kept, and their rates must not be added unless they ran together"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlace:
    """The run of a document, from 0, and whether the document is its result.

    ``is_unclear`` if it may also be of the previous run.
    """

    run: int
    is_result: bool
    is_unclear: bool = False


def place_in_runs(documents: Sequence[FioDocument]) -> tuple[RunPlace, ...]:
    """Return the run of each document of one file, in fio's order."""
    places: list[RunPlace] = []
    for run, (moments, is_unclear) in enumerate(_runs(documents)):
        result = _result(moments, documents)
        places.extend(
            RunPlace(run=run, is_result=number == result, is_unclear=is_unclear)
            for moment in moments
            for number in moment
        )
    return tuple(places)


def doubts_of_runs(
    documents: Sequence[FioDocument], places: Sequence[RunPlace]
) -> tuple[tuple[int, Doubt], ...]:
    """Return the doubts about runs, each with the number of its result."""
    return tuple(_doubts_of_runs(documents, places))


def _doubts_of_runs(
    documents: Sequence[FioDocument], places: Sequence[RunPlace]
) -> Iterator[tuple[int, Doubt]]:
    numbered = list(enumerate(places))
    for _, members in groupby(numbered, key=lambda item: item[1].run):
        numbers = [number for number, _ in members]
        result = next(number for number in numbers if places[number].is_result)
        if places[result].is_unclear:
            kind = "runs-unclear"
            yield (
                result,
                Doubt(kind=kind, place="file", meaning=_UNCLEAR, is_grave=True),
            )
        forms = [documents[number].form for number in numbers]
        if len(forms) == 1 and _repeats_names(documents[result]):
            kind = "repeated-names"
            yield (
                result,
                Doubt(kind=kind, place="file", meaning=_REPEATED, is_grave=True),
            )
        count = max(map(forms.count, forms))
        if count > 1:
            meaning = (
                f"{count} documents; their numbers are cumulative, so the last one is "
                "the result and they must not be added"
            )
            yield result, Doubt(kind="several-documents", place="file", meaning=meaning)
        if len(set(forms)) > 1:
            said = ", ".join(dict.fromkeys(forms))
            meaning = (
                f"one run, as {said}: {documents[result].form} is the result and "
                "they must not be added"
            )
            yield result, Doubt(kind="several-forms", place="file", meaning=meaning)
    if places and places[-1].run:
        meaning = f"{places[-1].run + 1} runs of fio; each has a result of its own"
        yield numbered[-1][0], Doubt(kind="several-runs", place="file", meaning=meaning)


def _repeats_names(document: FioDocument) -> bool:
    """Tell whether terse lines of one name may have been printed by several runs.

    Lines that fio itself added up, as a client does, ran together.
    """
    if document.form != "terse" or any(disk.did_io for disk in document.disks):
        return False
    jobs = [(job.name, job.group_id) for job in document.jobs]
    is_summed = any(job.is_aggregate for job in document.jobs)
    return len(set(jobs)) < len(jobs) and not is_summed


def _result(moments: Sequence[_Moment], documents: Sequence[FioDocument]) -> int:
    """Return the most exact of the last complete documents."""
    for moment in reversed(moments):
        whole = tuple(number for number in moment if documents[number].is_whole)
        if whole:
            return _exact(whole, documents)
    return _exact(moments[-1], documents)


def _runs(
    documents: Sequence[FioDocument],
) -> Iterator[tuple[list[_Moment], bool]]:
    """Yield the moments of each run, and whether it may be of the previous run."""
    for chain, links in _chains(documents):
        if "unclear" not in links or _has_rhythm(chain, documents):
            yield chain, False
            continue
        start = 0
        breaks = [n for n, link in enumerate(links, start=1) if link == "unclear"]
        for end in (*breaks, len(chain)):
            yield chain[start:end], start > 0
            start = end


def _chains(
    documents: Sequence[FioDocument],
) -> Iterator[tuple[list[_Moment], list[Continuation]]]:
    """Yield moments that may be of one run, and how each follows the previous one."""
    chain: list[_Moment] = []
    links: list[Continuation] = []
    for moment in _moments(documents):
        link = _judge(chain[-1], moment, documents) if chain else "other"
        if chain and link == "other":
            yield chain, links
            chain, links = [moment], []
            continue
        links += [link] if chain else []
        chain.append(moment)
    if chain:
        yield chain, links


def _has_rhythm(chain: Sequence[_Moment], documents: Sequence[FioDocument]) -> bool:
    """Tell whether moments follow each other in the rhythm of ``status-interval``.

    The jobs' runtime grows by the same time from each to the next; the last one, at the
    end of the run, may follow immediately.
    """
    if len(chain) < _LEAST_RHYTHM:
        return False
    times_ms = [ran_ms(documents[_exact(moment, documents)]) for moment in chain]
    *steps_ms, last_ms = [later - earlier for earlier, later in pairwise(times_ms)]
    shortest_ms, longest_ms = min(steps_ms), max(steps_ms)
    return (
        shortest_ms >= _LEAST_INTERVAL_MS
        and longest_ms <= shortest_ms * _RHYTHM_RATIO
        and last_ms <= longest_ms * _RHYTHM_RATIO
    )


def _exact(moment: _Moment, documents: Sequence[FioDocument]) -> int:
    return max(moment, key=lambda number: _EXACTNESS[documents[number].form])


def _moments(documents: Sequence[FioDocument]) -> list[_Moment]:
    """Return groups of documents with the same content in several forms."""
    moments: list[_Moment] = []
    for number, document in enumerate(documents):
        before = [documents[other] for other in moments[-1]] if moments else []
        is_new_form = all(other.form != document.form for other in before)
        if before and is_new_form and _says_the_same(before[-1], document):
            moments[-1] = (*moments[-1], number)
        else:
            moments.append((number,))
    return moments


def _says_the_same(one: FioDocument, other: FioDocument) -> bool:
    """Tell whether two forms have the same content; normal text omits idle jobs.

    A client writes text of a job when that ended, and JSON in the order of its servers.
    """
    jobs, twins = ([job for job in said.jobs if _busy(job)] for said in (one, other))
    if not other.is_whole:
        jobs = jobs[: len(twins)]
    elif any(job.is_aggregate for job in jobs):
        jobs, twins = sorted(jobs, key=_runtimes), sorted(twins, key=_runtimes)
    if not _versions_agree(one, other) or len(jobs) != len(twins):
        return False
    pairs = zip(jobs, twins, strict=True)
    return all(_jobs_say_the_same(job, twin) for job, twin in pairs)


def _runtimes(job: FioJob) -> tuple[str, list[tuple[str, int]]]:
    times = ((side.direction, side.runtime_ms or 0) for side in job.parts)
    return job.name, sorted(times)


def _versions_agree(one: FioDocument, other: FioDocument) -> bool:
    versions = {one.fio_version, other.fio_version} - {""}
    return len(versions) < 2


def _jobs_say_the_same(one: FioJob, other: FioJob) -> bool:
    if one.name != other.name:
        return False
    busy = _busy(one)
    if busy != _busy(other):
        return False
    return all(
        _sides_say_the_same(one.sides[direction], other.sides[direction])
        for direction in busy
    )


def _busy(job: FioJob) -> set[Direction]:
    """Return the directions with bytes: only JSON counts failed IOs."""
    return {side.direction for side in job.parts if side.io_bytes != 0}


def _sides_say_the_same(one: FioSide, other: FioSide) -> bool:
    if None not in {one.runtime_ms, other.runtime_ms}:
        return one.runtime_ms == other.runtime_ms
    if one.io_bytes is None or other.io_bytes is None:
        return False
    return abs(one.io_bytes - other.io_bytes) <= _ROUNDED_RATIO * one.io_bytes


def _judge(
    earlier: _Moment, later: _Moment, documents: Sequence[FioDocument]
) -> Continuation:
    """Tell whether a moment is of the same run as the previous one.

    The most exact form that both have decides, or another one if it cannot.
    """
    before = {documents[number].form: documents[number] for number in earlier}
    pairs = [
        (before[documents[number].form], documents[number])
        for number in later
        if documents[number].form in before
    ]
    pairs.sort(key=lambda pair: -_EXACTNESS[pair[0].form])
    links = [judge_continuation(*pair) for pair in pairs]
    clear = [link for link in links if link != "unclear"]
    if clear:
        return clear[0]
    return "unclear" if links else "other"
