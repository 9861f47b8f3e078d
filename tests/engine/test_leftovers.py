"""What a run left that was killed before it began goes; anything else stays."""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ssdlab.engine.folders import new_run_id
from ssdlab.engine.leftovers import sweep_leftovers

NOW_S = time.time()


def leftover(runs: Path, *, old_s: float = 7200) -> Path:
    folder = runs / new_run_id("demo")
    (folder / "steps").mkdir(parents=True)
    (folder / "notebook.ipynb").write_text("")
    (folder / "lock").write_text("4711")
    age(folder, old_s)
    return folder


def age(folder: Path, old_s: float = 7200) -> None:
    os.utime(folder, (NOW_S - old_s, NOW_S - old_s))


def test_folder_of_a_run_that_never_began_goes(tmp_path: Path) -> None:
    leftover(tmp_path)
    bare = leftover(tmp_path)
    (bare / "steps").rmdir()
    (bare / "lock").unlink()
    age(bare)
    sweep_leftovers(tmp_path, now_s=NOW_S)
    assert list(tmp_path.iterdir()) == []


def _with_a_record(folder: Path) -> None:
    (folder / "run.json").write_text("damaged")


def _with_a_step(folder: Path) -> None:
    (folder / "steps" / ".00001-iops-purge").mkdir()


def _with_a_target(folder: Path) -> None:
    (folder / "target").mkdir()


def _with_notes(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")


def _that_is_young(folder: Path) -> None:
    age(folder, 60)


def _of_another_name(folder: Path) -> None:
    folder.rename(folder.with_name("my run"))


@pytest.mark.parametrize(
    "change",
    [
        *(_with_a_record, _with_a_step, _with_a_target, _with_notes),
        *(_that_is_young, _of_another_name),
    ],
)
def test_anything_else_stays(tmp_path: Path, change: Callable[[Path], None]) -> None:
    folder = leftover(tmp_path)
    change(folder)
    if change is not _that_is_young and folder.exists():
        age(folder)
    before = sorted(tmp_path.rglob("*"))
    sweep_leftovers(tmp_path, now_s=NOW_S)
    assert sorted(tmp_path.rglob("*")) == before


def test_folder_that_is_worked_on_stays(tmp_path: Path) -> None:
    folder = leftover(tmp_path)
    with (folder / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(f"{os.getpid():<8}")
        lock.flush()
        age(folder)
        sweep_leftovers(tmp_path, now_s=NOW_S)
        assert folder.exists()


def test_link_to_a_leftover_is_not_followed(tmp_path: Path) -> None:
    real = leftover(tmp_path / "elsewhere")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / real.name).symlink_to(real)
    sweep_leftovers(tmp_path / "runs", now_s=NOW_S)
    assert (real / "notebook.ipynb").exists()


def test_folder_of_runs_need_not_be_there(tmp_path: Path) -> None:
    sweep_leftovers(tmp_path / "none", now_s=NOW_S)
