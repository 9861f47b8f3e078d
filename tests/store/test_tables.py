"""Tables are those of the schema, or refused."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import RUNS, SCHEMA_VERSION, TABLES, Table
from ssdlab.store.tables import (
    arrow_schema,
    read_table,
    rows_to_columns,
    write_table,
)
from ssdlab.system.folders import Folder

VALUES: dict[str, list[Any]] = {
    "string": ["a", "ä\n,", None],
    "int64": [0, -(2**62), None],
    "float64": [0.1, 1e300, None],
    "bool": [True, False, None],
}


def columns_of(table: Table) -> dict[str, list[Any]]:
    return {column.name: VALUES[column.dtype] for column in table.columns}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    folder = tmp_path / "run" / "tables"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("name", TABLES)
def test_table_comes_back_with_the_types_of_the_schema(tables: Path, name: str) -> None:
    table = TABLES[name]
    path = write_table(Folder(tables), table, columns_of(table))
    frame = read_table(Folder(tables), table)
    assert path.name == f"{name}.parquet"
    assert list(frame.columns) == list(table.column_names)
    for column in table.columns:
        series = frame[column.name]
        wanted = VALUES[column.dtype]
        assert series.iloc[:2].tolist() == wanted[:2]
        assert series.isna().tolist() == [False, False, True]
        kinds = {"string": "str", "int64": "Int64", "bool": "boolean"}
        assert str(series.dtype) == kinds.get(column.dtype, "float64")
    assert [entry.name for entry in tables.iterdir()] == [path.name]


def test_empty_table_keeps_its_columns(tables: Path) -> None:
    write_table(Folder(tables), RUNS, {name: [] for name in RUNS.column_names})
    frame = read_table(Folder(tables), RUNS)
    assert (len(frame), list(frame.columns)) == (0, list(RUNS.column_names))


def test_table_says_what_its_columns_mean(tables: Path) -> None:
    path = write_table(Folder(tables), RUNS, columns_of(RUNS))
    schema = pq.read_schema(path)
    assert schema.metadata[b"ssdlab_schema"] == str(SCHEMA_VERSION).encode()
    meaning = schema.field("capacity_bytes").metadata[b"meaning"]
    assert meaning == b"user capacity [B]"


def test_columns_other_than_the_schema_are_not_written(tables: Path) -> None:
    columns = columns_of(RUNS)
    del columns["seed"]
    columns["colour"] = ["red"] * 3
    with pytest.raises(
        ValueError, match=r"runs differ from the schema: \['colour', 's"
    ):
        write_table(Folder(tables), RUNS, columns)
    assert list(tables.iterdir()) == []


def test_rows_become_columns_and_missing_values_stay_missing() -> None:
    columns = rows_to_columns(RUNS, [{"run_id": "a", "seed": 1}, {"run_id": "b"}])
    assert columns["run_id"] == ["a", "b"]
    assert columns["seed"] == [1, None]
    assert set(columns) == set(RUNS.column_names)
    with pytest.raises(KeyError, match="runs has no column"):
        rows_to_columns(RUNS, [{"colour": "red"}])


def test_table_is_refused_when_it_is_not_there(tables: Path) -> None:
    with pytest.raises(
        RunFolderError, match=r"runs\.parquet does not exist yet\. Rebuild the tab"
    ):
        read_table(Folder(tables), RUNS)


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "flipped"])
def test_table_is_refused_when_it_is_damaged(tables: Path, damage: str) -> None:
    path = write_table(Folder(tables), RUNS, columns_of(RUNS))
    whole = path.read_bytes()
    path.write_bytes(
        {
            "empty": b"",
            "text": b"run_id,seed\n",
            "cut": whole[: len(whole) // 2],
            "flipped": bytes(byte ^ 0xFF for byte in whole[: len(whole) // 2])
            + whole[len(whole) // 2 :],
        }[damage]
    )
    with pytest.raises(RunFolderError, match=r"runs\.parquet cannot be read"):
        read_table(Folder(tables), RUNS)


@pytest.mark.parametrize("version", ["0", str(SCHEMA_VERSION + 1), None])
def test_table_of_another_version_is_refused(tables: Path, version: str | None) -> None:
    schema = arrow_schema(RUNS).with_metadata(
        {"ssdlab_schema": version} if version else None
    )
    content = pa.table({name: [None] for name in RUNS.column_names}, schema=schema)
    pq.write_table(content, tables / "runs.parquet")
    with pytest.raises(
        RunFolderError, match=rf"schema version {version or 'none'}, not"
    ):
        read_table(Folder(tables), RUNS)


@pytest.mark.parametrize("change", ["a column less", "another type", "another order"])
def test_table_with_other_columns_is_refused(tables: Path, change: str) -> None:
    fields = list(arrow_schema(RUNS))
    changed = {
        "a column less": fields[:-1],
        "another type": [*fields[:-1], pa.field(fields[-1].name, pa.int64())],
        "another order": [fields[1], fields[0], *fields[2:]],
    }[change]
    schema = pa.schema(changed, metadata={"ssdlab_schema": str(SCHEMA_VERSION)})
    content = pa.table({field.name: [] for field in schema}, schema=schema)
    pq.write_table(content, tables / "runs.parquet")
    with pytest.raises(RunFolderError, match="other columns than the schema"):
        read_table(Folder(tables), RUNS)


def test_name_of_a_folder_never_becomes_a_column(tmp_path: Path) -> None:
    folder = tmp_path / "seed=5" / "tables"
    folder.mkdir(parents=True)
    write_table(Folder(folder), RUNS, columns_of(RUNS))
    assert read_table(Folder(folder), RUNS)["seed"].iloc[0] == 0
