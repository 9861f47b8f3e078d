"""One fio process: started early, held at a gate, released, and stopped.

Its threads report in ``exec_prerun`` that they are ready, wait there for a byte from a
pipe, and report the end of their IO through ``exec_postrun``.

An armed fio can never start by itself: only this process has the writing end of its
pipe, so if this process dies the wait fails and fio does no IO; in addition, the kernel
kills fio with its parent. Jobs that are processes, not threads, survive a killed fio;
those have a keeper.
"""

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ssdlab.fio.watchdog import Keeper, start_keeper
from ssdlab.system.folders import LOG_BYTES, PRIVATE, Folder

STOP_S = 20.0
_GUARD = "setpriv"  # has the kernel kill fio when its parent dies, then becomes fio
_FILENAME = re.compile(r"^(filename|replay_redirect)=.*$", re.MULTILINE)
_READY, _DONE = b"r", b"d"  # what a thread reports
FIO_ARGUMENTS = ("--output-format=json+", "--output=fio.json", "--eta=never")


class Clock(Protocol):
    """Unix time [s]."""

    def __call__(self) -> float:
        """Return the time now."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class FioRequest:
    """One fio run: its folder, its job, its threads, and its time limit.

    A run whose IO ends before ``least_s`` has failed, and no run follows immediately.
    It is released when the host has rested for ``wait_s`` since the last IO.
    ``has_processes``: its jobs are processes, not threads. ``descriptor`` is an open
    file that fio uses instead of the job's filename.
    """

    step_id: str
    folder: Folder
    job: str
    gated_threads: int
    overdue_s: float
    least_s: float = 0.0
    wait_s: float = 0.0
    has_processes: bool = False
    descriptor: int | None = None


@dataclass(kw_only=True, slots=True)
class FioProcess:
    """A started fio, and its two pipes for release and reports.

    ``ready_s`` is when its last thread was heard to wait at the gate; ``first_done_s``
    and ``done_s`` are when the first and the last thread were heard to have done their
    IO. They are 0 before.
    """

    request: FioRequest
    popen: "subprocess.Popen[bytes]"
    gate: int
    reports: int
    keeper: Keeper | None
    started_s: float
    released_s: float = 0.0
    ready_s: float = 0.0
    first_done_s: float = 0.0
    done_s: float = 0.0
    threads_ready: int = 0
    threads_done: int = 0

    def release(self, clock: Clock) -> None:
        """Open the gate for every thread."""
        self.hear(0, clock)
        self.released_s = clock()
        with suppress(BrokenPipeError):
            os.write(self.gate, b"\n" * self.request.gated_threads)

    def hear(self, timeout_s: float, clock: Clock) -> None:
        """Count the threads that report, waiting up to a timeout for the first."""
        heard_any, _, _ = select.select([self.reports], [], [], timeout_s)
        if not heard_any:
            return
        heard, now = os.read(self.reports, 4096), clock()
        ready, done = heard.count(_READY), heard.count(_DONE)
        self.threads_ready += ready
        self.threads_done += done
        if ready and self.threads_ready >= self.request.gated_threads:
            self.ready_s = now
        if done:
            self.first_done_s, self.done_s = self.first_done_s or now, now
        if not heard:  # all writing ends are closed: the process has ended
            self.popen.wait(STOP_S)

    @property
    def unready_s(self) -> float | None:
        """How long its threads took to the gate after it was opened; None: unknown."""
        return max(self.ready_s - self.released_s, 0.0) if self.ready_s else None

    @property
    def has_done_its_io(self) -> bool:
        """Whether every thread has reported the end of its IO."""
        return self.threads_done >= self.request.gated_threads

    def has_ended_well(self) -> bool:
        """Tell whether the next run may follow: fio reports the end of failed IO too.

        fio reports an IO error on stderr when it happens.
        """
        said = self.request.folder.read("fio.stderr", limit=LOG_BYTES)
        is_whole = self.done_s - self.released_s >= self.request.least_s
        return self.has_done_its_io and is_whole and b"err" not in said

    def read_io_bytes(self) -> int | None:
        """Return what it has read and written, as the kernel counts it, if it does.

        The kernel counts jobs that are processes apart from their parent, and no bytes
        that go through a socket.
        """
        own = Path(f"/proc/{self.popen.pid}")
        try:
            children = (own / "task" / own.name / "children").read_text("ascii")
            return sum(map(_count_bytes, (own.name, *children.split()))) or None
        except (OSError, ValueError):
            return None

    def wait(self, patience_s: float) -> int | None:
        """Return Python's return code of fio, or ``None`` if it still runs."""
        try:
            return self.popen.wait(patience_s)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, patience_s: float) -> None:
        """Stop fio: an armed one by its gate, a running one by SIGTERM, SIGKILL."""
        if self.gate >= 0:
            os.close(self.gate)
            os.close(self.reports)
            self.gate = self.reports = -1
        if self.released_s and self.popen.poll() is None:
            self.popen.terminate()
        if self.wait(patience_s) is None:
            self.popen.kill()
            self.popen.wait()
        if self.keeper is not None:
            self.keeper.end()


