"""How far an import is, on a terminal alone; and what is left of a stopped one."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.importers.made import IOPS_CELLS, write_rounds

COMMAND = (sys.executable, "-m", "ssdlab.cli", "import")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder of 225 outputs."""
    folder = tmp_path_factory.mktemp("results")
    write_rounds(folder, IOPS_CELLS, rounds=25)
    return str(folder)


def read_all(terminal: int) -> str:
    said = b""
    try:
        while piece := os.read(terminal, 4096):
            said += piece
    except OSError:  # how Linux says that nobody has it open any more
        pass
    return said.decode()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_it_is_told_on_a_terminal_alone(
    tmp_path: Path, results: str, *, is_terminal: bool
) -> None:
    ours, theirs = pty.openpty() if is_terminal else os.pipe()
    at_once = (
        "from ssdlab.cli import live; live._QUIET_S = live._BETWEEN_S = 0.0; "
        "from ssdlab.cli import main; main()"
    )
    words = ("import", results, "--runs", str(tmp_path / "runs"))
    command = (sys.executable, "-c", at_once, *words)
    with subprocess.Popen(command, stderr=theirs, stdout=subprocess.PIPE) as started:
        os.close(theirs)
        said = read_all(ours)
        assert started.wait(120) == 0
    os.close(ours)
    assert ("\rwriting the report " in said) is is_terminal
    if is_terminal:
        assert said.endswith(" \r")  # the line is gone


@pytest.mark.flaky(reruns=2)  # on a busy machine the signal may come after the end
@pytest.mark.parametrize("moment", ["steps/*", "run.json", "tables"])
def test_stopped_import_leaves_nothing(
    tmp_path: Path, results: str, moment: str
) -> None:
    runs = tmp_path / "runs"
    command = (*COMMAND, results, "--runs", str(runs))
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        end_s = time.monotonic() + 60
        while not list(runs.glob(f"*/{moment}")) and time.monotonic() < end_s:
            time.sleep(0.005)
        started.send_signal(signal.SIGINT)
        said, error = started.communicate(timeout=60)
    assert (started.returncode, said) == (130, "")
    assert error.count("\n") == 1
    assert list(runs.iterdir()) == []
