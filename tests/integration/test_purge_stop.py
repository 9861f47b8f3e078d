"""Ctrl-C in the purge of a run: what is said of the drive, in words and on disk."""

import mmap
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ssdlab.drive.inventory import find_drive
from ssdlab.drive.purge import overwrite
from ssdlab.drive.purge.direct import write_at
from ssdlab.engine.progress import Progress
from ssdlab.engine.suite import resume_run, run_suite
from ssdlab.model.errors import RunInterruptedError
from ssdlab.store.records import read_state
from tests.targets.conftest import MakeLoop, make_loop

__all__ = ["make_loop"]

WORDS = "Part of the old data is still on the drive."


def press_ctrl_c_at(count: int) -> Callable[..., None]:
    """Return what writes a piece, and presses Ctrl-C once at the n-th."""
    done = 0

    def write(descriptor: int, piece: tuple[mmap.mmap, int], place: int) -> None:
        nonlocal done
        done += 1
        if done == count:
            os.kill(os.getpid(), signal.SIGINT)
        write_at(descriptor, piece, place)

    return write


@pytest.mark.fio
def test_run_that_is_stopped_in_a_purge_says_what_is_left_on_the_drive(
    make_loop: MakeLoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = find_drive(make_loop(512))
    folder = tmp_path / "run"
    monkeypatch.setattr(overwrite, "write_at", press_ctrl_c_at(5))
    with pytest.raises(RunInterruptedError) as stopped:
        run_suite(
            drive.path,
            tests="wsat",
            run_folder=folder,
            confirm_serial=drive.serial,
            purge="overwrite",
        )
    assert str(stopped.value) == (
        f"Stopped during a purge. {WORDS} What was measured is kept; resume with: "
        f"ssdlab resume {folder}"
    )
    state = read_state(folder)
    assert state.status == "interrupted"
    assert state.message == f"stopped by the user in a purge. {WORDS}"

    def stop_when_it_writes(progress: Progress) -> None:
        if progress.phase != "purge" and not pressed.is_set():
            pressed.set()
            os.kill(os.getpid(), signal.SIGINT)

    pressed = threading.Event()
    with pytest.raises(RunInterruptedError, match=r"^Stopped\. What was"):
        resume_run(folder, tell=stop_when_it_writes)
    assert read_state(folder).message == "stopped by the user"
