"""Which runs a user named: a folder of runs stands for the runs in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import RepeatedNameError, RunFolderError
from ssdlab.store.catalog import list_runs
from ssdlab.store.places import find_here_or_above
from ssdlab.store.run import Run, open_run

_FEWEST = 2
_LOOK = "Name run folders, or a folder of runs; ssdlab runs shows those there are."


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedRuns:
    """The run folders that were named, and those without tables that are left out."""

    folders: tuple[Path, ...]
    left_out: tuple[str, ...] = ()


def find_named_runs(runs: str | Path | Sequence[str | Path]) -> NamedRuns:
    """Return the run folders that a user named, or that lie in a folder of runs.

    Parameters
    ----------
    runs : str, Path or sequence of str or Path
        Run folders, or folders of runs; in one text separated by commas or lines.

    Returns
    -------
    NamedRuns
        Of a folder of runs those that have tables; the others are left out by name.

    Raises
    ------
    RunFolderError
        If there is no such folder, or it is neither a run nor holds any.
    """
    folders: list[Path] = []
    left_out: list[str] = []
    for path in _paths(runs):
        if (path / "run.json").is_file():
            folders.append(path)
            continue
        inside = _runs_in(path)
        folders += [folder for folder in inside if _has_tables(folder)]
        left_out += [str(folder) for folder in inside if not _has_tables(folder)]
    return NamedRuns(folders=tuple(folders), left_out=tuple(left_out))


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
    if reason or not any(map(_has_tables, inside)):
        reason = reason or "it is no run, and holds none that has tables"
        raise RunFolderError(folder=str(folder), reason=reason, remedy=_LOOK)
    return inside


def _has_tables(folder: Path) -> bool:
    return (folder / "tables" / "measurements.parquet").is_file()


def open_runs(named: NamedRuns) -> tuple[Run, ...]:
    """Open two or more different runs.

    Parameters
    ----------
    named : NamedRuns
        What `find_named_runs` returned.

    Returns
    -------
    tuple of Run
        The runs, in their order.

    Raises
    ------
    RunFolderError
        If there are fewer than two, or one has no tables.
    RepeatedNameError
        If a run is there twice.
    """
    folders = named.folders
    if len(folders) < _FEWEST:
        raise RunFolderError(
            folder=", ".join(map(str, folders)) or "no folder",
            reason=f"a comparison needs two runs or more, and this is {len(folders)}",
            remedy="Name another run, or a folder that holds several.",
        )
    opened = tuple(map(open_run, folders))
    ids = [run.record.run_id for run in opened]
    for run_id in ids:
        if ids.count(run_id) > 1:
            text = ", ".join(map(str, folders))
            raise RepeatedNameError(kind="run", name=run_id, text=text)
    for run in opened:
        _require_tables(run)
    return opened


def _require_tables(run: Run) -> None:
    """Refuse a run that has not been taken in.

    Raises
    ------
    RunFolderError
        If it has no tables.
    """
    if _has_tables(run.path):
        return
    is_going_on = run.state.status == "running"
    raise RunFolderError(
        folder=str(run.path),
        reason="this run has no tables yet"
        + (", it is still going on" if is_going_on else ""),
        remedy=f"{'Let it end, or make' if is_going_on else 'Make'} them of its steps: "
        f"ssdlab ingest {run.path}",
    )
