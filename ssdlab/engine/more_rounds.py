"""Request more rounds from the process that works on a run, by a file it picks up.

Only that process writes the state of its run. A request is a file, which it looks for
after each round.
"""

import json
from pathlib import Path

from ssdlab.engine.extending import find_extension
from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import Extension
from ssdlab.store.lock import read_holder
from ssdlab.store.records import read_record, read_state, to_json
from ssdlab.system.folders import Folder

_REQUEST = "more-rounds.json"


def ask_more_rounds(run: str | Path, more_rounds: int) -> Extension:
    """Request more rounds than planned from a run that is under way.

    It continues without a pause: the process that works on it, in whatever terminal or
    notebook, picks up the request after its current round.
    """
    folder = Path(run)
    record, state = read_record(folder), read_state(folder)
    if read_holder(folder) is None:
        raise RunFolderError(
            folder=str(folder),
            reason="no process is working on it that could take more rounds",
            remedy=f"Resume it: ssdlab resume {folder} --more-rounds {more_rounds}",
        )
    asked = find_extension(
        folder, record, state, more_rounds=more_rounds, has_pause=False
    )
    Folder(folder).write(
        _REQUEST, to_json({"asked_at": asked.asked_at, "more_rounds": more_rounds})
    )
    return asked


def take_request(run: Path) -> Extension | None:
    """Return the request to a run, once; not yet from where it applies.

    A request that cannot be read is ignored and removed.
    """
    folder = Folder(run)
    if not folder.has(_REQUEST):
        return None
    try:
        said = json.loads(folder.read(_REQUEST))
        rounds, asked_at = said["more_rounds"], str(said["asked_at"])
        if type(rounds) is not int:
            return None
        return Extension(asked_at=asked_at, more_rounds=rounds, test="", phase="")
    except (OSError, ValueError, KeyError, TypeError, RecursionError, RunFolderError):
        return None
    finally:
        folder.remove(_REQUEST)
