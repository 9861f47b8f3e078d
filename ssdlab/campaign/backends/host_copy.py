"""The copy of a campaign's folder on a host that shares none, kept by rsync.

Each part has one writer. What is asked of the jobs goes to the host; what happened to
them, and the runs that it published, come back.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.publish import find_damage
from ssdlab.system.programs import Ended, plain_english, run_to_end

_RSYNC: Final = ("rsync", "--recursive", "--times", "--protect-args")
_STALLED_S: Final = 60
_SMALL_S: Final = 120.0
_LARGE_S: Final = 86_400.0  # rsync itself ends when nothing has come for a minute
_DAMAGED: Final = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class HostCopy:
    """The copy on one host.

    Parameters
    ----------
    campaign : CampaignFolder
        The folder on this machine.
    jobs : sequence of Job
        Its jobs, of all hosts.
    host : str
        The host, as the lab names it.
    address : str
        What ssh calls it.
    ssh : sequence of str
        The command of ssh.
    """

    campaign: CampaignFolder
    jobs: Sequence[Job]
    host: str
    address: str
    ssh: Sequence[str]

    @property
    def path(self) -> str:
        """Where it is on the host: below the scratch folder, beside the runs.

        Its name is the first of the campaign's runs, so that another campaign of the
        same name has a copy of its own.
        """
        jobs = sorted(self.jobs, key=lambda job: job.run_id)
        scratch = next(job.scratch for job in jobs if job.host == self.host)
        first = jobs[0]
        return str(PurePosixPath(scratch, first.campaign, f"{first.run_id}.campaign"))

    def send(self) -> Ended:
        """Bring what is asked of the jobs to the host."""
        top = self.campaign.path
        asked = [str(top / part) for part in ("jobs", "requests")]
        how = ("--mkpath", "--ignore-missing-args")
        return self._rsync(*how, *asked, self._there(""), timeout_s=_SMALL_S)

    def fetch_notes(self) -> Ended:
        """Bring here what happened to the jobs of the host."""
        chosen = (f"--include=/{name}" for name in self._notes())
        to = f"{self.campaign.path}/"
        how = (*chosen, "--exclude=*")
        return self._rsync(*how, self._there(""), to, timeout_s=_SMALL_S)

    def _notes(self) -> Iterator[str]:
        yield from ("attempts/", "progress/", "logs/", "hosts/")
        yield f"hosts/{self.host}.json"
        yield f"logs/served.{self.host}.txt"
        for job in self.jobs:
            if job.host == self.host:
                yield f"attempts/{job.job}.jsonl"
                yield f"progress/{job.job}.json"
                yield f"logs/{job.job}.txt"

    def fetch_run(self, job: Job) -> Ended:
        """Bring here the published run of a job, whole or not at all.

        What a broken connection left behind is not sent again.
        """
        runs = (self.campaign.top / "runs").make()
        part = f".{job.run_id}.part"
        how = ("--partial", "--delete")
        there, here = self._there(f"runs/{job.run_id}/"), f"{runs.path}/{part}/"
        ended = self._rsync(*how, there, here, timeout_s=_LARGE_S)
        if ended.exit_code:
            return ended
        damage = find_damage(runs.path / part)
        if damage:
            (runs / part).remove_tree()
            return Ended(exit_code=_DAMAGED, stderr=f"{job.run_id}: {damage[0]}")
        (runs / part).sync_tree()
        runs.move(part, runs, job.run_id)
        return ended

    def _there(self, below: str) -> str:
        user, at, name = self.address.rpartition("@")
        bracketed = f"[{name}]" if ":" in name else name
        return f"{user}{at}{bracketed}:{self.path}/{below}"

    def _rsync(self, *words: str, timeout_s: float) -> Ended:
        how = (*_RSYNC, f"--timeout={_STALLED_S}", f"--rsh={shlex.join(self.ssh)}")
        command = (*how, *words)
        return run_to_end(command, timeout_s=timeout_s, environment=plain_english())
