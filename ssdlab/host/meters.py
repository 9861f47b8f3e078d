"""Meters of power: files of sysfs, or a program that prints watts.

A meter counts energy, so nothing between two readings is lost: a file that holds energy
is read as it is, and power is integrated where it is read. What a meter measures, the
drive's rails or a whole socket, only the user knows.
"""

import re
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, Protocol

from ssdlab.model.errors import UserFileError
from ssdlab.model.telemetry import ENERGY, POWER
from ssdlab.system.files import ROOT, read_number, within
from ssdlab.system.programs import Lines, find_program

_SYSFS: Final = "sysfs:"
_COMMAND: Final = "command:"
_SAMPLE_S: Final = 0.1
_SILENT_S: Final = 10.0
_MICRO: Final = 1e-6
_ENERGY_FILE: Final = re.compile(r"energy_uj|energy\d+_input")
_POWER_FILE: Final = re.compile(r"power\d+_(?:input|average)|power_uw")
_WATTS: Final = re.compile(
    r"\s*(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(?:[wW](?:atts?)?)?\s*"
)
_MOST_WATTS: Final = 100_000.0
_EXAMPLES: Final = (
    "Write sysfs:/sys/class/hwmon/hwmon3/power1_input, an energy file such as "
    "energy1_input or energy_uj, or command:PROGRAM that prints watts, a line each."
)


class Meter(Protocol):
    """What counts the energy that a drive takes."""

    def read(self) -> Mapping[str, float]:
        """Return ``energy_joules`` since it began, and ``power_watts`` since then."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rail:
    """One file of sysfs; ``range_uj`` is where a count of energy begins anew."""

    path: Path
    is_energy: bool
    range_uj: int | None = None

    def read_micro(self) -> int | None:
        """Return microjoules, or microwatts."""
        return read_number(self.path)


class _Counter:
    """Energy so far, and the mean power between two readings."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._joules = 0.0
        self._told = (clock(), 0.0)

    def add(self, joules: float) -> None:
        """Count energy."""
        with self._lock:
            self._joules += joules

    def read(self) -> Mapping[str, float]:
        """Return what was counted."""
        with self._lock:
            now_s, joules = self._clock(), self._joules
            (before_s, before), self._told = self._told, (now_s, joules)
        took_s = now_s - before_s
        power = {POWER: (joules - before) / took_s} if took_s > 0 else {}
        return {ENERGY: joules, **power}


