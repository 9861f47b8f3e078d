"""The engine of one machine: a process that serves the campaign."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.serve import is_served
from ssdlab.campaign.status import Queued, list_served


@dataclass(frozen=True, slots=True)
class LocalBackend:
    """Serves a campaign in a process of its own, which outlives this one."""

    list_pause_s: ClassVar[float] = 0.0
    campaign: CampaignFolder
    program: Sequence[str] = (sys.executable, "-m", "ssdlab")

    def list(self) -> Mapping[str, Queued]:
        """Return the jobs that are left, if they are served."""
        if not is_served(self.campaign):
            return {}
        here = dict.fromkeys(self.campaign.hosts(), "local")
        return list_served(self.campaign, here)

    def start(self, jobs: Sequence[Job]) -> None:
        """Serve the campaign, unless that is done."""
        if not jobs or is_served(self.campaign):
            return
        subprocess.run(
            [*self.program, "campaign", "serve", str(self.campaign.path), "--detach"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )

    def stop(self, jobs: Sequence[Job]) -> None:
        """Do nothing: what is asked of a job stands in the files that are served."""

    def hold(self, jobs: Sequence[Job]) -> None:
        """Do nothing, for the same reason."""
