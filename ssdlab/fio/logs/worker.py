"""Sum up one part of a log: ``python -m ssdlab.fio.logs.worker FOLDER KEY PLACE``.

It prints the bytes that it has read so far, a line at a time, and ends where nobody
reads them any more.
"""

import sys
from pathlib import Path

from ssdlab.fio.logs.parts import make_part, read_asked
from ssdlab.model.errors import SsdlabError
from ssdlab.system.folders import Folder


def main(folder: str, key: str, place: str) -> int:
    """Sum up a part; return the exit code."""
    to = Folder(Path(folder))
    try:
        make_part(to, read_asked(to, key), int(place), tell=_say)
    except (SsdlabError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _say(done: int) -> None:
    sys.stdout.write(f"{done}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
