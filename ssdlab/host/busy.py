"""A processor that is kept busy for a moment, to see how fast it runs then."""

import os
import time
from collections.abc import Callable
from typing import Protocol

_BUSY_S = 0.04  # ten ticks of the slowest kernel clock: a governor has seen it by then


class ReadBusy(Protocol):
    """Reads something while a processor is busy: `read_busy`, or a made answer."""

    def __call__(self, cpu: int, read: Callable[[], float | None], /) -> float | None:
        """Return what was read; ``None`` if this process may not run there."""
        ...


def read_busy(cpu: int, read: Callable[[], float | None]) -> float | None:
    """Keep a processor busy with this thread, then read; it goes back where it was."""
    own = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {cpu})
    except OSError:
        return None
    try:
        ends_s = time.monotonic() + _BUSY_S
        while time.monotonic() < ends_s:
            pass
        return read()
    finally:
        os.sched_setaffinity(0, own)
