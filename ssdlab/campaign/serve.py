"""The engine that needs no installation: start jobs on this machine in their turn.

One process serves the hosts of a campaign that are this machine. It has no state of its
own: which jobs are left follows from the campaign's files, so it may be killed and
started again at any time. Jobs that it had started go on meanwhile, and are refused by
their locks when it starts them again.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import FileIO
from pathlib import Path

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.status import ENDED, judge
from ssdlab.campaign.work import AGAIN, DONE, FAILED
from ssdlab.model.errors import RunFolderError
from ssdlab.system.folders import Folder
from ssdlab.system.locks import try_lock

NOT_SERVED = 3  # exit code of the question whether it is
_SERVED = "served"  # the lock of the process that serves
_POLL_S = 0.5
_TRIES = 4
_AGAIN_S = 10.0  # before a job that was killed or refused is started again


@dataclass(slots=True)
class _Started:
    """A job that this process started, and the slot of its host that it holds."""

    job: Job
    process: "subprocess.Popen[bytes]"
    slot: FileIO
    is_stopped: bool = False


@dataclass(kw_only=True, slots=True)
class Server:
    """Starts jobs of a campaign until none is left.

    Parameters
    ----------
    campaign : CampaignFolder
        The campaign.
    host : str
        The host of which the jobs are; "" if all hosts are this machine.
    clock, sleep : callable
        Time that never goes back [s], and a pause [s].
    again_s : float
        The pause before a job that was killed is started again [s].
    program : sequence of str
        The command of ssdlab.
    """

    campaign: CampaignFolder
    host: str
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    again_s: float = _AGAIN_S
    program: Sequence[str] = (sys.executable, "-m", "ssdlab")
    _started: dict[str, _Started] = field(default_factory=dict, init=False)
    _not_before: dict[str, float] = field(default_factory=dict, init=False)
    _is_stopped: bool = field(default=False, init=False)
    _published: set[str] = field(default_factory=set, init=False)

    def serve(self) -> bool:
        """Serve until no job is left; return False if another process does already."""
        for _ in range(_TRIES):  # who only looks holds the lock for some microseconds
            with self.campaign.locked(_lock_of(self.host)) as is_ours:
                if is_ours:
                    self._serve()
                    return True
            self.sleep(_POLL_S)
        return False

    def serve_detached(self) -> None:
        """Serve in a process that is nobody's child and outlives this one."""
        if os.fork():
            for _ in range(_TRIES * 10):
                if is_served(self.campaign, self.host):
                    break
                self.sleep(_POLL_S / 10)
            return
        os.setsid()
        code = FAILED
        try:
            self._speak_to_log()
            self.serve()
            code = DONE
        finally:
            os._exit(code)

    def _speak_to_log(self) -> None:
        """Let go of the terminal, or of the connection, from which this was started."""
        logs = (self.campaign.top / "logs").make()
        with (
            logs.opened_in_place(f"{_lock_of(self.host)}.txt") as log,
            Path(os.devnull).open("rb") as nothing,
        ):
            for ours, taken in enumerate((nothing, log, log)):
                os.dup2(taken.fileno(), ours)

    def _serve(self) -> None:
        before = signal.signal(signal.SIGTERM, self._stop)
        try:
            while self._turn():
                self.sleep(_POLL_S)
        finally:
            signal.signal(signal.SIGTERM, before)

    def _stop(self, _number: int, _frame: object) -> None:
        """Start no other job, and stop those that run."""
        self._is_stopped = True

    def _turn(self) -> bool:
        """Look once at every job; return whether there is anything left to do."""
        self._reap()
        for started in self._started.values():
            if self._is_stopped or self._is_unwanted(started.job):
                self._tell_to_stop(started)
        left = False
        for job in () if self._is_stopped else self.campaign.jobs(self._published):
            is_here = self.host in {"", job.host} and job.job not in self._started
            if is_here and self._is_left(job):
                left = True
                self._try(job)
        return left or bool(self._started)

    def _is_left(self, job: Job) -> bool:
        """Return whether a job is to be started; a published one never is again."""
        if self.campaign.is_published(job):
            self._published.add(job.job)
            return False
        attempts, wishes = (
            self.campaign.attempts(job.job),
            self.campaign.wishes(job.job),
        )
        state, _ = judge(attempts, wishes, is_published=False)
        return state not in ENDED | {"held"}

    def _is_unwanted(self, job: Job) -> bool:
        wishes = self.campaign.wishes(job.job)
        return bool(wishes) and wishes[-1].what in {"cancel", "hold"}

    def _try(self, job: Job) -> None:
        """Start a job if its host has a slot and it is time."""
        if self.clock() < self._not_before.get(job.job, 0.0):
            return
        slot = take_slot(job)
        if slot is None:
            return
        logs = (self.campaign.top / "logs").make()
        with logs.opened_in_place(f"{job.job}.txt") as said:
            process = subprocess.Popen(
                [*self.program, "campaign", "work", str(self.campaign.path), job.job],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                pass_fds=(slot.fileno(),),  # held as long as the job itself runs
                start_new_session=True,
                env={**os.environ, "SSDLAB_ENGINE_JOB": f"local {os.getpid()}"},
            )
        self._started[job.job] = _Started(job, process, slot)

    def _tell_to_stop(self, started: _Started) -> None:
        if not started.is_stopped:
            started.is_stopped = True
            with suppress(ProcessLookupError):
                started.process.send_signal(signal.SIGTERM)

    def _reap(self) -> None:
        """Take note of jobs that ended, and free their slots."""
        for name, started in list(self._started.items()):
            code = started.process.poll()
            if code is None:
                continue
            del self._started[name]
            started.slot.close()
            if code != DONE:
                pause_s = self.again_s if code == AGAIN or code < 0 else 0.0
                self._not_before[name] = self.clock() + pause_s


def take_slot(job: Job) -> FileIO | None:
    """Take one of the slots of a host, of whatever campaign; ``None`` if all are taken.

    A slot is a locked file in the scratch folder; it is let go when the file is closed.
    """
    place = Folder(Path(job.scratch)) / "slots"
    try:
        place.make()
        return next(filter(None, map(partial(_take, place), range(job.slots))), None)
    except (OSError, RunFolderError):
        return None


def _take(place: Folder, number: int) -> FileIO | None:
    with place.opened_in_place(str(number)) as file:
        return FileIO(os.dup(file.fileno()), "a+") if try_lock(file) else None


def is_served(campaign: CampaignFolder, host: str = "") -> bool:
    """Return whether a process of this machine serves a campaign, or one host of it."""
    with campaign.locked(_lock_of(host), is_shared=True) as is_free:
        return not is_free


def _lock_of(host: str) -> str:
    return f"{_SERVED}.{host}" if host else _SERVED
