"""The folder of notes about a drive."""

import hashlib
import json
from pathlib import Path

from ssdlab.model.drive import Drive
from ssdlab.system.state import state_folder


def drive_folder(drive: Drive) -> Path:
    """Return the folder of notes about a drive, by its identity."""
    named = json.dumps([drive.model, drive.serial, drive.wwn])
    name = hashlib.sha256(named.encode()).hexdigest()[:32]
    return state_folder() / "drives" / name
