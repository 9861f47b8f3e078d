"""Readings taken beside the measurement: before, every few seconds, and after."""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from typing import Any

from ssdlab.system.folders import LOG_BYTES, Folder

_TAIL_BYTES = 1 << 16
_LAST_READING_S = 30.0  # a device that does not answer is not waited for


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """What is read, by which name it is recorded, and how often."""

    name: str
    read: Callable[[], Mapping[str, float]]
    interval_s: float = 1.0


@contextmanager
def recording(
    folder: Folder, name: str, sources: Sequence[Source], *, clock: Callable[[], float]
) -> Iterator[None]:
    """Append readings by source and name to a file until the block ends.

    Each source is read once before the block begins and once when it has ended, and
    in a thread of its own meanwhile: one that is slow does not hold the others up. A
    reading that fails is left out: telemetry never stops a run.
    """
    stop = threading.Event()
    with folder.make().opened_in_place(name) as file:
        log = _Log(file, clock)
        for source in sources:
            log.take(source)
        threads = [
            threading.Thread(target=_record, args=(source, log, stop), daemon=True)
            for source in sources
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join(timeout=_LAST_READING_S)


class _Log:
    """The file of readings, written by several threads."""

    def __init__(self, file: FileIO, clock: Callable[[], float]) -> None:
        self._file = file
        self._clock = clock
        self._lock = threading.Lock()

    def take(self, source: Source) -> None:
        """Read a source and write that down."""
        with suppress(Exception):  # whatever it is, it must not end a measurement
            readings = source.read()
            if readings:
                line = json.dumps({"time_s": self._clock(), source.name: readings})
                with self._lock:
                    self._file.write(f"{line}\n".encode())


def _record(source: Source, log: _Log, stop: threading.Event) -> None:
    while not stop.wait(source.interval_s):
        log.take(source)
    log.take(source)


def read_telemetry(folder: Folder) -> Iterator[tuple[float, str, str, float]]:
    """Yield time, source, name and value; a line cut by a crash is left out."""
    sessions = (name for name in folder.names() if name.endswith(".jsonl"))
    for session in sessions:
        for line in folder.read(session, limit=LOG_BYTES).splitlines():
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                yield from _readings(json.loads(line))


def read_last(folder: Folder, name: str, *, of: str = "session-") -> float | None:
    """Return the last value of a reading, of any source; ``None`` without one.

    ``of`` is how the names of its files begin.
    """
    sessions = [
        each
        for each in folder.names()
        if each.startswith(of) and each.endswith(".jsonl")
    ]
    if not sessions:
        return None
    with folder.opened(sessions[-1]) as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - _TAIL_BYTES))
        lines = file.read(_TAIL_BYTES).splitlines()
    for line in reversed(lines):
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            found = {each: value for _, _, each, value in _readings(json.loads(line))}
            return found[name]
    return None


def _readings(
    entry: dict[str, Any],
) -> Iterator[tuple[float, str, str, float]]:
    time_s = float(entry.pop("time_s"))
    for source, readings in entry.items():
        for name, value in readings.items():
            yield time_s, sys.intern(source), sys.intern(name), float(value)
