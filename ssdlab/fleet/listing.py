"""The runs of a store as a list of them shows them, without a frame."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ssdlab.fleet.delta import open_table
from ssdlab.fleet.place import place_of, told
from ssdlab.fleet.selection import parse_conditions, select_runs
from ssdlab.fleet.store import open_store
from ssdlab.fleet.tables import FLEET_RUNS
from ssdlab.model.errors import RunFolderError
from ssdlab.store.catalog import FINISHED, LATEST
from ssdlab.store.places import is_there

_COLUMNS = [
    "run_id",
    "label",
    "started_at",
    "status",
    "profile",
    "tests",
    "device_model",
    "device_serial",
    "device_firmware",
    "duration_s",
    "is_conformant",
    "is_steady",
    "doubts",
    "folder",
]


def list_store(url: str | Path) -> list[dict[str, Any]]:
    """Return the runs of a store, the newest first; ``path`` is the run folder."""
    place = place_of(url)
    with told(place):
        rows = open_table(place, FLEET_RUNS.name).read(_COLUMNS)
    entries = [_as_entry(row) for row in rows.to_pylist()]
    return sorted(entries, key=lambda entry: str(entry["started_at"]), reverse=True)


def _as_entry(row: dict[str, Any]) -> dict[str, Any]:
    names = (row["device_model"], row["device_serial"])
    return {
        "path": row["folder"],
        "run_id": row["run_id"],
        "label": row["label"] or "",
        "started_at": row["started_at"] or "",
        "status": row["status"] or "",
        "profile": row["profile"] or "",
        "tests": tuple(filter(None, (row["tests"] or "").split(","))),
        "device": " ".join(filter(None, names)),
        "firmware": row["device_firmware"] or "",
        "duration_s": row["duration_s"],
        "is_conformant": row["is_conformant"],
        "is_steady": row["is_steady"],
        "doubts": None if row["doubts"] is None else len(row["doubts"].splitlines()),
        "trouble": "",
    }


def find_entry(entries: Sequence[Mapping[str, Any]], run: str) -> Mapping[str, Any]:
    """Return the run of a store that a text means: its id, or the beginning of that."""
    found = [one for one in entries if run == one["run_id"]] or [
        one for one in entries if run and one["run_id"].startswith(run)
    ]
    if len(found) == 1:
        return found[0]
    names = ", ".join(one["run_id"] for one in found[:5])
    raise RunFolderError(
        folder=run,
        reason=f"{len(found)} runs of the store begin so: {names}"
        if found
        else "no run of the store begins so",
        remedy="Name one run: ssdlab store ls",
    )


def find_stored(url: str, named: str) -> Sequence[Mapping[str, Any]]:
    """Return the runs of a store that a text means, the newest first.

    The text is an id or its beginning, ``latest``, which is the newest that has
    finished, conditions such as ``device_firmware=A&profile=demo``, or empty: all.
    """
    entries = list_store(_as_url(url))
    if not named:
        return entries
    if "=" in named:
        store = open_store(_as_url(url))
        conditions = parse_conditions(named.split("&"))
        chosen = select_runs(store.runs(), conditions, store=store.url)
        ids = set(chosen["run_id"])
        return [one for one in entries if one["run_id"] in ids]
    if named == LATEST:
        return [one for one in entries if one["status"] in FINISHED][:1]
    return [find_entry(entries, named)]


def find_one_stored(url: str, named: str) -> Path:
    """Return the folder of the one run of a store that a text means."""
    found = find_stored(url, named)
    if len(found) == 1:
        return folder_of(found[0])
    raise RunFolderError(
        folder=f"{url}:{named}" if named else url,
        reason=f"this names {len(found)} runs of the store",
        remedy="Name one: STORE:ID, or STORE:latest; ssdlab store ls lists them.",
    )


def _as_url(url: str) -> str | Path:
    """Return a store as it is opened; a path of S3 may have lost a slash."""
    return Path(url) if url.startswith("s3:") else url


def find_folder(url: str | Path, run: str) -> Path:
    """Return the folder of a run of a store, by its id or the beginning of that."""
    return folder_of(find_entry(list_store(url), run))


def folder_of(entry: Mapping[str, Any]) -> Path:
    """Return the folder of a run of a store, which must still be there."""
    folder = Path(entry["path"])
    if is_there(folder / "run.json"):
        return folder
    raise RunFolderError(
        folder=str(folder),
        reason=f"the run {entry['run_id']} is gone from there",
        remedy="Restore it, or add it to the store from where it is now; what the "
        "store holds of it can still be asked.",
    )
