"""The fio process: started ahead, held at a gate, let go when the one before ends.

fio takes about 0.3 s from its start to its first IO, in which a drive rests and
collects garbage. So the next fio is started while the present one runs; its threads
wait in ``exec_prerun`` for a byte from a pipe. When the present one's threads report
the end of their IO through ``exec_postrun``, the bytes are sent.

An armed fio can never get loose: the only writing end of its pipe is held by this
process, so when this process dies the wait ends in failure and fio does no IO;
besides, the kernel kills fio with its parent. Jobs that are processes and not threads
live on when fio is killed; those have a keeper.
"""

import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from ssdlab.fio.keeper import Keeper, start_keeper
from ssdlab.model.errors import FioHungError, MissingToolError

_TICK_S = 0.25
_STOP_S = 20.0
_VERSION_S = 10.0
_GATE_S = 0.002  # from letting go to the first IO
OLDEST_FIO = (3, 16)
_GUARD = "setpriv"  # has the kernel kill fio when its parent dies, then becomes fio
FIO_ARGUMENTS = ("--output-format=json+", "--output=fio.json", "--eta=never")


class Clock(Protocol):
    """Unix time [s]."""

    def __call__(self) -> float:
        """Return the time now."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class FioRequest:
    """One fio run: where its files go, its job, its threads, and when it is overdue.

    A run whose IO ends before ``least_s`` has failed, and nothing follows it at once.
    It is let go when the host has rested for ``wait_s`` since the IO before it.
    ``has_processes`` says that its jobs are processes and not threads.
    """

    step_id: str
    folder: Path
    job: str
    gated_threads: int
    overdue_s: float
    least_s: float = 0.0
    wait_s: float = 0.0
    has_processes: bool = False


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
    version, said = _ask_version(path)
    if _version_numbers(version) < OLDEST_FIO:
        raise MissingToolError(
            tool=f"fio {OLDEST_FIO[0]}.{OLDEST_FIO[1]} or newer",
            needed_for="latency bins of whole IOs",
            remedy=f"{path} says {said!r}. {remedy}",
        )
    return path, version


def _ask_version(path: str) -> tuple[str, str]:
    """Return the version, and all that was said when asked for it."""
    try:
        answer = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_VERSION_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    version = answer.stdout.strip()
    return version, version or answer.stderr.strip()


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
    keeper: Keeper | None
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

    def has_ended_well(self) -> bool:
        """Tell whether nothing speaks against what follows: fio reports failed IO too.

        fio writes of an IO error to stderr when it happens.
        """
        said = (self.request.folder / "fio.stderr").read_bytes()
        is_whole = self.done_s - self.let_go_s >= self.request.least_s
        return self.has_done_its_io and is_whole and b"err" not in said

    def stop(self, patience_s: float) -> None:
        """End fio: an armed one by its gate, a running one by SIGTERM, then force."""
        if self.gate >= 0:
            os.close(self.gate)
            os.close(self.reports)
            self.gate = self.reports = -1
        if self.let_go_s and self.popen.poll() is None:
            self.popen.terminate()
        try:
            self.popen.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        if self.keeper is not None:
            self.keeper.end()


def _guard() -> tuple[str, ...]:
    """Return what makes the kernel kill fio when its parent dies, where there is it."""
    path = shutil.which(_GUARD)
    return (path, "--pdeathsig", "KILL") if path else ()


def _wait_for_guard(popen: "subprocess.Popen[bytes]", guard: tuple[str, ...]) -> None:
    """Wait until the guard has become fio, so that no fio is let go unguarded.

    The program is asked for and not the name of the process: that one changes only
    some time after the program did.
    """
    if not guard:
        return
    waiting = os.path.realpath(guard[0])
    program = Path(f"/proc/{popen.pid}/exe")
    while popen.poll() is None:
        with suppress(OSError):  # it may end at any moment
            if str(program.readlink()) != waiting:
                return
        time.sleep(0.001)


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
    stop_s : float, default 20
        How long a fio that was asked to end may take before it is killed [s].
    """

    def __init__(
        self,
        executable: str,
        *,
        clock: Clock,
        tick: Callable[[], None],
        stop_s: float = _STOP_S,
    ) -> None:
        self._executable = executable
        self._clock = clock
        self._tick = tick
        self._stop_s = stop_s
        self._guard = _guard()
        self._current: _Process | None = None
        self._ahead: _Process | None = None
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
    ) -> FioOutcome:
        """Run one fio, arm the next, and return when this one has ended.

        ``following`` is let go at the moment this one's IO has ended, unless it is
        held because whether it will run at all is not decided yet, or this one failed.

        Raises
        ------
        FioHungError
            If fio outlived its bound; it has been ended.
        """
        process, was_armed = self._take(request)
        if not process.let_go_s:
            self._rest(request.wait_s)
            process.let_go(self._clock())
        if following is not None:
            self._ahead = self._start(following)
        self._wait_for_io(process)
        ahead = self._ahead
        follows_at_once = not hold_following and not (following and following.wait_s)
        if ahead is not None and follows_at_once and process.has_ended_well():
            ahead.let_go(self._clock())
        outcome = self._finish(process, was_armed=was_armed)
        self._current = None
        return outcome

    def _rest(self, wait_s: float) -> None:
        """Wait until the last IO ended so long ago."""
        until_s = self._last_done_s + wait_s - _GATE_S
        while wait_s and (left_s := until_s - self._clock()) > 0:
            self._tick()
            time.sleep(min(left_s, _TICK_S))

    def discard_ahead(self) -> None:
        """Throw away the armed fio: it ends without IO, and its folder goes."""
        if self._ahead is not None:
            self._ahead.stop(self._stop_s)
            shutil.rmtree(self._ahead.request.folder, ignore_errors=True)
            self._ahead = None

    def _take(self, request: FioRequest) -> tuple[_Process, bool]:
        ahead = self._ahead
        if ahead is not None and ahead.request == request:
            self._current, self._ahead = ahead, None
            return ahead, True
        self.discard_ahead()
        self._current = process = self._start(request)
        return process, False

    def _start(self, request: FioRequest) -> _Process:
        request.folder.mkdir(parents=True)
        gate_out, gate_in = os.pipe()
        reports_out, reports_in = os.pipe()
        keeper = start_keeper(request.folder) if request.has_processes else None
        try:
            popen = self._launch(request, gate_out, reports_in)
        except BaseException:
            os.close(gate_in)
            os.close(reports_out)
            if keeper is not None:
                keeper.end()
            raise
        finally:
            os.close(gate_out)
            os.close(reports_in)
        _wait_for_guard(popen, self._guard)
        return _Process(
            request=request,
            popen=popen,
            gate=gate_in,
            reports=reports_out,
            keeper=keeper,
        )

    def _launch(
        self, request: FioRequest, gate_out: int, reports_in: int
    ) -> "subprocess.Popen[bytes]":
        folder = request.folder
        gate = (
            f"exec_prerun=read go </proc/self/fd/{gate_out}\n"
            f"exec_postrun=(echo >/proc/self/fd/{reports_in})\n"
        )
        job = request.job.replace("[global]\n", f"[global]\n{gate}", 1)
        (folder / "job.fio").write_text(request.job, "utf-8")
        (folder / "armed.fio").write_text(job, "utf-8")
        with (folder / "fio.stderr").open("wb") as said:
            return subprocess.Popen(
                [*self._guard, self._executable, *FIO_ARGUMENTS, "armed.fio"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                pass_fds=(gate_out, reports_in),
            )

    def _wait_for_io(self, process: _Process) -> None:
        while not process.has_done_its_io and process.popen.poll() is None:
            process.hear(_TICK_S, self._clock)
            self._tick()
            overdue_s = process.request.overdue_s
            if self._clock() - process.let_go_s > overdue_s:
                raise self._stop_hung(process, f"did not end within {overdue_s:g} s")

    def _stop_hung(self, process: _Process, what: str) -> FioHungError:
        process.stop(self._stop_s)
        return FioHungError(
            step_id=process.request.step_id,
            reason=f"fio {what} and was stopped",
            remedy="See whether the target still answers, then resume the run.",
        )

    def _finish(self, process: _Process, *, was_armed: bool) -> FioOutcome:
        try:
            code = process.popen.wait(self._stop_s)
        except subprocess.TimeoutExpired:
            what = f"did not end within {self._stop_s:g} s after its IO"
            raise self._stop_hung(process, what) from None
        done_s = self._last_done_s = process.done_s or self._clock()
        process.stop(self._stop_s)
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
