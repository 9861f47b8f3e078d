"""Notebooks go where a user works with them, and never over the user's work."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.notebook import copy_notebooks
from ssdlab.store.catalog import list_runs
from ssdlab.store.run import open_tables
from tests.made_run import Recipe, make_run
from tests.paths import ROOT

NAMES = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_all_notebooks_are_copied_with_samples_to_open(tmp_path: Path) -> None:
    new = dict.fromkeys([*NAMES, "data/samples"], "new")
    assert copy_notebooks(tmp_path / "mine") == new
    for name in NAMES:
        ours = (ROOT / "notebooks" / name).read_bytes()
        assert (tmp_path / "mine" / name).read_bytes() == ours
    samples = list_runs(tmp_path / "mine" / "data" / "samples")
    assert "virtual-lat" in {Path(entry.path).name for entry in samples}


def test_changed_notebook_is_kept_and_said_so(tmp_path: Path) -> None:
    first = CliRunner().invoke(main, ["notebooks", str(tmp_path)])
    assert f"{tmp_path / 'data' / 'samples'}  new" in first.output
    changed = tmp_path / NAMES[0]
    changed.write_text("{}")
    done = CliRunner().invoke(main, ["notebooks", str(tmp_path)])
    assert done.exit_code == 0
    assert changed.read_text() == "{}"
    assert f"{changed}  kept: " in done.output
    assert done.output.count("unchanged") == len(NAMES) - 1


def test_samples_are_not_copied_where_notebooks_find_some(tmp_path: Path) -> None:
    (tmp_path / "data" / "samples").mkdir(parents=True)
    copy_notebooks(tmp_path / "notebooks")
    assert not (tmp_path / "notebooks" / "data").exists()


@pytest.mark.parametrize("command", ["notebooks", "lab"])
def test_folder_that_cannot_be_made_is_exit_code_2(command: str) -> None:
    root = ["--allow-root"] if command == "lab" else []
    done = CliRunner().invoke(main, [command, "/dev/null/there", *root])
    assert done.exit_code == 2
    assert "/dev/null/there" in done.output


def test_run_named_from_a_folder_of_notebooks_is_found_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "data" / "runs" / "one", Recipe(tests=("lat",)))
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert open_tables("data/runs/one").path == run.path
    assert [entry.path for entry in list_runs()] == [str(run.path)]
    assert [entry.path for entry in list_runs("data/runs")] == [str(run.path)]
