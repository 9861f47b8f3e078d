"""Tables in Parquet, checked against their declaration in the schema.

Conversion of tables of older versions to the current schema.

Version 1 gave percentiles as the middle of their bin, which may be above the recorded
maximum, and called a level supported if one IO was expected beyond it. Both follow from
other tables: ``measurements`` has the extremes, ``bins`` the counts. Before version 4
``windows`` did not have the cell of a tracking variable: ``steps`` does.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import (
    SCHEMA_VERSION,
    TABLES,
    Table,
)
from ssdlab.stats.latency import hold_within, is_supported
from ssdlab.store.parquet import read_columns, read_schema
from ssdlab.system.folders import Folder

if TYPE_CHECKING:
    import pandas as pd


OLDER_VERSIONS = ("1", "2", "3", "4", "5", "6")
# The columns that a version added, and their values in tables of earlier versions.
_ADDED: Mapping[str, Mapping[str, Mapping[str, str | None]]] = {
    "3": {"findings": {"clause": ""}, "runs": {"is_steady": None, "doubts": None}},
    "4": {"windows": {"cell": None}},
    "5": {
        "steps": dict.fromkeys(("released_s", "armed_for_s", "unready_s", "reports_s"))
    },
    "6": {"steps": {"neighbours": None}},
    "7": {"windows": {"job": None}},
}
_TABLES_ADDED: Mapping[str, str] = {"jobs": "7", "job_bins": "7"}

_ROWS_AT_ONCE = 1 << 18  # of a row group: it bounds the memory of a writer
_SIDE = ["run_id", "step_id", "direction"]
_ENDS = ["lat_min_ns", "lat_max_ns", "clat_min_ns", "clat_max_ns", "total_ios"]
_SAME = ("test", "phase", "access", "block_size_bytes", "read_percent")
_IF_TOLD = ("threads", "queue_depth")
_ARROW = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "list<int16>": pa.list_(pa.int16()),
    "list<int64>": pa.list_(pa.int64()),
}


def added_since(version: str, table: str) -> Mapping[str, str | None]:
    """Return the columns that a table of a version lacks, with their values."""
    return {
        column: value
        for added, tables in _ADDED.items()
        if version < added
        for column, value in tables.get(table, {}).items()
    }


def renew_percentiles(
    percentiles: "pd.DataFrame", measurements: "pd.DataFrame", bins: "pd.DataFrame"
) -> "pd.DataFrame":
    """Convert the table ``percentiles`` of version 1 to version 2."""
    held = bins.groupby(_SIDE, as_index=False).agg(
        counted=("count", "sum"), end_ns=("lat_upper_ns", "max")
    )
    known = percentiles[_SIDE].merge(
        measurements[[*_SIDE, *_ENDS]], on=_SIDE, how="left"
    )
    known = known.merge(held, on=_SIDE, how="left").astype(
        dict.fromkeys([*_ENDS, "counted", "end_ns"], "float64")
    )
    # bins of clat end above its maximum, and below that of lat
    is_clat = known["end_ns"].between(known["clat_max_ns"], known["lat_max_ns"])
    least, greatest = (
        np.where(is_clat, known[f"clat_{end}_ns"], known[f"lat_{end}_ns"])
        for end in ("min", "max")
    )
    values = hold_within(percentiles["lat_ns"], (least, greatest))
    is_of_bin = percentiles["lat_lower_ns"].notna().to_numpy()
    counts = known["counted"].fillna(known["total_ios"])
    was_told = percentiles["is_supported"].notna().to_numpy() & counts.notna()
    raw = [
        bool(is_supported([level], int(count))[0]) if is_told else None
        for level, count, is_told in zip(
            percentiles["percentile"], counts, was_told, strict=True
        )
    ]
    return percentiles.assign(
        lat_ns=np.where(is_of_bin, values, percentiles["lat_ns"]),
        is_supported=np.array(raw, dtype=object),
    ).astype({"is_supported": "boolean"})


def place_windows(windows: "pd.DataFrame", steps: "pd.DataFrame") -> "pd.DataFrame":
    """Return the table ``windows`` with the cells of its tracking variables.

    Missing values equal each other; TC and QD need not be told.
    """
    names = [*_SAME, *_IF_TOLD]
    cells = steps[steps["kind"] == "cell"].drop_duplicates([*names, "cell"])
    places = list(zip(_values(cells, names), cells["cell"], strict=True))
    found: dict[tuple[object, ...], object] = {}
    for variable in dict.fromkeys(_values(windows, names)):
        told = [
            n for n, one in enumerate(variable) if n < len(_SAME) or one is not None
        ]
        own = (cell for values, cell in places if _alike(values, variable, told))
        found[variable] = next(own, None)
    placed = [
        own if (cell := found[variable]) is None else cell
        for variable, own in zip(_values(windows, names), windows["cell"], strict=True)
    ]
    return windows.assign(cell=np.array(placed, dtype=object)).astype({
        "cell": windows["cell"].dtype
    })


def _alike(
    first: Sequence[object], second: Sequence[object], told: Iterable[int]
) -> bool:
    return all(first[n] == second[n] for n in told)


def _values(frame: "pd.DataFrame", names: Sequence[str]) -> list[tuple[object, ...]]:
    """Return some columns row by row; None is missing."""
    columns = (
        frame[name].to_numpy(object, na_value=None)  # type: ignore[call-overload] # the stubs lack None
        for name in names
    )
    return list(zip(*columns, strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewal:
    """How a table of an older version is converted with the help of others."""

    versions: tuple[str, ...]
    needs: tuple[str, ...]
    renew: "Callable[..., pd.DataFrame]"


RENEWALS = {
    "percentiles": Renewal(
        versions=("1",), needs=("measurements", "bins"), renew=renew_percentiles
    ),
    "windows": Renewal(versions=("1", "2", "3"), needs=("steps",), renew=place_windows),
}


def arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a table, its version in the metadata."""
    fields = [
        pa.field(
            column.name, _ARROW[column.dtype], metadata={"meaning": column.meaning}
        )
        for column in table.columns
    ]
    return pa.schema(fields, metadata={"ssdlab_schema": str(SCHEMA_VERSION)})


