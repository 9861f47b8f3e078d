"""The data dictionary is built from the schema and says everything in it."""

import pytest

from ssdlab.model.schema import TABLES, Column, Table
from tests.paths import ROOT
from tools import build_data_dictionary, generated


def test_committed_dictionary_is_up_to_date() -> None:
    page = build_data_dictionary.render_page()
    path = ROOT / "docs" / "data-dictionary.md"
    assert generated.stale_files({path: page}) == []


def test_dictionary_says_key_type_and_meaning_of_a_column() -> None:
    table = Table(
        name="things",
        row="one thing",
        columns=(
            Column("thing_id", "string", "which thing", is_key=True),
            Column("size_bytes", "int64", "a|b [B]"),
        ),
    )
    section = build_data_dictionary.render_tables([table]).partition("## ")[2]
    assert section.splitlines() == [
        "`things`",
        "",
        "One row is one thing.",
        "",
        "| Column | Type | Key | Meaning |",
        "| --- | --- | --- | --- |",
        "| `thing_id` | string | key | which thing |",
        "| `size_bytes` | int64 |  | a\\|b [B] |",
    ]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_table_is_explained_by_its_columns(table: Table) -> None:
    assert any(column.is_key for column in table.columns)
    assert len(set(table.column_names)) == len(table.columns)
    assert all(column.meaning for column in table.columns)
