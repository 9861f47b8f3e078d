"""The commands ``store …`` and ``runs STORE``."""

import csv
import json
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from ssdlab.fleet.delta import add_rows, create_tables, open_table, schema_of
from ssdlab.fleet.files import ONE_RUN, Change, write_file
from ssdlab.fleet.place import place_of
from ssdlab.fleet.store import Store
from ssdlab.fleet.tables import FLEET_RUNS
from tests.cli.called import call
from tests.fleet.conftest import SAMPLES
from tests.fleet.made_rows import made_rows


@pytest.fixture
def lab(place: str) -> str:
    """Return a store of two made runs."""
    create_tables(place_of(place))
    for number in (1, 2):
        add_rows(place_of(place), made_rows(number))
    return place


def test_runs_are_added_once_and_listed_by_both_commands(place: str) -> None:
    assert call("store", "init", place).returncode == 0
    runs = [SAMPLES / "virtual-lat", SAMPLES / "tkperf-intel-s3510"]
    assert "2 added" in call("store", "add", place, *runs).stdout
    assert "2 known" in call("store", "add", place, *runs).stdout
    done = call("store", "ls", place, "--json")
    entries = json.loads(done.stdout)
    assert [Path(one["path"]) for one in entries] == runs
    assert entries[0]["doubts"] >= 0
    assert call("runs", place).stdout == call("store", "ls", place).stdout
    assert json.loads(call("runs", place, "--json").stdout) == entries


def test_what_is_no_run_is_named_and_the_others_are_added(place: str) -> None:
    call("store", "init", place)
    done = call("store", "add", place, SAMPLES / "nothing", SAMPLES / "virtual-lat")
    assert done.returncode == 2
    assert "nothing" in done.stderr
    assert "1 added" in done.stdout


