"""A quick look at a folder, with the real fio, and what is left of it."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ssdlab
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.spec import Rounds
from ssdlab.paper.context import read_context
from ssdlab.procedures.quick.spec import ROUNDS, quick
from ssdlab.report.view import headlines_of
from ssdlab.targets.file import remove_file
from tests.cli.called import call


def test_time_is_shared_by_all_cells() -> None:
    (rounds,) = quick(seconds=60).tests[0].phases
    assert isinstance(rounds, Rounds)
    assert rounds.cell_seconds * len(rounds.cells) * rounds.max_rounds == 60


@pytest.mark.fio
def test_quick_look_gives_four_numbers_and_leaves_no_file(tmp_path: Path) -> None:
    place = tmp_path / "drive"
    place.mkdir()
    runs = tmp_path / "runs"
    done = call("quick", place, "--size", "32MiB", "--seconds", "4.8", "--runs", runs)
    assert done.returncode == 0, done.stderr
    assert list(place.iterdir()) == []
    (folder,) = runs.iterdir()
    headlines = headlines_of(read_context(ssdlab.open_run(folder)))
    assert [(one.name, len(one.series)) for one in headlines] == [
        ("Random read", ROUNDS),
        ("Random write", ROUNDS),
        ("Sequential read", ROUNDS),
        ("Sequential write", ROUNDS),
    ]
    assert len(re.findall(r"faster than \d of \d", done.stdout)) == 4
    assert done.stdout.splitlines()[-1] == str(folder / "report.html")


@pytest.mark.fio
def test_stopped_look_leaves_no_file_and_offers_no_resume(tmp_path: Path) -> None:
    place = tmp_path / "drive"
    place.mkdir()
    asked = ("quick", str(place), "--size", "32MiB", "--seconds", "60")
    command = [sys.executable, "-m", "ssdlab", *asked, "--runs", str(tmp_path / "runs")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as started:
        while not list(tmp_path.glob("runs/*/progress.json")):
            assert started.poll() is None
            time.sleep(0.1)
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "cannot be resumed" in said
    assert "ssdlab resume" not in said
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(("option", "value"), [("--size", "1MiB"), ("--seconds", "1")])
def test_too_little_to_measure_is_refused(
    tmp_path: Path, option: str, value: str
) -> None:
    assert call("quick", tmp_path, option, value).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_file_of_others_is_not_removed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.img"
    theirs.write_bytes(b"data")
    with pytest.raises(TargetRefusedError):
        remove_file(theirs)
    assert theirs.read_bytes() == b"data"