Write = Callable[[Mapping[str, Sequence[object]]], None]


@contextmanager
def writing_table(folder: Folder, table: Table) -> Iterator[Write]:
    """Write a table part by part, each in row groups of its own."""

    def write(columns: Mapping[str, Sequence[object]]) -> None:
        if set(columns) != set(table.column_names):
            different = set(columns) ^ set(table.column_names)
            msg = f"columns of {table.name} differ from the schema: {sorted(different)}"
            raise ValueError(msg)
        count = len(columns[table.column_names[0]])
        for begin in range(0, count, _ROWS_AT_ONCE):
            rows = slice(begin, begin + _ROWS_AT_ONCE)
            part = {column: values[rows] for column, values in columns.items()}
            writer.write_table(_to_arrow(table, part))

    with (
        folder.writing(f"{table.name}.parquet") as file,
        pq.ParquetWriter(file, arrow_schema(table), compression="zstd") as writer,
    ):
        yield write


def write_table(
    folder: Folder, table: Table, columns: Mapping[str, Sequence[object]]
) -> Path:
    """Write one table."""
    with writing_table(folder, table) as write:
        write(columns)
    return folder.path / f"{table.name}.parquet"


def rows_to_columns(
    table: Table, rows: Sequence[Mapping[str, object]]
) -> dict[str, list[object]]:
    """Turn rows into columns."""
    columns: dict[str, list[object]] = {name: [] for name in table.column_names}
    for row in rows:
        unknown = row.keys() - columns.keys()
        if unknown:
            msg = f"{table.name} has no column {sorted(unknown)}"
            raise KeyError(msg)
        for name, values in columns.items():
            values.append(row.get(name))
    return columns


def read_table(
    folder: Folder, table: Table, columns: Sequence[str] | None = None
) -> "pd.DataFrame":
    """Read one table, or some of its columns, with the types of the schema.

    A table of an older version is converted to this one.
    """
    content = _read_stored(folder, table, columns)
    renewal = RENEWALS.get(table.name)
    if renewal is None or _version_of(content.schema) not in renewal.versions:
        return arrow_to_frame(content)
    tables = (table, *(TABLES[name] for name in renewal.needs))
    renewed = renewal.renew(
        *(arrow_to_frame(_read_stored(folder, one)) for one in tables)
    )
    return renewed if columns is None else renewed[list(columns)]


