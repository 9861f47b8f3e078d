"""A suite of job files as TOML: what is run, on which state, and until when."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from ssdlab.fio.jobs.iolog import ReadLog
from ssdlab.model.asked import Procedure
from ssdlab.model.errors import UserFileError
from ssdlab.procedures.jobs.spec import (
    FILLS,
    MAX_ROUNDS,
    Fill,
    JobChoices,
    JobEntry,
    suite_procedure,
)

_MOST_ROUNDS: Final = 10_000
_LONGEST_SECONDS: Final = 7 * 24 * 3600.0
_MOST_ENTRIES: Final = 256
NOT_SPRANDOM: Final = "over_provisioning is of the preconditioning by sprandom alone"


@dataclass(frozen=True, kw_only=True, slots=True)
class Measuring:
    """How job files are measured; what is ``None`` is left to what stands above.

    ``precondition`` is the state that the first stimulus of a file starts on. For
    ``sprandom``, ``over_provisioning`` is the flash beyond the user capacity [%].
    """

    precondition: Fill | None = None
    over_provisioning: float | None = None
    purge_each: bool | None = None
    seconds: float | None = None
    rounds: int | None = None
    track: tuple[str, ...] | None = None
    long_run_seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        for key in ("seconds", "long_run_seconds"):
            value = getattr(self, key)
            if value is not None and not 0.1 <= value <= _LONGEST_SECONDS:
                msg = f"{key} is {value:g} but must be from 0.1 to 604,800"
                raise ValueError(msg)
        spare = self.over_provisioning
        if spare is not None and not 0.01 <= spare < 100:
            msg = f"over_provisioning is {spare:g} but must be from 0.01 to below 100"
            raise ValueError(msg)
        if self.rounds is not None and not 0 <= self.rounds <= _MOST_ROUNDS:
            msg = f"rounds is {self.rounds} but must be from 0 to {_MOST_ROUNDS}"
            raise ValueError(msg)

    def over(self, other: "Measuring") -> "Measuring":
        """Return these choices, completed by others."""
        merged = {
            name: other_value if own is None else own
            for name in Measuring.__dataclass_fields__
            for own, other_value in [(getattr(self, name), getattr(other, name))]
        }
        return Measuring(**merged)


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteJobs(Measuring):
    """One job file of a suite, ``[[jobs]]``.

    ``file`` stands beside the suite. ``matrix`` has the values of options that replace
    those of its jobs, all combinations.
    """

    file: str
    name: str = ""
    matrix: dict[str, tuple[str | int | float, ...]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSuite(Measuring):
    """A suite: its title, what holds for all of its job files, and these.

    ``percentiles`` are shown besides 99, 99.9 and 99.99 %.
    """

    jobs: tuple[SuiteJobs, ...]
    title: str = ""
    percentiles: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse percentiles that are none."""
        Measuring.__post_init__(self)
        for level in self.percentiles:
            if not 0 < level < 100:
                msg = f"percentiles: {level:g} is not between 0 and 100"
                raise ValueError(msg)


def job_suite_procedure(
    suite: JobSuite,
    *,
    source: str,
    read_file: Callable[[str], str],
    read_log: ReadLog | None = None,
    asked: Measuring = Measuring(),
    asked_percentiles: tuple[float, ...] = (),
) -> Procedure:
    """Return a suite of job files as a procedure.

    Parameters
    ----------
    suite : JobSuite
        The suite.
    source : str
        Its name.
    read_file : callable
        Returns the text of a job file beside it, by its name.
    read_log : callable, optional
        Returns an IO log beside it, by its name; without it none is replayed.
    asked : Measuring, optional
        Choices that count more than those of the suite.
    asked_percentiles : tuple of float, optional
        Percentiles in place of those of the suite [%].

    Raises
    ------
    UserFileError
        If it asks for what a run does not do.
    """
    if not 0 < len(suite.jobs) <= _MOST_ENTRIES:
        reason = f"it has {len(suite.jobs)} tables [[jobs]], not 1 to {_MOST_ENTRIES}"
        raise UserFileError(source=source, reason=reason)
    read = _Read(file=read_file, log=read_log)
    entries = tuple(_entries(suite, source=source, read=read, asked=asked))
    is_spare_given = asked.over(suite).over_provisioning is not None
    if is_spare_given and all(one.choices.fill != "sprandom" for one in entries):
        raise UserFileError(source=source, reason=NOT_SPRANDOM)
    return suite_procedure(
        entries,
        title=suite.title or source,
        source=source,
        percentiles=asked_percentiles or suite.percentiles,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """What reads files beside a suite, by their names."""

    file: Callable[[str], str]
    log: ReadLog | None

    def log_beside(self, place: PurePosixPath) -> ReadLog | None:
        """Return what reads an IO log beside a job file."""
        if self.log is None:
            return None
        read = self.log
        return lambda name: read(str(place.with_name(name)))


def _entries(
    suite: JobSuite, *, source: str, read: _Read, asked: Measuring
) -> Iterator[JobEntry]:
    for number, jobs in enumerate(suite.jobs):
        place = PurePosixPath(jobs.file)
        if place.is_absolute() or ".." in place.parts or not place.name:
            reason = f"the job file {jobs.file!r} does not stand beside it"
            raise UserFileError(source=source, reason=reason)
        chosen = asked.over(jobs).over(suite)
        choices = choices_of(
            chosen,
            is_first=number == 0,
            matrix=tuple(
                (name, tuple(map(str, values)))
                for name, values in (jobs.matrix or {}).items()
            ),
        )
        if jobs.over_provisioning is not None and choices.fill != "sprandom":
            reason = f"{jobs.file}: {NOT_SPRANDOM}"
            raise UserFileError(source=source, reason=reason)
        yield JobEntry(
            source=jobs.file,
            text=read.file(jobs.file),
            read_log=read.log_beside(place),
            name=jobs.name,
            choices=choices,
        )


def choices_of(
    chosen: Measuring,
    *,
    matrix: tuple[tuple[str, tuple[str, ...]], ...] = (),
    is_first: bool = True,
) -> JobChoices:
    """Return how a job file is measured; what is not chosen is as usual."""
    rounds = MAX_ROUNDS if chosen.rounds is None else chosen.rounds
    fill = chosen.precondition or (FILLS[0] if is_first else "reuse")
    spare = chosen.over_provisioning
    return JobChoices(
        fill=fill,
        seconds=chosen.seconds,
        max_rounds=rounds,
        tracked=(("iops",) if chosen.track is None else chosen.track) if rounds else (),
        long_seconds=chosen.long_run_seconds or 0.0,
        matrix=matrix,
        is_each_purged=bool(chosen.purge_each),
        over_provisioning=None
        if fill != "sprandom" or spare is None
        else round(spare / 100, 6),
    )
