"""Write tables as CSV, JSON Lines or Parquet, in chunks."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol, cast

from ssdlab.cli.group import discard_output, fail
from ssdlab.system import outputs

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

TableFormat = Literal["box", "csv", "jsonl", "parquet"]

_ROWS_AT_ONCE = 1 << 16


class TableWriter(Protocol):
    """A writer of one table, which takes a frame at a time."""

    def write(self, frame: "pd.DataFrame") -> None:
        """Write the rows of a frame; all frames have the same columns."""

    def close(self) -> None:
        """End the table."""


def table_writer(table_format: TableFormat, file: BinaryIO) -> TableWriter:
    """Return the writer of a format."""
    match table_format:
        case "box":
            from ssdlab.cli.box_view import BoxWriter

            return BoxWriter()
        case "csv":
            return _CsvWriter(file)
        case "jsonl":
            return _JsonLinesWriter(file)
        case "parquet":
            return _ParquetWriter(file)


class _CsvWriter:
    """Numbers are exact; a missing value is empty."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._is_begun = file, False

    def write(self, frame: "pd.DataFrame") -> None:
        if not self._is_begun:
            self._file.write((",".join(frame.columns) + "\n").encode())
            self._is_begun = True
        for part in _parts(frame):
            self._file.write(_csv(part))

    def close(self) -> None:
        self._file.flush()


def _csv(part: "pa.Table") -> bytes:
    """Return rows as CSV, quoted only if needed."""
    import io

    import pyarrow as pa
    from pyarrow import csv

    content = io.BytesIO()
    try:
        options = csv.WriteOptions(include_header=False, quoting_style="none")
        csv.write_csv(part, content, options)
    except pa.ArrowInvalid:  # a comma, a quote or a newline in a string
        content = io.BytesIO()
        csv.write_csv(part, content, csv.WriteOptions(include_header=False))
    return content.getvalue()


class _JsonLinesWriter:
    """One JSON object per row; a missing value is null."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, frame: "pd.DataFrame") -> None:
        import orjson

        for part in _parts(frame):
            columns = part.to_pydict()
            rows = zip(*columns.values(), strict=True)
            lines = (
                orjson.dumps(
                    dict(zip(columns, row, strict=True)),
                    option=orjson.OPT_APPEND_NEWLINE,
                )
                for row in rows
            )
            self._file.write(b"".join(lines))

    def close(self) -> None:
        self._file.flush()


class _ParquetWriter:
    """Columns keep their types."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: pq.ParquetWriter | None = None

    def write(self, frame: "pd.DataFrame") -> None:
        import pyarrow.parquet as pq

        for part in _parts(frame):
            if self._writer is None:
                held = part.schema.metadata or {}
                schema = part.schema.with_metadata({
                    **held,
                    outputs.TABLE_MARK: b"parse",
                })
                self._writer = pq.ParquetWriter(self._file, schema, compression="zstd")
            self._writer.write_table(part.cast(self._writer.schema))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _parts(frame: "pd.DataFrame") -> "Iterator[pa.Table]":
    """Yield the rows in chunks: at least one, possibly empty."""
    for first in range(0, max(len(frame), 1), _ROWS_AT_ONCE):
        yield _as_arrow(frame.iloc[first : first + _ROWS_AT_ONCE])


def _as_arrow(frame: "pd.DataFrame") -> "pa.Table":
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    fields = [
        pa.field(field.name, pa.string() if _is_text(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind) or pa.types.is_large_string(kind))


@contextmanager
def opened_output(path: Path | None) -> Iterator[BinaryIO]:
    """Open the output: standard output, or a file that appears when it is complete.

    Exits if it cannot be written.
    """
    try:
        if path is None:
            yield _standard_output()
            sys.stdout.buffer.flush()
        else:
            with outputs.opened_output(path) as file:
                yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        if path is None:
            discard_output()
        what = (
            "Cannot write to standard output"
            if path is None
            else f"{path} cannot be written"
        )
        fail(f"{what} ({error.strerror or error}).", 2)


def _standard_output() -> BinaryIO:
    if sys.stdout.isatty():
        return cast("BinaryIO", _Terminal())
    return sys.stdout.buffer


class _Terminal:
    """The terminal, protected from control codes in the files that are read."""

    def write(self, content: bytes) -> int:
        """Write bytes, with a question mark for each control character."""
        text = content.decode("utf-8", "replace")
        shown = "".join(sign if _is_shown(sign) else "?" for sign in text)
        return sys.stdout.buffer.write(shown.encode())

    def flush(self) -> None:
        """Show what was written."""
        sys.stdout.buffer.flush()


def _is_shown(sign: str) -> bool:
    return sign == "\n" or sign.isprintable()
