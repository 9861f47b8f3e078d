"""Work on one job, whoever starts this and however often: begin, go on, or nothing.

An engine decides where and when; what is true stands in files. A second start at the
same time is refused by the lock of the job, one on the same drive by that of the drive.
After the program ended its run's state counts, not its exit code: a run that nobody
works on and that still says "running" was killed, and may be started again.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Final

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import (
    Attempt,
    CampaignFolder,
    What,
    append_line,
    read_lines,
)
from ssdlab.campaign.hosts import note_host
from ssdlab.campaign.publish import publish
from ssdlab.host.neighbours import find_holder
from ssdlab.model.errors import RunFolderError
from ssdlab.store.lock import read_holder
from ssdlab.store.records import read_state
from ssdlab.system.folders import LOG_BYTES, Folder
from ssdlab.system.locks import try_lock
from ssdlab.system.signals import stopped_by

DONE, FAILED, WRONG, AGAIN = 0, 1, 2, 75  # 75: EX_TEMPFAIL, the engine starts it again
MOST_STARTS: Final = 5
_POLL_S = 1.0
_MIRROR_S = 10.0
_ENGINES: Mapping[str, tuple[str, str]] = {
    "slurm": ("SLURM_JOB_ID", "SLURM_RESTART_COUNT"),
}
_GIVEN: Final = "SSDLAB_ENGINE_JOB"  # what the engines of ssdlab set


@dataclass(frozen=True, kw_only=True, slots=True)
class Scratch:
    """Where the run of a job is while it goes on, on a disk of its host."""

    job: Job

    @property
    def folder(self) -> Folder:
        """The folder of the campaign on this host."""
        return Folder(Path(self.job.scratch)) / self.job.campaign

    @property
    def run(self) -> Path:
        """The run folder."""
        return self.folder.path / self.job.run_id

    def name(self, suffix: str) -> str:
        """Return the name of a file beside the run folder."""
        return f"{self.job.run_id}.{suffix}"

    @property
    def state(self) -> str:
        """How its run is: a status, "" if it has not begun, or "damaged"."""
        if not Folder(self.run).has("run.json"):
            return ""
        try:
            return read_state(self.run).status
        except RunFolderError:
            return "damaged"

    @property
    def is_complete(self) -> bool:
        """Whether its run is finished, its tables and report written."""
        return self.state == "finished" and Folder(self.run).has_file("report.html")


@dataclass(slots=True)
class _Notes:
    """What happens to a job: kept on the host, and copied to the campaign's folder."""

    campaign: CampaignFolder
    scratch: Scratch
    clock: Callable[[], float]
    before: tuple[Attempt, ...] = field(default=(), init=False)
    has_lock: bool = field(default=False, init=False)

    def restore(self) -> None:
        """Read what was noted, also by a host that was set up anew since.

        Only who holds the lock of the job may. Others note on the host that they are
        refused, which the campaign's folder gets with the next note of who holds it.
        """
        self.has_lock = True
        name = self.scratch.name("attempts.jsonl")
        shared = self.campaign.attempts(self.scratch.job.job)
        own = read_lines(self.scratch.folder, name, Attempt)
        lost = tuple(one for one in shared if one not in own)
        for one in lost:
            append_line(self.scratch.folder, name, one)
        self.before = (*own, *lost)

    def add(
        self, what: What, *, why: str = "", code: int | None = None, pid: int = 0
    ) -> None:
        """Note what happened; that the shared folder is away stops nothing."""
        engine, restart = _engine()
        attempt = Attempt(
            at_s=self.clock(),
            what=what,
            host=socket.gethostname(),
            why=why,
            state=self.scratch.state,
            code=code,
            pid=pid,
            engine=engine,
            restart=restart,
        )
        name = self.scratch.name("attempts.jsonl")
        append_line(self.scratch.folder, name, attempt)
        self.before = (*self.before, attempt)
        if not self.has_lock:
            return
        with suppress(OSError, RunFolderError):
            content = self.scratch.folder.read(name, limit=LOG_BYTES)
            shared = (self.campaign.top / "attempts").make()
            shared.write(f"{self.scratch.job.job}.jsonl", content)

    @property
    def starts(self) -> int:
        """How often the run was begun or resumed since a person asked to retry."""
        return count_starts(self.before) - _forgiven(self.campaign, self.scratch.job)


def count_starts(attempts: Sequence[Attempt]) -> int:
    """Return how often a run was begun or resumed."""
    return sum(one.what in {"run", "resume"} for one in attempts)


def _forgiven(campaign: CampaignFolder, job: Job) -> int:
    """Return the starts up to the last time that a person asked for another."""
    wishes = campaign.wishes(job.job)
    forgiving = [one.starts for one in wishes if one.what in {"retry", "release"}]
    return max(forgiving, default=0)


def _engine() -> tuple[str, int]:
    """Return the engine's id of this job, and how often it was started before."""
    for name, (number, restarts) in _ENGINES.items():
        if os.environ.get(number):
            count = os.environ.get(restarts, "0")
            return f"{name} {os.environ[number]}", int(count) if count.isdigit() else 0
    return os.environ.get(_GIVEN, ""), 0