def _count_bytes(pid: str) -> int:
    """Return how many bytes the kernel counts that a process has read and written."""
    lines = Path(f"/proc/{pid}/io").read_text("ascii").splitlines()
    counts = {
        name: int(count) for name, _, count in (one.partition(": ") for one in lines)
    }
    return counts["read_bytes"] + counts["write_bytes"]


def find_guard() -> tuple[str, ...]:
    """Return the command that makes the kernel kill fio with its parent, if any."""
    path = shutil.which(_GUARD)
    return (path, "--pdeathsig", "KILL") if path else ()


def _wait_for_guard(popen: "subprocess.Popen[bytes]", guard: tuple[str, ...]) -> None:
    """Wait until the guard has become fio, so that no fio is released unguarded.

    The executable is checked, not the name of the process, which changes some time
    after the executable.
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


def start_fio(
    request: FioRequest, executable: str, *, guard: tuple[str, ...], now: float
) -> FioProcess:
    """Start fio for a request, held at its gate; its folder must not exist."""
    request.folder.make_new(PRIVATE)
    gate_out, gate_in = os.pipe()
    reports_out, reports_in = os.pipe()
    keeper = start_keeper(request.folder.path) if request.has_processes else None
    try:
        popen = _launch(
            request, [*guard, executable], gate=gate_out, reports=reports_in
        )
    except BaseException:
        os.close(gate_in)
        os.close(reports_out)
        if keeper is not None:
            keeper.end()
        raise
    finally:
        os.close(gate_out)
        os.close(reports_in)
    _wait_for_guard(popen, guard)
    return FioProcess(
        request=request,
        started_s=now,
        popen=popen,
        gate=gate_in,
        reports=reports_out,
        keeper=keeper,
    )


def _launch(
    request: FioRequest, command: Sequence[str], *, gate: int, reports: int
) -> "subprocess.Popen[bytes]":
    folder = request.folder
    orders = (
        # fio takes ; for a comment, and redirects the output of the last command.
        f"exec_prerun=printf r >/proc/self/fd/{reports} && "
        f"read go </proc/self/fd/{gate}\n"
        f"exec_postrun=eval 'printf d >/proc/self/fd/{reports}'\n"
    )
    job = request.job.replace("[global]\n", f"[global]\n{orders}", 1)
    handed = [gate, reports]
    if request.descriptor is not None:
        handed.append(request.descriptor)
        job = _FILENAME.sub(rf"\1=/proc/self/fd/{request.descriptor}", job)
    folder.write("job.fio", request.job.encode(), is_durable=False)
    folder.write("armed.fio", job.encode(), is_durable=False)
    with folder.opened_in_place("fio.stderr") as said:
        return subprocess.Popen(
            [*command, *FIO_ARGUMENTS, "armed.fio"],
            cwd=folder.path,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            pass_fds=handed,
        )
