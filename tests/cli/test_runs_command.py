"""`ssdlab runs`, and what `ssdlab` alone says: the runs of a folder."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.called import call
from tests.made_run import Recipe, make_run
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run and one that is damaged."""
    place = tmp_path_factory.mktemp("runs")
    make_run(place / "20261124-100000-made-0001", Recipe(tests=("lat",), rounds=5))
    (place / "broken").mkdir()
    (place / "broken" / "run.json").write_text("{")
    return place


def test_runs_are_a_table_with_headings_and_the_newest_first() -> None:
    done = call("runs", "--runs", SAMPLES)
    head, *rows = done.stdout.splitlines()
    assert head.split() == [
        *("run", "started", "took", "label", "device", "profile", "tests"),
        *("result", "procedure", "doubts"),
    ]
    listed = json.loads(call("runs", "--runs", SAMPLES, "--json").stdout)
    names = [Path(entry["path"]).name for entry in listed]
    assert [row.split()[0] for row in rows] == names
    starts = [entry["started_at"] for entry in listed]
    assert starts == sorted(starts, reverse=True)
    place = head.index("profile")
    kinds = {row[place:].split()[0] for row in rows}
    assert kinds == {entry["profile"] for entry in listed}


def test_a_finished_run_shows_whether_it_got_steady(folder: Path) -> None:
    done = call("runs", "--runs", folder)
    (row,) = [line for line in done.stdout.splitlines() if "made-0001" in line]
    (entry,) = [
        one
        for one in json.loads(call("runs", "--runs", folder, "--json").stdout)
        if not one["trouble"]
    ]
    assert ("✓ steady" in row) == (entry["is_steady"] is True)
    assert ("✗ not steady" in row) == (entry["is_steady"] is False)
    assert "broken: " in done.stderr
    assert "broken" not in done.stdout


@pytest.mark.parametrize("name", ["virtual-all", "file", "tkperf-intel-s3510"])
def test_runs_and_show_agree_on_a_run_of_an_earlier_version(name: str) -> None:
    listed = json.loads(call("runs", SAMPLES, "--json").stdout)
    (entry,) = [one for one in listed if Path(one["path"]).name == name]
    shown = json.loads(call("show", SAMPLES / name, "--json").stdout)
    assert entry["doubts"] == len(shown["doubts"])
    assert entry["is_conformant"] == shown["conforms"]
    judged = set(shown["steady_state"].values()) - {"not judged"}
    assert entry["is_steady"] == ("not reached" not in judged)


def test_finding_of_a_severity_that_does_not_exist_leaves_a_run_unknown(
    tmp_path: Path,
) -> None:
    place = tmp_path / "odd"
    shutil.copytree(SAMPLES / "virtual-all", place)
    file = place / "tables" / "findings.parquet"
    table = pq.read_table(file)
    at = table.schema.get_field_index("severity")
    odd = pa.array(["odd"] * table.num_rows, pa.string())
    pq.write_table(table.set_column(at, table.schema.field(at), odd), file)
    row = call("runs", tmp_path).stdout.splitlines()[1]
    assert row.split()[-2:] == ["unknown", "unknown"]


def test_what_no_table_tells_is_shown_as_unknown(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "virtual-lat", tmp_path / "bare")
    shutil.rmtree(tmp_path / "bare" / "tables", ignore_errors=True)
    row = call("runs", tmp_path).stdout.splitlines()[1]
    assert row.split()[-3:] == ["finished", "unknown", "unknown"]


def test_folder_is_named_by_its_place_or_by_the_option() -> None:
    placed = call("runs", SAMPLES)
    assert (placed.returncode, placed.stdout) == (
        0,
        call("runs", "--runs", SAMPLES).stdout,
    )
    assert call("runs", SAMPLES, "--runs", SAMPLES).returncode == 2


def test_ssdlab_alone_says_what_can_be_done_next(folder: Path) -> None:
    done = call(SSDLAB_RUNS=str(folder), COLUMNS="100")
    assert done.returncode == 0
    assert "20261124-100000-made-0001" in done.stdout.splitlines()[0]
    assert "ssdlab report latest" in done.stdout


def test_ssdlab_alone_is_the_help_where_there_are_no_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call().stdout == call("--help").stdout


def test_a_run_is_named_by_its_beginning(folder: Path) -> None:
    named = call("qos", "20261124-10", "--list", SSDLAB_RUNS=str(folder))
    latest = call("qos", "latest", "--list", SSDLAB_RUNS=str(folder))
    path = call("qos", folder / "20261124-100000-made-0001", "--list")
    assert (named.returncode, named.stdout) == (0, path.stdout)
    assert latest.stdout == path.stdout


def test_a_wrong_name_of_a_run_is_guessed(folder: Path) -> None:
    done = call("report", "20261124-100000-made-0002", SSDLAB_RUNS=str(folder))
    assert done.returncode == 2
    assert "Did you mean 20261124-100000-made-0001?" in done.stderr
