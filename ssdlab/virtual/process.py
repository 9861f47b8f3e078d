"""Processes that outlive ours, identified by more than their pid."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessIdentity:
    """A process: its pid, start time (clock ticks), and boot."""

    pid: int
    start_ticks: int
    boot_id: str


def identify_process(pid: int) -> ProcessIdentity | None:
    """Return the process of this pid; ``None`` if there is none, or only a zombie."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name may hold spaces and brackets
    state, start_ticks = fields[0], int(fields[19])
    if state in {"Z", "X"}:
        return None
    return ProcessIdentity(pid=pid, start_ticks=start_ticks, boot_id=_boot_id())


def is_running(process: ProcessIdentity) -> bool:
    """Tell whether this process runs, and not another with its pid."""
    return identify_process(process.pid) == process


def was_started_with(process: ProcessIdentity, word: str) -> bool:
    """Tell whether a word is on the command line of a process."""
    try:
        line = (_PROC / str(process.pid) / "cmdline").read_bytes()
    except OSError:
        return False
    return os.fsencode(word) in line.split(b"\0")


def has_open(process: ProcessIdentity, path: Path) -> bool:
    """Tell whether a process of this user has this file open."""
    folder = _PROC / str(process.pid)
    try:
        meant = path.lstat()
        is_mine = folder.stat().st_uid == os.geteuid()
        return is_mine and any(
            _is_same(opened, meant) for opened in (folder / "fd").iterdir()
        )
    except OSError:
        return False


def _is_same(opened: Path, meant: os.stat_result) -> bool:
    try:
        state = opened.stat()
    except OSError:  # it was closed in the meantime
        return False
    return (state.st_dev, state.st_ino) == (meant.st_dev, meant.st_ino)


def signal_process(process: ProcessIdentity, sent: signal.Signals) -> None:
    """Send a signal to this process, if it still runs."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        if is_running(process):
            signal.pidfd_send_signal(descriptor, sent)
    except ProcessLookupError:
        return
    finally:
        os.close(descriptor)


def _boot_id() -> str:
    return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
