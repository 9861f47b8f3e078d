"""Where ssdlab keeps what must outlast a run: notes about drives and about the host."""

import os
from pathlib import Path

_WITHOUT_HOME = Path("/var/lib/ssdlab")


def state_folder() -> Path:
    """Return where this user's notes lie, whoever wrote them and why.

    It is one folder for all runs: what a run left behind, the next one finds.
    """
    base = os.environ.get("XDG_STATE_HOME", "")
    if base.startswith("/"):
        return Path(base) / "ssdlab"
    try:
        return Path.home() / ".local/state/ssdlab"
    except RuntimeError:  # a user of whom the system knows no home
        return _WITHOUT_HOME
