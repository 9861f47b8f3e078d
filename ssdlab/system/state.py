"""Folders that outlast a run: notes about drives and the host, and a cache."""

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


def cache_folder() -> Path:
    """Return the folder of this user's files that can be made again at any time.

    Others may have written them: check what is read. `RuntimeError` is raised if the
    user has no home folder.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return root / "ssdlab"
