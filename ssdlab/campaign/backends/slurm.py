"""Slurm as the engine: a job of a campaign is a batch job on the drive's host.

A drive is a licence, counted by the controller over all hosts, and a node name. A
drive that is added does not touch a host, as a generic resource would. How many runs a
host takes at once follows from its cores: each run gets its share of them.

A job is found by its name, that of its run, never by its id: ids are given again after
the controller lost its state, and jobs that it had accepted can be lost with it.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.lab import Lab
from ssdlab.campaign.status import Queued
from ssdlab.model.errors import CampaignError, MissingToolError
from ssdlab.system.programs import Ended, find_program, plain_english, run_to_end

_FORMAT: Final = "%i|%T|%r|%Q|%j"
_LONGEST_S: Final = 60.0
_SETTLE_S: Final = 10.0
_GRACE_S: Final = 120  # from SIGTERM to the end, when a limit of time is reached
_LIVE: Final = frozenset({
    "PENDING",
    "RUNNING",
    "SUSPENDED",
    "COMPLETING",
    "CONFIGURING",
    "REQUEUED",
    "STAGE_OUT",
})
_RUNS: Final = frozenset({"RUNNING", "SUSPENDED", "COMPLETING"})
_RANKS: Final = 10_000
_REMEDY: Final = "Install it: apt-get install slurm-wlm munge"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """A job in the queue."""

    number: str
    state: str
    reason: str
    priority: str

    @property
    def is_held(self) -> bool:
        """Whether it waits until it is released: such jobs alone have no priority."""
        is_stopped = self.state == "PENDING" and self.priority == "0"
        return is_stopped or self.state == "REQUEUE_HOLD"


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmBackend:
    """Hands the jobs of a campaign to Slurm.

    Parameters
    ----------
    campaign : CampaignFolder
        The campaign, in a folder that all hosts share.
    lab : Lab
        Its hosts; their names are those of Slurm's nodes.
    sleep : callable
        A pause [s].
    settle_s : float
        After which the queue is looked at again: what a controller that died in between
        has lost is sent once more [s].
    """

    list_pause_s: ClassVar[float] = 10.0
    campaign: CampaignFolder
    lab: Lab
    sleep: Callable[[float], None]
    settle_s: float = _SETTLE_S

    def list(self) -> Mapping[str, Queued] | None:
        """Return the jobs that are queued or run; ``None`` without the controller."""
        found = self._find()
        if found is None:
            return None
        return {
            name: Queued(
                id=f"slurm {one.number}",
                is_running=one.state in _RUNS,
                words="" if one.reason in {"", "None"} else f"Slurm: {one.reason}",
            )
            for name, one in found.items()
            if not one.is_held
        }

    def _find(self) -> Mapping[str, _Found] | None:
        ended = call_slurm(
            "squeue", "--noheader", "--states=all", f"--format={_FORMAT}"
        )
        if ended.exit_code:
            return None
        queue = read_queue(ended.stdout)
        jobs = self.campaign.jobs()
        return {job.job: queue[job.run_id] for job in jobs if job.run_id in queue}

    def start(self, jobs: Sequence[Job]) -> None:
        """Submit jobs, or release those that are held; look again whether they stay."""
        if not jobs:
            return
        (self.campaign.top / "logs").make()
        self._submit(jobs)
        self.sleep(self.settle_s)
        there = self._find()
        if there is not None:
            left = [job for job in jobs if self._is_lost(job, there)]
            self._submit(left)

    def _is_lost(self, job: Job, there: Mapping[str, _Found]) -> bool:
        """Return whether a job is neither queued nor has begun meanwhile."""
        return job.job not in there and not self.campaign.attempts(job.job)

    def _submit(self, jobs: Sequence[Job]) -> None:
        held = {name: one for name, one in (self._find() or {}).items() if one.is_held}
        for job in jobs:
            if job.job in held:
                self._require(call_slurm("scontrol", "release", held[job.job].number))
            else:
                self._require(call_slurm(*self._sbatch(job)))

    def _sbatch(self, job: Job) -> Iterator[str]:
        host = self.lab.hosts[job.host]
        command = shlex.join([
            *(host.ssdlab, "campaign", "work"),
            *(str(self.campaign.path), job.job),
        ])
        yield from ("sbatch", "--parsable", "--requeue", "--open-mode=append")
        yield f"--job-name={job.run_id}"
        yield f"--output={self.campaign.path}/logs/{job.job}.txt"
        yield f"--chdir={self.campaign.path}"
        yield f"--nodelist={job.host}"
        yield "--nodes=1"
        yield f"--licenses={licence(job.serial)}:1"
        yield f"--cpus-per-task={max(1, job.cores // job.slots)}"
        yield f"--priority={(job.priority + 1) * _RANKS - min(job.rank, _RANKS - 1)}"
        yield f"--signal=B:TERM@{_GRACE_S}"
        yield "--time=UNLIMITED"
        yield f"--wrap=exec {command}"

    def stop(self, jobs: Sequence[Job]) -> None:
        """Cancel jobs; those that run get SIGTERM first."""
        there = self._find() or {}
        for job in jobs:
            if job.job in there:
                self._require(call_slurm("scancel", "--full", there[job.job].number))

    def hold(self, jobs: Sequence[Job]) -> None:
        """Hold jobs; those that run are stopped and queued again, held."""
        there = self._find() or {}
        for job in jobs:
            if job.job in there:
                one = there[job.job]
                how = "requeuehold" if one.state in _RUNS else "hold"
                self._require(call_slurm("scontrol", how, one.number))

    def _require(self, ended: Ended) -> None:
        if ended.exit_code:
            said = " ".join((ended.stderr or ended.stdout).split())[:300]
            raise CampaignError(
                folder=str(self.campaign.path),
                reason=f"Slurm refused a job: {said}",
                remedy="Compare the lab with slurm.conf: ssdlab campaign lab --slurm",
            )


def read_queue(text: str) -> Mapping[str, _Found]:
    """Return the jobs that have not ended, by name, of what squeue printed.

    >>> read_queue("7|PENDING|job requeued in held state|0|a-run")["a-run"].is_held
    True
    """
    found = {}
    for line in text.splitlines():
        number, state, reason, priority, name = [*line.split("|", 4), *[""] * 4][:5]
        if state in _LIVE or state == "REQUEUE_HOLD":
            found[name] = _Found(
                number=number, state=state, reason=reason, priority=priority
            )
    return found


def licence(serial: str) -> str:
    """Return the name of the licence of a drive.

    >>> licence("S4-1.b")
    'ssd_S4_1_b'
    """
    return "ssd_" + "".join(sign if sign.isalnum() else "_" for sign in serial)


def call_slurm(*command: str) -> Ended:
    """Run a program of Slurm to its end."""
    program = find_program(command[0])
    if program is None:
        raise MissingToolError(
            tool=command[0], needed_for="the engine slurm", remedy=_REMEDY
        )
    words = (program, *command[1:])
    return run_to_end(words, timeout_s=_LONGEST_S, environment=plain_english())


def conf_lines(lab: Lab) -> Iterator[str]:
    """Yield what slurm.conf needs for a lab.

    >>> from ssdlab.campaign.lab import LabDrive, LabHost
    >>> drives = {"S1": LabDrive(target="file:x")}
    >>> host = LabHost(scratch="/srv", cores=8, drives=drives)
    >>> for line in conf_lines(Lab(hosts={"h1": host})):
    ...     if not line.startswith("#"):
    ...         print(line)
    JobRequeue=1
    RequeueExit=75
    ReturnToService=2
    KillWait=60
    SlurmdTimeout=3600
    SelectType=select/cons_tres
    SelectTypeParameters=CR_Core
    JobAcctGatherType=jobacct_gather/none
    NodeName=h1 CPUs=8 State=UNKNOWN
    PartitionName=ssd Nodes=h1 Default=YES MaxTime=INFINITE State=UP
    Licenses=ssd_S1:1
    """
    yield "# A run that was killed ends with 75, and is started again."
    yield from ("JobRequeue=1", "RequeueExit=75", "ReturnToService=2")
    yield "# ssdlab needs some seconds to stop fio."
    yield "KillWait=60"
    yield "# No other host can take over a drive: do not give a host up early."
    yield "SlurmdTimeout=3600"
    yield from ("SelectType=select/cons_tres", "SelectTypeParameters=CR_Core")
    yield "# Nothing reads the processes of a job while it measures."
    yield "JobAcctGatherType=jobacct_gather/none"
    for name, host in lab.hosts.items():
        yield f"NodeName={name} CPUs={host.cores} State=UNKNOWN"
    names = ",".join(lab.hosts)
    yield f"PartitionName=ssd Nodes={names} Default=YES MaxTime=INFINITE State=UP"
    licences = [f"{licence(serial)}:1" for _, serial, _ in lab.drives]
    if licences:
        yield f"Licenses={','.join(licences)}"