class SysfsMeter:
    """Files of sysfs, summed: read ten times a second."""

    def __init__(
        self, rails: Sequence[_Rail], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rails, self._clock = tuple(rails), clock
        self._counter = _Counter(clock)
        self._last = {rail: (clock(), rail.read_micro()) for rail in self._rails}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def sample(self) -> None:
        """Read every rail once; one that cannot be read counts nothing meanwhile."""
        for rail in self._rails:
            now_s, now = self._clock(), rail.read_micro()
            before_s, before = self._last[rail]
            self._last[rail] = (now_s, now)
            if now is None or before is None:
                continue
            if rail.is_energy:
                rise = now - before
                if rise < 0:
                    rise = rise + rail.range_uj if rail.range_uj else 0
                self._counter.add(rise * _MICRO)
            else:
                self._counter.add((now + before) / 2 * _MICRO * (now_s - before_s))

    def read(self) -> Mapping[str, float]:
        """Return the energy so far, and the mean power since it was read last."""
        return self._counter.read()

    def close(self) -> None:
        """Stop reading."""
        self._done.set()
        self._thread.join(timeout=2)

    def _follow(self) -> None:
        while not self._done.wait(_SAMPLE_S):
            self.sample()


class CommandMeter:
    """A program of the user that prints watts, a number a line, until it is ended.

    A line holds until the next one. One that is no number is left out.
    """

    def __init__(
        self, words: Sequence[str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._counter = _Counter(clock)
        self._words = tuple(words)
        self._lines = Lines(self._words, needed_for="this meter")
        self._first = threading.Event()
        self._last: tuple[float, float] | None = None
        self._told_s = clock()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def require(self) -> None:
        """Require that it prints watts within ten seconds."""
        if not self._first.wait(_SILENT_S):
            self.close()
            _refuse(
                f"command:{shlex.join(self._words)}",
                f"it printed no number of watts within {_SILENT_S:g} s",
            )

    def read(self) -> Mapping[str, float]:
        """Return the energy so far, and the mean power since it was read last.

        Nothing after ten seconds without a line: the program has ended, or hangs.
        """
        if self._clock() - self._told_s > _SILENT_S:
            return {}
        return self._counter.read()

    def close(self) -> None:
        """End the program."""
        self._lines.close()
        self._thread.join(timeout=2)

    def _follow(self) -> None:
        for line in self._lines:
            watts = parse_watts_line(line)
            if watts is None:
                continue
            now_s = self._clock()
            if self._last is not None:
                before_s, before = self._last
                self._counter.add(before * (now_s - before_s))
            self._last, self._told_s = (now_s, watts), now_s
            self._first.set()


def parse_watts_line(line: str) -> float | None:
    """Return the watts of a line; ``None`` where it is no number that can be.

    >>> parse_watts_line("6.52 W"), parse_watts_line("n/a"), parse_watts_line("1e9")
    (6.52, None, None)
    """
    found = _WATTS.fullmatch(line)
    watts = float(found[1]) if found else None
    return watts if watts is not None and 0 <= watts <= _MOST_WATTS else None


def open_meter(specs: Sequence[str], *, root: Path = ROOT) -> Meter:
    """Open the meter that a user names: files of sysfs, or one command.

    Raises
    ------
    UserFileError
        If one is none, cannot be read, or a command is not alone.
    """
    commands = [spec for spec in specs if spec.startswith(_COMMAND)]
    if not commands:
        return SysfsMeter([_rail(spec, root) for spec in specs])
    if len(specs) > 1:
        _refuse(commands[0], "a command cannot be summed with other meters")
    try:
        words = shlex.split(commands[0].removeprefix(_COMMAND))
    except ValueError as error:
        _refuse(commands[0], f"it cannot be read ({error})")
    if not words or find_program(words[0]) is None:
        _refuse(commands[0], f"{words[0] if words else 'it'} is no program")
    meter = CommandMeter(words)
    meter.require()
    return meter


def _rail(spec: str, root: Path) -> _Rail:
    if not spec.startswith(_SYSFS):
        _refuse(spec, "it is no meter")
    named = spec.removeprefix(_SYSFS)
    path = within(root, named)
    is_energy = _ENERGY_FILE.fullmatch(path.name) is not None
    if not named.startswith("/sys/") or ".." in path.parts:
        _refuse(spec, "it is not below /sys")
    if not is_energy and not _POWER_FILE.fullmatch(path.name):
        _refuse(spec, f"{path.name} holds neither power nor energy")
    if read_number(path) is None:
        _refuse(spec, "it cannot be read as a number, or not by this user")
    wraps_at = read_number(path.parent / "max_energy_range_uj")
    return _Rail(path=path, is_energy=is_energy, range_uj=wraps_at)


def _refuse(spec: str, reason: str) -> NoReturn:
    raise UserFileError(source=f"meter {spec!r}", reason=reason, remedy=_EXAMPLES)


def joules_of(times_s: Sequence[float], watts: Sequence[float]) -> Iterator[float]:
    """Yield the energy from the first time to each [J], by trapezoids.

    >>> list(joules_of([0.0, 1.0, 3.0], [2.0, 4.0, 4.0]))
    [0.0, 3.0, 11.0]
    """
    joules = 0.0
    for place, now in enumerate(times_s):
        if place:
            mean = (watts[place] + watts[place - 1]) / 2
            joules += mean * (now - times_s[place - 1])
        yield joules
