"""Run a parser on one input: what it may raise, how long it may take, how much hold."""

import hashlib
import os
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from ssdlab.model.errors import FioOutputError

FLOOR_BYTES: Final = 256 << 20
TIMES_INPUT: Final = 64
FLOOR_S: Final = 4.0
S_PER_BYTE: Final = 8e-6

_RESERVED_TIMES = 8
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_DATA_FIELD = 5  # of /proc/self/statm
_OURS = f"{os.sep}ssdlab{os.sep}"


class ViolationError(AssertionError):
    """A parser did on some input what it never may; ``signature`` tells it apart."""

    def __init__(self, *, signature: str, told: str) -> None:
        self.signature = signature
        super().__init__(told)

    @property
    def mark(self) -> str:
        """A short name for the signature."""
        return hashlib.sha256(self.signature.encode()).hexdigest()[:10]


class _TooSlowError(BaseException):
    """The processor time of one input is over; nothing in between may catch this."""


def run_guarded(parse: Callable[[bytes], None], data: bytes) -> None:
    """Parse and check; anything but success or `FioOutputError` is a `ViolationError`.

    Time is processor time, which does not depend on what else runs here. Memory is
    what was resident at its greatest; what is reserved is bounded too, so that a
    runaway input ends in an error.

    Raises
    ------
    ViolationError
        If the parser did what it never may.
    """
    limit_s = FLOOR_S + S_PER_BYTE * len(data)
    bound_bytes = max(FLOOR_BYTES, TIMES_INPUT * len(data))
    start_s = time.process_time()
    before_bytes = _restart_peak()
    try:
        with (
            _memory_bounded(bound_bytes * _RESERVED_TIMES),
            _time_bounded(limit_s),
            warnings.catch_warnings(action="error"),
        ):
            parse(data)
    except FioOutputError:
        pass
    except ViolationError:
        raise
    except (Exception, _TooSlowError) as error:
        told = "".join(traceback.format_exception(error))
        raise ViolationError(signature=_signature(error), told=told) from error
    grown_bytes = _peak_bytes() - before_bytes
    if grown_bytes > bound_bytes:
        told = f"{grown_bytes >> 20} MiB for {len(data)} bytes"
        raise ViolationError(signature="much memory", told=told)
    spent_s = time.process_time() - start_s
    if spent_s > limit_s:
        told = f"{spent_s:.1f} s for {len(data)} bytes; {limit_s:.1f} s are allowed"
        raise ViolationError(signature="slow in a kernel", told=told)


def _signature(error: BaseException) -> str:
    """Return what kind of error, and where in ssdlab it arose."""
    places = [
        f"{Path(frame.filename).name}:{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if _OURS in frame.filename
    ]
    if isinstance(error, _TooSlowError):
        return f"slow: {places[0] if places else 'outside'}"
    return f"{type(error).__name__}: {places[-1] if places else 'outside'}"


def _restart_peak() -> int:
    """Let the greatest resident memory count from now; return what it is now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak_bytes()


def _peak_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split(maxsplit=1)[0]) << 10


@contextmanager
def _memory_bounded(limit_bytes: int) -> Iterator[None]:
    """Bound it, but not beside a sanitizer, which maps terabytes for itself."""
    if "LD_PRELOAD" in os.environ:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    pages = int(Path("/proc/self/statm").read_text().split()[_DATA_FIELD])
    bound = pages * _PAGE_BYTES + limit_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


@contextmanager
def _time_bounded(limit_s: float) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
