"""Which runs a user named: a folder of runs stands for the runs in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import RepeatedNameError, RunFolderError, SsdlabError
from ssdlab.model.schema import TABLES
from ssdlab.store.catalog import list_runs
from ssdlab.store.places import find_here_or_above
from ssdlab.store.run import Run
from ssdlab.system.folders import Folder

_FEWEST = 2
_LOOK = "Name run folders, or a folder of runs; ssdlab runs shows those there are."
_UNUSED = "series"  # of no comparison, and by far the longest table


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenedRuns:
    """Runs to compare, and those of a folder that cannot be read, each with why."""

    runs: tuple[Run, ...]
    left_out: tuple[str, ...] = ()


def open_runs(runs: str | Path | Sequence[str | Path]) -> OpenedRuns:
    """Open two or more different runs, and read what a comparison needs of them.

    Parameters
    ----------
    runs : str, Path or sequence of str or Path
        Run folders, or folders of runs; in one text separated by commas or lines.

    Returns
    -------
    OpenedRuns
        The runs, in their order. One that goes on, or has no tables, is read from its
        raw output. What cannot be read is left out if it lies in a folder of runs.

    Raises
    ------
    RunFolderError
        If there are fewer than two, there is no such folder, or a run that was named
        cannot be read.
    RepeatedNameError
        If a run is there twice.
    """
    opened: list[Run] = []
    left_out: list[str] = []
    for path in _paths(runs):
        if _is_run(path):
            opened.append(_open(path))
            continue
        for folder in _runs_in(path):
            try:
                opened.append(_open(folder))
            except SsdlabError as error:
                left_out.append(_why(folder, error))
    if len(opened) < _FEWEST:
        _refuse_few(opened, left_out)
    ids = [run.record.run_id for run in opened]
    for run_id in ids:
        if ids.count(run_id) > 1:
            text = ", ".join(str(run.path) for run in opened)
            raise RepeatedNameError(kind="run", name=run_id, text=text)
    return OpenedRuns(runs=tuple(opened), left_out=tuple(left_out))


def _open(folder: Path) -> Run:
    """Open a run, and read every table that is asked for later, so that none fails."""
    run = open_run(folder)
    for name in TABLES:
        if name != _UNUSED:
            getattr(run, name)
    _require_own_tables(run)
    return run


def _require_own_tables(run: Run) -> None:
    """Require that its tables are of the run: its steps would be taken for another's.

    Raises
    ------
    RunFolderError
        If they are of one with another name.
    """
    others = {str(name) for name in run.measurements["run_id"].dropna().unique()}
    others.discard(run.record.run_id)
    if others:
        raise RunFolderError(
            folder=str(run.path),
            reason=f"its tables are of run {min(others)!r}, and its record of "
            f"{run.record.run_id!r}",
            remedy=f"Rebuild the tables from raw output: ssdlab ingest {run.path}",
        )


def _is_run(path: Path) -> bool:
    try:
        return Folder(path).has("run.json")
    except OSError:
        return False


def _paths(runs: str | Path | Sequence[str | Path]) -> list[Path]:
    named = re.split(r"[,\n]", runs) if isinstance(runs, str) else runs
    several = [named] if isinstance(named, Path) else named
    words = (str(name).strip() for name in several)
    return [find_here_or_above(word) for word in words if word]


def _runs_in(folder: Path) -> list[Path]:
    """Return the runs in a folder of runs.

    Raises
    ------
    RunFolderError
        If it is none.
    """
    reason = ""
    if not folder.exists():
        reason = "there is no such folder"
    elif not folder.is_dir():
        reason = "this is a file, and no run folder"
    inside = [] if reason else [Path(entry.path) for entry in list_runs(folder)]
    if not inside:
        reason = reason or "it is no run, and holds none"
        raise RunFolderError(folder=str(folder), reason=reason, remedy=_LOOK)
    return inside


def _why(folder: Path, error: SsdlabError) -> str:
    reason = error.reason if isinstance(error, RunFolderError) else str(error)
    return f"{folder} ({reason})"


def _refuse_few(opened: Sequence[Run], left_out: Sequence[str]) -> None:
    """Refuse to compare fewer than two runs.

    Raises
    ------
    RunFolderError
        Always.
    """
    unread = f"; not to be read: {', '.join(left_out)}" if left_out else ""
    raise RunFolderError(
        folder=", ".join(str(run.path) for run in opened) or "no folder",
        reason="a comparison needs two runs or more, and this is "
        f"{len(opened)}{unread}",
        remedy="Name another run, or a folder that holds several.",
    )
