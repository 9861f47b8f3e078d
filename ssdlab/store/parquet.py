"""Reading untrusted Parquet files without exhausting memory.

A file of a few kB may hold billions of rows of one value, or a long text repeated for
millions of rows. So the declared size is checked before anything is unpacked, and texts
are counted before they are repeated.
"""

from collections.abc import Sequence
from typing import BinaryIO, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ssdlab.model.units import capacity_label

MOST_BYTES: Final = 1_000_000_000  # of a table in memory
_CELL_BYTES: Final = 8


class TableTooLargeError(OSError):
    """A table that would need more memory than `MOST_BYTES`."""

    def __init__(self, size: int) -> None:
        most = capacity_label(MOST_BYTES)
        super().__init__(
            f"it would need {capacity_label(size)} of memory; the limit is {most}"
        )


def read_schema(file: BinaryIO) -> pa.Schema:
    """Return the schema of a file."""
    return pq.read_metadata(file).schema.to_arrow_schema()


def read_columns(file: BinaryIO, names: Sequence[str]) -> pa.Table:
    """Return columns of a file; texts are dictionary-encoded."""
    metadata = pq.read_metadata(file)
    schema = metadata.schema.to_arrow_schema()
    texts = [name for name in names if pa.types.is_string(schema.field(name).type)]
    rows = int(metadata.num_rows)
    size = max(_declared_bytes(metadata), rows * len(names) * _CELL_BYTES)
    _require_space(size)
    with pq.ParquetFile(file, metadata=metadata, read_dictionary=texts) as parquet:
        table = parquet.read(columns=list(names))
    _require_space(size + sum(_text_bytes(table[name]) for name in texts))
    return table


def _require_space(size: int) -> None:
    if size > MOST_BYTES:
        raise TableTooLargeError(size)


def _declared_bytes(metadata: pq.FileMetaData) -> int:
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(group.total_byte_size for group in groups)


def _text_bytes(column: pa.ChunkedArray) -> int:
    """Return the total length of the texts of a column."""
    lengths = (
        pc.take(pc.binary_length(chunk.dictionary), chunk.indices)
        for chunk in column.chunks
    )
    return sum(int(pc.sum(each).as_py() or 0) for each in lengths)
