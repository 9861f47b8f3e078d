"""Programs of other users that write to a drive, as fuser lists them for root."""

import os
import re
from collections.abc import Callable

from ssdlab.drive.tools import Ask, ask_tool, may_ask_as_root
from ssdlab.model.drive import Drive
from ssdlab.model.errors import MissingToolError

_FUSER = "fuser"
_LIMIT_S = 60.0
_ROW = re.compile(r"\s(?P<access>[.a-zA-Z]{5})\s+(?P<program>\S+)$")


def find_hidden_writers(
    drive: Drive,
    *,
    ask: Ask = ask_tool,
    may_ask: Callable[[str], bool] = may_ask_as_root,
) -> tuple[str, ...] | None:
    """Return other processes that have a drive open for writing; ``None`` if unknown.

    It is unknown if sudo does not let this user run fuser, or if root is restricted as
    well: then fuser sees no more than this process.
    """
    try:
        if os.geteuid() == 0 or not may_ask(_FUSER):
            return None
        answer = ask((_FUSER, "--verbose", drive.path), timeout_s=_LIMIT_S)
    except MissingToolError:
        return None
    return parse_fuser(answer.stdout, answer.stderr, own=str(os.getpid()))


def parse_fuser(stdout: str, stderr: str, *, own: str) -> tuple[str, ...] | None:
    """Parse the processes that may write; fuser prints their numbers separately.

    ``None`` if it found none, but could not check everything.
    """
    numbers = [word for word in stdout.split() if word.isdecimal()]
    rows = [row for row in map(_ROW.search, stderr.splitlines()) if row]
    rows = [row for row in rows if row["access"] != "ACCES"]
    if len(numbers) != len(rows):
        return None
    writers = tuple(
        f"{row['program']} (process {number})"
        for number, row in zip(numbers, rows, strict=True)
        if "F" in row["access"] and number != own
    )
    is_whole = not ("Cannot" in stderr or "denied" in stderr)
    return writers if writers or is_whole else None
