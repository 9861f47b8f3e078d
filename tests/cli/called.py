"""Commands of ssdlab in the process of the tests: one of its own takes a second."""

import subprocess
from pathlib import Path

from click.testing import CliRunner

from ssdlab.cli import main


def call(
    *arguments: str | Path, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Return how a command ended."""
    words = [str(argument) for argument in arguments]
    done = CliRunner().invoke(main, words, env=environment)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)
