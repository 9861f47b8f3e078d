"""Programs that are asked about the host: no shell, no prompt, always an end."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")  # not on a user's PATH
_PATIENCE_S = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What a program said, and how it ended."""

    exit_code: int
    text: str


class RunProgram(Protocol):
    """Runs a program: `run_program`, or a recorded answer."""

    def __call__(self, command: Sequence[str]) -> Said | None:
        """Return what it said; ``None`` if there is no such program."""
        ...


def run_program(command: Sequence[str]) -> Said | None:
    """Run a program that only tells something, in plain English."""
    folders = os.pathsep.join((os.environ.get("PATH", ""), *_SYSTEM_FOLDERS))
    program = shutil.which(command[0], path=folders)
    if program is None:
        return None
    try:
        ended = subprocess.run(
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=_PATIENCE_S,
            env={**os.environ, "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired:
        return Said(exit_code=-1, text=f"it did not end within {_PATIENCE_S:g} s")
    except OSError as error:
        return Said(exit_code=-1, text=f"it could not be started: {error.strerror}")
    return Said(exit_code=ended.returncode, text=ended.stdout.strip())
