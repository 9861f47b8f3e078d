"""Hosts that are reached by ssh: each serves its own jobs, and nothing queues them.

It is for a few hosts. They share the campaign's folder, or each has a copy of it, which
is brought up to date whenever the engine is asked. A host that was rebooted serves
again when the campaign is tended.
"""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from ssdlab.campaign.asked import Job
from ssdlab.campaign.backends.host_copy import HostCopy
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.lab import Lab
from ssdlab.campaign.serve import NOT_SERVED
from ssdlab.campaign.status import Queued, list_served
from ssdlab.model.errors import CampaignError
from ssdlab.system.programs import Ended, plain_english, run_to_end

_LONGEST_S: Final = 60.0
_TO_CONNECT_S: Final = 20
_SERVED: Final = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class SshBackend:
    """Serves a campaign on each of its hosts, by ssh.

    Parameters
    ----------
    campaign : CampaignFolder
        The campaign. If the lab shares its folder, all hosts have it under this path.
    lab : Lab
        Its hosts; ``address`` is what ssh calls them, by default their name.
    tell : callable
        Is told of what takes long.
    """

    list_pause_s: ClassVar[float] = 60.0
    campaign: CampaignFolder
    lab: Lab
    tell: Callable[[str], None]

    def list(self) -> Mapping[str, Queued]:
        """Return the jobs of the hosts that serve, or that do not answer."""
        served: dict[str, str] = {}
        away: dict[str, str] = {}
        for host in self.campaign.hosts():
            refreshed = self._refresh(host)
            asked = refreshed if refreshed.exit_code else self._serve(host, "--check")
            if asked.exit_code == _SERVED:
                served[host] = f"ssh {host}"
            elif asked.exit_code != NOT_SERVED:
                away[host] = f"{host} is out of reach: {_said(asked)}"
        return list_served(self.campaign, served, away=away)

    def _refresh(self, host: str) -> Ended:
        """Bring the copy of a host up to date, if it has one."""
        if self.lab.shared_folder:
            return Ended(exit_code=0)
        copy = self._copy(host)
        ended = copy.send()
        return ended if ended.exit_code else copy.fetch_notes()

    def _serve(self, name: str, how: str) -> Ended:
        host, path = self.lab.hosts[name], str(self.campaign.path)
        if not self.lab.shared_folder:
            path = self._copy(name).path
        serve = (host.ssdlab, "campaign", "serve", path, "--host", name, how)
        words = (*self._ssh, host.address or name, shlex.join(serve))
        return run_to_end(words, timeout_s=_LONGEST_S, environment=plain_english())

    def _copy(self, name: str) -> HostCopy:
        return HostCopy(
            campaign=self.campaign,
            jobs=self.campaign.jobs(),
            host=name,
            address=self.lab.hosts[name].address or name,
            ssh=self._ssh,
        )

    @property
    def _ssh(self) -> Sequence[str]:
        how = ("-oBatchMode=yes", f"-oConnectTimeout={_TO_CONNECT_S}")
        return (*self.lab.ssh, *how)

    def start(self, jobs: Sequence[Job]) -> None:
        """Serve on the hosts of jobs; fetch first what they have published."""
        self._each_host(jobs, self._start)

    def _start(self, name: str, jobs: Sequence[Job]) -> Ended:
        if not self.lab.shared_folder:
            ended = self._fetch(self._copy(name), jobs)
            if ended.exit_code:
                return ended
        if all(map(self.campaign.is_published, jobs)):
            return Ended(exit_code=0)
        return self._serve(name, "--detach")

    def _fetch(self, copy: HostCopy, jobs: Sequence[Job]) -> Ended:
        with self.campaign.locked("fetched") as is_ours:  # else somebody else does
            for job in jobs if is_ours else ():
                if not self._is_to_fetch(job):
                    continue
                self.tell(f"fetching {job.run_id} from {copy.host}")
                ended = copy.fetch_run(job)
                if ended.exit_code:
                    return ended
        return Ended(exit_code=0)

    def _is_to_fetch(self, job: Job) -> bool:
        noted = self.campaign.attempts(job.job)
        is_there = bool(noted) and noted[-1].what == "published"
        return is_there and not self.campaign.is_published(job)

    def stop(self, jobs: Sequence[Job]) -> None:
        """Tell hosts that share no folder what is asked of jobs, which they serve."""
        self._each_host(jobs, lambda name, _: self._refresh(name))

    def hold(self, jobs: Sequence[Job]) -> None:
        """Do the same."""
        self.stop(jobs)

    def _each_host(
        self, jobs: Iterable[Job], act: Callable[[str, Sequence[Job]], Ended]
    ) -> None:
        """Act on the hosts of jobs, also if one of them fails."""
        hosts: dict[str, list[Job]] = {}
        for job in jobs:
            hosts.setdefault(job.host, []).append(job)
        ended = {name: act(name, its) for name, its in hosts.items()}
        failed = [
            f"{host}: {_said(one)}" for host, one in ended.items() if one.exit_code
        ]
        if failed:
            raise CampaignError(
                folder=str(self.campaign.path),
                reason="; ".join(failed),
                remedy="Mend it. Then: ssdlab campaign tend DIR",
            )


def _said(ended: Ended) -> str:
    said = " ".join((ended.stderr or ended.stdout).split())[:300]
    return said or f"exit code {ended.exit_code}"
