"""Readings taken beside the measurement, one line each second."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

Readings = Mapping[str, Mapping[str, float]]


@contextmanager
def recording(
    path: Path,
    read: Callable[[], Readings],
    *,
    clock: Callable[[], float],
    interval_s: float = 1.0,
) -> Iterator[None]:
    """Append readings by source and name to a file until the block ends.

    A reading that fails is left out: telemetry never stops a run.
    """
    stop = threading.Event()
    path.parent.mkdir(exist_ok=True)
    thread = threading.Thread(
        target=_record, args=(path, read, clock, stop, interval_s), daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=10)


def _record(  # noqa: PLR0917 - the target of a thread, called there only
    path: Path,
    read: Callable[[], Readings],
    clock: Callable[[], float],
    stop: threading.Event,
    interval_s: float,
) -> None:
    with path.open("a", encoding="utf-8") as file:
        while not stop.wait(interval_s):
            try:
                readings = read()
                file.write(json.dumps({"time_s": clock(), **readings}) + "\n")
                file.flush()
            except OSError:
                continue


def read_telemetry(folder: Path) -> Iterator[tuple[float, str, str, float]]:
    """Yield time, source, name and value; a line cut by a crash is left out."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            with suppress(ValueError):
                yield from _readings(json.loads(line))


def _readings(
    entry: dict[str, Any],
) -> Iterator[tuple[float, str, str, float]]:
    time_s = entry.pop("time_s")
    for source, readings in entry.items():
        for name, value in readings.items():
            yield time_s, source, name, value
