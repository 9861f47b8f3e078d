"""What a command says when its output, memory or descriptors do not suffice."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ssdlab.model.errors import DescriptorLimitError, ShortageError
from ssdlab.model.shortages import find_shortage, shortage_of
from ssdlab.notebook import NotebookFailedError, execute_notebook
from tests.paths import ROOT

SSDLAB = [sys.executable, "-m", "ssdlab.cli"]
SAMPLE = str(ROOT / "data" / "samples" / "virtual-lat")
SPEAKING = (
    ["--help"],
    ["--version"],
    ["run", "--help"],
    ["profiles"],
    ["runs", "--runs", str(ROOT / "data" / "samples")],
    ["qos", SAMPLE],
    ["parse", "--format", "csv", f"{SAMPLE}/steps/00002-lat-wipc/fio.json.gz"],
)


def said(
    words: list[str], shell: str, *, unbuffered: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run a command within a shell's line, of which it is ``"$@"``."""
    return subprocess.run(
        ["bash", "-c", shell, "bash", *SSDLAB, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )


@pytest.mark.parametrize("words", SPEAKING, ids=lambda words: words[0])
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_full_output_is_told_in_a_line(words: list[str], unbuffered: str) -> None:
    done = said(words, '"$@" >/dev/full', unbuffered=unbuffered)
    assert done.returncode in {1, 2}
    why = "ssdlab: Cannot write to standard output (No space left on device).\n"
    assert done.stderr == why


@pytest.mark.parametrize("words", [["profiles"], ["run"]], ids=lambda words: words[0])
def test_closed_output_is_told_before_anything_is_done(words: list[str]) -> None:
    done = said(words, '"$@" >&-')
    assert done.returncode == 2
    assert done.stderr.startswith("ssdlab: Standard output is closed")
    assert done.stderr.count("\n") == 1


def test_closed_input_and_errors_are_given_to_nobody() -> None:
    """Else what is opened next would be written to by whoever complains."""
    script = (
        "import os, sys; from ssdlab.cli.group import _require_output; "
        "_require_output(); "
        "print([os.readlink(f'/proc/self/fd/{n}') for n in (0, 2)], flush=True)"
    )
    done = subprocess.run(
        ["bash", "-c", '"$@" <&- 2>&-', "bash", sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['/dev/null', '/dev/null']"


def test_reader_that_goes_away_is_no_failure() -> None:
    done = said(["profiles"], 'set -o pipefail; "$@" | true')
    assert (done.returncode, done.stderr) == (0, "")


def test_too_little_memory_is_told_in_a_line() -> None:
    script = (
        "import click\n"
        "from ssdlab.cli.group import main\n"
        "@main.command()\n"
        "def eat() -> None:\n"
        "    bytearray(1 << 62)\n"
        "main(['eat'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "ssdlab: Not enough memory. Read less data, or use a machine with more "
        "memory.\n"
    )


@pytest.mark.fio
def test_too_few_descriptors_are_told_as_such(tmp_path: Path) -> None:
    words = ["peak", "--help"]
    assert said(words, 'ulimit -n 64; "$@"').returncode == 0
    script = (
        "import resource, os\n"
        "from ssdlab.fio.installed import require_fio\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "held = []\n"
        "try:\n"
        "    while True: held.append(os.dup(0))\n"
        "except OSError: pass\n"
        "held.pop()\n"
        "require_fio()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "DescriptorLimitError: " in done.stderr
    assert "was not found" not in done.stderr


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (OSError(errno.ENOSPC, "x", "/a/b"), ShortageError, "disk that holds /a/b is"),
        (OSError(errno.EMFILE, "x"), DescriptorLimitError, "ulimit -n"),
        (MemoryError(), ShortageError, "Not enough memory"),
        (OSError(errno.ENOMEM, "x"), ShortageError, "Not enough memory"),
    ],
)
def test_shortage_is_known_by_its_number(
    error: BaseException, kind: type[Exception], words: str
) -> None:
    found = find_shortage(error)
    assert isinstance(found, kind)
    assert words in str(found)


def test_other_error_is_no_shortage() -> None:
    assert find_shortage(PermissionError(errno.EACCES, "x")) is None
    assert find_shortage(ValueError()) is None
    assert shortage_of(None) is None


@pytest.mark.notebook
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise OSError(28, 'No space left on device')", "The disk is full"),
        ("raise MemoryError", "Not enough memory"),
        ("import os; os.kill(os.getpid(), 9)", "its kernel"),
    ],
)
def test_notebook_that_lacks_something_is_told_in_plain_words(
    tmp_path: Path, source: str, words: str
) -> None:
    cell: dict[str, object] = {
        "cell_type": "code",
        "id": "only",
        "source": source,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    made = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    (tmp_path / "made.ipynb").write_text(json.dumps(made))
    with pytest.raises(NotebookFailedError, match=words):
        execute_notebook(tmp_path / "made.ipynb", tmp_path / "out.ipynb", {})
