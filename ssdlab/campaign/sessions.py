"""The sessions of a run: each time that it was worked on, and how that ended."""

from datetime import UTC, datetime
from pathlib import Path

from ssdlab.model.records import RunStatus
from ssdlab.store.records import RunState, read_state, write_state


def begin_session(folder: Path) -> None:
    """Note that work begins; a session without an end was killed."""
    before: tuple[tuple[str, str, str], ...] = ()
    if (folder / "state.json").exists():
        before = tuple(
            (start, end, how if end else "killed")
            for start, end, how in read_state(folder).sessions
        )
    sessions = (*before, (now_text(), "", "running"))
    write_state(folder, RunState(status="running", sessions=sessions))


def end_session(folder: Path, status: RunStatus, message: str) -> None:
    """Note how the session ended."""
    *before, (start, _, _) = read_state(folder).sessions
    end = now_text()
    write_state(
        folder,
        RunState(
            status=status,
            finished_at=end,
            message=message,
            sessions=(*before, (start, end, status)),
        ),
    )


def now_text() -> str:
    """Return the time now, as ISO 8601 with the UTC offset."""
    return datetime.now(tz=UTC).isoformat(timespec="seconds")
