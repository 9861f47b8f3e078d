"""Programs that report about the host."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ssdlab.system.programs import find_program, plain_english, run_to_end

_PATIENCE_S = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The output of a program, and how it ended."""

    exit_code: int
    text: str


class RunProgram(Protocol):
    """Runs a program: `run_program`, or a recorded answer."""

    def __call__(self, command: Sequence[str]) -> Said | None:
        """Return its output; ``None`` if there is no such program."""
        ...


def run_program(command: Sequence[str]) -> Said | None:
    """Run a program that only reports something, in the C locale."""
    program = find_program(command[0])
    if program is None:
        return None
    ended = run_to_end(
        [program, *command[1:]], timeout_s=_PATIENCE_S, environment=plain_english()
    )
    text = f"{ended.stdout}{ended.stderr}".strip()
    return Said(exit_code=ended.exit_code, text=text)
