"""The list of runs in a folder."""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import RUNS
from ssdlab.store.places import find_here_or_above
from ssdlab.store.records import read_record, read_state
from ssdlab.store.tables import read_rows
from ssdlab.system.folders import Folder

_DEFAULT_FOLDER = Path("data/runs")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEntry:
    """Summary of a run folder; ``trouble`` is why it cannot be read, if it cannot."""

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
    columns = ("is_conformant", "is_steady", "doubts")
    try:
        rows = read_rows(Folder(Path(path)) / "tables", RUNS, columns)
    except RunFolderError:
        return RunOutcome()
    if len(rows) != 1:
        return RunOutcome()
    conformant, steady, doubts = (rows[0][name] for name in columns)
    return RunOutcome(
        is_conformant=conformant,
        is_steady=steady,
        doubts=None if doubts is None else len(doubts.splitlines()),
    )


def list_runs(folder: str | Path | None = None) -> tuple[RunEntry, ...]:
    """Return the runs in a folder, oldest first.

    Parameters
    ----------
    folder : str or Path, optional
        The folder of runs. A relative path that does not exist here is searched in the
        parent folders. The default is ``data/runs``, which need not exist.

    Returns
    -------
    tuple of RunEntry
        One entry per run folder, including damaged ones.

    Raises
    ------
    RunFolderError
        If the given folder does not exist or cannot be read.

    Examples
    --------
    >>> [entry.run_id for entry in list_runs("data/samples")][:1]
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
    entries = (_entry(place / name) for name in names if _is_run(place / name))
    return tuple(sorted(entries, key=lambda entry: entry.started_at))


def _is_run(path: Path) -> bool:
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
    )
