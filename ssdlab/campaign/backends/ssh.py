"""Hosts that are reached by ssh: each serves its own jobs, and nothing queues them.

It is for a few hosts that share the campaign's folder. A host that was rebooted serves
again when the campaign is tended.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.lab import Lab
from ssdlab.campaign.serve import NOT_SERVED
from ssdlab.campaign.status import Queued, list_served
from ssdlab.model.errors import CampaignError
from ssdlab.system.programs import Ended, plain_english, run_to_end

_LONGEST_S: Final = 60.0
_SERVED: Final = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class SshBackend:
    """Serves a campaign on each of its hosts, by ssh.

    Parameters
    ----------
    campaign : CampaignFolder
        The campaign, in a folder that all hosts share under this path.
    lab : Lab
        Its hosts; ``address`` is what ssh calls them, by default their name.
    """

    campaign: CampaignFolder
    lab: Lab

    def list(self) -> Mapping[str, Queued] | None:
        """Return the jobs of the hosts that serve; ``None`` if one does not answer."""
        served = {}
        for host in self.campaign.hosts():
            code = self._serve(host, "--check").exit_code
            if code not in {_SERVED, NOT_SERVED}:
                return None
            if code == _SERVED:
                served[host] = f"ssh {host}"
        return list_served(self.campaign, served)

    def _serve(self, name: str, how: str) -> Ended:
        host = self.lab.hosts[name]
        command = shlex.join([
            *(host.ssdlab, "campaign", "serve", str(self.campaign.path)),
            *("--host", name, how),
        ])
        words = (*self.lab.ssh, "-oBatchMode=yes", host.address or name, command)
        return run_to_end(words, timeout_s=_LONGEST_S, environment=plain_english())

    def start(self, jobs: Sequence[Job]) -> None:
        """Serve on the hosts of jobs."""
        for name in dict.fromkeys(job.host for job in jobs):
            ended = self._serve(name, "--detach")
            if ended.exit_code:
                said = " ".join(ended.stderr.split())[:300]
                raise CampaignError(
                    folder=str(self.campaign.path),
                    reason=f"{name} cannot serve it: {said}",
                    remedy="Try: ssh HOST ssdlab campaign status DIR",
                )

    def stop(self, jobs: Sequence[Job]) -> None:
        """Do nothing: what is asked of a job stands in the files that are served."""

    def hold(self, jobs: Sequence[Job]) -> None:
        """Do nothing, for the same reason."""
