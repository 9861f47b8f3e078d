"""The list of runs in a folder, and the run that a text names."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ssdlab.model.answers import answer_questions
from ssdlab.model.errors import RunFolderError, guess_name
from ssdlab.model.finding import read_findings
from ssdlab.model.schema import FINDINGS, RUNS, WINDOWS
from ssdlab.store.places import find_here_or_above, is_there
from ssdlab.store.records import RunState, read_record, read_state
from ssdlab.system.folders import Folder

_DEFAULT_FOLDER = Path("data/runs")
SAMPLES = Path("data/samples")
_SAMPLE = SAMPLES / "virtual-all"
_MOST_LISTED = 5
LATEST = "latest"
FINISHED = frozenset({"finished"})
_OUTCOME = ("is_conformant", "is_steady", "doubts", "tests", "spec_version", "status")
_FINDING = ("code", "severity", "test", "words")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEntry:
    """Summary of a run folder; ``trouble`` is why it cannot be read, if it cannot.

    ``duration_s`` is the time of all sessions that have ended.
    """

    path: str
    run_id: str = ""
    label: str = ""
    started_at: str = ""
    status: str = ""
    profile: str = ""
    tests: tuple[str, ...] = ()
    device: str = ""
    steps: int = 0
    sessions: int = 0
    duration_s: float | None = None
    trouble: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOutcome:
    """Outcome of a run by its tables; ``None`` is unknown.

    ``doubts`` is the number of doubts about its numbers.
    """

    is_conformant: bool | None = None
    is_steady: bool | None = None
    doubts: int | None = None


def find_outcome(path: str | Path) -> RunOutcome:
    """Return the outcome of a run, by its tables."""
    from ssdlab.store.swap import find_tables  # noqa: PLC0415 - numpy and pyarrow
    from ssdlab.store.tables import read_rows  # noqa: PLC0415 - as above

    try:
        tables = find_tables(Path(path))
        rows = read_rows(tables, RUNS, _OUTCOME)
        if len(rows) != 1:
            return RunOutcome()
        (row,) = rows
        if row["doubts"] is None:
            found = read_rows(tables, FINDINGS, _FINDING)
            windows = read_rows(tables, WINDOWS, ("test", "is_final", "is_steady"))
            return _derive_outcome(row, found, windows)
    except (RunFolderError, ValueError):  # also a severity that does not exist
        return RunOutcome()
    return RunOutcome(
        is_conformant=row["is_conformant"],
        is_steady=row["is_steady"],
        doubts=len(row["doubts"].splitlines()),
    )


def _derive_outcome(
    run: Mapping[str, Any],
    found: Iterable[Mapping[str, Any]],
    windows: Iterable[Mapping[str, Any]],
) -> RunOutcome:
    """Return the outcome of a run whose table ``runs`` an earlier version wrote."""
    answers = answer_questions(
        read_findings({**row, "clause": ""} for row in found),
        [(row["test"], bool(row["is_steady"])) for row in windows if row["is_final"]],
        tests=(run["tests"] or "").split(","),
        edition=run["spec_version"] or "",
        is_over=run["status"] == "finished",
    )
    return RunOutcome(
        is_conformant=answers.conforms,
        is_steady=answers.is_steady,
        doubts=len(answers.found("numbers")),
    )


def list_runs(folder: str | Path | None = None) -> tuple[RunEntry, ...]:
    """Return the runs in a folder, newest first.

    Parameters
    ----------
    folder : str or Path, optional
        The folder of runs. A relative path that does not exist here is searched in the
        parent folders. The default is ``data/runs``, which need not exist.

    Returns
    -------
    tuple of RunEntry
        One entry per run folder, including damaged ones, which come last.

    Raises
    ------
    RunFolderError
        If the given folder does not exist or cannot be read.

    Examples
    --------
    >>> [entry.run_id for entry in list_runs("data/samples")][-1:]
    ['20261122-004210-imported-dabf']
    """
    place = find_here_or_above(folder or _DEFAULT_FOLDER)
    if folder is None and not place.exists():
        return ()
    try:
        names = Folder(place).visible_names(is_needed=True)
    except OSError as error:
        raise RunFolderError(
            folder=str(place),
            reason=f"this folder of runs cannot be read ({error.strerror})",
            remedy="Name another folder of runs (on the command line: --runs FOLDER).",
        ) from None
    entries = (_entry(place / name) for name in names if is_run(place / name))
    return tuple(sorted(entries, key=lambda entry: entry.started_at, reverse=True))


def find_run(
    text: str | Path,
    *,
    runs: str | Path | None = None,
    statuses: Collection[str] = FINISHED,
    or_sample: bool = False,
) -> Path:
    """Return the folder of the run that a text names.

    A path that exists here is preferred to an id, an id to a beginning, and a beginning
    to a path that exists in a folder above.

    Parameters
    ----------
    text : str or Path
        A path, the id or folder name of a run, a beginning that only one of these has,
        or ``latest``. A `Path` is always a path, and so is ``./latest``.
    runs : str or Path, optional
        The folder of runs in which ids, beginnings and ``latest`` are searched, as for
        `list_runs`. The default is ``data/runs``, which need not exist.
    statuses : collection of str, optional
        What ``latest`` may be: ``finished``, which is the default, ``running``,
        ``interrupted`` or ``failed``.
    or_sample : bool, optional
        Whether ``latest`` is a sample run where no run qualifies.

    Returns
    -------
    Path
        The folder. It may not be a run if the text is a path.

    Raises
    ------
    RunFolderError
        If no run has this name, several begin so, or there is no latest run.

    Examples
    --------
    >>> find_run("20261122-004210", runs="data/samples").name
    'tkperf-crucial-mx200'
    """
    if isinstance(text, str) and text == LATEST:
        return _latest(runs, statuses, or_sample=or_sample)
    if isinstance(text, Path) or "/" in text or not text or is_there(Path(text)):
        return find_here_or_above(text)
    entries = list_runs(runs)
    names = {entry: {Path(entry.path).name, entry.run_id} for entry in entries}
    found = [entry for entry, own in names.items() if text in own] or [
        entry
        for entry, own in names.items()
        if any(name.startswith(text) for name in own)
    ]
    if len(found) == 1:
        return Path(found[0].path)
    if not found and is_there(above := find_here_or_above(text)):
        return above
    several = [Path(entry.path).name for entry in found[:_MOST_LISTED]]
    several += ["…"] if len(found) > _MOST_LISTED else []
    guess = "" if found else guess_name(text, sorted(set().union(*names.values())))
    meant = f"Did you mean {guess}? " if guess else ""
    raise RunFolderError(
        folder=text,
        reason=f"{len(found)} runs have this name or begin so: {', '.join(several)}"
        if found
        else "there is no such folder, and no run whose name begins so",
        remedy=f"{meant}Name a run folder, the beginning of its name, or latest; "
        "ssdlab runs lists them.",
    )


def which_text(asked: object, folder: Path) -> str:
    """Return which run was opened, and why where that was left open."""
    if asked != LATEST:
        return f"Run: {folder}"
    if folder == find_here_or_above(_SAMPLE):
        return f"Run: {folder}, a sample, as no run in {_DEFAULT_FOLDER} has finished"
    return f"Run: {folder}, the latest that has finished"


def find_runs_folder(*, least: int) -> tuple[Path, str]:
    """Return ``data/runs`` if that many of its runs finished, else the samples.

    The text says which it is, and why.
    """
    own, samples = find_here_or_above(_DEFAULT_FOLDER), find_here_or_above(SAMPLES)
    finished = sum(entry.status in FINISHED for entry in list_runs())
    if finished >= least or not samples.exists():
        return own, f"Runs: {own}"
    few = f"only {finished}" if finished else "none"
    of_own = f"{few} in {_DEFAULT_FOLDER} has finished"
    return samples, f"Runs: {samples}, which are samples, as {of_own}"


def _latest(
    runs: str | Path | None, statuses: Collection[str], *, or_sample: bool
) -> Path:
    """Return the newest run of some statuses."""
    for entry in list_runs(runs):
        if entry.status in statuses:
            return Path(entry.path)
    sample = find_here_or_above(_SAMPLE)
    if or_sample and sample.exists():
        return sample
    raise RunFolderError(
        folder=str(find_here_or_above(runs or _DEFAULT_FOLDER)),
        reason=f"there is no latest run, as none in it is {' or '.join(statuses)}",
        remedy="Name a run folder, or make a run: ssdlab run virtual",
    )


def is_run(path: Path) -> bool:
    """Tell whether there is a record of a run, valid or not."""
    try:
        return Folder(path).has("run.json")
    except OSError:
        return False


def _entry(path: Path) -> RunEntry:
    try:
        record, state = read_record(path), read_state(path)
        steps = (Folder(path) / "steps").visible_names()
    except RunFolderError as error:
        return RunEntry(path=str(path), run_id=path.name, trouble=error.reason)
    return RunEntry(
        path=str(path),
        run_id=record.run_id,
        label=record.label,
        started_at=record.started_at,
        status=state.status,
        profile=record.asked.name,
        tests=record.tests,
        device=f"{record.target.model} {record.target.serial}".strip(),
        steps=len(steps),
        sessions=len(state.sessions),
        duration_s=duration_of(state),
    )


def duration_of(state: RunState) -> float | None:
    """Return the time between start and end of all sessions that have both."""
    try:
        lengths = [
            datetime.fromisoformat(end) - datetime.fromisoformat(start)
            for start, end, _ in state.sessions
            if end
        ]
    except (ValueError, TypeError):  # no times, or only one of them with an offset
        return None
    return sum(length.total_seconds() for length in lengths) if lengths else None
