"""Common parts of all purge methods: the drive, the means, the end, time limits."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path
from typing import Protocol

from ssdlab.drive.grants import Need, missing_program
from ssdlab.drive.tools import TIMED_OUT, Answer, Ask
from ssdlab.model.drive import Drive, PurgeMethod
from ssdlab.model.errors import MissingToolError
from ssdlab.model.units import duration_label

ASK_S = 60.0  # a busy drive may take long to identify itself
_SLOWEST_BYTES_PER_S = 30e6  # hdparm assumes it if a drive gives no estimate
_LEAST_S = 1800.0
_TEXT_LENGTH = 300
_TELL_EVERY_S = 10.0

_DENIED = r"permission denied|operation not permitted"
_REMEDIES = (
    (
        r"sanitize.*(in progress|in process)",
        "The drive is busy with a sanitize; wait until it is done.",
    ),
    (
        r"write.?protect|access denied|read-only",
        "The drive is write protected: remove that with its manufacturer's tool.",
    ),
    (
        r"\bbusy\b",
        "Something else uses the drive: see lsblk and fuser.",
    ),
    (
        r"no such (device|file)|no such device or address",
        "The drive is gone: check whether lsblk still lists it.",
    ),
)


class Held(Protocol):
    """A drive that passed the gate and is held open: `drive.safety.HeldDrive`."""

    @property
    def drive(self) -> Drive:
        """Return the drive."""
        ...

    @property
    def descriptor(self) -> int:
        """Return the descriptor that holds it: read, write, exclusive."""
        ...

    def is_alive(self) -> str:
        """Return why it is no longer the same drive, or an empty text."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """Time and sleep: a test makes its own."""

    now_s: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep


SYSTEM_CLOCK = Clock()


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """A purge in progress: the drive and the means.

    ``sector_bytes`` is the sector size that a format gives the drive; ``None`` keeps
    its own.
    """

    drive: Drive
    descriptor: int
    method: PurgeMethod
    folder: Path
    ask: Ask
    tell: Callable[[str], None]
    clock: Clock
    sector_bytes: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """How a method ended; ``fault`` and ``doubt`` are as in `PurgeOutcome`."""

    said: tuple[str, ...] = ()
    fault: str = ""
    doubt: str = ""

    def after(self, *lines: str) -> "Done":
        """Return the same with earlier lines in front."""
        return replace(self, said=(*lines, *self.said))


def line_of(answer: Answer) -> str:
    """Return a command, how it ended and how long it took, for the record."""
    ended = "did not end in time" if answer.exit_code == TIMED_OUT else ""
    ended = ended or f"exit code {answer.exit_code}"
    return f"{' '.join(answer.command)}: {ended} after {duration_label(answer.took_s)}"


def words_of(answer: Answer) -> str:
    """Return the output of a tool, shortened for a message."""
    text = answer.text or "no output"
    return text if len(text) <= _TEXT_LENGTH else f"{text[:_TEXT_LENGTH]}…"


def failed(answer: Answer, what: str) -> Done:
    """Return the end of a method whose tool failed, with its output and a remedy."""
    tool = answer.command[0]
    fault = f"{what} failed ({tool}: {words_of(answer)})"
    remedy = find_remedy(answer.text, tool)
    return Done(said=(line_of(answer),), fault=f"{fault}. {remedy}".rstrip(". "))


def find_remedy(text: str, tool: str) -> str:
    """Return what to do about what a tool said, or an empty text."""
    if re.search(_DENIED, text, re.IGNORECASE):
        right = missing_program(Need(tools=(tool,)))
        return f"{right.reason[0].upper()}{right.reason[1:]}. {right.remedy}"
    for pattern, remedy in _REMEDIES:
        if re.search(pattern, text, re.IGNORECASE):
            return remedy
    return ""


def ask_quietly(ask: Ask, *command: str) -> Answer | str:
    """Return the answer of a question that changes nothing, or why there is none."""
    try:
        return ask(command, timeout_s=ASK_S)
    except MissingToolError as error:
        return f"{error.tool} is not installed. {error.remedy}".rstrip(".")


def longest_s(drive: Drive, expected_s: float | None) -> float:
    """Return the time limit of a purge [s], by the drive's estimate and capacity.

    A drive's own estimate may be far off, so twice that is allowed, and never less than
    a slow drive needs to write its whole capacity.
    """
    by_capacity_s = _LEAST_S + drive.capacity_bytes / _SLOWEST_BYTES_PER_S
    return max(by_capacity_s, 2 * (expected_s or 0))


def pauses_s() -> Iterator[float]:
    """Yield how long to wait before each query of a busy drive."""
    return chain((0.2, 0.5, 1.0, 2.0, 5.0), repeat(10.0))


class Progress:
    """Reports progress and the time left, every ten seconds."""

    def __init__(self, work: Work, what: str) -> None:
        self._tell, self._now_s, self._what = work.tell, work.clock.now_s, what
        self._began_s = self._now_s()
        self._told_s = self._began_s
        self._first: float | None = None

    def show(self, ratio: float) -> None:
        """Note the share that is done, and report it if it is time to."""
        now_s = self._now_s()
        if self._first is None:
            self._first, self._began_s = ratio, now_s
        if now_s - self._told_s < _TELL_EVERY_S:
            return
        self._told_s = now_s
        self._tell(f"{self._what}: {100 * ratio:.0f} % done{self._left(ratio, now_s)}")

    def _left(self, ratio: float, now_s: float) -> str:
        gained = ratio - (self._first or 0.0)
        if gained <= 0:
            return ""
        left_s = (1 - ratio) * (now_s - self._began_s) / gained
        return f", about {duration_label(left_s)} left"
