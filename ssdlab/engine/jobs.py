"""Run a fio job file, or a suite of them, as `run_suite` runs tests of the PTS."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from ssdlab.engine.execution import Tell
from ssdlab.engine.request import RunChoices, read_temperature_limit
from ssdlab.engine.suite import run_procedure
from ssdlab.fio.jobs.iolog import MOST_LOG_BYTES, IoLog, ReadLog, read_iolog
from ssdlab.model.asked import Procedure
from ssdlab.model.drive import AUTO_PURGE
from ssdlab.model.errors import RunFolderError, UnknownNameError, UserFileError
from ssdlab.model.units import capacity_label
from ssdlab.procedures import jobs
from ssdlab.procedures.jobs.spec import Fill, file_procedure
from ssdlab.procedures.jobs.suite_file import (
    NOT_SPRANDOM,
    JobSuite,
    Measuring,
    choices_of,
    job_suite_procedure,
)
from ssdlab.store.run import Run
from ssdlab.system.folders import Folder
from ssdlab.system.toml_files import read_text, read_toml

EXAMPLE: Final = "example:"
EXAMPLES: Final = ("loops",)
_SUITE: Final = ".toml"
_PLACE: Final = Path(jobs.__file__).parent


def run_jobs(  # noqa: PLR0913 - each is a choice of the user, by name
    target: str,
    file: str | Path,
    *,
    matrix: Mapping[str, Sequence[str | float]] | None = None,
    track: Sequence[str] | None = None,
    rounds: int | None = None,
    seconds: float | None = None,
    precondition: Fill | None = None,
    over_provisioning: float | None = None,
    purge_each: bool | None = None,
    long_run_seconds: float | None = None,
    percentiles: Sequence[float] = (),
    runs: str | Path = "data/runs",
    run_folder: str | Path = "",
    label: str = "",
    confirm_serial: str = "",
    seed: int = 0,
    host_ceiling: bool = False,
    purge: str = AUTO_PURGE,
    temperature_limit: float = 0,
    tell: Tell | None = None,
) -> Run:
    """Measure a target with the jobs of a fio job file, or of a suite of them.

    Parameters
    ----------
    target : str
        ``virtual``, ``virtual:size=256MiB,op=12``, ``file:PATH,size=1GiB``, ``/dev/…``.
    file : str or Path
        A fio job file, or a suite, which ends in ``.toml``; ``example:loops`` is one of
        ssdlab's. What is left out below is as the suite says.
    matrix : mapping of str to sequence, optional
        Of a job file: options whose values replace those of its jobs, such as
        ``{"iodepth": [1, 32]}``; all combinations.
    track : sequence of str, optional
        Tracking variables: ``iops``, ``bw`` or ``lat``, or of one job ``NAME:iops``;
        nothing is judged if it is empty. By default ``iops``.
    rounds : int, optional
        Rounds of a stimulus at most, by default 25.
    seconds : float, optional
        Time of a round [s], by default that of the file, or 60.
    precondition : {"seq", "rnd", "both", "sprandom", "none", "reuse"}, optional
        What precedes the first stimulus, by default two sequential fills.
    over_provisioning : float, optional
        For ``sprandom``: flash beyond the user capacity [%].
    purge_each : bool, optional
        Whether to purge and precondition before each stimulus.
    long_run_seconds : float, optional
        Time of a long run after the rounds, for a histogram and a series [s].
    percentiles : sequence of float, default ()
        Percentiles to show besides 99, 99.9 and 99.99 %.
    runs, run_folder, label, confirm_serial, seed, host_ceiling, purge, \
temperature_limit, tell
        As of `ssdlab.run_suite`.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the file asks for what a run does not do; no run was started then.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.

    Examples
    --------
    >>> run = ssdlab.run_jobs(  # doctest: +SKIP
    ...     "virtual", "mixed.fio", matrix={"iodepth": [1, 32]}
    ... )
    """
    choices = RunChoices(
        runs=Path(runs),
        run_folder=Path(run_folder) if run_folder else None,
        label=label,
        confirmed=confirm_serial,
        seed=seed,
        host_ceiling=host_ceiling,
        purge=purge,
        temperature_limit_celsius=read_temperature_limit(temperature_limit),
    )
    asked = Measuring(
        precondition=precondition,
        over_provisioning=over_provisioning,
        purge_each=purge_each,
        seconds=seconds,
        rounds=rounds,
        track=None if track is None else tuple(track),
        long_run_seconds=long_run_seconds,
    )
    levels = tuple(map(float, percentiles))
    axes = tuple((name, tuple(map(str, each))) for name, each in (matrix or {}).items())
    named = str(file)
    if not named.lower().endswith(_SUITE) and not named.startswith(EXAMPLE):
        procedure = read_job_file(Path(file), asked, matrix=axes, percentiles=levels)
    elif axes:
        reason = "a matrix is of a job file; write [jobs.matrix] in the suite"
        raise UserFileError(source=named, reason=reason)
    else:
        procedure = read_job_suite(named, asked, percentiles=levels)
    return run_procedure(procedure, target, choices, tell=tell)


def read_job_file(
    path: Path,
    asked: Measuring,
    *,
    matrix: tuple[tuple[str, tuple[str, ...]], ...],
    percentiles: tuple[float, ...],
) -> Procedure:
    """Return the procedure of a fio job file."""
    if asked.over_provisioning is not None and asked.precondition != "sprandom":
        raise UserFileError(source=path.name, reason=NOT_SPRANDOM)
    return file_procedure(
        read_text(path),
        source=path.name,
        choices=choices_of(asked, matrix=matrix),
        percentiles=percentiles,
        read_log=_log_reader(path.parent),
    )


def read_job_suite(
    named: str, asked: Measuring, *, percentiles: tuple[float, ...]
) -> Procedure:
    """Return the procedure of a suite, whose job files stand beside it.

    ``example:NAME`` is one of ssdlab's own.
    """
    path = Path(named)
    if named.startswith(EXAMPLE):
        name = named.removeprefix(EXAMPLE)
        if name not in EXAMPLES:
            known = tuple(f"{EXAMPLE}{one}" for one in EXAMPLES)
            raise UnknownNameError(kind="example", name=named, known=known)
        path = _PLACE / f"{name}{_SUITE}"
    return job_suite_procedure(
        read_toml(path, JobSuite),
        source=path.name,
        read_file=lambda name: read_text(path.parent / name),
        read_log=_log_reader(path.parent),
        asked=asked,
        asked_percentiles=percentiles,
    )


def _log_reader(folder: Path) -> ReadLog:
    """Return what reads an IO log in a folder, each once for all cells of a matrix."""

    @cache
    def read(name: str) -> IoLog:
        path = folder / name
        try:
            content = Folder(path.parent).read(path.name, limit=MOST_LOG_BYTES)
        except OSError as error:
            reason = f"it cannot be read ({error.strerror})"
            raise UserFileError(source=str(path), reason=reason) from None
        except RunFolderError:
            most = capacity_label(MOST_LOG_BYTES)
            reason = f"a log is a file, and not a link, of {most} at most"
            raise UserFileError(source=str(path), reason=reason) from None
        return read_iolog(content, source=str(path))

    return read
