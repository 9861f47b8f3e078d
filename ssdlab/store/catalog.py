"""Which runs there are."""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import RunFolderError
from ssdlab.store.places import find_here_or_above
from ssdlab.store.records import read_record, read_state
from ssdlab.system.folders import Folder

_DEFAULT_FOLDER = Path("data/runs")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEntry:
    """One run folder in short; ``trouble`` says why it cannot be read, if so."""

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


def list_runs(folder: str | Path | None = None) -> tuple[RunEntry, ...]:
    """Return the runs in a folder, oldest first.

    Parameters
    ----------
    folder : str or Path, optional
        The folder of runs. A relative one that is not here is looked for in the
        folders above. Without it ``data/runs``, which need not be there.

    Returns
    -------
    tuple of RunEntry
        One entry a run folder, also for those that are damaged.

    Raises
    ------
    RunFolderError
        If the folder that was named is not there or cannot be read.
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
    """Tell whether there is a record of a run, which need not be a good one."""
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
        profile=str(record.profile["name"]),
        tests=record.tests,
        device=f"{record.target.model} {record.target.serial}".strip(),
        steps=len(steps),
        sessions=len(state.sessions),
    )
