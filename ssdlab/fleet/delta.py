"""The tables of a store in Delta Lake: how rows come in, once, and how they are packed.

A table is a set of Parquet files and a log; a commit adds files, removes some, or both
at once. Two rules keep it right when several processes write:

- A row is added under a transaction of Delta named after what is added. A second
  process that adds the same sees its commit refused, reads the log again, and finds
  that it has nothing to do.
- A commit that removes files carries the transaction ``rewrite``, so of two that were
  prepared from the same state the second is refused and prepared again.

A row of ``runs`` comes last and names what was added: until then nothing of it is seen.
"""

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ssdlab.fleet.files import (
    ONE_RUN,
    Change,
    changed_rows,
    choose_packed,
    write_file,
)
from ssdlab.fleet.place import Place, failed, lake, told
from ssdlab.fleet.tables import FLEET_RUNS, FLEET_TABLES, STORE_VERSION, RunRows
from ssdlab.model.errors import StoreError
from ssdlab.model.schema import Table
from ssdlab.store.tables import arrow_schema
from ssdlab.system.folders import Folder

if TYPE_CHECKING:
    import pyarrow.dataset as ds

Result = TypeVar("Result")

_ORPHAN_S: Final = 24 * 3600.0  # an add takes seconds: an older one will not end
_KEPT_HOURS = 7 * 24  # files that are no longer of the table, for who still reads them
_ATTEMPTS = 60
_VERSION_KEY = "ssdlab.store"
_CONFIGURATION = {"delta.checkpointInterval": "10", _VERSION_KEY: str(STORE_VERSION)}
_REWRITE = "rewrite"
_PROBES, _PROBES_AT_ONCE = 10, 5


