"""The command ``ssdlab import``: what it prints, and how it ends."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from ssdlab.cli import import_results
from ssdlab.cli.group import main
from ssdlab.store.run import open_tables
from tests.importers.made import IOPS_CELLS, write_cell, write_rounds

COMMAND = import_results.import_results.name or ""


def run_import(*words: str) -> Result:
    return CliRunner().invoke(main, [COMMAND, *words], catch_exceptions=False)


def test_import_prints_where_the_run_is_and_its_verdict(tmp_path: Path) -> None:
    write_rounds(tmp_path / "in", IOPS_CELLS, rounds=5)
    (tmp_path / "in" / "notes\x1b[31m.txt").write_text("notes")
    words = (str(tmp_path / "in"), "--runs", str(tmp_path / "runs"))
    done = run_import(*words, "--device-label", "HG6", "--label", "mine")
    (folder,) = (tmp_path / "runs").iterdir()
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        f"run      {folder}",
        f"tables   {folder / 'tables'}",
        f"report   {folder / 'report.html'}",
    ]
    assert any(line.startswith("Random write") for line in lines)
    assert lines[-6:] == [
        "",
        "iops  steady in rounds 1 - 5",
        "",
        "procedure                 departs from PTS 2.0.2 in 2 points (2 major)",
        "steady state              reached",
        "doubts about the numbers  none",
    ]
    assert done.stderr.startswith("left out ")
    assert "\x1b" not in done.stderr
    assert (folder / "report.html").is_file()
    assert open_tables(folder).record.target.model == "HG6"


def test_import_prints_json(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", {"rw": "randread"}, reads=1000)
    done = run_import(str(path), "--runs", str(tmp_path / "runs"), "--json")
    said = json.loads(done.stdout)
    assert said["tests"] == ["custom"]
    assert said["left_out"] == []
    assert Path(said["report"]).is_file()


def test_import_of_what_is_none_ends_with_2_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text("{}")
    done = run_import(str(tmp_path / "in"), "--runs", str(tmp_path / "runs"))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "none of 1 files" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_same_import_makes_no_second_run_unless_asked(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", {"rw": "randread"}, reads=1000)
    words = [str(path), "--runs", str(tmp_path / "runs")]
    assert run_import(*words).exit_code == 0
    (first,) = (tmp_path / "runs").iterdir()
    path = path.rename(tmp_path / "b.json")
    done = run_import(str(path), *words[1:])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"These results were imported before: {first}. Open that run" in done.stderr
    assert list((tmp_path / "runs").iterdir()) == [first]
    assert run_import(str(path), *words[1:], "--label", "other").exit_code == 0
    assert run_import(str(path), *words[1:], "--again").exit_code == 0
    write_cell(path, {"rw": "randread"}, reads=1001)
    assert run_import(str(path), *words[1:]).exit_code == 0
    assert len(list((tmp_path / "runs").iterdir())) == 4


def test_what_else_lies_in_the_folder_of_runs_is_no_import(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", {"rw": "randread"}, reads=1000)
    for name, text in (("x", "[]"), ("y", "{"), ("z", '{"fingerprint": 7}')):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "import.json").write_text(text)
    (tmp_path / "runs" / "w").mkdir()
    (tmp_path / "runs" / "w" / "import.json").symlink_to(path)
    assert run_import(str(path), "--runs", str(tmp_path / "runs")).exit_code == 0
