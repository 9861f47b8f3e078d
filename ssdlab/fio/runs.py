"""Which documents of a file belong to one run of fio, and which is its result.

With ``status-interval`` fio writes a document again and again, and the numbers
accumulate; with several output formats it says the same thing in each. Two runs
that were pasted into one file do neither, and must not be taken for one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ssdlab.fio.continuing import does_continue
from ssdlab.fio.document import Direction, Doubt, FioDocument, FioJob, FioSide, Form

_EXACTNESS: Mapping[Form, int] = {"json": 2, "terse": 1, "normal": 0}
_ROUNDED_RATIO = 0.02  # normal text gives four digits of the bytes at most

_Moment = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlace:
    """The run of a document, from 0, and whether the document is its result."""

    run: int
    is_result: bool


def place_in_runs(documents: Sequence[FioDocument]) -> tuple[RunPlace, ...]:
    """Return the place of each document of one file, which stand in fio's order."""
    places: list[RunPlace] = []
    for run, moments in enumerate(_runs(documents)):
        result = _result(moments, documents)
        places.extend(
            RunPlace(run=run, is_result=number == result)
            for moment in moments
            for number in moment
        )
    return tuple(places)


def doubts_of_runs(
    documents: Sequence[FioDocument], places: Sequence[RunPlace]
) -> tuple[tuple[int, Doubt], ...]:
    """Return what was taken for one run, each with the number of its result."""
    return tuple(_doubts_of_runs(documents, places))


def _doubts_of_runs(
    documents: Sequence[FioDocument], places: Sequence[RunPlace]
) -> Iterator[tuple[int, Doubt]]:
    numbered = list(enumerate(places))
    for _, members in groupby(numbered, key=lambda item: item[1].run):
        numbers = [number for number, _ in members]
        result = next(number for number in numbers if places[number].is_result)
        forms = [documents[number].form for number in numbers]
        count = max(map(forms.count, forms))
        if count > 1:
            meaning = (
                f"{count} documents; their numbers accumulate, so the last one is the "
                "result and they must not be added"
            )
            yield result, Doubt(kind="several-documents", place="file", meaning=meaning)
        if len(set(forms)) > 1:
            said = ", ".join(dict.fromkeys(forms))
            meaning = (
                f"one run, said as {said}: {documents[result].form} is the result and "
                "they must not be added"
            )
            yield result, Doubt(kind="several-forms", place="file", meaning=meaning)
    if places and places[-1].run:
        meaning = f"{places[-1].run + 1} runs of fio; each has a result of its own"
        yield numbered[-1][0], Doubt(kind="several-runs", place="file", meaning=meaning)


def _result(moments: Sequence[_Moment], documents: Sequence[FioDocument]) -> int:
    """Return the most exact of the last documents that are whole."""
    for moment in reversed(moments):
        whole = [number for number in moment if documents[number].is_whole]
        if whole:
            return max(whole, key=lambda number: _EXACTNESS[documents[number].form])
    return max(moments[-1], key=lambda number: _EXACTNESS[documents[number].form])


def _runs(documents: Sequence[FioDocument]) -> list[list[_Moment]]:
    runs: list[list[_Moment]] = []
    for moment in _moments(documents):
        if runs and _does_continue(runs[-1][-1], moment, documents):
            runs[-1].append(moment)
        else:
            runs.append([moment])
    return runs


def _moments(documents: Sequence[FioDocument]) -> list[_Moment]:
    """Return the numbers of the documents that say the same in several forms."""
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
    """Tell whether two forms speak of the same; normal text leaves idle jobs out."""
    jobs, twins = ([job for job in said.jobs if _busy(job)] for said in (one, other))
    if not other.is_whole:
        jobs = jobs[: len(twins)]
    if not _versions_agree(one, other) or len(jobs) != len(twins):
        return False
    pairs = zip(jobs, twins, strict=True)
    return all(_jobs_say_the_same(job, twin) for job, twin in pairs)


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
    """Return the directions with bytes: IOs that failed are counted in JSON alone."""
    return {side.direction for side in job.parts if side.io_bytes != 0}


def _sides_say_the_same(one: FioSide, other: FioSide) -> bool:
    if None not in {one.runtime_ms, other.runtime_ms}:
        return one.runtime_ms == other.runtime_ms
    if one.io_bytes is None or other.io_bytes is None:
        return False
    return abs(one.io_bytes - other.io_bytes) <= _ROUNDED_RATIO * one.io_bytes


def _does_continue(
    earlier: _Moment, later: _Moment, documents: Sequence[FioDocument]
) -> bool:
    """Tell whether a moment is of the same run as the moment before it."""
    before = {documents[number].form: documents[number] for number in earlier}
    pairs = [
        (before[documents[number].form], documents[number])
        for number in later
        if documents[number].form in before
    ]
    exact = max((_EXACTNESS[one.form] for one, _ in pairs), default=None)
    telling = [pair for pair in pairs if _EXACTNESS[pair[0].form] == exact]
    return bool(telling) and all(does_continue(*pair) for pair in telling)
