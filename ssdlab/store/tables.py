"""Tables in Parquet, each checked against its one declaration in the schema."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import (
    SCHEMA_VERSION,
    TABLES,
    Table,
)
from ssdlab.store.older import OLDER_VERSIONS, RENEWALS, added_since
from ssdlab.store.parquet import read_columns, read_schema
from ssdlab.system.folders import Folder

if TYPE_CHECKING:
    import pandas as pd

_ARROW = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
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


def write_table(
    folder: Folder, table: Table, columns: Mapping[str, Sequence[object]]
) -> Path:
    """Write one table.

    Raises
    ------
    ValueError
        If there is a column too many or too few.
    """
    if set(columns) != set(table.column_names):
        different = set(columns) ^ set(table.column_names)
        msg = f"columns of {table.name} differ from the schema: {sorted(different)}"
        raise ValueError(msg)
    name = f"{table.name}.parquet"
    with folder.writing(name) as file:
        pq.write_table(_to_arrow(table, columns), file, compression="zstd")
    return folder.path / name


def rows_to_columns(
    table: Table, rows: Sequence[Mapping[str, object]]
) -> dict[str, list[object]]:
    """Turn rows into columns.

    Raises
    ------
    KeyError
        If a row has a key that the table lacks.
    """
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

    One of an older version is returned as this version would have made it.

    Raises
    ------
    RunFolderError
        If the file is missing, damaged, of another version or too large to be read.
    """
    content = _read_stored(folder, table, columns)
    renewal = RENEWALS.get(table.name)
    if renewal is None or _version_of(content.schema) not in renewal.versions:
        return _to_frame(content)
    tables = (table, *(TABLES[name] for name in renewal.beside))
    renewed = renewal.renew(*(_to_frame(_read_stored(folder, one)) for one in tables))
    return renewed if columns is None else renewed[list(columns)]


def _read_stored(
    folder: Folder, table: Table, columns: Sequence[str] | None = None
) -> pa.Table:
    """Return what is stored of a table, with the version that it was written by.

    Raises
    ------
    RunFolderError
        If the file is missing, damaged, of another version or too large to be read.
    """
    name = f"{table.name}.parquet"
    try:
        with folder.opened(name) as file:
            content, reason = _read(file, table, columns)
    except FileNotFoundError:
        content, reason = None, f"no {name} yet"
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


def _version_of(schema: pa.Schema) -> str:
    noted = (schema.metadata or {}).get(b"ssdlab_schema", b"none")
    return str(noted.decode("utf-8", "replace"))


def _read(
    file: BinaryIO, table: Table, columns: Sequence[str] | None
) -> tuple[pa.Table | None, str]:
    """Return what a table holds, or why it is not read."""
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
    for column, value in added.items():
        filled = pa.array([value] * packed.num_rows, wanted.field(column).type)
        packed = packed.append_column(column, filled)
    fields = [wanted.field(one) for one in names]
    return packed.select(names).cast(pa.schema(fields, metadata=schema.metadata)), ""


def _in_one_line(error: Exception) -> str:
    """Return what a reader said, without the bytes of the file it may quote."""
    signs = (sign if sign.isprintable() else " " for sign in str(error))
    return " ".join("".join(signs).split()).rstrip(".")


def columns_to_frame(
    table: Table, columns: Mapping[str, Sequence[object]]
) -> "pd.DataFrame":
    """Return columns as the frame that `read_table` gives when they were written."""
    return _to_frame(_to_arrow(table, columns))


def frame_to_arrow(table: Table, frame: "pd.DataFrame") -> pa.Table:
    """Return a frame as `read_table` gave it in the form in which it is stored."""
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


def _to_frame(content: pa.Table) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - slow, and not needed to write

    types = {
        pa.string(): pd.StringDtype(na_value=math.nan),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    frame: pd.DataFrame = content.to_pandas(types_mapper=types.get)
    return frame
