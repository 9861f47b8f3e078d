"""Digests of what a run wrote, which tell later whether it was changed since.

Each step keeps the SHA-256 of its files in ``step.json``; when a session ends,
``manifest.json`` keeps those of ``run.json`` and of each ``step.json``. It tells a
change by mistake, or one by somebody who did not care to hide it. It is no signature.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import RunFolderError
from ssdlab.store.digests import digest_file
from ssdlab.store.raw import STEP_FILE, StepRecord, finished_steps, steps_folder
from ssdlab.store.records import to_json
from ssdlab.system.folders import Folder

MANIFEST, _RECORD = "manifest.json", "run.json"
_STEPS = "steps/"


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What of a run is not as it was written, by the names of the files.

    ``is_sealed`` is whether there is anything to hold the record against.
    """

    is_sealed: bool
    record: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()


UNCHANGED = Changes(is_sealed=True)


def seal_run(run: Path) -> None:
    """Write the manifest of a run as it now stands."""
    digests = {_RECORD: digest_file(Folder(run), _RECORD)}
    for folder in finished_steps(run):
        name = f"{_STEPS}{folder.name}/{STEP_FILE}"
        digests[name] = digest_file(folder, STEP_FILE)
    Folder(run).write(MANIFEST, to_json({"format_version": 1, "sha256": digests}))


def find_changes(run: Path, kept: Iterable[StepRecord]) -> Changes:
    """Return what of a run is not as it was written."""
    sealed = _read_manifest(run)
    raw = [
        f"{_STEPS}{one.step.step_id}/{name}"
        for one in kept
        for name, digest in one.files.items()
        if digest_file(steps_folder(run) / one.step.step_id, name) != digest
    ]
    record = [name for name, digest in sealed.items() if _of_run(run, name) != digest]
    return Changes(is_sealed=bool(sealed), record=tuple(record), raw=tuple(raw))


def _of_run(run: Path, name: str) -> str:
    """Return the digest of a file that a manifest names, if it may name that."""
    if name == _RECORD:
        return digest_file(Folder(run), _RECORD)
    step, _, file = name.removeprefix(_STEPS).partition("/")
    is_step = name.startswith(_STEPS) and file == STEP_FILE and step.isprintable()
    return digest_file(steps_folder(run) / step, file) if is_step else ""


def _read_manifest(run: Path) -> Mapping[str, str]:
    text = Folder(run).find_text(MANIFEST)
    if not text:
        return {}
    try:
        plain = json.loads(text)
        digests = plain["sha256"]
        return {str(name): str(digest) for name, digest in digests.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunFolderError(
            folder=str(run),
            reason=f"{MANIFEST} is damaged ({error})",
            remedy=f"Restore {MANIFEST} from a copy, or remove it: nothing shows then "
            "that the run is as it was written.",
        ) from None