def work(
    path: Path,
    name: str,
    *,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
    program: Sequence[str] = (sys.executable, "-m", "ssdlab"),
) -> int:
    """Work on a job until it is published, or until it is clear why it is not.

    Parameters
    ----------
    path : Path
        The folder of the campaign.
    name : str
        The job.
    clock, sleep : callable
        Unix time [s], and a pause [s].
    program : sequence of str, optional
        The command of ssdlab on this host.

    Returns
    -------
    int
        0: its run is published; nothing was done if it was before. 75: the run was
        killed, or somebody else works on it: try again. 1: it failed or was stopped. 2:
        what is asked cannot be carried out.
    """
    campaign = CampaignFolder(path)
    job = campaign.job(name)
    if campaign.is_published(job):
        return DONE
    scratch = Scratch(job=job)
    place = scratch.folder.make()
    notes = _Notes(campaign, scratch, clock)
    with place.opened_in_place(scratch.name("lock")) as lock:
        if not try_lock(lock):
            notes.add("refused", why="another process works on this job")
            return AGAIN
        notes.restore()
        stop = _Stop()
        with stopped_by(stop.take):
            code = _measure(notes, stop, sleep=sleep, program=program)
        return _publish(notes) if scratch.is_complete else code


def _measure(
    notes: _Notes,
    stop: "_Stop",
    *,
    sleep: Callable[[float], None],
    program: Sequence[str],
) -> int:
    """Bring the run to its end; return the exit code if it is not complete then."""
    scratch = notes.scratch
    _await_orphan(notes, stop, sleep)
    if scratch.is_complete or stop.is_asked():
        return FAILED
    if notes.starts >= MOST_STARTS:
        notes.add("given up", why=f"it was started {notes.starts} times")
        return FAILED
    holder = find_holder(scratch.job.serial)
    if holder:
        notes.add("refused", why=f"the drive is measured: {holder}")
        return AGAIN
    code = _start(notes, stop, program)
    _await_orphan(notes, stop, sleep)
    is_stopped = stop.is_asked() or scratch.state in {
        "interrupted",
        "failed",
        "damaged",
    }
    is_refused = scratch.state == "" and code in {FAILED, WRONG}  # before it began
    if is_refused and not find_holder(scratch.job.serial):
        return code
    return FAILED if is_stopped else AGAIN


def _start(notes: _Notes, stop: "_Stop", program: Sequence[str]) -> int:
    """Begin or resume the run in a process of its own, and wait for its end."""
    scratch, job = notes.scratch, notes.scratch.job
    note_host(notes.campaign, job, notes.clock)
    is_begun = scratch.state != ""
    command = _resume(scratch) if is_begun else _run(scratch)
    with subprocess.Popen(
        [*program, *command],
        cwd=scratch.folder.path,
        stdin=subprocess.DEVNULL,
    ) as process:
        notes.add("resume" if is_begun else "run", pid=process.pid)
        with stop.reaching(process.pid), _mirroring(notes.campaign, job, scratch.run):
            code = process.wait()
    notes.add("ended", code=code)
    return code


def _run(scratch: Scratch) -> tuple[str, ...]:
    job, profile = scratch.job, scratch.job.profile
    if job.profile_text:
        place = scratch.folder / scratch.name("profile")
        place.make().write(PurePath(profile).name, job.profile_text.encode())
        profile = str(place.path / PurePath(profile).name)
    return (
        *("run", job.target, "--profile", profile, "--tests", job.tests),
        *("--run-folder", str(scratch.run), "--runs", str(scratch.folder.path)),
        *("--label", f"{job.campaign} {job.job}", "--seed", str(job.seed)),
        *("--confirm", job.confirm, "--purge", job.purge),
        *("--temperature-limit", f"{job.temperature_limit:g}"),
        *(("--host-ceiling",) if job.host_ceiling else ()),
    )


def _resume(scratch: Scratch) -> tuple[str, ...]:
    return ("resume", str(scratch.run), "--confirm", scratch.job.confirm)


def _publish(notes: _Notes) -> int:
    try:
        publish(notes.scratch.run, notes.campaign.runs)
    except (OSError, RunFolderError) as error:
        notes.add("not published", why=str(error))
        return AGAIN
    notes.add("published")
    return DONE


def _await_orphan(notes: _Notes, stop: "_Stop", sleep: Callable[[float], None]) -> None:
    """Wait for a process that still measures though its parent is gone."""
    run = notes.scratch.run
    holder = read_holder(run)
    if holder is None:
        return
    notes.add("adopted", pid=holder)
    while (holder := read_holder(run)) is not None:
        with stop.reaching(holder):
            sleep(_POLL_S)


class _Stop:
    """A signal to stop, handed on to the process that is reached."""

    def __init__(self) -> None:
        self._is_asked = False
        self._reached: int | None = None

    def is_asked(self) -> bool:
        """Return whether it came."""
        return self._is_asked

    @contextmanager
    def reaching(self, process_id: int) -> Iterator[None]:
        """Hand a signal on to a process, also one that came just before."""
        self._reached = process_id
        if self._is_asked:
            self._hand_on(process_id)
        try:
            yield
        finally:
            self._reached = None

    def take(self) -> None:
        """Take a signal."""
        self._is_asked = True
        if self._reached is not None:
            self._hand_on(self._reached)

    @staticmethod
    def _hand_on(process_id: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGINT)


@contextmanager
def _mirroring(campaign: CampaignFolder, job: Job, run: Path) -> Iterator[None]:
    """Copy the progress of a run to the shared folder every few seconds.

    It is done beside: a shared folder that hangs holds nobody up.
    """
    over = threading.Event()

    def copy() -> None:
        pause_s = _POLL_S
        while not over.wait(pause_s):
            with suppress(OSError, RunFolderError):
                content = Folder(run).read("progress.json")
                place = (campaign.top / "progress").make()
                place.write(f"{job.job}.json", content, is_durable=False)
                pause_s = _MIRROR_S

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