@dataclass(frozen=True, kw_only=True)
class OpenTable:
    """A table of a store as it was when it was opened."""

    place: Place
    name: str
    delta: Any

    @property
    def schema(self) -> pa.Schema:
        """Its columns, which may be more than this version of ssdlab knows."""
        return pa.schema(self.delta.schema().to_arrow())

    def rows(self, **options: Any) -> "ds.Dataset":
        """Return its rows, to be read in parts.

        A column that no row has, because an earlier version wrote all, is missing in
        each.
        """
        files = self.place.files_of(self.name) if self.place.is_local else None
        schema = pa.schema([*self.schema, *self.missing])
        found: ds.Dataset = self.delta.to_pyarrow_dataset(
            filesystem=files, schema=schema, **options
        )
        return found

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Return columns of all rows of a small table.

        A dataset would import pandas first, which takes longer than to read 10,000
        rows.
        """
        files = self.place.files_of(self.name)
        schema = schema_of(FLEET_TABLES[self.name])
        wanted = pa.schema([schema.field(name) for name in columns])
        parts = [pa.Table.from_batches([], wanted)]
        for path in self.paths():
            with files.open_input_file(path) as stream, pq.ParquetFile(stream) as file:
                known = set(file.schema_arrow.names)
                parts.append(file.read([name for name in columns if name in known]))
        return pa.concat_tables(parts, promote_options="default")

    @property
    def missing(self) -> tuple[pa.Field, ...]:
        """The columns of this version of ssdlab that it does not have."""
        known = set(self.schema.names)
        wanted = schema_of(FLEET_TABLES[self.name])
        return tuple(one for one in wanted if one.name not in known)

    def last_commit(self) -> str | None:
        """Return the file of its last known commit, which no other table has.

        None in S3, and where the file is no longer there.
        """
        if not self.place.is_local:
            return None
        log = Folder(Path(self.place.table(self.name), "_delta_log"))
        return log.find_text(f"{self.delta.version():020}.json") or None

    def version_of(self, transaction: str) -> int | None:
        """Return the version of a transaction; None if there was none."""
        version: int | None = self.delta.transaction_version(transaction)
        return version

    def files(self) -> list[dict[str, Any]]:
        """Return its files, with their sizes and least and greatest values."""
        told_of = pa.RecordBatchReader.from_stream(self.delta.get_add_actions())
        return list(told_of.read_all().to_pylist())

    def paths(self) -> list[str]:
        """Return the names of its files."""
        return [str(one["path"]) for one in self.files()]

    def paths_with(self, column: str, value: str) -> list[str]:
        """Return the names of the files that may hold a value."""
        return [
            one["path"]
            for one in self.files()
            if (one["min"] or {}).get(column) is None
            or one["min"][column] <= value <= one["max"][column]
        ]

    def append(self, content: pa.Table, transaction: str) -> None:
        """Add the rows of a run."""
        file = write_file(self.place, self.name, [content], prefix=ONE_RUN)
        self.commit([file], {transaction: 1})

    def rewrite(self, change: Change) -> None:
        """Put one file in the place of others."""
        parts = changed_rows(self.place, self.name, change, schema=self.schema)
        prefix = f"pack-{change.runs:06d}"
        file = write_file(self.place, self.name, parts, prefix=prefix)
        sizes = {one["path"]: one["size_bytes"] for one in self.files()}
        removed = partial(lake("transaction").RemoveAction, data_change=True)
        at_ms = file.modification_time
        gone = [
            removed(path, deletion_timestamp=at_ms, size=sizes[path])
            for path in change.paths
        ]
        number = (self.version_of(_REWRITE) or 0) + 1
        self.commit([file, *gone], {_REWRITE: number} | change.transactions)

    def commit(self, actions: Sequence[Any], transactions: Mapping[str, int]) -> None:
        """Commit files that come and go, all at once."""
        marks = [lake().Transaction(name, at) for name, at in transactions.items()]
        self.delta.create_write_transaction(
            list(actions),
            "append",
            self.delta.schema(),
            commit_properties=lake().CommitProperties(app_transactions=marks),
        )


def schema_of(table: Table) -> pa.Schema:
    """Return the columns of a table as they are stored."""
    return pa.schema([pa.field(one.name, one.type) for one in arrow_schema(table)])


def create_tables(place: Place) -> None:
    """Create the tables of a store, as far as they are not there."""
    for name, table in FLEET_TABLES.items():
        with told(place):
            lake().DeltaTable.create(
                place.table(name),
                schema_of(table),
                mode="ignore",
                description=f"ssdlab: one row is {table.row}",
                configuration=_CONFIGURATION,
                storage_options=place.options,
                raise_if_key_not_exists=False,
            )
            if name == next(iter(FLEET_TABLES)) and not place.is_local:
                _require_exclusive_writes(place, name)


def _require_exclusive_writes(place: Place, name: str) -> None:
    """Require that of several commits of the same number all but one are refused.

    Commits are made at once, prepared from the same state. Where one replaces another,
    runs would be lost.
    """
    marks = [f"probe:{uuid.uuid4()}" for _ in range(_PROBES)]
    for first in range(0, _PROBES, _PROBES_AT_ONCE):
        chosen = marks[first : first + _PROBES_AT_ONCE]
        tables = [open_table(place, name) for _ in chosen]
        ready = Barrier(len(chosen))

        def probe(table: OpenTable, mark: str, ready: Barrier = ready) -> None:
            ready.wait()
            table.commit([], {mark: 1})

        with ThreadPoolExecutor(len(chosen)) as threads:
            list(threads.map(probe, tables, chosen))
    after = open_table(place, name)
    if None in [after.version_of(mark) for mark in marks]:
        raise StoreError(
            store=place.url,
            reason="of two writes at once it keeps only the last (no conditional PUT), "
            "so runs would be lost",
            remedy="Use a store that honours If-None-Match: AWS, MinIO, Ceph 19 or "
            "newer; or a local folder.",
        )


def open_table(place: Place, name: str) -> OpenTable:
    """Return a table as it now is."""
    errors = lake("exceptions")
    try:
        table = lake().DeltaTable(place.table(name), storage_options=place.options)
    except errors.TableNotFoundError:
        raise StoreError(
            store=place.url,
            reason=f"there is no store of runs: {name} is missing",
            remedy="Make one: ssdlab store init",
        ) from None
    except errors.DeltaError as error:
        raise StoreError(
            store=place.url,
            reason=f"its table {name} is damaged ({' '.join(str(error).split())})",
            remedy="Make it anew from the run folders: ssdlab store rebuild",
        ) from error
    version = table.metadata().configuration.get(_VERSION_KEY)
    if version != str(STORE_VERSION):
        raise StoreError(
            store=place.url,
            reason=f"its version is {version or 'unknown'}, and this ssdlab knows "
            f"{STORE_VERSION}",
            remedy="Make it anew from the run folders: ssdlab store rebuild",
        )
    return OpenTable(place=place, name=name, delta=table)


def add_rows(place: Place, rows: RunRows) -> None:
    """Add the rows of a run; what an earlier attempt added is not added again."""
    Writer(place).add(rows)


class Writer:
    """Adds runs to a store, one after the other; local tables stay open between them.

    A table that was made anew meanwhile is opened anew: a commit that was prepared from
    another one would leave a gap in its log.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._open: dict[str, tuple[OpenTable, str]] = {}

    def add(self, rows: RunRows) -> None:
        """Add the rows of a run; what an earlier attempt added is not added again."""
        for name in FLEET_TABLES:
            _again(self.place, partial(self._put, name, rows))

    def _put(self, name: str, rows: RunRows) -> None:
        """Add the rows of one table; those of ``runs`` make the others seen."""
        table = self._table(name)
        schema = schema_of(FLEET_TABLES[name])
        content = pa.Table.from_pylist(list(rows.rows[name]), schema=schema)
        if name == FLEET_RUNS.name:
            _show_run(table, rows.run_id, content)
        elif content.num_rows:
            _put_once(table, rows.ingest_id, content)
        commit = table.last_commit()
        if commit is not None:
            self._open[name] = (table, commit)

    def _table(self, name: str) -> OpenTable:
        """Return a table as it now is; after a failure it is opened anew."""
        table, commit = self._open.pop(name, (None, None))
        if table is None or table.last_commit() != commit:
            return _widened(self.place, name)
        table.delta.update_incremental()
        return table


