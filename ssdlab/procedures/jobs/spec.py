"""A user's fio job file as a procedure: purge, preconditioning, rounds until steady.

Jobs that run together are one stimulus, and each stimulus is one test. The first test
starts on a purged and preconditioned drive; the others start on the state that the one
before left, unless each is to be purged for itself: decision 105.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ssdlab.fio.jobs.file_jobs import FileStimulus, read_file_jobs
from ssdlab.model.asked import Procedure
from ssdlab.model.errors import UserFileError
from ssdlab.model.spec import (
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
Fill = Literal["seq", "rnd", "both", "none"]
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
_FILL_WORDS: Final[Mapping[Fill, str]] = {
    "seq": "two sequential fills of 128 KiB",
    "rnd": "one user capacity of random writes of 4 KiB",
    "both": "two sequential fills of 128 KiB, then one user capacity of random writes "
    "of 4 KiB",
    "none": "no preconditioning",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class JobChoices:
    """How the jobs of a file are measured.

    ``fill`` is the preconditioning. ``seconds`` of a round are those of the file if
    ``None``. ``tracked`` are tracking variables: a metric, such as ``iops``, or that of
    a job, such as ``reader:lat``; without any all ``max_rounds`` rounds are taken.
    ``matrix`` has the values of options that are varied. Without ``is_each_purged``
    only the first stimulus is purged and preconditioned.
    """

    fill: Fill = "seq"
    seconds: float | None = None
    max_rounds: int = MAX_ROUNDS
    tracked: tuple[str, ...] = ("iops",)
    matrix: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_each_purged: bool = False


def file_procedure(
    text: str, *, source: str, choices: JobChoices = JobChoices()
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
    stimuli = tuple(_vary(text, source, choices.matrix))
    _require_tracked(source, stimuli, choices.tracked)
    if len(stimuli) > _MOST_STIMULI:
        reason = (
            f"it makes {len(stimuli)} stimuli; at most {_MOST_STIMULI} are measured"
        )
        raise UserFileError(source=source, reason=reason)
    tests = tuple(
        _test(test_id, one, choices, is_first=number == 0)
        for number, (test_id, one) in enumerate(_identified(stimuli))
    )
    return Procedure(
        name=JOBS,
        title=f"Jobs of {source}",
        source=f"the job file {source}",
        tests=tests,
        notes=tuple(_notes(stimuli, choices)),
        given={"file": source, "text": text, "left_out": _left_out(stimuli)},
    )


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


def _vary(
    text: str, source: str, matrix: Sequence[tuple[str, tuple[str, ...]]]
) -> Iterator[FileStimulus]:
    """Yield the stimuli of a file for each cell of the matrix."""
    names = [name for name, _ in matrix]
    for values in itertools.product(*(values for _, values in matrix)):
        changes = dict(zip(names, values, strict=True))
        yield from read_file_jobs(text, source=source, changes=changes)


def _identified(stimuli: Sequence[FileStimulus]) -> Iterator[tuple[str, FileStimulus]]:
    """Yield stimuli with names that are part of the names of folders.

    None of them is that of a test of the PTS.
    """
    taken: set[str] = set()
    for one in stimuli:
        parts = ("job", *_PLAIN.findall(one.workload.name.lower()))
        name = "-".join(parts)[:_LONGEST_ID]
        others = (f"{name}-{number}" for number in itertools.count(2))
        free = next(n for n in itertools.chain((name,), others) if n not in taken)
        taken.add(free)
        yield free, one


def _test(
    test_id: str,
    stimulus: FileStimulus,
    choices: JobChoices,
    *,
    is_first: bool,
) -> PtsTest:
    seconds = choices.seconds or stimulus.runtime_s or SECONDS
    rounds = Rounds(
        phase_id=ROUNDS,
        cells=(stimulus.workload,),
        cell_seconds=seconds,
        tracking=tuple(_track(stimulus.workload, choices.tracked)),
        max_rounds=choices.max_rounds,
    )
    before = _prepared(choices.fill) if is_first or choices.is_each_purged else ()
    return PtsTest(
        test_id=test_id,
        title=stimulus.workload.name,
        pts_section="",
        phases=(*before, rounds),
    )


def _prepared(fill: Fill) -> Iterator[Phase]:
    """Yield a purge and the preconditioning."""
    yield Purge()
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


def _left_out(stimuli: Sequence[FileStimulus]) -> list[str]:
    return list(dict.fromkeys(name for one in stimuli for name in one.left_out))


def _notes(stimuli: Sequence[FileStimulus], choices: JobChoices) -> Iterator[str]:
    """Yield what a reader of the report must know."""
    yield "A job file of the user: no test of the PTS, and no published procedure."
    several = len(stimuli) > 1
    before = f"a purge and {_FILL_WORDS[choices.fill]}"
    if not several or choices.is_each_purged:
        yield (
            f"Each stimulus starts after {before}."
            if several
            else (f"The stimulus starts after {before}.")
        )
    else:
        yield (
            f"The first stimulus starts after {before}. Each of the others starts on "
            "the state that the one before it left."
        )
    times = {choices.seconds or one.runtime_s or SECONDS for one in stimuli}
    took = " or ".join(duration_label(seconds) for seconds in sorted(times))
    unsaid = choices.seconds is None and any(not one.runtime_s for one in stimuli)
    end = "until steady, at most" if choices.tracked else "of"
    yield (
        f"Rounds of {took} each{' where the file has no runtime' * unsaid}, {end} "
        f"{choices.max_rounds}."
    )
