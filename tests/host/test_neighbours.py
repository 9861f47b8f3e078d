"""Runs that share a host see each other by their locks, and trust nothing else."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ssdlab.host.neighbours import LOCKS_VARIABLE, NeighbourWatch, announced
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.records import TargetIdentity, TargetKind


def drive(serial: str = "S1", kind: TargetKind = "block") -> TargetIdentity:
    return TargetIdentity(
        kind=kind, spec=f"/dev/{serial}", model="M", serial=serial, firmware="F",
        capacity_bytes=1 << 30, sector_bytes=512,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "locks"
    folder.mkdir()
    monkeypatch.setenv(LOCKS_VARIABLE, str(folder))
    return folder


def no_sleep(_seconds: float) -> None: ...


def test_runs_on_two_drives_see_each_other_until_one_ends(tmp_path: Path) -> None:
    with announced(drive("S1"), tmp_path / "r1", sleep=no_sleep) as first:
        assert first() == frozenset()
        with announced(drive("S2"), tmp_path / "r2", sleep=no_sleep) as second:
            assert first() == frozenset({"S2, run r2"})
            assert second() == frozenset({"S1, run r1"})
        assert first() == frozenset()


def test_a_drive_that_is_measured_is_refused_with_its_run(tmp_path: Path) -> None:
    with (
        announced(drive(), tmp_path / "r1", sleep=no_sleep),
        pytest.raises(TargetRefusedError, match="run r1"),
        announced(drive(), tmp_path / "r2", sleep=no_sleep),
    ):
        pass


def test_models_have_a_lock_per_run(tmp_path: Path) -> None:
    model = drive("VIRTUAL", kind="virtual")
    with (
        announced(model, tmp_path / "r1", sleep=no_sleep),
        announced(model, tmp_path / "r2", sleep=no_sleep) as look,
    ):
        assert look() == frozenset({"VIRTUAL, run r1"})


HOLDER = """\
import sys, time
from pathlib import Path
from tests.host.test_neighbours import announced, drive
with announced(drive(), Path(sys.argv[1]), sleep=time.sleep):
    print("held", flush=True)
    time.sleep(60)
"""


def test_lock_of_a_killed_process_is_free_at_once(tmp_path: Path, locks: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "killed")],
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with announced(drive("S2"), tmp_path / "r2", sleep=no_sleep) as look:
            assert look() == frozenset({"S1, run killed"})
            process.kill()
            process.wait()
            assert look() == frozenset()
            assert (locks / "ssdlab-S1").exists()
        with announced(drive(), tmp_path / "r1", sleep=no_sleep) as look:
            assert look() == frozenset()
    assert list(locks.iterdir()) == []


def test_file_of_a_lock_can_be_locked_by_every_user(
    tmp_path: Path, locks: Path
) -> None:
    with announced(drive(), tmp_path / "r1", sleep=no_sleep):
        mode = stat.S_IMODE((locks / "ssdlab-S1").stat().st_mode)
    assert mode == 0o666


def test_links_and_folders_in_place_of_a_lock_are_not_followed(
    tmp_path: Path, locks: Path
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("mine")
    (locks / "ssdlab-S1").symlink_to(kept)
    (locks / "ssdlab-S3").mkdir()
    os.mkfifo(locks / "ssdlab-S4")
    with announced(drive("S1"), tmp_path / "r1", sleep=no_sleep) as look:
        assert look() is None
    assert kept.read_text() == "mine"
    with announced(drive("S2"), tmp_path / "r2", sleep=no_sleep) as look:
        assert look() == frozenset(f"S{n}, unreadable" for n in (1, 3, 4))


def test_what_a_stranger_wrote_is_cut_and_made_printable(
    tmp_path: Path, locks: Path
) -> None:
    (locks / "ssdlab-S2").write_text("\x1b[2J" + "x" * 10_000)
    with announced(drive("S2"), tmp_path / "r2", sleep=no_sleep):
        (locks / "ssdlab-S2").write_text("\x1b[2J\n" + "x" * 10_000)
        with announced(drive("S1"), tmp_path / "r1", sleep=no_sleep) as look:
            (words,) = look() or frozenset({"nobody"})
    assert words.isprintable()
    assert len(words) <= 120


def test_without_a_folder_of_locks_nobody_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOCKS_VARIABLE, str(tmp_path / "absent"))
    with announced(drive(), tmp_path / "r1", sleep=no_sleep) as look:
        assert look() is None
        assert NeighbourWatch(look, time.time).take() is None


def test_watch_keeps_who_was_there_during_a_step_alone() -> None:
    there: list[frozenset[str]] = [frozenset()]
    now = [0.0]
    watch = NeighbourWatch(lambda: there[0], lambda: now[0])
    watch.tick()
    there[0], now[0] = frozenset({"b", "a"}), 0.5
    watch.tick()  # not yet: it looked just now
    there[0] = frozenset()
    assert watch.take() == ()
    there[0], now[0] = frozenset({"b", "a"}), 2.0
    watch.tick()
    there[0] = frozenset({"c"})
    assert watch.take() == ("a", "b", "c")
    assert watch.take() == ("c",)
