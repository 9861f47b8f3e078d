"""Exports to a PostgreSQL that runs."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

import ssdlab
from ssdlab.cli import main
from ssdlab.fleet.delta import add_rows, remove_run
from ssdlab.fleet.place import Place
from ssdlab.fleet.store import Store
from ssdlab.fleet.tables import CELLS, FLEET_RUNS, RunRows
from tests.fleet.made_rows import made_rows
from tests.fleet.postgres_server import database

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with database() as address:
        yield address


@pytest.fixture
def empty(server: str) -> str:
    with psycopg.connect(server) as connection:
        connection.execute("drop schema if exists ssdlab cascade")
        connection.execute("drop schema if exists other cascade")
    return server


def export(store: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["store", "export", store, *words])


def add(place: str, *runs: RunRows) -> None:
    for rows in runs:
        add_rows(Place(place), rows)


def asked(address: str, question: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(address) as connection:
        return connection.execute(question).fetchall()


def test_tables_are_those_of_the_store(empty: str, samples_store: Store) -> None:
    ended = export(samples_store.url, "--to", empty)
    assert ended.exit_code == 0, ended.output
    assert "3 runs in the schema ssdlab: 3 written, 0 removed" in ended.output
    for table, frame in (
        (FLEET_RUNS, samples_store.runs()),
        (CELLS, samples_store.cells()),
    ):
        key = [column.name for column in table.columns if column.is_key]
        names = ", ".join(table.column_names)
        order = ", ".join(f'{name} collate "C"' for name in key)
        rows = asked(empty, f"select {names} from ssdlab.{table.name} order by {order}")
        ordered = frame.sort_values(key)[list(table.column_names)].astype(object)
        expected = ordered.where(ordered.notna(), None)
        assert rows == list(expected.itertuples(index=False, name=None))


def test_units_stand_in_the_database(empty: str, samples_store: Store) -> None:
    export(samples_store.url, "--to", empty)
    question = (
        "select col_description('ssdlab.cells'::regclass, ordinal_position) "
        "from information_schema.columns "
        "where table_schema = 'ssdlab' and column_name = 'lat_mean_ns'"
    )
    assert asked(empty, question) == [("mean latency, weighted by IOs [ns]",)]


def test_only_what_changed_is_written(empty: str, place: str) -> None:
    ssdlab.open_store(place, create=True)
    add(place, made_rows(1), made_rows(2), made_rows(3))
    assert "3 written, 0 removed" in export(place, "--to", empty).output
    before = asked(empty, "select run_id, xmin::text from ssdlab.runs order by 1")
    add(place, made_rows(2, version=2), made_rows(4))
    assert "2 written, 0 removed" in export(place, "--to", empty).output
    after = dict(asked(empty, "select run_id, xmin::text from ssdlab.runs"))
    assert [run for run, mark in before if after[run] == mark] == ["r000001", "r000003"]
    assert "0 written, 0 removed" in export(place, "--to", empty).output
    assert remove_run(Place(place), "r000001")
    counts = "select run_id, count(*) from ssdlab.cells group by 1 order by 1"
    cells = len(made_rows(1).rows["cells"])
    assert "0 written, 1 removed" in export(place, "--to", empty).output
    assert asked(empty, counts) == [(f"r00000{n}", cells) for n in (2, 3, 4)]


def test_views_and_columns_of_others_stay(empty: str, samples_store: Store) -> None:
    export(samples_store.url, "--to", empty)
    with psycopg.connect(empty) as connection:
        connection.execute("alter table ssdlab.cells drop column iops_high")
        connection.execute("alter table ssdlab.cells add column seen boolean")
        connection.execute("create view ssdlab.fast as select iops from ssdlab.cells")
        connection.execute("delete from ssdlab.runs")
    assert "3 written" in export(samples_store.url, "--to", empty).output
    (counts,) = asked(
        empty,
        "select count(*), count(iops_high) > 0, count(seen) from ssdlab.cells",
    )
    assert counts == (len(samples_store.cells()), True, 0)
    assert asked(empty, "select count(*) from ssdlab.fast") == [(counts[0],)]


def test_schema_of_somebody_else_is_left_alone(
    empty: str, samples_store: Store, place: str
) -> None:
    ended = export(samples_store.url, "--to", empty, "--schema", "public")
    assert ended.exit_code == 2
    assert "'public' holds no store" in ended.output
    ssdlab.open_store(place, create=True)
    add(place, made_rows(1))
    export(place, "--to", empty, "--schema", "other")
    ended = export(samples_store.url, "--to", empty, "--schema", "other")
    assert ended.exit_code == 2
    assert f"another store, {place}" in ended.output
    assert asked(empty, "select run_id from other.runs") == [("r000001",)]
    ended = export(samples_store.url, "--to", empty, "--schema", "other", "--overwrite")
    assert "3 written, 1 removed" in ended.output


def test_failure_changes_nothing_and_shows_no_password(
    empty: str, samples_store: Store
) -> None:
    export(samples_store.url, "--to", empty)
    with psycopg.connect(empty) as connection:
        connection.execute("delete from ssdlab.runs")
        connection.execute("alter table ssdlab.cells alter column iops type integer")
        connection.execute("create table ssdlab.kept as select * from ssdlab.cells")
    address = empty.replace("ssd@", "ssd:secret@")
    ended = export(samples_store.url, "--to", address)
    assert ended.exit_code == 2
    assert "nothing was exported (invalid input syntax" in ended.output
    assert "secret" not in ended.output
    same = "select count(*) from (table ssdlab.kept except table ssdlab.cells) as gone"
    assert asked(empty, same) == [(0,)]
    assert asked(empty, "select count(*) from ssdlab.runs") == [(0,)]
