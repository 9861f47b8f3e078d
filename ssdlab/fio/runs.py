"""Which documents of a file belong to one run of fio, and which is its result.

With ``status-interval`` fio writes a document again and again, and the numbers
accumulate; with several output formats it says the same thing in each. Two runs
that were pasted into one file do neither, and must not be taken for one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ssdlab.fio.document import Doubt, FioDocument, FioJob, FioSide, Form

_EXACTNESS: Mapping[Form, int] = {"json": 2, "terse": 1, "normal": 0}
_MS_PER_S = 1000.0
_ROUNDED_RATIO = 0.02  # normal text gives four digits of the bytes at most
_ELAPSED_SLACK_S = 1.5  # fio's `elapsed` is whole seconds, and one or so off
_STAMP_SLACK_S = 0.1
_WHOLE_STAMP_SLACK_S = 1.0
_LAST_INTERVAL_S = 0.1
_MOST_SPEED_UP = 10.0

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
    jobs, twins = ([job for job in said.jobs if job.parts] for said in (one, other))
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
    busy = {side.direction for side in one.parts}
    if busy != {side.direction for side in other.parts}:
        return False
    return all(
        _sides_say_the_same(one.sides[direction], other.sides[direction])
        for direction in busy
    )


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
    return bool(pairs) and all(_continues(*pair) for pair in pairs)


def _continues(earlier: FioDocument, later: FioDocument) -> bool:
    pairs = _pairs(earlier, later)
    if earlier.fio_version != later.fio_version or pairs is None:
        return False
    verdict = _judge_by_clock(earlier, later)
    if verdict is not None:
        return verdict
    return all(_has_grown(job, twin) for job, twin in pairs)


def _pairs(
    earlier: FioDocument, later: FioDocument
) -> list[tuple[FioJob, FioJob]] | None:
    """Return each entry with what became of it; more may have come between them.

    ``None`` if an entry is gone, unless the later document was cut short.
    """
    found: list[tuple[FioJob, FioJob]] = []
    rest = iter(later.jobs)
    for job in earlier.jobs:
        twin = next((twin for twin in rest if _key(twin) == _key(job)), None)
        if twin is None:
            return None if later.is_whole else found
        found.append((job, twin))
    return found


def _key(job: FioJob) -> tuple[str, int | None, str]:
    return job.name, job.group_id, job.hostname


def _judge_by_clock(earlier: FioDocument, later: FioDocument) -> bool | None:
    """Tell by the time stamps whether the run is the same; ``None``: they cannot.

    A new run cannot be older than the time since the last document was written. A
    run that is older goes on even where its counts fell: ``ramp_time`` resets them.
    """
    if earlier.timestamp_s is None or later.timestamp_s is None:
        return None
    passed_s = later.timestamp_s - earlier.timestamp_s
    is_coarse = earlier.timestamp_s.is_integer() and later.timestamp_s.is_integer()
    slack_s = _WHOLE_STAMP_SLACK_S if is_coarse else _STAMP_SLACK_S
    age_s = _elapsed_s(later)
    if passed_s < -slack_s:
        return False
    if age_s is None:
        is_older = _ran_s(later.jobs) + slack_s > passed_s
        return None if is_older or not later.is_whole else False
    if age_s - _ELAPSED_SLACK_S > passed_s + slack_s:
        return True
    before_s = _elapsed_s(earlier) or 0
    is_too_young = age_s + 2 * _ELAPSED_SLACK_S + slack_s < passed_s + before_s
    return False if is_too_young else None


def _elapsed_s(document: FioDocument) -> int | None:
    known = [job.elapsed_s for job in document.jobs if job.elapsed_s is not None]
    return max(known, default=None)


def _ran_s(jobs: Iterable[FioJob]) -> float:
    """Return how long the groups ran, one after another as with ``stonewall``."""
    ran_ms: dict[int | None, int] = {}
    for job in jobs:
        for side in job.sides.values():
            longest = max(ran_ms.get(job.group_id, 0), side.runtime_ms or 0)
            ran_ms[job.group_id] = longest
    return sum(ran_ms.values()) / _MS_PER_S


def _has_grown(earlier: FioJob, later: FioJob) -> bool:
    """Tell whether no counter of a job went back."""
    if _is_less(later.elapsed_s, earlier.elapsed_s):
        return False
    if not earlier.sides.keys() <= later.sides.keys():
        return False
    return all(
        _has_side_grown(side, later.sides[name]) for name, side in earlier.sides.items()
    )


def _has_side_grown(earlier: FioSide, later: FioSide) -> bool:
    counters = (
        (later.io_bytes, earlier.io_bytes),
        (later.total_ios, earlier.total_ios),
        (later.runtime_ms, earlier.runtime_ms),
        (later.short_ios, earlier.short_ios),
        (later.dropped_ios, earlier.dropped_ios),
    )
    if any(_is_less(after, before) for after, before in counters):
        return False
    return _have_extremes_spread(earlier, later) and not _has_leapt(earlier, later)


def _is_less(after: int | None, before: int | None) -> bool:
    return after is not None and before is not None and after < before


def _have_extremes_spread(earlier: FioSide, later: FioSide) -> bool:
    """Tell whether no greatest latency fell and no least one rose."""
    if not earlier.latencies.keys() <= later.latencies.keys():
        return False
    pairs = [
        (latency.summary, later.latencies[kind].summary)
        for kind, latency in earlier.latencies.items()
    ]
    return not any(
        after.max_ns < before.max_ns or after.min_ns > before.min_ns
        for before, after in pairs
    )


def _has_leapt(earlier: FioSide, later: FioSide) -> bool:
    """Tell whether there are more IOs than can have come in next to no time.

    Runs of the same length may look like one run by chance, but for this.
    """
    if None in {earlier.runtime_ms, later.runtime_ms}:
        return False
    passed_s = ((later.runtime_ms or 0) - (earlier.runtime_ms or 0)) / _MS_PER_S
    if passed_s > _LAST_INTERVAL_S:
        return False
    done = (later.io_bytes or 0) - (earlier.io_bytes or 0)
    fastest = max(earlier.bw_bytes_per_s, later.bw_bytes_per_s)
    return done > fastest * _LAST_INTERVAL_S * _MOST_SPEED_UP
