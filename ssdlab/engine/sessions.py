"""The sessions of a run: each time it was worked on, and how that ended."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ssdlab.model.records import Extension, RunStatus
from ssdlab.store.manifest import seal_run
from ssdlab.store.records import RunState, read_state, write_state
from ssdlab.system.folders import Folder


def begin_session(folder: Path, host_changes: Sequence[str] = ()) -> None:
    """Record that work starts; a session without an end was killed.

    ``host_changes`` is what has changed on the host since the run started.
    """
    earlier = RunState(status="running")
    if Folder(folder).has("state.json"):
        earlier = read_state(folder)
    before = tuple(
        (start, end, how if end else "killed") for start, end, how in earlier.sessions
    )
    changes = dict.fromkeys((*earlier.host_changes, *host_changes))
    write_state(
        folder,
        replace(
            earlier,
            status="running",
            finished_at="",
            message="",
            sessions=(*before, (now_text(), "", "running")),
            host_changes=tuple(changes),
        ),
    )


def end_session(folder: Path, status: RunStatus, message: str) -> None:
    """Record how the session ended, and seal what was measured."""
    seal_run(folder)
    state = read_state(folder)
    *before, (start, _, _) = state.sessions
    end = now_text()
    write_state(
        folder,
        replace(
            state,
            status=status,
            finished_at=end,
            message=message,
            sessions=(*before, (start, end, status)),
        ),
    )


def note_extension(folder: Path, extension: Extension) -> None:
    """Record that a run takes more rounds; a finished one is then unfinished."""
    state = read_state(folder)
    status = "interrupted" if state.status == "finished" else state.status
    extensions = (*state.extensions, extension)
    write_state(folder, replace(state, status=status, extensions=extensions))


def now_text() -> str:
    """Return the current time in ISO 8601 with the UTC offset."""
    return datetime.now(tz=UTC).isoformat(timespec="seconds")
