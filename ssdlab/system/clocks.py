"""Clocks that count time in suspend, and how long the machine was suspended."""

import time
from collections.abc import Callable
from typing import Final

_SURE_S: Final = 0.01  # between two readings of one clock, around that of the other
_TRIES: Final = 5
Clock = Callable[[], float]


def boot_time_s() -> float:
    """Return the time since the start of the machine, suspends included [s].

    On a system without such a clock it is the monotonic one, which may stop in suspend.
    """
    number = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if number is None else time.clock_gettime(number)


class RunClock:
    """Unix time that does not jump when the system clock is corrected.

    Call it for the time. Time in suspend counts, as the device rests in it; fio and
    CLOCK_MONOTONIC do not see it.

    Parameters
    ----------
    unix : callable, optional
        Unix time [s]; it is called once.
    boot : callable, optional
        Time that includes suspends [s].
    awake : callable, optional
        Time that excludes suspends [s].
    """

    def __init__(
        self,
        *,
        unix: Clock = time.time,  # noqa: TID251 - here clocks are made
        boot: Clock = boot_time_s,
        awake: Clock = time.monotonic,
    ) -> None:
        self._boot, self._awake = boot, awake
        self._offset_s = unix() - boot()
        self._apart_s = self._read_apart_s()

    def __call__(self) -> float:
        """Return the Unix time now [s]."""
        return self._offset_s + self._boot()

    def suspended_s(self) -> float:
        """Return how long the machine was suspended since this clock was made [s]."""
        return self._read_apart_s() - self._apart_s

    def _read_apart_s(self) -> float:
        """Return the difference of the two clocks, although they are read in turn."""
        for _ in range(_TRIES):
            before_s = self._awake()
            boot_s = self._boot()
            after_s = self._awake()
            if after_s - before_s < _SURE_S:
                break
        return boot_s - (before_s + after_s) / 2
