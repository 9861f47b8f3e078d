"""The files of a table of a store: which rows are in them, and in which order.

A file of one run has one row group. A pack holds many runs, ordered by cell and run; in
a pack of histograms each row group is one cell, so that a question about one cell reads
nothing else. A name tells how many runs are in a file.
"""

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ssdlab.fleet.place import Place, lake
from ssdlab.fleet.tables import HISTOGRAMS

PACK_RUNS: Final = (250, 2500)  # of a pack, and of one that packs are merged into
ONE_RUN: Final = "run-000001"  # begins the name of a file that holds one run
_FEWEST_MERGED = 10
_CELLS_AT_ONCE = 16  # of a merge: they bound its memory
_ROW_GROUP = 20_000
_STATISTICS = ("run_id", "ingest_id", "cell", "added_s")


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a new file holds in the place of others: their rows, without some, and more.

    ``transactions`` are those of Delta that it carries.
    """

    paths: Sequence[str]
    without: pc.Expression | None = None
    more: pa.Table | None = None
    transactions: dict[str, int] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """How many runs the files hold."""
        return sum(map(runs_of, self.paths)) or 1


def runs_of(path: str) -> int:
    """Return how many runs a file holds, by its name.

    >>> runs_of("pack-000250-0b0c.parquet"), runs_of("part-00000.parquet")
    (250, 1)
    """
    kind, _, rest = path.partition("-")
    number = rest.partition("-")[0]
    return int(number) if kind in {"run", "pack"} and number.isdecimal() else 1


def choose_packed(paths: Iterable[str]) -> list[str]:
    """Return the files to be packed in one, in two tiers.

    All small ones together are at most one pack; ten packs become one large pack.

    >>> choose_packed(["run-000001-a", "pack-000240-b", "run-000001-c"])
    ['pack-000240-b', 'run-000001-a', 'run-000001-c']
    >>> choose_packed(["run-000001-a", "pack-000250-b"])
    []
    """
    small, large = PACK_RUNS
    by_size = sorted(paths, key=lambda path: (-runs_of(path), path))
    chosen: list[str] = []
    runs = 0
    for path in by_size:
        if runs_of(path) < small and runs < small:
            chosen.append(path)
            runs += runs_of(path)
    if len(chosen) > 1:
        return chosen
    packs = [path for path in by_size if small <= runs_of(path) < large]
    return packs[:_FEWEST_MERGED] if len(packs) >= _FEWEST_MERGED else []


def changed_rows(
    place: Place, name: str, change: Change, *, schema: pa.Schema
) -> Iterator[pa.Table]:
    """Yield the rows of a pack in their order, of many runs a few cells at a time."""
    import pyarrow.dataset as ds  # noqa: PLC0415 - imports pandas

    files = place.files_of(name)
    stored: ds.Dataset = (
        ds.dataset(
            list(change.paths), schema=schema, format="parquet", filesystem=files
        )
        if change.paths
        else ds.dataset(schema.empty_table())
    )
    keep = None if change.without is None else ~change.without
    more = schema.empty_table() if change.more is None else change.more
    if "cell" not in schema.names or change.runs <= 2 * PACK_RUNS[0]:
        yield _in_order([stored.to_table(filter=keep), more], schema)
        return
    cells = stored.to_table(columns=["cell"], filter=keep)["cell"]
    distinct = sorted({*pc.unique(cells).to_pylist(), *more["cell"].to_pylist()})
    for first in range(0, len(distinct), _CELLS_AT_ONCE):
        wanted = pc.field("cell").isin(distinct[first : first + _CELLS_AT_ONCE])
        chosen = wanted if keep is None else wanted & keep
        yield _in_order([stored.to_table(filter=chosen), more.filter(wanted)], schema)


def _in_order(parts: Sequence[pa.Table], schema: pa.Schema) -> pa.Table:
    whole = pa.concat_tables(parts, promote_options="default").select(schema.names)
    keys = [name for name in ("cell", "run_id") if name in schema.names]
    return whole.sort_by([(key, "ascending") for key in keys])


def write_file(
    place: Place, name: str, parts: Iterable[pa.Table], *, prefix: str
) -> Any:
    """Write a file of a table, and return what adds it to the table.

    Until that is committed, nobody reads it.
    """
    path = f"{prefix}-{uuid.uuid4()}.parquet"
    files = place.files_of(name)
    least: dict[str, Any] = {}
    greatest: dict[str, Any] = {}
    rows = 0
    has_many = prefix != ONE_RUN  # else dictionaries do not pay
    with files.open_output_stream(path) as stream:
        writer: pq.ParquetWriter | None = None
        for part in parts:
            writer = writer or pq.ParquetWriter(
                stream, part.schema, compression="zstd", use_dictionary=has_many
            )
            for group in _row_groups(name, prefix, part):
                writer.write_table(group, row_group_size=max(1, group.num_rows))
            rows += part.num_rows
            _extend(part, least, greatest)
        if writer:
            writer.close()
    info = files.get_file_info(path)
    return lake("transaction").AddAction(
        path=path,
        size=info.size,
        partition_values={},
        modification_time=round(datetime.now(tz=UTC).timestamp() * 1000),
        data_change=True,
        stats=json.dumps({
            "numRecords": rows,
            "minValues": least,
            "maxValues": greatest,
            "nullCount": {},
        }),
    )


def _row_groups(name: str, prefix: str, part: pa.Table) -> Iterator[pa.Table]:
    """Yield the row groups of some rows; in a pack of histograms each is one cell."""
    if name != HISTOGRAMS.name or prefix == ONE_RUN:
        for first in range(0, part.num_rows, _ROW_GROUP):
            yield part.slice(first, _ROW_GROUP)
        return
    cells = part["cell"].combine_chunks()
    ends = pc.run_end_encode(cells).run_ends.to_pylist() if part.num_rows else []
    for first, end in zip([0, *ends], ends, strict=False):
        yield part.slice(first, end - first)


def _extend(part: pa.Table, least: dict[str, Any], greatest: dict[str, Any]) -> None:
    for name in _STATISTICS:
        if name in part.column_names and part.num_rows:
            ends = pc.min_max(part[name]).as_py()
            least[name] = min(least.get(name, ends["min"]), ends["min"])
            greatest[name] = max(greatest.get(name, ends["max"]), ends["max"])
