"""The record of an import: its sources, and what is missing."""

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ssdlab.importers.readings import Reading
from ssdlab.importers.sources import LeftOut
from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import from_plain
from ssdlab.model.step import Step
from ssdlab.model.version import VERSION
from ssdlab.store.records import to_json
from ssdlab.store.run import Run
from ssdlab.system.folders import Folder

IMPORT_FILE = "import.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class LostRound:
    """A round of a cell that was not read: its file, if there is one, and why."""

    test: str
    cell: str
    round: int
    file: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportRecord:
    """Where an imported run came from, what was left out, and which rounds are missing.

    Attributes
    ----------
    paths : tuple of str
        The paths that were named.
    left_out : tuple of LeftOut
        The files that were not imported, and why.
    missing_rounds : tuple of LostRound
        The rounds of cells that are not in the run.
    fingerprint : str
        Identifies an import of the same results in the same way.
    """

    paths: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    missing_rounds: tuple[LostRound, ...] = ()
    fingerprint: str = ""

    @property
    def is_partial(self) -> bool:
        """Whether the run may lack measurements."""
        return bool(self.missing_rounds) or any(e.is_doubt for e in self.left_out)


def write_import_record(folder: Path, record: ImportRecord) -> None:
    """Write the record of an import into the folder of its run."""
    Folder(folder).write(IMPORT_FILE, to_json(asdict(record)))


def take_fingerprint(steps: Iterable[tuple[Step, Reading]], *names: str) -> str:
    """Return the fingerprint of an import: a hash of its results and names."""
    digest = hashlib.sha256(repr((VERSION, *names)).encode())
    for step, reading in steps:
        digest.update(repr((step, reading.digest, reading.rows)).encode())
    return digest.hexdigest()


def find_same_import(runs: Path, fingerprint: str) -> Path | None:
    """Return the run in a folder of runs that the same import made, if any."""
    names: tuple[str, ...] = ()
    with suppress(OSError):  # the next write to it reports this
        names = Folder(runs).visible_names()
    for folder in (Folder(runs / name) for name in names):
        try:
            data = json.loads(folder.read(IMPORT_FILE))
        except (OSError, ValueError, RunFolderError, RecursionError):
            continue  # no import, or a damaged one
        if isinstance(data, dict) and data.get("fingerprint") == fingerprint:
            return folder.path
    return None


def read_import(run: Run) -> ImportRecord:
    """Return the record of an imported run."""
    try:
        data: Any = json.loads(run.folder.read(IMPORT_FILE))
        return from_plain(ImportRecord, data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            folder=str(run.path),
            reason=f"{IMPORT_FILE} is missing or damaged ({error})",
            remedy="Restore it from a backup, or import the files again.",
        ) from error
