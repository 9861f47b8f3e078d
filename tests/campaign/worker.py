"""``ssdlab campaign work`` that starts the modelled program."""

import sys
import time
from pathlib import Path

from ssdlab.campaign.work import work

PROGRAM = (sys.executable, "-m", "tests.campaign.modelled_ssdlab")

if __name__ == "__main__":
    folder, job = Path(sys.argv[1]), sys.argv[2]
    sys.exit(work(folder, job, clock=time.time, sleep=time.sleep, program=PROGRAM))
