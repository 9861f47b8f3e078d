"""Programs that query or change a drive: no shell, no prompt, with a time limit.

A program that queries the drive itself needs root. Only that program gets it: if this
user may run it by ``sudo`` without a password, it is run by sudo.
"""

import os
import re
import shlex
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from ssdlab.drive.privileges import user_name
from ssdlab.model.errors import MissingToolError
from ssdlab.system.programs import TIMED_OUT, find_program, plain_english, run_to_end

__all__ = [
    "TIMED_OUT",
    "Answer",
    "Ask",
    "ask_tool",
    "find_tool",
    "has_sudo",
    "is_raised",
    "lets_raise",
    "may_ask_as_root",
    "sudoers_command",
]

_PACKAGES = {
    "nvme": "nvme-cli",
    "smartctl": "smartmontools",
    "hdparm": "hdparm",
    "sg_sanitize": "sg3-utils",
    "sg_format": "sg3-utils",
    "sg_opcodes": "sg3-utils",
    "sg_vpd": "sg3-utils",
    "sg_requests": "sg3-utils",
    "sg_wr_mode": "sg3-utils",
    "sdparm": "sdparm",
    "fuser": "psmisc",
    "blkid": "util-linux",
    "wipefs": "util-linux",
    "blockdev": "util-linux",
}
_NEED_ROOT = frozenset(_PACKAGES) - {"blkid", "blockdev", "sg_vpd", "wipefs"}
_SUDO = "sudo"
_SUDO_S = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The output of a program.

    ``exit_code`` is `TIMED_OUT` if it did not end in time, and 126 if the system could
    not start it.
    """

    command: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str
    took_s: float

    @property
    def text(self) -> str:
        """Its stderr and stdout, for a message."""
        return " ".join(f"{self.stderr}\n{self.stdout}".split())

    @property
    def line(self) -> str:
        """The command and its exit code, for a record."""
        return f"{' '.join(self.command)}: exit code {self.exit_code}"


class Ask(Protocol):
    """Runs a program and returns its output: `ask_tool`, or a recorded answer."""

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        """Return the answer."""
        ...


def ask_tool(command: Sequence[str], *, timeout_s: float) -> Answer:
    """Run a program of the system without input and in the C locale."""
    program = find_tool(command[0])
    raised = (_SUDO, "-n") if is_raised(command[0]) else ()
    began_s = time.monotonic()
    ended = run_to_end(
        [*raised, program, *command[1:]],
        timeout_s=timeout_s,
        environment=plain_english(),
    )
    return Answer(
        command=tuple(command),
        exit_code=ended.exit_code,
        stdout=ended.stdout,
        stderr=ended.stderr,
        took_s=time.monotonic() - began_s,
    )


def is_raised(name: str) -> bool:
    """Tell whether a program is run by sudo: this user is not root, and may do so."""
    return name in _NEED_ROOT and os.geteuid() != 0 and _may_raise(find_tool(name))


@cache
def _may_raise(program: str) -> bool:
    return lets_raise(program, ask_tool)


def lets_raise(program: str, ask: Ask) -> bool:
    """Return whether sudo lets this user run a program without a password."""
    try:
        return ask((_SUDO, "-n", "-l", program), timeout_s=_SUDO_S).exit_code == 0
    except MissingToolError:
        return False


def has_sudo() -> bool:
    """Return whether sudo is installed."""
    return shutil.which(_SUDO) is not None


def may_ask_as_root(name: str) -> bool:
    """Tell whether a program of the system can be run as root."""
    return os.geteuid() == 0 or _may_raise(find_tool(name))


def sudoers_command(names: Sequence[str]) -> str:
    """Return the command that lets this user run only these programs as root."""
    user = user_name()
    programs = ", ".join(find_tool(name) for name in names)
    who = f"#{user}" if user.isdigit() else user
    rule = f"{who} ALL=(root) NOPASSWD: {programs}"
    file = re.sub(r"\W", "_", f"ssdlab_{user}_{names[0]}")  # sudo skips names with dots
    return (
        f"echo {shlex.quote(rule)} | "
        f"sudo install --mode=0440 /dev/stdin /etc/sudoers.d/{file}"
    )


def find_tool(name: str) -> str:
    """Return the path of a program, also if only root's PATH has it."""
    path = find_program(name)
    if path is None:
        package = _PACKAGES.get(name, name)
        raise MissingToolError(
            tool=name,
            needed_for="querying or changing a drive",
            remedy=f"Install it: apt-get install {package}.",
        )
    return path
