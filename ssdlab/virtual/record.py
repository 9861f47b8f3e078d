"""``server.json``: the server of a run folder's virtual SSD."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from ssdlab.model.errors import RunFolderError, SsdlabError
from ssdlab.system.folders import Folder
from ssdlab.system.unix import fcntl
from ssdlab.virtual.options import VirtualSsdOptions, require_usable
from ssdlab.virtual.process import ProcessIdentity

FORMAT_VERSION: Final = 1
SOCKET_NAME: Final = "socket"  # these two names are also in ftl.c
PID_NAME: Final = "pid"
_RECORD_NAME: Final = "server.json"
_LOCK_NAME: Final = "server.lock"


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerRecord:
    """The server, its socket, and the options of its drive."""

    process: ProcessIdentity
    socket_folder: Path
    options: VirtualSsdOptions


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Allow only one process at a time to start a server for this folder."""
    with Folder(folder).opened_in_place(_LOCK_NAME) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_record(folder: Path, record: ServerRecord) -> None:
    """Write ``server.json`` atomically."""
    document = {
        "format_version": FORMAT_VERSION,
        "process": asdict(record.process),
        "socket_folder": str(record.socket_folder),
        "options": asdict(record.options),
    }
    Folder(folder).write(_RECORD_NAME, json.dumps(document, indent=2).encode())


def read_record(folder: Path) -> ServerRecord | None:
    """Return the content of ``server.json``; ``None`` if it does not exist."""
    try:
        text = Folder(folder).read(_RECORD_NAME)
    except FileNotFoundError:
        return None
    try:
        return _parse_record(json.loads(text))
    except (KeyError, TypeError, ValueError, RecursionError, SsdlabError) as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"{_RECORD_NAME} is damaged or of another version ({error!r})",
            remedy="Begin a new run.",
        ) from error


def _parse_record(document: dict[str, object]) -> ServerRecord:
    version = document["format_version"]
    if version != FORMAT_VERSION:
        msg = f"format_version is {version}, not {FORMAT_VERSION}"
        raise ValueError(msg)
    process, options = document["process"], document["options"]
    if not isinstance(process, dict) or not isinstance(options, dict):
        msg = "process and options are not objects"
        raise TypeError(msg)
    parsed = VirtualSsdOptions(**options)
    require_usable(parsed)
    identity = ProcessIdentity(**process)
    if identity.pid < 2:
        msg = f"process {identity.pid} is not a server"
        raise ValueError(msg)
    return ServerRecord(
        process=identity,
        socket_folder=Path(str(document["socket_folder"])),
        options=parsed,
    )
