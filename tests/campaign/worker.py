"""``ssdlab campaign work`` and ``serve`` that start the modelled program."""

import sys
import time
from pathlib import Path

from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.serve import Server
from ssdlab.campaign.work import work

MEASURES = (sys.executable, "-m", "tests.campaign.modelled_ssdlab")
SERVES = (sys.executable, "-m", "tests.campaign.worker")
AGAIN_S = 0.5

if __name__ == "__main__":
    what, folder = sys.argv[2], Path(sys.argv[3])
    if what == "serve":
        server = Server(
            campaign=CampaignFolder(folder), hosts=(), clock=time.monotonic,
            sleep=time.sleep, again_s=AGAIN_S, program=SERVES,
        )  # fmt: skip
        server.serve_detached()
    else:
        job, clock = sys.argv[4], time.time
        code = work(folder, job, clock=clock, sleep=time.sleep, program=MEASURES)
        sys.exit(code)
