"""`ssdlab watch`: a run followed from another shell, and left alone."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.lab import Lab, Started, end, state_of, wait_until

pytestmark = pytest.mark.fio

SATURATE = (
    *("saturate", "virtual:size=64MiB,linger=120", "--stimulus", "RND 4KiB 0/100"),
    *("--iterations", "8", "--minutes", "0.02", "--seed", "7"),
)
SIZE = struct.pack("4H", 24, 80, 0, 0)


def begin(lab: Lab) -> tuple[Path, Started]:
    """Start a run; return its folder once it says where it is."""
    started = lab.cli(*SATURATE, "--runs", lab.runs)
    found: list[Path] = []

    def is_told() -> bool:
        found[:] = lab.runs.glob("[!.]*/progress.json")
        return bool(found)

    wait_until(is_told, what="the run says where it is")
    return found[0].parent, started


def test_watch_ends_with_the_run_and_says_where_it_was(lab: Lab) -> None:
    run, started = begin(lab)
    latest = lab.cli("watch", "latest", SSDLAB_RUNS=str(lab.runs))
    assert started.wait(120) == 0, started.said
    assert latest.wait(30) == 0, latest.said
    where = r"\d\d:\d\d:\d\d +\d+ % \| saturate .* left \| finish \d\d:\d\d"
    for one in (started, latest):
        assert len(re.findall(where, one.said)) == 1  # a line a minute
    assert f"ssdlab show {run}" in latest.out.read_text()
    again = lab.cli("watch", run)
    assert again.wait() == 0
    assert "%" not in again.said


def test_run_is_left_alone_when_its_watcher_is_stopped(lab: Lab) -> None:
    run, started = begin(lab)
    watcher = lab.cli("watch", run)
    wait_until(lambda: "left" in watcher.said, what="the watcher shows the run")
    end(watcher.popen.pid, signal.SIGINT)
    assert watcher.wait() == 130
    assert "the run continues" in watcher.said
    state = state_of(run)
    assert state is not None
    assert state.status == "running"
    end(started.popen.pid, signal.SIGINT)
    assert started.wait() == 130
    assert "ssdlab resume" in started.said
    assert "keeps the content of the virtual SSD in memory for 2 min" in started.said
    stopped = lab.cli("watch", run)
    assert stopped.wait() == 130
    assert f"ssdlab resume {run}" in stopped.said


def test_live_picture_of_a_terminal_has_the_time_left(lab: Lab) -> None:
    run, started = begin(lab)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, SIZE)
    sized = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES"}}
    watch = [sys.executable, "-m", "ssdlab.cli", "watch", str(run)]
    shown = b""
    with subprocess.Popen(
        watch,
        stdout=theirs,
        stderr=theirs,
        env={**sized, **lab.mark, "TERM": "xterm-256color"},
    ) as watcher:
        os.close(theirs)
        with suppress(OSError):  # the other end was closed
            while part := os.read(ours, 65536):
                shown += part
        assert watcher.wait(60) == 0
    os.close(ours)
    assert started.wait(60) == 0
    plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode())
    picture, _, result = plain.partition("finished; its results")
    assert f"ssdlab show {run}" in result
    lines = picture.replace("\r", "\n").splitlines()
    assert max(map(len, lines)) <= 80
    left = [
        line for line in lines if re.match(r"\d+ %  .* left  finish \d\d:\d\d", line)
    ]
    assert left
    assert any(line.startswith("saturate") and "━" in line for line in lines)
    assert any("├" in line for line in lines)
    assert shown.count(b"\x1b[?25l") == shown.count(b"\x1b[?25h") == 1  # the cursor
