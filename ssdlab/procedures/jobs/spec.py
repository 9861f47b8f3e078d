"""A user's fio job file as a procedure: purge, preconditioning, rounds until steady.

Jobs that run together are one stimulus, and each stimulus is one test. The first test
starts on a purged and preconditioned drive; the others start on the state that the one
before left, unless each is to be purged for itself: decision 105.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ssdlab.fio.jobs.file_jobs import FileStimulus, read_file_jobs
from ssdlab.fio.jobs.iolog import ReadLog
from ssdlab.model.asked import Procedure
from ssdlab.model.errors import UserFileError
from ssdlab.model.spec import (
    JOB_TEST,
    Histogram,
    Metric,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Stimulus,
    Tracking,
    Workload,
)
from ssdlab.model.units import KIB, duration_label

JOBS: Final = "jobs"
SECONDS: Final = 60.0
MAX_ROUNDS: Final = 25  # PTS 2.0.2, section 7
ROUNDS: Final = "rounds"
LONG: Final = "histogram"
Fill = Literal["seq", "rnd", "both", "sprandom", "none", "reuse"]
FILLS: Final[tuple[Fill, ...]] = get_args(Fill)
METRICS: Final[Mapping[str, Metric]] = {
    "iops": "iops",
    "bw": "bw_bytes_per_s",
    "lat": "lat_mean_ns",
}
_SEQ_CAPACITIES: Final = 2.0  # PTS 2.0.2, 3.3
_RND_CAPACITIES: Final = 1.0
_RND_SECONDS: Final = 60.0
_RND_HOURS: Final = 24.0
_FILL_QUEUE_DEPTH: Final = 32
_MOST_STIMULI: Final = 256
_PLAIN: Final = re.compile("[0-9A-Za-z]+")
_LONGEST_ID: Final = 60
_NO_PTS: Final = "Job files of the user: no test of the PTS, no published procedure."
_FILL_WORDS: Final[Mapping[Fill, str]] = {
    "seq": "a purge and two sequential fills of 128 KiB",
    "rnd": "a purge and one user capacity of random writes of 4 KiB",
    "both": "a purge, two sequential fills of 128 KiB and one user capacity of random "
    "writes of 4 KiB",
    "sprandom": "a purge and fio's sprandom, which writes the physical capacity once, "
    "so that as much of each block is valid as after many random writes",
    "none": "a purge and no preconditioning",
    "reuse": "the purges and fills that the suite puts before it",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class JobChoices:
    """How the jobs of a file are measured.

    ``fill`` is the preconditioning after a purge; ``reuse`` leaves both out. That by
    ``sprandom`` needs ``over_provisioning``, physical over user capacity less 1. The
    ``seconds`` of a round are those of the file if ``None``. ``tracked`` are tracking
    variables: a metric, such as ``iops``, or that of a job, such as ``reader:lat``;
    without any all ``max_rounds`` rounds are taken. After the rounds follows one long
    run of ``long_seconds``, if any. ``matrix`` has the values of options that are
    varied. Without ``is_each_purged`` only the first stimulus is purged and
    preconditioned.
    """

    fill: Fill = "seq"
    seconds: float | None = None
    max_rounds: int = MAX_ROUNDS
    tracked: tuple[str, ...] = ("iops",)
    long_seconds: float = 0.0
    matrix: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_each_purged: bool = False
    over_provisioning: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class JobEntry:
    """A job file of a suite and how it is measured.

    ``before`` are phases of its own in front of those of ``choices``. ``name`` replaces
    that of the file in titles. ``read_log`` returns an IO log beside the file, by its
    name; without it none is replayed.
    """

    source: str
    text: str
    choices: JobChoices = JobChoices()
    name: str = ""
    before: tuple[Phase, ...] = ()
    read_log: ReadLog | None = None


def file_procedure(
    text: str,
    *,
    source: str,
    choices: JobChoices = JobChoices(),
    percentiles: Sequence[float] = (),
    read_log: ReadLog | None = None,
) -> Procedure:
    r"""Return the jobs of a file as a procedure.

    Parameters
    ----------
    text : str
        The job file.
    source : str
        Its name.
    choices : JobChoices, optional
        How it is measured.
    percentiles : sequence of float, optional
        Percentiles that the report shows besides the usual ones [%].
    read_log : callable, optional
        Returns an IO log beside the file, by its name; without it none is replayed.

    Raises
    ------
    UserFileError
        If the file asks for what a run does not do.

    Examples
    --------
    >>> made = file_procedure("[a]\nrw=randread\nbs=8k\n", source="a.fio")
    >>> [test.title for test in made.tests], made.tests[0].judged_phases[0].max_rounds
    (['a'], 25)
    """
    entry = JobEntry(source=source, text=text, choices=choices, read_log=read_log)
    return suite_procedure(
        [entry], title=f"Jobs of {source}", source=source, percentiles=percentiles
    )


def suite_procedure(
    entries: Sequence[JobEntry],
    *,
    title: str,
    source: str,
    notes: Sequence[str] = (),
    percentiles: Sequence[float] = (),
) -> Procedure:
    """Return the job files of a suite, in their order, as a procedure.

    ``percentiles`` are shown besides the usual ones [%].

    Raises
    ------
    UserFileError
        If a file asks for what a run does not do.
    """
    found = [(entry, tuple(_cells(entry))) for entry in entries]
    count = sum(len(cells) for _, cells in found)
    if not 0 < count <= _MOST_STIMULI:
        reason = f"it makes {count} stimuli; from 1 to {_MOST_STIMULI} are measured"
        raise UserFileError(source=source, reason=reason)
    stimuli = [one for _, cells in found for _, one in cells]
    names = _identified(one.workload.name for one in stimuli)
    tests = tuple(
        _test(next(names), one, entry, is_first=at == 0)
        for entry, cells in found
        for at, (_, one) in enumerate(cells)
    )
    places = [
        {"name": one.name, "matrix": changes}
        for _, cells in found
        for changes, one in cells
    ]
    texts = {entry.source: entry.text for entry in entries}
    return Procedure(
        name=JOBS,
        title=title,
        source=f"the job file {source}" if len(texts) == 1 else f"the suite {source}",
        tests=tests,
        notes=(_NO_PTS, *notes, *_notes(found)),
        logs={name: log for one in stimuli for name, log in one.logs.items()},
        given={
            "file": source,
            "percentiles": list(percentiles),
            "text": next(iter(texts.values())) if len(texts) == 1 else texts,
            "left_out": list(
                dict.fromkeys(name for one in stimuli for name in one.left_out)
            ),
            "stimuli": {
                test.test_id: place for test, place in zip(tests, places, strict=True)
            },
        },
    )


def _cells(entry: JobEntry) -> Iterator[tuple[dict[str, str], FileStimulus]]:
    """Yield the stimuli of a job file, each with its values of the matrix."""
    matrix, source = entry.choices.matrix, entry.source
    if not (entry.choices.max_rounds or entry.choices.long_seconds):
        reason = "it measures nothing: neither rounds nor a long run"
        raise UserFileError(source=source, reason=reason)
    if entry.choices.fill == "sprandom" and entry.choices.over_provisioning is None:
        reason = (
            "sprandom needs over_provisioning, the flash that the drive has beyond its "
            "user capacity [%]"
        )
        raise UserFileError(source=source, reason=reason)
    count = math.prod(len(values) for _, values in matrix)
    if count > _MOST_STIMULI:
        reason = f"its matrix has {count:,} combinations; the most are {_MOST_STIMULI}"
        raise UserFileError(source=source, reason=reason)
    combinations = itertools.product(*(values for _, values in matrix))
    made = tuple(
        (changes, one)
        for changes in (
            dict(zip((name for name, _ in matrix), values, strict=True))
            for values in combinations
        )
        for one in read_file_jobs(
            entry.text,
            source=source,
            changes=changes,
            name=entry.name,
            read_log=entry.read_log,
        )
    )
    _require_tracked(source, [one for _, one in made], entry.choices.tracked)
    yield from made


def _require_tracked(
    source: str, stimuli: Sequence[FileStimulus], tracked: Sequence[str]
) -> None:
    """Require that each tracking variable is one of some stimulus, and named once."""
    names = {job.name for one in stimuli for job in one.workload.jobs}
    jobs = [text.rpartition(":")[0] for text in tracked]
    for text, job in zip(tracked, jobs, strict=True):
        if text.rpartition(":")[2] not in METRICS:
            known = ", ".join(METRICS)
            reason = f"the tracking variable {text!r} is none of {known}, or JOB:METRIC"
            raise UserFileError(source=source, reason=reason)
        if job and job not in names:
            reason = f"it has no job {job!r} to track"
            raise UserFileError(source=source, reason=reason)
        if jobs.count(job) > 1:
            reason = f"{job or 'all jobs'} can be tracked by one metric only"
            raise UserFileError(source=source, reason=reason)


def plain_name(title: str) -> str:
    """Return the name of the test of a stimulus, unless another one has it.

    >>> plain_name("4K_L2R6DWPD, cycle 2")
    'job-4k-l2r6dwpd-cycle-2'
    """
    return "-".join((JOB_TEST, *_PLAIN.findall(title.lower())))[:_LONGEST_ID]


def _identified(titles: Iterable[str]) -> Iterator[str]:
    """Yield names that are part of the names of folders, one a stimulus.

    None of them is that of a test of the PTS.
    """
    taken: set[str] = set()
    for title in titles:
        name = plain_name(title)
        others = (f"{name}-{number}" for number in itertools.count(2))
        free = next(n for n in itertools.chain((name,), others) if n not in taken)
        taken.add(free)
        yield free


def _test(
    test_id: str, stimulus: FileStimulus, entry: JobEntry, *, is_first: bool
) -> PtsTest:
    workload, choices = stimulus.workload, entry.choices
    round_s = choices.seconds or stimulus.runtime_s or SECONDS
    times = (round_s if choices.max_rounds else 0.0, choices.long_seconds)
    _require_pauses(entry.source, workload, min(filter(None, times)))
    phases: list[Phase] = []
    if is_first or choices.is_each_purged:
        phases += [*entry.before, *_prepared(choices)]
    if choices.max_rounds:
        rounds = Rounds(
            phase_id=ROUNDS,
            cells=(workload,),
            cell_seconds=round_s,
            tracking=tuple(_track(workload, choices.tracked)),
            max_rounds=choices.max_rounds,
        )
        phases.append(rounds)
    if choices.long_seconds:
        phases.append(
            Histogram(phase_id=LONG, workload=workload, seconds=choices.long_seconds)
        )
    return PtsTest(
        test_id=test_id, title=workload.name, pts_section="", phases=tuple(phases)
    )


def _require_pauses(source: str, workload: Workload, shortest_s: float) -> None:
    """Require that a log does not pause for longer than it is replayed.

    fio does not look at the time while it waits.
    """
    for job in workload.jobs:
        if job.replay is not None and job.replay.pause_s > shortest_s:
            pause, time = map(duration_label, (job.replay.pause_s, shortest_s))
            reason = f"[{job.name}] {job.replay.file} pauses for {pause}, longer than "
            reason += f"the {time} for which it is replayed"
            raise UserFileError(source=source, reason=reason)


def _prepared(choices: JobChoices) -> Iterator[Phase]:
    """Yield a purge and the preconditioning."""
    fill = choices.fill
    if fill == "reuse":
        return
    yield Purge()
    if fill == "sprandom" and choices.over_provisioning is not None:
        yield Precondition(
            phase_id="sprandom",
            block_size_bytes=4 * KIB,
            queue_depth=_FILL_QUEUE_DEPTH,
            capacity_multiple=1 + choices.over_provisioning,
            over_provisioning=choices.over_provisioning,
        )
    if fill in {"seq", "both"}:
        yield Precondition(
            phase_id="fill",
            block_size_bytes=128 * KIB,
            queue_depth=_FILL_QUEUE_DEPTH,
            capacity_multiple=_SEQ_CAPACITIES,
        )
    if fill in {"rnd", "both"}:
        yield Stimulus(
            phase_id="random-fill",
            workload=Workload(
                access="rnd",
                block_size_bytes=4 * KIB,
                read_percent=0,
                threads=1,
                queue_depth=_FILL_QUEUE_DEPTH,
            ),
            round_seconds=_RND_SECONDS,
            time_limit_s=_RND_HOURS * 3600,
            capacity_multiple=_RND_CAPACITIES,
        )


def _track(workload: Workload, tracked: Sequence[str]) -> Iterator[Tracking]:
    """Yield the tracking variables of a stimulus; those of absent jobs are none."""
    names = {job.name for job in workload.jobs}
    for text in tracked:
        job, _, metric = text.rpartition(":")
        if not job or job in names:
            yield Tracking(
                access=workload.access,
                block_size_bytes=workload.block_size_bytes,
                read_percent=workload.read_percent,
                metric=METRICS[metric],
                name=workload.name,
                job=job,
            )


def _notes(
    found: Sequence[tuple[JobEntry, Sequence[tuple[object, FileStimulus]]]],
) -> Iterator[str]:
    """Yield what a reader of the report must know, each sentence with its files."""
    said: dict[str, list[str]] = {}
    for entry, cells in found:
        stimuli = [one for _, one in cells]
        for text in (*_state_notes(entry, stimuli), _time_note(entry, stimuli)):
            said.setdefault(text, []).append(entry.name or entry.source)
    for text, names in said.items():
        if len(names) == len(found):
            yield text
        else:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            yield f"{', '.join(names[:3])}{more}: {text}"


def _state_notes(entry: JobEntry, stimuli: Sequence[FileStimulus]) -> Iterator[str]:
    """Yield on which state the stimuli of a file start."""
    choices = entry.choices
    several = len(stimuli) > 1
    if choices.fill == "reuse" and not entry.before:
        who = "Each stimulus starts" if several else "The stimulus starts"
        yield f"{who} on the state that the one before it left: no purge, no fill."
        return
    before = _FILL_WORDS[choices.fill]
    if choices.is_each_purged and several:
        yield f"Each stimulus starts after {before}."
    elif several:
        yield (
            f"The first stimulus starts after {before}. Each of the others starts on "
            "the state that the one before it left."
        )
    else:
        yield f"The stimulus starts after {before}."


def _time_note(entry: JobEntry, stimuli: Sequence[FileStimulus]) -> str:
    choices, parts = entry.choices, []
    if choices.max_rounds:
        times = {choices.seconds or one.runtime_s or SECONDS for one in stimuli}
        took = " or ".join(duration_label(seconds) for seconds in sorted(times))
        unsaid = choices.seconds is None and any(not one.runtime_s for one in stimuli)
        end = "until steady, at most" if choices.tracked else "of"
        parts.append(
            f"Rounds of {took} each{' where the file has no runtime' * unsaid}, {end} "
            f"{choices.max_rounds}."
        )
    if choices.long_seconds:
        took = duration_label(choices.long_seconds)
        parts.append(f"{'Then one' if parts else 'One'} long run of {took}.")
    if any(one.workload.replayed_bytes for one in stimuli):
        parts.append("What replays a log ends with it, if that is earlier.")
    return " ".join(parts)
