"""Which runs a user named: a folder of runs, or a store, means the runs in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ssdlab.fleet.listing import find_stored
from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import RepeatedNameError, RunFolderError, SsdlabError
from ssdlab.model.schema import TABLES
from ssdlab.store.catalog import list_runs
from ssdlab.store.places import find_here_or_above, is_there, split_store
from ssdlab.store.run import Run
from ssdlab.system.folders import Folder

_FEWEST = 2
_LOOK = "Name run folders, or a folder of runs; ssdlab runs lists them."
_GONE = (
    "the run of the store is gone from there: restore it, or add it to the store from "
    "where it is now"
)
_UNUSED = "series"  # not used in comparisons, and by far the longest table


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenedRuns:
    """Runs to compare, and those of a folder that cannot be read, with the reasons."""

    runs: tuple[Run, ...]
    left_out: tuple[str, ...] = ()


def open_runs(
    runs: str | Path | Sequence[str | Path], *, fewest: int = _FEWEST
) -> OpenedRuns:
    """Open so many different runs or more, and read what a comparison needs."""
    opened: list[Run] = []
    left_out: list[str] = []
    for word in _words(runs):
        folders = _folders(word)
        if not folders:
            opened.append(_open(find_here_or_above(word)))
        for folder in folders:
            try:
                opened.append(_open(folder))
            except SsdlabError as error:
                left_out.append(_why(folder, error))
    if len(opened) < fewest:
        _refuse_few(opened, left_out, fewest=fewest)
    ids = [run.record.run_id for run in opened]
    for run_id in ids:
        if ids.count(run_id) > 1:
            text = ", ".join(str(run.path) for run in opened)
            raise RepeatedNameError(kind="run", name=run_id, text=text)
    return OpenedRuns(runs=tuple(opened), left_out=tuple(left_out))


def _open(folder: Path) -> Run:
    """Open a run, and read every table that is used later, so that none fails then."""
    run = open_run(folder)
    for name in TABLES:
        if name != _UNUSED:
            getattr(run, name)
    _require_own_tables(run)
    return run


def _require_own_tables(run: Run) -> None:
    """Require that the tables belong to the run; steps would be mixed up else."""
    others = {str(name) for name in run.measurements["run_id"].dropna().unique()}
    others.discard(run.record.run_id)
    if others:
        raise RunFolderError(
            folder=str(run.path),
            reason=f"its tables belong to run {min(others)!r}, but its record to "
            f"{run.record.run_id!r}",
            remedy=f"Rebuild the tables from raw output: ssdlab ingest {run.path}",
        )


def _is_run(path: Path) -> bool:
    try:
        return Folder(path).has("run.json")
    except OSError:
        return False


def _words(runs: str | Path | Sequence[str | Path]) -> list[str]:
    named = re.split(r"[,\n]", runs) if isinstance(runs, str) else runs
    several = [named] if isinstance(named, Path) else named
    return [word for name in several if (word := str(name).strip())]


def _folders(word: str) -> list[Path]:
    """Return the runs in a folder or a store; none if the word is a run itself."""
    if named := split_store(word):
        return [Path(one["path"]) for one in reversed(find_stored(*named))]
    path = find_here_or_above(word)
    return [] if _is_run(path) else _runs_in(path)


def _runs_in(folder: Path) -> list[Path]:
    """Return the runs in a folder of runs."""
    reason = ""
    if not folder.exists():
        reason = "folder not found"
    elif not folder.is_dir():
        reason = "it is a file, not a run folder"
    entries = () if reason else list_runs(folder)
    oldest_first = sorted(entries, key=lambda entry: entry.started_at)
    inside = [Path(entry.path) for entry in oldest_first]
    if not inside:
        reason = reason or "it is not a run, and does not contain any"
        raise RunFolderError(folder=str(folder), reason=reason, remedy=_LOOK)
    return inside


def _why(folder: Path, error: SsdlabError) -> str:
    reason = error.reason if isinstance(error, RunFolderError) else str(error)
    reason = reason if is_there(folder) else _GONE
    return f"{folder} ({reason})"


def _refuse_few(opened: Sequence[Run], left_out: Sequence[str], *, fewest: int) -> None:
    """Refuse fewer runs than are asked for."""
    unread = f"; not readable: {', '.join(left_out)}" if left_out else ""
    few = f"a comparison needs two or more runs; this is {len(opened)}"
    raise RunFolderError(
        folder=", ".join(str(run.path) for run in opened) or "no folder",
        reason=f"{few if fewest > 1 else 'no run is there'}{unread}",
        remedy="Name another run, or a folder with several.",
    )
