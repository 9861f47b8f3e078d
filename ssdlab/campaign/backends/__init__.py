"""Where and when jobs are started: this machine, Slurm, or ssh."""

import time

from ssdlab.campaign.backends.local import LocalBackend
from ssdlab.campaign.backends.port import Backend
from ssdlab.campaign.backends.slurm import SlurmBackend
from ssdlab.campaign.backends.ssh import SshBackend
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.lab import Lab


def open_backend(campaign: CampaignFolder, lab: Lab) -> Backend:
    """Return the engine of a lab, for one campaign."""
    match lab.engine:
        case "local":
            return LocalBackend(campaign)
        case "slurm":
            return SlurmBackend(campaign=campaign, lab=lab, sleep=time.sleep)
        case "ssh":
            return SshBackend(campaign=campaign, lab=lab)
