"""``ssdlab campaign work`` and ``serve`` that start the modelled program."""

import sys
import time
from pathlib import Path

from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.serve import NOT_SERVED, Server, is_served
from ssdlab.campaign.work import work

MEASURES = (sys.executable, "-m", "tests.campaign.modelled_ssdlab")
SERVES = (sys.executable, "-m", "tests.campaign.worker")
AGAIN_S = 0.5

if __name__ == "__main__":
    what, folder, *others = sys.argv[2:]
    campaign = CampaignFolder(Path(folder))
    host = others[others.index("--host") + 1] if "--host" in others else ""
    if "--check" in others:
        sys.exit(0 if is_served(campaign, host) else NOT_SERVED)
    if what == "serve":
        server = Server(
            campaign=campaign, host=host, clock=time.monotonic, sleep=time.sleep,
            again_s=AGAIN_S, program=SERVES,
        )  # fmt: skip
        server.serve_detached()
    else:
        clock, sleep = time.time, time.sleep
        sys.exit(
            work(campaign.path, others[0], clock=clock, sleep=sleep, program=MEASURES)
        )
