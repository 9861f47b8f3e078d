"""Handle the signals that ask a program to stop.

An engine, a terminal or a service manager signals every process of a job, and those
forward the signal to each other: what arrives together is one request.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_STOPS: Final = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
)
_TOGETHER_S: Final = 5.0


@contextmanager
def stopped_by(stop: Callable[[], None]) -> Iterator[None]:
    """Call a function when a signal asks to stop, until the block ends.

    Signals that arrive within seconds of one that was taken are the same request. What
    is ignored, such as SIGHUP under nohup, stays ignored. Threads but the main one
    cannot handle signals: there, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken_s: list[float] = []

    def take(_number: int, _frame: FrameType | None) -> None:
        now_s = time.monotonic()
        if taken_s and now_s - taken_s[-1] < _TOGETHER_S:
            return
        taken_s.append(now_s)
        stop()

    left_alone = {signal.SIG_IGN, None}  # None: not set by Python
    handled = [one for one in _STOPS if signal.getsignal(one) not in left_alone]
    before = [signal.signal(number, take) for number in handled]
    try:
        yield
    finally:
        for number, handler in zip(handled, before, strict=True):
            signal.signal(number, handler)


def interrupt() -> None:
    """Raise ``KeyboardInterrupt``, as Ctrl-C does."""
    raise KeyboardInterrupt
