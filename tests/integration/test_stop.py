"""Ctrl-C and its kin stop fio cleanly, keep what is done and say how to go on."""

import os
import pty
import re
import signal
import sys
from pathlib import Path

import pytest

import ssdlab
from tests.integration.lab import (
    TARGET,
    Lab,
    Started,
    end,
    recorded_steps,
    state_of,
    wait_for_steps,
    wait_until,
)

pytestmark = pytest.mark.fio
CTRL_C = b"\x03"


class Terminal:
    """A command on a terminal of its own, which collects what it shows."""

    def __init__(self, lab: Lab, *arguments: str | Path) -> None:
        command = [sys.executable, "-m", "ssdlab.cli", *map(str, arguments)]
        pid, self.screen = pty.fork()
        if not pid:
            os.chdir(lab.folder)
            os.execvpe(command[0], command, dict(lab.environment))
        self.pid, self.shown, self.exit_code = pid, "", -1

    def press(self, keys: bytes) -> None:
        os.write(self.screen, keys)

    def wait(self) -> int:
        """Read until the command has closed the terminal; return its exit code."""
        parts = []
        while True:
            try:
                part = os.read(self.screen, 65536)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
        os.close(self.screen)
        self.shown = b"".join(parts).decode()
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


def the_run(lab: Lab) -> Path:
    """Wait for the one run folder of a lab and return it."""
    wait_until(lambda: list(lab.runs.glob("[!.]*/run.json")), what="a run")
    return next(lab.runs.glob("[!.]*/run.json")).parent


def assert_stopped(run: Path, said: str, lab: Lab) -> None:
    assert said.count("What was measured is kept") == 1
    assert f"ssdlab resume {run.relative_to(lab.folder)}" in said
    assert "Traceback" not in said
    state = state_of(run)
    assert state is not None
    assert (state.status, state.sessions[-1][2]) == ("interrupted", "interrupted")
    wait_until(lambda: not lab.find_fio(), timeout_s=3, what="no fio left")
    assert len(ssdlab.open_run(run).steps) == len(recorded_steps(run))


def resume_for_a_step(lab: Lab, run: Path) -> Started:
    """Resume a run and wait for one more step."""
    before = len(recorded_steps(run))
    started = lab.cli("resume", run.relative_to(lab.folder))
    wait_for_steps(run, before + 1, started)
    return started


def signal_all(lab: Lab, started: Started) -> None:
    """Signal every process twice, as an engine does that stops a job."""
    below = (*lab.find("ipykernel_launcher"), *lab.find_fio())
    for pid in (*below, started.popen.pid, *below, started.popen.pid):
        end(pid, signal.SIGTERM)


@pytest.mark.notebook
def test_run_stops_and_goes_on_when_it_is_told_to(lab: Lab) -> None:
    asked = ("--target", TARGET, "--profile", "tiny", "--tests", "wsat")
    terminal = Terminal(lab, "run", *asked, "--runs", "runs", "--label", "stopped")
    run = the_run(lab)
    wait_until(lambda: len(recorded_steps(run)) >= 3, what="3 steps")
    terminal.press(CTRL_C)
    assert terminal.wait() == 130
    assert_stopped(run, terminal.shown, lab)
    assert "Stopping" in terminal.shown
    assert re.search(r"saturation · round \d of at most 14 · RND", terminal.shown)
    assert re.search(r"\d %  .* left  finish \d\d:\d\d", terminal.shown)
    kept = recorded_steps(run)

    for number in (signal.SIGINT, signal.SIGTERM):
        stopped = resume_for_a_step(lab, run)
        end(stopped.popen.pid, number)
        assert stopped.wait() == 130
        assert_stopped(run, stopped.said, lab)
    stopped = resume_for_a_step(lab, run)
    signal_all(lab, stopped)
    assert stopped.wait() == 130
    assert_stopped(run, stopped.said, lab)

    resumed = lab.cli("resume", run)
    assert resumed.wait() == 0, resumed.said
    assert "\r" not in resumed.said
    assert re.search(
        r"\d % \| wsat saturation \| round \d+ of at most 14 ", resumed.said
    )
    finished = ssdlab.open_run(run)
    assert finished.state.status == "finished"
    hows = [how for _, _, how in finished.state.sessions]
    assert hows == [*["interrupted"] * 4, "finished"]
    steps = recorded_steps(run)
    assert {name: steps[name] for name in kept} == kept
    assert (run / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_suite_raises_by_name_when_its_process_is_told_to_stop(
    lab: Lab, number: signal.Signals
) -> None:
    run = lab.runs / "python"
    started = lab.measure(run)
    wait_for_steps(run, 2, started)
    end(started.popen.pid, number)
    assert started.wait() == 130
    # Not the first words: a file that the signal met half open may warn before them.
    assert "RunInterruptedError: Stopped." in started.said
    assert "Traceback" not in started.said
    assert f"ssdlab resume {run}" in started.said
    assert "A server process keeps the content of the virtual SSD" in started.said
    state = state_of(run)
    assert state is not None
    assert state.status == "interrupted"
    wait_until(lambda: not lab.find_fio(), timeout_s=3, what="no fio left")


def test_run_leaves_nothing_when_it_is_stopped_before_it_began(lab: Lab) -> None:
    asked = ("--target", TARGET, "--profile", "tiny", "--runs", lab.runs)
    started = lab.cli("run", *asked)
    wait_until(lambda: lab.find("ipykernel_launcher"), what="the kernel starts")
    end(started.popen.pid, signal.SIGINT)
    assert started.wait() == 130
    assert "Stopped; nothing was measured." in started.said
    assert "Traceback" not in started.said
    assert not list(lab.runs.glob("[!.]*"))
    wait_until(lambda: not lab.find("ipykernel_launcher"), what="the kernel ends")
