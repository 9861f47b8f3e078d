"""A process to be killed: one fio runs, the next one is armed. Not a test."""

import sys
from pathlib import Path

from ssdlab.fio.process import FioRequest
from tests.fio.jobs import cell, new_chain, request_of, workload


def main(uri: str, folder: Path) -> None:
    target = {"ioengine": "nbd", "uri": uri}
    reads: FioRequest = request_of(
        cell(workload(read_percent=100, threads=2), number=1, seconds=60),
        target,
        folder,
    )
    writes = request_of(
        cell(workload(threads=2, queue_depth=4), number=2, seconds=60), target, folder
    )
    with new_chain() as chain:
        chain.run(reads, writes)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
