"""Reading and writing ``run.json`` and ``state.json``."""

import json
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NoReturn

from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.records import (
    FORMAT_VERSION,
    Extension,
    RunRecord,
    RunStatus,
)
from ssdlab.system.folders import Folder

# Records of format 1 name no tests: those follow from the catalog, which is above.
_FORMAT_1 = "ssdlab.pts.format_1:renew_record"
_TEXTS = ("run_id", "label", "started_at")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunState:
    """Progress of a run: the one file of a run folder that changes.

    ``sessions`` lists each session as (start, end or empty while it runs, how it
    ended). ``host_changes`` are the differences of the host found at a resume.
    ``extensions`` are the rounds added to those with which the run was begun.
    """

    status: RunStatus
    finished_at: str = ""
    message: str = ""
    sessions: tuple[tuple[str, str, str], ...] = ()
    host_changes: tuple[str, ...] = ()
    extensions: tuple[Extension, ...] = ()


def to_json(value: object) -> bytes:
    """Return stable, readable JSON."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def write_record(folder: Path, record: RunRecord) -> None:
    """Write ``run.json``."""
    Folder(folder).write("run.json", to_json(to_plain(record)))


def write_state(folder: Path, state: RunState) -> None:
    """Write ``state.json``."""
    Folder(folder).write("state.json", to_json(to_plain(state)))


def read_record(folder: Path) -> RunRecord:
    """Read ``run.json``."""
    data = _read_json(folder, "run.json")
    version = data.get("format_version")
    if version not in {1, FORMAT_VERSION} or isinstance(version, bool):
        raise RunFolderError(
            folder=str(folder),
            reason=f"run.json has format {version}; this ssdlab reads 1 and 2",
            remedy="Open it with the version of ssdlab that made it.",
        )
    if not all(isinstance(data.get(name), str) for name in _TEXTS):
        _refuse_damaged(folder, "run.json", f"{', '.join(_TEXTS)} must be texts")
    try:
        return from_plain(
            RunRecord, resolve_name(_FORMAT_1)(data) if version == 1 else data
        )
    except ValueError as error:
        _refuse_damaged(folder, "run.json", str(error))


def read_state(folder: Path) -> RunState:
    """Read ``state.json``."""
    data = _read_json(folder, "state.json")
    try:
        return from_plain(RunState, data)
    except ValueError as error:
        _refuse_damaged(folder, "state.json", str(error))


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    try:
        data = json.loads(Folder(folder).read(name), parse_constant=_refuse_constant)
    except (FileNotFoundError, NotADirectoryError):
        raise RunFolderError(
            folder=str(folder),
            reason=f"it has no {name}, so it is not a run folder",
            remedy="Name a run folder; ssdlab runs lists them.",
        ) from None
    except (ValueError, OSError, RecursionError) as error:
        _refuse_damaged(folder, name, str(error))
    if not isinstance(data, dict):
        _refuse_damaged(folder, name, "not a JSON object")
    return data


def _refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and infinities, which no record has."""
    msg = f"{name} is not a valid number"
    raise ValueError(msg)


def _refuse_damaged(folder: Path, name: str, why: str) -> NoReturn:
    raise RunFolderError(
        folder=str(folder),
        reason=f"{name} is damaged ({why})",
        remedy="Restore it from a copy; the raw output in steps/ is unchanged.",
    )