def read_rows(
    folder: Folder, table: Table, columns: Sequence[str]
) -> list[dict[str, Any]]:
    """Read some columns of a table as rows, without pandas; missing is ``None``."""
    return list(_read_stored(folder, table, columns).to_pylist())


def _read_stored(
    folder: Folder, table: Table, columns: Sequence[str] | None = None
) -> pa.Table:
    """Return a stored table, with the version that wrote it."""
    name = f"{table.name}.parquet"
    try:
        with folder.opened(name) as file:
            content, reason = _read(file, table, columns)
    except FileNotFoundError:
        if _is_of_later_version(folder, table):
            return arrow_schema(table).empty_table()
        content, reason = None, f"{name} does not exist yet"
    except (pa.ArrowException, OSError, MemoryError) as error:
        content, reason = None, f"{name} cannot be read ({_in_one_line(error)})"
    if content is None:
        run = folder.path.parent
        raise RunFolderError(
            folder=str(run),
            reason=reason,
            remedy=f"Rebuild the tables from raw output: ssdlab ingest {run}",
        )
    return content


def _is_of_later_version(folder: Folder, table: Table) -> bool:
    """Return whether a run has no such table because its version had none."""
    added = _TABLES_ADDED.get(table.name)
    if added is None:
        return False
    try:
        with folder.opened("measurements.parquet") as file:
            version = _version_of(read_schema(file))
    except (OSError, pa.ArrowException):
        return False
    return version in OLDER_VERSIONS and version < added


def _version_of(schema: pa.Schema) -> str:
    noted = (schema.metadata or {}).get(b"ssdlab_schema", b"none")
    return str(noted.decode("utf-8", "replace"))


def _read(
    file: BinaryIO, table: Table, columns: Sequence[str] | None
) -> tuple[pa.Table | None, str]:
    """Return the content of a table, or why it cannot be read."""
    name = f"{table.name}.parquet"
    schema, wanted = read_schema(file), arrow_schema(table)
    version = _version_of(schema)
    if version not in {str(SCHEMA_VERSION), *OLDER_VERSIONS}:
        return None, f"{name} has schema version {version}, not {SCHEMA_VERSION}"
    added = added_since(version, table.name)
    kept = pa.schema([field for field in wanted if field.name not in added])
    if not schema.equals(kept):
        return None, f"{name} has other columns than the schema"
    names = table.column_names if columns is None else list(columns)
    packed = read_columns(file, [one for one in names if one not in added])
    for column in (one for one in names if one in added):
        value = added[column]
        kind, rows = wanted.field(column).type, packed.num_rows
        filled = pa.nulls(rows, kind)  # pa.array would import pandas
        if value is not None:
            filled = pa.array([value] * rows, kind)
        packed = packed.append_column(column, filled)
    fields = [wanted.field(one) for one in names]
    return packed.select(names).cast(pa.schema(fields, metadata=schema.metadata)), ""


def _in_one_line(error: Exception) -> str:
    """Return the message of a reader, without bytes of the file that it quotes."""
    signs = (sign if sign.isprintable() else " " for sign in str(error))
    return " ".join("".join(signs).split()).rstrip(".")


def columns_to_frame(
    table: Table, columns: Mapping[str, Sequence[object]]
) -> "pd.DataFrame":
    """Return columns as the frame that `read_table` would return for them."""
    return arrow_to_frame(_to_arrow(table, columns))


def frame_to_arrow(table: Table, frame: "pd.DataFrame") -> pa.Table:
    """Return a frame of `read_table` in the form in which it is stored."""
    return pa.Table.from_pandas(
        frame, schema=arrow_schema(table), preserve_index=False
    ).replace_schema_metadata(arrow_schema(table).metadata)


def _to_arrow(table: Table, columns: Mapping[str, Sequence[object]]) -> pa.Table:
    schema = arrow_schema(table)
    arrays = [
        pa.array(columns[field.name], type=field.type, from_pandas=True)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def arrow_to_frame(content: pa.Table) -> "pd.DataFrame":
    """Return a table as a frame with the types of the schema."""
    import pandas as pd  # noqa: PLC0415 - slow, and not needed to write

    types = {
        pa.string(): pd.StringDtype(na_value=math.nan),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    frame: pd.DataFrame = content.to_pandas(types_mapper=types.get)
    return frame
