"""Run one program to its end or its time limit, also by sudo.

There is no shell and no prompt.

What sudo started belongs to root, so this user cannot end it. It is left running then:
most such programs wait for a drive, which no signal shortens.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Final

from ssdlab.model.errors import MissingToolError
from ssdlab.model.shortages import find_shortage
from ssdlab.system.signals import interrupt, stopped_by

TIMED_OUT: Final = -1
NOT_STARTED: Final = 126  # as in shells
_MOST_SAID: Final = 65_536  # bytes
_LONGEST_LINE: Final = 4096  # bytes
_TO_DIE_S: Final = 2.0
_TO_END_S: Final = 15.0  # of a server that shuts its kernels down
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")  # not on a user's PATH
_left_running: list[subprocess.Popen[str]] = []


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How a program ended, and its output."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""


def find_program(name: str) -> str | None:
    """Return the path of a program, also where only root's PATH has it."""
    folders = os.pathsep.join((os.environ.get("PATH", ""), *_SYSTEM_FOLDERS))
    return shutil.which(name, path=folders)


def plain_english() -> dict[str, str]:
    """Return the environment, with the C locale for the output of programs."""
    return {**os.environ, "LC_ALL": "C"}


def run_to_end(
    words: Sequence[str], *, timeout_s: float, environment: Mapping[str, str]
) -> Ended:
    """Run a program without input; `TIMED_OUT` if it does not end in time."""
    _reap()
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",  # it may be within JSON, which has no \x
            env=environment,
        )
    except OSError as error:
        if shortage := find_shortage(error):
            raise shortage from error
        said = f"{words[0]} cannot be started ({error.strerror})"
        return Ended(exit_code=NOT_STARTED, stderr=said)
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        rest = "" if _is_ended(process) else "; it cannot be stopped and still runs"
        said = f"it did not end within {timeout_s:g} s{rest}"
        return Ended(exit_code=TIMED_OUT, stderr=said)
    except BaseException:
        _is_ended(process)
        raise
    return Ended(exit_code=process.returncode, stdout=stdout, stderr=stderr)


def run_aside(
    words: Sequence[str], *, timeout_s: float, environment: Mapping[str, str]
) -> Ended:
    """Run a program of the user beside other work; its output is left out.

    After the limit it is killed with all that it started. What it leaves running when
    it ends by itself is not waited for.
    """
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            text = f"{words[0]} cannot be started ({error.strerror})"
            return Ended(exit_code=NOT_STARTED, stderr=text)
        try:
            code = process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            text = f"it did not end within {timeout_s:g} s"
            return Ended(exit_code=TIMED_OUT, stderr=text)
        said.seek(0)
        return Ended(
            exit_code=code, stderr=said.read(_MOST_SAID).decode(errors="replace")
        )


class Lines:
    """The lines that a program of the user prints, until it ends or is closed.

    It has no input, and what it prints to standard error is left out. A line that is
    too long is cut. One that cannot be started is missing for ``needed_for``.
    """

    def __init__(self, words: Sequence[str], *, needed_for: str) -> None:
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise MissingToolError(
                tool=words[0],
                needed_for=needed_for,
                remedy=f"It cannot be started ({error.strerror}).",
            ) from None

    def __iter__(self) -> Iterator[str]:
        """Yield each line when it was printed."""
        with self._process.stdout or BytesIO() as output:
            while line := output.readline(_LONGEST_LINE):
                yield line.decode(errors="replace")

    def close(self) -> None:
        """Kill it with all that it started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def run_in_foreground(
    words: Sequence[str],
    *,
    output: IO[bytes] | None = None,
    watch: Callable[[int, Callable[[], bool]], None] | None = None,
) -> int:
    """Run an interactive program to its end; return its exit code.

    Ctrl-C, a closed terminal and SIGTERM are passed on as the one signal that ends it.
    What it prints goes to a file, if there is one; ``watch`` is called with its process
    id and a function that says whether it runs.
    """
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, process_group=0
    )
    with stopped_by(interrupt):
        try:
            if watch is not None:
                watch(process.pid, lambda: process.poll() is None)
            return process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(_TO_END_S)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                process.kill()
                process.wait()
            raise


def _is_ended(process: subprocess.Popen[str]) -> bool:
    """Kill a program; return whether it ended. One that did not is remembered."""
    with suppress(PermissionError):
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TO_DIE_S)
    if process.poll() is None:
        _left_running.append(process)
        return False
    _close(process)
    return True


def _reap() -> None:
    """Reap those that have ended since."""
    for process in tuple(_left_running):
        if process.poll() is not None:
            _close(process)
            with suppress(ValueError):  # another thread was faster
                _left_running.remove(process)


def _close(process: subprocess.Popen[str]) -> None:
    for channel in (process.stdout, process.stderr):
        if channel is not None:
            channel.close()
