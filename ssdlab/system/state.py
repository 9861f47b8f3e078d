"""The folder for state that outlasts a run: notes about drives and the host."""

import os
from pathlib import Path

_WITHOUT_HOME = Path("/var/lib/ssdlab")


def state_folder() -> Path:
    """Return the folder of this user's notes.

    It is one folder for all runs: what a run leaves behind, the next one finds.
    """
    base = os.environ.get("XDG_STATE_HOME", "")
    if base.startswith("/"):
        return Path(base) / "ssdlab"
    try:
        return Path.home() / ".local/state/ssdlab"
    except RuntimeError:  # the user has no home folder
        return _WITHOUT_HOME