def _again(place: Place, attempt: Callable[[], Result]) -> Result:
    """Attempt a commit until no other one comes before it."""
    refused = lake("exceptions").CommitFailedError
    for number in count(1):
        try:
            with told(place, but=refused):
                return attempt()
        except refused as error:
            if number == _ATTEMPTS:
                raise failed(place, error) from error
            time.sleep(0.005 * min(number, 20) + 0.002 * (os.getpid() % 16))
    raise AssertionError


def _put_once(table: OpenTable, ingest_id: str, content: pa.Table) -> None:
    """Add rows, or put them in the place of those that an earlier attempt added."""
    mark = f"ingest:{ingest_id}"
    if table.version_of(mark) is None:
        table.append(content, mark)
        return
    table.rewrite(
        Change(
            paths=table.paths_with("ingest_id", ingest_id),
            without=pc.field("ingest_id") == ingest_id,
            more=content,
            transactions={mark: 1},
        )
    )


def _show_run(table: OpenTable, run_id: str, content: pa.Table | None) -> None:
    """Put the row of a run, or nothing, in the place of its earlier one."""
    mark = f"run:{run_id}"
    version = table.version_of(mark)
    if version is None and content is not None:
        table.append(content, mark)
        return
    table.rewrite(
        Change(
            paths=table.paths_with("run_id", run_id),
            without=pc.field("run_id") == run_id,
            more=content,
            transactions={mark: (version or 0) + 1},
        )
    )


def remove_run(place: Place, run_id: str) -> bool:
    """Remove the row of a run, without which its others are not seen.

    Return whether it was there. `tend_tables` drops the others.
    """

    def attempt() -> bool:
        if find_row(place, run_id) is None:
            return False
        _show_run(open_table(place, FLEET_RUNS.name), run_id, None)
        return True

    return _again(place, attempt)


def find_row(place: Place, run_id: str) -> Mapping[str, Any] | None:
    """Return the row of a run in ``runs``; None if it is not in the store."""
    with told(place):
        table = open_table(place, FLEET_RUNS.name)
        if table.version_of(f"run:{run_id}") is None:
            return None
        wanted = pc.field("run_id") == run_id
        found = table.rows().to_table(filter=wanted).to_pylist()
    return found[0] if found else None


def _widened(place: Place, name: str) -> OpenTable:
    """Return a table that has every column of this version."""
    table = open_table(place, name)
    wanted = schema_of(FLEET_TABLES[name])
    known = {one.name: one.type for one in table.schema}
    other = [one.name for one in wanted if known.get(one.name, one.type) != one.type]
    if other:
        raise StoreError(
            store=place.url,
            reason=f"{', '.join(other)} in {name} are of another type",
            remedy="Make it anew from the run folders: ssdlab store rebuild",
        )
    if table.missing:
        fields = lake("schema").Schema.from_arrow(pa.schema(table.missing)).fields
        table.delta.alter.add_columns(fields)
        return open_table(place, name)
    return table


@dataclass(frozen=True, kw_only=True, slots=True)
class Tended:
    """What tending a store did: orphans dropped, packs written, files deleted."""

    orphans: int
    packs: int
    files: int


def tend_tables(place: Place, *, now_s: float) -> Tended:
    """Drop what never became a run, pack files, and delete those of no use any more."""
    orphans = packs = files = 0
    for name in FLEET_TABLES:
        if name != FLEET_RUNS.name:
            dropping = partial(_drop_orphans, place, name, now_s=now_s)
            orphans += _again(place, dropping)
        while _again(place, partial(_pack, place, name)):
            packs += 1
        with told(place):
            table = open_table(place, name)
            files += len(table.delta.vacuum(_KEPT_HOURS, dry_run=False))
            table.delta.cleanup_metadata()
    return Tended(orphans=orphans, packs=packs, files=files)


def visible_ids(place: Place) -> pa.Array:
    """Return what of the other tables belongs to a run of the store."""
    runs = open_table(place, FLEET_RUNS.name).rows()
    return runs.to_table(columns=["ingest_id"])["ingest_id"].combine_chunks()


def _drop_orphans(place: Place, name: str, *, now_s: float) -> int:
    """Drop rows of no run that are too old to become one; return of how many adds."""
    table = open_table(place, name)
    rows = table.rows()
    is_orphan = ~pc.field("ingest_id").isin(visible_ids(place)) & (
        pc.field("added_s") < now_s - _ORPHAN_S
    )
    found = rows.to_table(columns=["ingest_id"], filter=is_orphan)
    if not found.num_rows:
        return 0
    paths = [
        Path(one.path).name
        for one in rows.get_fragments()
        if one.count_rows(filter=is_orphan)
    ]
    table.rewrite(Change(paths=paths, without=is_orphan))
    return len(pc.unique(found["ingest_id"]))


def _pack(place: Place, name: str) -> bool:
    """Pack some files of a table in one; return whether there were any."""
    table = open_table(place, name)
    chosen = choose_packed(table.paths())
    if chosen:
        table.rewrite(Change(paths=chosen))
    return bool(chosen)
