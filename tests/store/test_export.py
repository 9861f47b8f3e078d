"""Tables for other programs: exact, whole, and no text becomes a formula."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest

from ssdlab.model.errors import ExportError
from ssdlab.model.schema import TABLES
from ssdlab.store import export
from ssdlab.store.export import _in_a_cell, export_run
from ssdlab.store.run import Run
from tests.made_run import Recipe, make_run

FORMULAS = ("=HYPERLINK('x')", "+1+1", "-2", "@SUM(A1)")
SMALL = Recipe(tests=("lat",), rounds=5)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = replace(SMALL, label=FORMULAS[0], serial=FORMULAS[1], model=FORMULAS[3])
    return make_run(tmp_path_factory.mktemp("made") / "run", recipe)


def test_csv_has_every_value_of_every_table(run: Run, tmp_path: Path) -> None:
    place = export_run(run, "csv", tmp_path / "out")
    assert {path.name for path in place.iterdir()} == {f"{n}.csv" for n in TABLES}
    found = pd.read_csv(place / "measurements.csv")
    for column in ("iops", "lat_mean_ns", "total_ios"):
        assert found[column].tolist() == run.measurements[column].tolist()


def test_csv_puts_an_apostrophe_before_what_looks_like_a_formula(
    run: Run, tmp_path: Path
) -> None:
    place = export_run(run, "csv", tmp_path / "out")
    with (place / "runs.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["label"] == f"'{FORMULAS[0]}"
    assert row["device_serial"] == f"'{FORMULAS[1]}"
    assert row["device_model"] == f"'{FORMULAS[3]}"


def test_parquet_is_that_of_the_run(run: Run, tmp_path: Path) -> None:
    place = export_run(run, "parquet", tmp_path / "out")
    for name in TABLES:
        ours = run.path / "tables" / f"{name}.parquet"
        found = pq.read_table(place / f"{name}.parquet", partitioning=None)
        kept = pq.read_table(ours, partitioning=None)
        assert found.equals(kept, check_metadata=True)


def test_workbook_has_a_sheet_a_table_and_no_formula(run: Run, tmp_path: Path) -> None:
    place = export_run(run, "xlsx", tmp_path / "out" / "run.xlsx")
    book = openpyxl.load_workbook(place)
    assert book.sheetnames == ["about", *TABLES, "columns"]
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert not [cell.value for cell in cells if cell.data_type == "f"]
    values = {cell.value for cell in cells}
    assert {FORMULAS[0], FORMULAS[1], FORMULAS[3]} < values
    head, *rows = book["measurements"].iter_rows(values_only=True)
    iops = [row[head.index("iops")] for row in rows]
    assert iops == pytest.approx(run.measurements["iops"].tolist(), rel=1e-14)
    meanings = {row[1]: row[3] for row in book["columns"].iter_rows(values_only=True)}
    assert meanings["iops"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**53, 2**53),
        (2**53 + 1, str(2**53 + 1)),
        (True, True),
        (None, None),
        (float("inf"), "inf"),
        ("a\x07b", "a�b"),
    ],
)
def test_value_that_a_cell_cannot_hold_becomes_text(value: Any, shown: Any) -> None:
    assert _in_a_cell(value) == shown


def test_text_longer_than_a_cell_is_cut_and_says_so() -> None:
    text = str(_in_a_cell("x" * 40_000))
    assert len(text) == 32_767
    assert text.endswith("(cut: a cell can hold no more)")


def test_table_longer_than_a_sheet_is_refused_with_both_numbers(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = max(TABLES, key=lambda name: len(getattr(run, name)))
    rows = len(getattr(run, longest))
    monkeypatch.setattr(export, "SHEET_ROWS", rows)
    with pytest.raises(ExportError, match=rf"{longest} has {rows:,} rows; a"):
        export_run(run, "xlsx", tmp_path / "run.xlsx")
    assert not (tmp_path / "run.xlsx").exists()


@pytest.mark.parametrize("file_format", ["csv", "xlsx"])
def test_place_that_cannot_be_written_is_named(run: Run, file_format: Any) -> None:
    place = Path("/dev/null/there.xlsx")
    with pytest.raises(
        ExportError, match=r"/dev/null/there\.xlsx: it cannot be written"
    ):
        export_run(run, file_format, place)


@pytest.mark.parametrize("name", ["run.txt", "run"])
def test_workbook_by_another_name_is_refused(
    run: Run, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ExportError, match=rf"{name}: .* ends in \.xlsx"):
        export_run(run, "xlsx", tmp_path / name)
    assert not (tmp_path / name).exists()
