"""Tables in Parquet, each checked against its one declaration in the schema."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import SCHEMA_VERSION, Table
from ssdlab.system.durable import publish

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
    folder: Path, table: Table, columns: Mapping[str, Sequence[object]]
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
    path = folder / f"{table.name}.parquet"
    aside = folder / f".{table.name}.part"
    pq.write_table(_to_arrow(table, columns), aside, compression="zstd")
    publish(aside, path)
    return path


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
    folder: Path, table: Table, columns: Sequence[str] | None = None
) -> "pd.DataFrame":
    """Read one table, or some of its columns, with the types of the schema.

    Raises
    ------
    RunFolderError
        If the file is missing, damaged or of another version.
    """
    path = folder / f"{table.name}.parquet"
    remedy = f"Rebuild the tables from raw output: ssdlab ingest {folder.parent}"
    try:
        names = None if columns is None else list(columns)
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            content = file.read(columns=names)
    except FileNotFoundError:
        raise RunFolderError(
            folder=str(folder.parent), reason=f"no {path.name} yet", remedy=remedy
        ) from None
    except (pa.ArrowException, OSError) as error:
        raise RunFolderError(
            folder=str(folder.parent),
            reason=f"{path.name} cannot be read ({_in_one_line(error)})",
            remedy=remedy,
        ) from error
    version = (schema.metadata or {}).get(b"ssdlab_schema", b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise RunFolderError(
            folder=str(folder.parent),
            reason=f"{path.name} has schema version {version}, not {SCHEMA_VERSION}",
            remedy=remedy,
        )
    if not schema.equals(arrow_schema(table)):
        raise RunFolderError(
            folder=str(folder.parent),
            reason=f"{path.name} has other columns than the schema",
            remedy=remedy,
        )
    return _to_frame(content)


def _in_one_line(error: Exception) -> str:
    """Return what a reader said, without the bytes of the file it may quote."""
    signs = (sign if sign.isprintable() else " " for sign in str(error))
    return " ".join("".join(signs).split()).rstrip(".")


def columns_to_frame(
    table: Table, columns: Mapping[str, Sequence[object]]
) -> "pd.DataFrame":
    """Return columns as the frame that `read_table` gives when they were written."""
    return _to_frame(_to_arrow(table, columns))


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
