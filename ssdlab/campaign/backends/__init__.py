"""Where and when jobs are started: this machine, Slurm, or ssh."""

import time
from collections.abc import Callable

from ssdlab.campaign.backends.local import LocalBackend
from ssdlab.campaign.backends.port import Backend
from ssdlab.campaign.backends.slurm import SlurmBackend
from ssdlab.campaign.backends.ssh import SshBackend
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.lab import Lab


def open_backend(
    campaign: CampaignFolder, lab: Lab, *, tell: Callable[[str], None]
) -> Backend:
    """Return the engine of a lab, for one campaign; it tells of what takes long."""
    match lab.engine:
        case "local":
            return LocalBackend(campaign)
        case "slurm":
            return SlurmBackend(campaign=campaign, lab=lab, sleep=time.sleep)
        case "ssh":
            return SshBackend(campaign=campaign, lab=lab, tell=tell)
