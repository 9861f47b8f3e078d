"""Where the notes about one drive lie."""

import hashlib
import json
from pathlib import Path

from ssdlab.model.drive import Drive
from ssdlab.system.state import state_folder


def drive_folder(drive: Drive) -> Path:
    """Return where the notes about one drive lie, by what it calls itself."""
    named = json.dumps([drive.model, drive.serial, drive.wwn])
    name = hashlib.sha256(named.encode()).hexdigest()[:32]
    return state_folder() / "drives" / name
