"""A run folder speaks for its user only where and as that user made it."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.engine.suite import forget, is_vouched, vouch_for
from ssdlab.store.records import read_record, write_record
from ssdlab.system.state import state_folder
from tests.engine.plans import write_papers


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "run"
    write_papers(folder)
    vouch_for(folder, read_record(folder))
    return folder


def vouched(folder: Path) -> bool:
    return is_vouched(folder, read_record(folder))


def test_folder_is_vouched_for_until_the_run_is_over(run: Path) -> None:
    assert vouched(run)
    forget(run)
    assert not vouched(run)
    assert list((state_folder() / "runs").iterdir()) == []


def test_two_runs_are_vouched_for_apart(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_papers(other)
    vouch_for(other, read_record(other))
    forget(run)
    assert (vouched(run), vouched(other)) == (False, True)


def test_folder_that_was_moved_is_the_same_and_a_copy_is_not(run: Path) -> None:
    moved = run.rename(run.with_name("moved"))
    assert vouched(moved)
    copy = Path(shutil.copytree(moved, moved.with_name("copy")))
    assert not vouched(copy)


def test_nothing_is_known_on_another_machine(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert not vouched(run)


def _other_serial(run: Path) -> None:
    record = read_record(run)
    write_record(run, replace(record, target=replace(record.target, serial="OTHER")))


def _other_label(run: Path) -> None:
    write_record(run, replace(read_record(run), label="changed"))


def _linked(run: Path) -> None:
    (run / "mark").rename(run / "kept")
    (run / "mark").symlink_to("kept")


def _other_mark(run: Path) -> None:
    (run / "mark").write_text("0" * 64)


def _no_text(run: Path) -> None:
    (run / "mark").write_bytes(b"\xff" * 64)


def _no_note(_: Path) -> None:
    shutil.rmtree(state_folder() / "runs")


def _damaged_note(_: Path) -> None:
    (note,) = (state_folder() / "runs").iterdir()
    note.write_text("{")


def _strangers_note(_: Path) -> None:
    (note,) = (state_folder() / "runs").iterdir()
    os.chown(note, 65534, 65534)


def _strangers_record(run: Path) -> None:
    os.chown(run / "run.json", 65534, 65534)


def _strangers_folder(run: Path) -> None:
    os.chown(run, 65534, 65534)


CHANGES = (
    *(_other_serial, _other_label, _linked, _other_mark, _no_text),
    *(_no_note, _damaged_note),
)
OWNERS = (_strangers_note, _strangers_record, _strangers_folder)


@pytest.mark.parametrize("change", CHANGES)
def test_folder_that_was_changed_is_not_vouched_for(
    run: Path, change: Callable[[Path], None]
) -> None:
    change(run)
    assert not vouched(run)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("give_away", OWNERS)
def test_what_another_user_owns_is_not_vouched_for(
    run: Path, give_away: Callable[[Path], None]
) -> None:
    give_away(run)
    assert not vouched(run)


def test_run_goes_on_where_nothing_can_be_noted(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    vouch_for(run, read_record(run))
    assert not vouched(run)
    forget(run)
