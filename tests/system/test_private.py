"""A private folder goes with its program, and with the next one if that was killed."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from ssdlab.system.private import private_folder

PREFIX = "ssdlab-made-"
HOUR_S = 3600
KILLED = """
import os, signal, sys
from pathlib import Path
from ssdlab.system.private import private_folder
with private_folder(sys.argv[1]) as folder:
    (folder / "kernel.json").write_text("secret")
    os.kill(os.getpid(), int(sys.argv[2]))
    signal.pause()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then), follow_symlinks=False)


def test_it_is_private_and_goes() -> None:
    with private_folder(PREFIX) as folder:
        (folder / "kernel.json").write_text("secret")
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_that_of_a_killed_program_goes_with_the_next_one(temporary: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, PREFIX, "9"], check=False)
    (left,) = temporary.iterdir()
    with private_folder(PREFIX):
        assert left.exists()  # it may be being made
    age(left, 20)
    with private_folder(PREFIX):
        assert not left.exists()
    assert not list(temporary.iterdir())


def test_that_of_a_program_that_lives_stays_however_old_it_is(temporary: Path) -> None:
    words = [sys.executable, "-c", KILLED, PREFIX, "0"]
    with subprocess.Popen(words) as living:
        while not list(temporary.glob("*/kernel.json")):
            assert living.poll() is None
            time.sleep(0.01)
        (folder,) = temporary.iterdir()
        age(folder, 24 * HOUR_S)
        with private_folder(PREFIX):
            assert (folder / "kernel.json").exists()
        living.kill()
    with private_folder(PREFIX):
        assert not folder.exists()


def test_that_of_an_interrupted_program_goes_with_it(temporary: Path) -> None:
    with pytest.raises(KeyboardInterrupt), private_folder(PREFIX) as folder:
        raise KeyboardInterrupt
    assert folder.exists()  # this program goes on
    folder.rmdir()
    words = [sys.executable, "-c", KILLED, PREFIX, "2"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode
    assert not list(temporary.iterdir())


def test_nothing_else_goes(temporary: Path) -> None:
    file, link = temporary / f"{PREFIX}file", temporary / f"{PREFIX}link"
    other, theirs = temporary / "other", temporary / "theirs"
    file.write_text("mine")
    other.mkdir()
    theirs.mkdir()
    link.symlink_to(theirs)
    for path in (file, link, other, theirs):
        age(path, 2 * HOUR_S)
    with private_folder(PREFIX):
        pass
    assert set(temporary.iterdir()) == {file, link, other, theirs}