def test_folder_of_a_run_is_printed_or_is_said_to_be_gone(
    place: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(SAMPLES / "virtual-lat", run)
    call("store", "init", place)
    call("store", "add", place, run)
    (entry,) = json.loads(call("store", "ls", place, "--json").stdout)
    done = call("store", "open", place, entry["run_id"][:9])
    assert done.stdout.strip() == str(run)
    shutil.rmtree(run)
    assert call("store", "open", place, entry["run_id"]).returncode == 2
    assert call("store", "open", place, "no-such-run").returncode == 2
    assert call("store", "verify", place).returncode == 3
    faults = json.loads(call("store", "verify", place, "--json").stdout)["faults"]
    assert [one["fault"] for one in faults] == ["gone"]


def test_removed_run_is_gone_until_it_is_added_again(place: str) -> None:
    runs = [SAMPLES / "virtual-lat", SAMPLES / "tkperf-intel-s3510"]
    call("store", "init", place)
    call("store", "add", place, *runs)
    count = "select count(*) as n from cells"
    before = call("store", "sql", place, count).stdout
    names = [one["run_id"] for one in json.loads(call("runs", place, "--json").stdout)]
    done = call("store", "rm", place, *names)
    assert done.returncode == 0
    assert all(name in done.stdout for name in names)
    assert json.loads(call("runs", place, "--json").stdout) == []
    assert call("store", "sql", place, count).stdout == "n\n0\n"
    assert all((run / "run.json").exists() for run in runs)
    assert call("store", "verify", place).returncode == 0
    call("store", "tend", place)
    assert "2 added" in call("store", "add", place, *runs).stdout
    assert call("store", "sql", place, count).stdout == before


def test_removing_a_run_that_is_not_there_removes_none(lab: str) -> None:
    done = call("store", "rm", lab, "r000001", "r000009")
    assert done.returncode == 2
    assert len(json.loads(call("runs", lab, "--json").stdout)) == 2
    assert call("store", "rm", lab, "r000001", "r000001").returncode == 0
    assert len(json.loads(call("runs", lab, "--json").stdout)) == 1


def test_beginning_of_several_runs_is_refused(lab: str) -> None:
    done = call("store", "open", lab, "r00000")
    assert done.returncode == 2
    assert "r000001" in done.stderr


def test_questions_are_answered_in_each_format(lab: str) -> None:
    text = "select run_id, bin from histograms order by all limit 1"
    assert call("store", "sql", lab, text).stdout.startswith("run_id,bin\n")
    row = json.loads(call("store", "sql", lab, text, "--format", "jsonl").stdout)
    assert row["run_id"] == "r000001"
    assert row["bin"] == min(
        one["bin"].tolist() for one in made_rows(1).rows["histograms"]
    )
    done = call("store", "query", lab, "--by", "", "--quantile", "0.5")
    assert done.stdout.startswith("cell,runs,total_ios,lat_ns,is_supported\n")
    assert call("store", "query", lab, "--by", "x").returncode == 2
    assert call("store", "sql", lab, "select x").returncode == 2


def test_tables_are_exported_and_foreign_files_kept(lab: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert call("store", "export", lab, "-o", out).returncode == 0
    assert sorted(path.name for path in out.iterdir()) == ["cells.csv", "runs.csv"]
    with (out / "runs.csv").open(encoding="utf-8", newline="") as file:
        runs = list(csv.DictReader(file))
    assert [one["run_id"] for one in runs] == ["r000001", "r000002"]
    assert call("store", "export", lab, "-o", out).returncode == 0
    (out / "cells.csv").write_text("mine")
    assert call("store", "export", lab, "-o", out).returncode == 2
    parquet = call("store", "export", lab, "-o", tmp_path / "p", "--format", "parquet")
    assert parquet.returncode == 0


def test_store_is_tended_and_made_anew(lab: str) -> None:
    done = call("store", "tend", lab)
    assert "packs written: 3" in done.stdout
    done = call("store", "rebuild", lab, SAMPLES / "virtual-lat")
    assert "1 added" in done.stdout
    assert len(json.loads(call("store", "ls", lab, "--json").stdout)) == 1


def test_rebuild_from_what_is_no_run_leaves_the_store(lab: str, tmp_path: Path) -> None:
    done = call("store", "rebuild", lab, tmp_path / "nothing")
    assert done.returncode == 2
    assert len(json.loads(call("store", "ls", lab, "--json").stdout)) == 2


@pytest.mark.parametrize(
    "command", [("ls",), ("add", "x"), ("tend",), ("verify",), ("sql", "select 1")]
)
def test_folder_without_a_store_is_refused(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    name, *rest = command
    done = call("store", name, tmp_path, *rest)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("package", ["deltalake", "duckdb"])
def test_package_that_is_missing_is_named_with_its_remedy(
    lab: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    done = call("store", "sql", lab, "select 1")
    assert done.returncode == 2
    assert package in done.stderr
    assert "ssdlab[fleet]" in done.stderr


def test_text_of_a_run_is_made_printable(place: str) -> None:
    create_tables(place_of(place))
    rows = made_rows(1)
    rows.rows["runs"][0]["label"] = "a\x1b[31mb"
    add_rows(place_of(place), rows)
    for command in (("store", "ls"), ("runs",)):
        assert "\x1b[31m" not in call(*command, place).stdout


def test_list_of_ten_thousand_runs_is_one_read_of_a_pack(place: str) -> None:
    create_tables(place_of(place))
    template = made_rows(1).rows["runs"][0]
    table = open_table(place_of(place), "runs")
    more = pa.Table.from_pylist([template], schema=schema_of(FLEET_RUNS))
    ids = pa.array([f"r{number:06d}" for number in range(10_000)])
    more = pa.concat_tables([more] * 10_000).set_column(0, "run_id", ids)
    table.rewrite(Change(paths=(), more=more))
    done = call("runs", place)
    assert done.stdout.count("\n") == 10_001


def test_run_whose_file_has_fewer_columns_is_listed(lab: str) -> None:
    place = place_of(lab)
    content = pa.Table.from_pylist(
        made_rows(3).rows["runs"], schema=schema_of(FLEET_RUNS)
    )
    file = write_file(place, "runs", [content.drop_columns(["label"])], prefix=ONE_RUN)
    open_table(place, "runs").commit([file], {"run:earlier": 1})
    entries = json.loads(call("runs", lab, "--json").stdout)
    labels = {one["run_id"]: one["label"] for one in entries}
    assert len(labels) == 3
    assert labels[made_rows(3).run_id] == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "postgresql://ssd:secret@127.0.0.1:1/x"], "nothing was exported"),
        (["--to", "mysql://x/y"], "must begin with postgresql://"),
        (["--to", "postgresql://x:secret@y?nonsense=1"], "its address is not valid"),
        (["--to", "postgresql://x/y", "-o", "z"], "Name a folder with -o"),
        ([], "Name a folder with -o"),
    ],
)
def test_wrong_request_for_an_export_is_told(
    samples_store: Store, words: list[str], said: str
) -> None:
    done = call("store", "export", samples_store.url, *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "secret" not in done.stderr
