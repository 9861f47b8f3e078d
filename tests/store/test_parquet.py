"""Tables that were made to take more memory than there is."""

import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import TABLES
from ssdlab.store import parquet
from ssdlab.store.tables import arrow_schema, read_table
from ssdlab.system.folders import Folder

TELEMETRY = TABLES["telemetry"]
MOST_BYTES = 1_000_000


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MOST_BYTES", MOST_BYTES)


def write(folder: Path, rows: int, text: str) -> int:
    """Write a table of one value in each column; return the size of its file [B]."""
    schema = arrow_schema(TELEMETRY)
    values = [text if pa.types.is_string(f.type) else 1 for f in schema]
    columns = [
        pa.array([value] * rows, field.type)
        for value, field in zip(values, schema, strict=True)
    ]
    path = folder / "telemetry.parquet"
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), path)
    return path.stat().st_size


def test_table_is_read_as_far_as_memory_allows(tmp_path: Path) -> None:
    write(tmp_path, 20_000, "x")
    assert len(read_table(Folder(tmp_path), TELEMETRY)) == 20_000


def test_rows_that_take_no_room_in_the_file_are_not_unpacked(tmp_path: Path) -> None:
    size = write(tmp_path, 2_000_000, "")
    assert size < MOST_BYTES / 10
    before = pa.total_allocated_bytes()
    with pytest.raises(
        RunFolderError, match=r"would need 80 MB of memory; the limit is 1 MB"
    ):
        read_table(Folder(tmp_path), TELEMETRY)
    assert pa.total_allocated_bytes() - before < MOST_BYTES


def test_text_that_stands_once_in_the_file_is_not_repeated(tmp_path: Path) -> None:
    write(tmp_path, 1_000, "x" * 100_000)
    tracemalloc.start()
    try:
        with pytest.raises(RunFolderError, match=r"would need 3\d\d\.\d MB of memory"):
            read_table(Folder(tmp_path), TELEMETRY)
        assert tracemalloc.get_traced_memory()[1] < 10 * MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("column", ["value", "name"])
def test_some_columns_are_bounded_as_well(tmp_path: Path, column: str) -> None:
    write(tmp_path, 500_000, "x")
    with pytest.raises(RunFolderError, match=r"telemetry\.parquet cannot be read"):
        read_table(Folder(tmp_path), TELEMETRY, [column])
