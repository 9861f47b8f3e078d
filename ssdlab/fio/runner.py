"""Back-to-back fio runs: each is released when the previous one has done its IO.

fio takes about 0.3 s from its start to its first IO, in which a drive rests and
collects garbage. So the next fio is started while the current one runs, held at its
gate, and released when the current one's threads report the end of their IO.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from ssdlab.fio.process import (
    STOP_S,
    Clock,
    FioProcess,
    FioRequest,
    find_guard,
    start_fio,
)
from ssdlab.model.errors import FioHungError
from ssdlab.model.step import Handover
from ssdlab.system.folders import LOG_BYTES

_ORDERS_SAID = re.compile(r".*\.p.*run\.txt")
_TICK_S = 0.25
_GATE_S = 0.002  # from release to the first IO
_TERMINATED = 128  # the exit code of a fio that a signal has stopped
_ALSO_S = 1.0  # in which a signal that was sent to fio may also come here


@dataclass(frozen=True, kw_only=True, slots=True)
class FioOutcome:
    """How a fio process ended; its output is in the request's folder.

    ``done_s`` is the Unix time at which the last thread reported the end of its IO, or
    at which the process ended if none did. ``signal_number`` is the signal that ended
    the process, 0 if none. ``handover`` is where the time before and after its IO went.
    """

    request: FioRequest
    exit_code: int
    signal_number: int
    released_s: float
    done_s: float
    was_armed: bool
    said: str
    handover: Handover


class FioChain:
    """Back-to-back fio runs, with the next one armed while the current one runs.

    Use it as a context manager: leaving it in any way ends every fio.

    Parameters
    ----------
    executable : str
        Path of fio.
    clock : Clock
        Unix time [s].
    tick : callable
        Called a few times a second while fio runs; may raise to stop the run.
    stop_s : float, default 20
        How long a stopped fio may take to end before it is killed [s].
    """

    def __init__(
        self,
        executable: str,
        *,
        clock: Clock,
        tick: Callable[[], None],
        stop_s: float = STOP_S,
    ) -> None:
        self._executable = executable
        self._clock = clock
        self._tick = tick
        self._stop_s = stop_s
        self._guard = find_guard()
        self._current: FioProcess | None = None
        self._ahead: FioProcess | None = None
        self._last_done_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._ahead, self._current):
            if process is not None:
                process.stop(self._stop_s)
        self._ahead = self._current = None

    def run(
        self,
        request: FioRequest,
        following: FioRequest | None = None,
        *,
        hold_following: bool = False,
        look: Callable[[FioProcess], None] = lambda _process: None,
    ) -> FioOutcome:
        """Run one fio, arm the next, and return when this one has ended.

        ``following`` is released at the moment this one's IO has ended, unless it is
        held because it is not decided yet whether it will run, or this one failed.
        ``look`` is called with this one a few times a second while it runs.
        """
        process, was_armed = self._take(request)
        if not process.released_s:
            self._rest(request.wait_s)
            process.release(self._clock)
        if following is not None:
            self._ahead = self._start(following)
        self._wait_for_io(process, look)
        ahead = self._ahead
        follows_at_once = not hold_following and not (following and following.wait_s)
        if ahead is not None and follows_at_once and process.has_ended_well():
            ahead.release(self._clock)
        outcome = self._finish(process, was_armed=was_armed)
        self._current = None
        return outcome

    def _rest(self, wait_s: float) -> None:
        """Wait until ``wait_s`` have passed since the last IO."""
        until_s = self._last_done_s + wait_s - _GATE_S
        while wait_s and (left_s := until_s - self._clock()) > 0:
            self._tick()
            time.sleep(min(left_s, _TICK_S))

    def discard_ahead(self) -> None:
        """Discard the armed fio: it ends without IO, and its folder is removed."""
        if self._ahead is not None:
            self._ahead.stop(self._stop_s)
            self._ahead.request.folder.remove_tree()
            self._ahead = None

    def _take(self, request: FioRequest) -> tuple[FioProcess, bool]:
        ahead = self._ahead
        if ahead is not None and ahead.request == request:
            self._current, self._ahead = ahead, None
            return ahead, True
        self.discard_ahead()
        self._current = process = self._start(request)
        return process, False

    def _start(self, request: FioRequest) -> FioProcess:
        now = self._clock()
        return start_fio(request, self._executable, guard=self._guard, now=now)

    def _wait_for_io(
        self, process: FioProcess, look: Callable[[FioProcess], None]
    ) -> None:
        overdue_s = process.request.overdue_s
        # A clock that stops in suspend, like fio's own.
        began_s = time.monotonic()
        while not process.has_done_its_io and process.popen.poll() is None:
            process.hear(_TICK_S, self._clock)
            self._tick()
            look(process)
            if time.monotonic() - began_s > overdue_s:
                raise self._stop_hung(process, f"did not end within {overdue_s:g} s")

    def _stop_hung(self, process: FioProcess, what: str) -> FioHungError:
        process.stop(self._stop_s)
        return FioHungError(
            step_id=process.request.step_id,
            reason=f"fio {what} and was stopped",
            remedy="Check whether the target still answers, then resume the run.",
        )

    def _finish(self, process: FioProcess, *, was_armed: bool) -> FioOutcome:
        code = process.wait(self._stop_s)
        if code is None:
            what = f"did not end within {self._stop_s:g} s after its IO"
            raise self._stop_hung(process, what)
        if code == _TERMINATED or code < 0:
            time.sleep(_ALSO_S)
        done_s = self._last_done_s = process.done_s or self._clock()
        process.stop(self._stop_s)
        folder = process.request.folder
        for name in folder.names():
            if _ORDERS_SAID.fullmatch(name):
                folder.remove(name)
        folder.remove("armed.fio")
        return FioOutcome(
            request=process.request,
            exit_code=code if code >= 0 else 128 - code,
            signal_number=max(0, -code),
            released_s=process.released_s,
            done_s=done_s,
            was_armed=was_armed,
            said=folder.text("fio.stderr", limit=LOG_BYTES).strip(),
            handover=Handover(
                released_s=process.released_s,
                armed_for_s=process.released_s - process.started_s,
                unready_s=process.unready_s,
                reports_s=process.done_s - process.first_done_s,
            ),
        )
