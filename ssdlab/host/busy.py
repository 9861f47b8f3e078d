"""Brief load on a processor, to read its clock while it works."""

import os
import time
from collections.abc import Callable
from typing import Protocol

_BUSY_S = 0.04  # ten ticks of the slowest kernel clock: enough for a governor


class ReadBusy(Protocol):
    """Reads something while a processor is busy: `read_busy`, or a fake."""

    def __call__(self, cpu: int, read: Callable[[], float | None], /) -> float | None:
        """Return the value; ``None`` if this process may not run there."""
        ...


def read_busy(cpu: int, read: Callable[[], float | None]) -> float | None:
    """Keep a processor busy with this thread, then read; its affinity is restored."""
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
