"""The fio process: started ahead, held at a gate, let go when the one before ends.

fio takes about 0.3 s from its start to its first IO, in which a drive rests and
collects garbage. So the next fio is started while the present one runs; its threads
wait in ``exec_prerun`` for a byte from a pipe. When the present one's threads report
the end of their IO through ``exec_postrun``, the bytes are sent.

An armed fio can never get loose: the only writing end of its pipe is held by this
process, so when this process dies the wait ends in failure and fio does no IO;
besides, the kernel kills fio with its parent.
"""

import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ssdlab.model.errors import FioHungError, MissingToolError

_TICK_S = 0.25
_STOP_S = 20.0
_OLDEST_FIO = (3, 16)
_SETPRIV = shutil.which("setpriv")
_DIES_WITH_PARENT = (_SETPRIV, "--pdeathsig", "KILL") if _SETPRIV else ()
FIO_ARGUMENTS = ("--output-format=json+", "--output=fio.json", "--eta=never")


class Clock(Protocol):
    """Unix time [s]."""

    def __call__(self) -> float:
        """Return the time now."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class FioRequest:
    """One fio run: where its files go, its job, its threads, and when it is overdue."""

    step_id: str
    folder: Path
    job: str
    gated_threads: int
    overdue_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class FioOutcome:
    """How a fio process ended; its output lies in the request's folder.

    ``done_s`` is the Unix time at which the last thread reported the end of its IO,
    or at which the process ended if none did. ``signal_number`` is that of the
    signal which ended the process, 0 if none.
    """

    request: FioRequest
    exit_code: int
    signal_number: int
    let_go_s: float
    done_s: float
    was_armed: bool
    said: str


def require_fio(executable: str = "fio") -> tuple[str, str]:
    """Return path and version of fio.

    Raises
    ------
    MissingToolError
        If there is no fio, or one too old to be trusted with a measurement.
    """
    path = shutil.which(executable)
    remedy = "Install it: apt-get install fio (or conda install -c conda-forge fio)."
    if path is None:
        raise MissingToolError(
            tool=executable, needed_for="every measurement", remedy=remedy
        )
    answer = subprocess.run(
        [path, "--version"], capture_output=True, text=True, check=False, timeout=30
    )
    version = answer.stdout.strip()
    if _version_numbers(version) < _OLDEST_FIO:
        raise MissingToolError(
            tool=f"fio {_OLDEST_FIO[0]}.{_OLDEST_FIO[1]} or newer",
            needed_for="latency bins of whole IOs",
            remedy=f"{path} says {version or answer.stderr.strip()!r}. {remedy}",
        )
    return path, version


def _version_numbers(version: str) -> tuple[int, ...]:
    digits = version.removeprefix("fio-").split("-")[0].split(".")
    return tuple(int(part) for part in digits[:2] if part.isdigit())


@dataclass(kw_only=True, slots=True)
class _Process:
    """A started fio, and the two pipes that it is held and heard by."""

    request: FioRequest
    popen: "subprocess.Popen[bytes]"
    gate: int
    reports: int
    let_go_s: float = 0.0
    done_s: float = 0.0
    threads_done: int = 0

    def let_go(self, now: float) -> None:
        self.let_go_s = now
        with suppress(BrokenPipeError):
            os.write(self.gate, b"\n" * self.request.gated_threads)

    def hear(self, timeout_s: float, clock: Clock) -> None:
        """Count the threads that have ended their IO, waiting up to a timeout."""
        ready, _, _ = select.select([self.reports], [], [], timeout_s)
        if ready:
            heard = os.read(self.reports, 4096)
            self.threads_done += len(heard)
            self.done_s = clock()
            if not heard:  # every writing end is closed: the process has ended
                self.popen.wait(_STOP_S)

    @property
    def has_done_its_io(self) -> bool:
        return self.threads_done >= self.request.gated_threads

    def stop(self) -> None:
        """End fio: an armed one by its gate, a running one by SIGTERM, then force."""
        if self.gate >= 0:
            os.close(self.gate)
            os.close(self.reports)
            self.gate = self.reports = -1
        if self.let_go_s and self.popen.poll() is None:
            self.popen.terminate()
        try:
            self.popen.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


class FioChain:
    """Fio after fio, with the next one armed while the present one runs.

    Use it as a context manager: leaving it, by whatever way, ends every fio.

    Parameters
    ----------
    executable : str
        Path of fio.
    clock : Clock
        Unix time [s].
    tick : callable
        Called a few times a second while fio runs; may raise to stop the run.
    """

    def __init__(
        self, executable: str, *, clock: Clock, tick: Callable[[], None]
    ) -> None:
        self._executable = executable
        self._clock = clock
        self._tick = tick
        self._current: _Process | None = None
        self._ahead: _Process | None = None

    def __enter__(self) -> "FioChain":
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._ahead, self._current):
            if process is not None:
                process.stop()
        self._ahead = self._current = None

    def run(
        self,
        request: FioRequest,
        following: FioRequest | None = None,
        *,
        hold_following: bool = False,
    ) -> FioOutcome:
        """Run one fio, arm the next, and return when this one has ended.

        ``following`` is let go at the moment this one's IO has ended, unless it is
        held because whether it will run at all is not decided yet.

        Raises
        ------
        FioHungError
            If fio outlived its bound; it has been ended.
        """
        process, was_armed = self._take(request)
        self._current = process
        if not process.let_go_s:
            process.let_go(self._clock())
        if following is not None:
            self._ahead = self._start(following)
        self._wait_for_io(process)
        if self._ahead is not None and process.has_done_its_io and not hold_following:
            self._ahead.let_go(self._clock())
        outcome = self._finish(process, was_armed=was_armed)
        self._current = None
        return outcome

    def discard_ahead(self) -> None:
        """Throw away the armed fio: it ends without IO, and its folder goes."""
        if self._ahead is not None:
            self._ahead.stop()
            shutil.rmtree(self._ahead.request.folder, ignore_errors=True)
            self._ahead = None

    def _take(self, request: FioRequest) -> tuple[_Process, bool]:
        ahead = self._ahead
        if ahead is not None and ahead.request == request:
            self._ahead = None
            return ahead, True
        self.discard_ahead()
        return self._start(request), False

    def _start(self, request: FioRequest) -> _Process:
        gate_out, gate_in = os.pipe()
        reports_out, reports_in = os.pipe()
        folder = request.folder
        folder.mkdir(parents=True)
        gate = (
            f"exec_prerun=read go </proc/self/fd/{gate_out}\n"
            f"exec_postrun=(echo >/proc/self/fd/{reports_in})\n"
        )
        job = request.job.replace("[global]\n", f"[global]\n{gate}", 1)
        (folder / "job.fio").write_text(request.job, "utf-8")
        (folder / "armed.fio").write_text(job, "utf-8")
        command = [*_DIES_WITH_PARENT, self._executable, *FIO_ARGUMENTS, "armed.fio"]
        try:
            with (folder / "fio.stderr").open("wb") as said:
                popen = subprocess.Popen(
                    command,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    pass_fds=(gate_out, reports_in),
                )
        finally:
            os.close(gate_out)
            os.close(reports_in)
        return _Process(request=request, popen=popen, gate=gate_in, reports=reports_out)

    def _wait_for_io(self, process: _Process) -> None:
        while not process.has_done_its_io and process.popen.poll() is None:
            process.hear(_TICK_S, self._clock)
            self._tick()
            if self._clock() - process.let_go_s > process.request.overdue_s:
                process.stop()
                raise FioHungError(
                    step_id=process.request.step_id,
                    reason=f"fio did not end within {process.request.overdue_s:.0f} s "
                    "and was stopped",
                    remedy="See whether the target still answers, then resume the run.",
                )

    def _finish(self, process: _Process, *, was_armed: bool) -> FioOutcome:
        try:
            code = process.popen.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        done_s = process.done_s or self._clock()
        process.stop()
        folder = process.request.folder
        for leftover in folder.glob("*.p*run.txt"):
            leftover.unlink()
        (folder / "armed.fio").unlink(missing_ok=True)
        return FioOutcome(
            request=process.request,
            exit_code=code if code >= 0 else 128 - code,
            signal_number=max(0, -code),
            let_go_s=process.let_go_s,
            done_s=done_s,
            was_armed=was_armed,
            said=(folder / "fio.stderr").read_text("utf-8", errors="replace").strip(),
        )
