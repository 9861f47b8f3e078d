"""Adding runs to a store, making it anew from them, and checking it against them."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow.compute as pc

from ssdlab.fleet.delta import (
    Writer,
    create_tables,
    find_row,
    open_table,
)
from ssdlab.fleet.place import Place, told
from ssdlab.fleet.tables import (
    CELLS,
    FLEET_RUNS,
    FLEET_TABLES,
    HISTOGRAMS,
    STORE_VERSION,
)
from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import RunFolderError, StoreError, StoreFailedError
from ssdlab.model.schema import SCHEMA_VERSION
from ssdlab.model.version import VERSION
from ssdlab.store.catalog import is_run, list_runs
from ssdlab.store.digests import digest_file
from ssdlab.store.manifest import MANIFEST
from ssdlab.store.places import is_there
from ssdlab.store.run import Run

Outcome = Literal["added", "replaced", "known"]
Fault = Literal["gone", "changed", "incomplete"]

_OF_RUN = ("run.json", "state.json", MANIFEST)
_COUNTED = (CELLS, HISTOGRAMS)


def add_run(writer: Writer, run: str | Path | Run, *, now_s: float) -> Outcome:
    """Add a run that has ended; it is in the store once, however often it is added."""
    from ssdlab.fleet.rows import rows_of_run  # noqa: PLC0415 - imports pandas

    opened = run if isinstance(run, Run) else open_run(run)
    if opened.is_going_on or opened.state.status == "running":
        raise RunFolderError(
            folder=str(opened.path),
            reason="the run has not ended, so it cannot be added to a store",
            remedy="Add it when it has; ssdlab resume continues a run that was killed.",
        )
    record_sha256 = digest_record(opened)
    held = find_row(writer.place, opened.record.run_id)
    own = {"record_sha256": record_sha256, "folder": str(opened.path.resolve())}
    if held and own.items() <= held.items():
        return "known"
    rows = rows_of_run(
        opened,
        record_sha256=record_sha256,
        manifest_sha256=digest_file(opened.folder, MANIFEST),
        added_s=now_s,
    )
    writer.add(rows)
    return "replaced" if held else "added"


def digest_record(run: Run) -> str:
    """Return a digest of a run, and of what makes rows of it."""
    versions = f"{STORE_VERSION} {SCHEMA_VERSION} {VERSION}"
    facts = [versions, *(digest_file(run.folder, name) for name in _OF_RUN)]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


def find_runs(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the runs that paths name, and the paths that name none."""
    for path in paths:
        try:
            entries = () if is_run(path) else list_runs(path)
        except RunFolderError:
            entries = ()
        yield from [Path(entry.path) for entry in reversed(entries)] or [path]


def require_runs(paths: Sequence[Path]) -> None:
    """Require that at least one of some paths is a run."""
    if not any(map(is_run, paths)):
        open_run(paths[0])


def rebuild_tables(place: Place, stamp: str) -> None:
    """Make empty tables in the place of those of a store, which are kept aside."""
    if not place.is_local:
        raise StoreError(
            store=place.url,
            reason="tables in S3 are not moved aside by ssdlab",
            remedy="Add the runs to a new store under another prefix: ssdlab store "
            "init, ssdlab store add.",
        )
    for name in FLEET_TABLES:
        table = Path(place.table(name))
        if is_there(table):
            try:
                table.rename(table.with_name(f"{name}.before-{stamp}"))
            except OSError as error:
                raise StoreFailedError(
                    store=place.url,
                    reason=f"its table {name} cannot be moved ({error.strerror})",
                    remedy="Move it away, and repeat the command.",
                ) from None
    create_tables(place)


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """What is wrong with a run of a store."""

    run_id: str
    folder: str
    fault: Fault


def verify_store(place: Place) -> tuple[int, tuple[Verified, ...]]:
    """Return how many runs a store has, and those that are not as they were added."""
    with told(place):
        counts = {table.name: _count_rows(place, table.name) for table in _COUNTED}
        runs = open_table(place, FLEET_RUNS.name).rows()
        columns = ["run_id", "ingest_id", "record_sha256", "folder", *counts]
        rows = runs.to_table(columns=columns).to_pylist()
    found = [
        Verified(run_id=row["run_id"], folder=row["folder"], fault=fault)
        for row in rows
        if (fault := _find_fault(row, counts))
    ]
    return len(rows), tuple(found)


def _count_rows(place: Place, name: str) -> dict[str, int]:
    rows = open_table(place, name).rows()
    ids = rows.to_table(columns=["ingest_id"])["ingest_id"]
    return {one["values"]: one["counts"] for one in pc.value_counts(ids).to_pylist()}


def _find_fault(row: dict[str, Any], counts: dict[str, dict[str, int]]) -> Fault | None:
    for name, held in counts.items():
        if held.get(row["ingest_id"], 0) != row[name]:
            return "incomplete"
    if not is_there(Path(row["folder"])):
        return "gone"
    try:
        run = open_run(Path(row["folder"]))
    except RunFolderError:
        return "changed"
    return None if digest_record(run) == row["record_sha256"] else "changed"
