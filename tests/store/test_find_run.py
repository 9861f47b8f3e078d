"""A run is found by its path, its id, a beginning of it, or as the latest."""

from pathlib import Path
from typing import Any

import pytest

import ssdlab
from ssdlab.model.errors import RunFolderError
from ssdlab.store import catalog
from ssdlab.store.records import RunState, write_state
from tests.paths import ROOT
from tests.store.folders import make_run


def find_run(text: str | Path, **choices: Any) -> Path:
    """Find a run; its path is absolute."""
    return catalog.find_run(text, **choices).resolve()


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs in data/runs, the newest of them not finished."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data" / "runs"
    folder.mkdir(parents=True)
    for name, day, status in (
        ("20260101-demo-aa", "2026-01-01", "finished"),
        ("20260102-demo-bb", "2026-01-02", "finished"),
        ("20260103-demo-cc", "2026-01-03", "interrupted"),
    ):
        run = make_run(folder / name, started_at=day)
        write_state(run, RunState(status=status))  # type: ignore[arg-type] # the above
    return folder


def test_latest_is_the_newest_run_that_finished(runs: Path) -> None:
    assert find_run("latest").name == "20260102-demo-bb"
    assert find_run("latest", runs=runs).name == "20260102-demo-bb"
    assert ssdlab.open_run("latest").record.run_id == "20260102-demo-bb"


def test_latest_is_of_the_statuses_that_are_asked_for(runs: Path) -> None:
    found = find_run("latest", statuses={"interrupted", "failed"})
    assert found == runs / "20260103-demo-cc"
    with pytest.raises(RunFolderError, match="none in it is running"):
        find_run("latest", statuses={"running"})


def test_latest_is_found_from_a_folder_of_notebooks(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runs.parents[1] / "notebooks").mkdir()
    monkeypatch.chdir(runs.parents[1] / "notebooks")
    assert find_run("latest") == runs / "20260102-demo-bb"


def test_latest_is_a_sample_only_when_asked_and_no_run_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "samples").symlink_to(ROOT / "data" / "samples")
    with pytest.raises(RunFolderError, match="there is no latest run"):
        find_run("latest")
    found = find_run("latest", or_sample=True)
    assert found == ROOT / "data" / "samples" / "virtual-all"
    make_run(tmp_path / "data" / "runs" / "one")  # interrupted
    assert find_run("latest", or_sample=True) == found


@pytest.mark.usefixtures("runs")
def test_own_runs_are_preferred_to_the_samples_once_enough_have_finished(
    tmp_path: Path,
) -> None:
    assert catalog.find_runs_folder(least=3)[0] == Path("data/runs")  # no samples here
    (tmp_path / "data" / "samples").symlink_to(ROOT / "data" / "samples")
    assert catalog.find_runs_folder(least=2) == (Path("data/runs"), "Runs: data/runs")
    samples, which = catalog.find_runs_folder(least=3)
    assert samples == Path("data/samples")
    assert "samples, as only 2 in data/runs" in which


@pytest.mark.parametrize(
    "text", ["20260101-demo-aa", "20260101", "data/runs/20260101-demo-aa"]
)
def test_run_is_found_by_what_names_it_alone(runs: Path, text: str) -> None:
    assert find_run(text) == runs / "20260101-demo-aa"


def test_run_in_a_renamed_folder_is_found_by_its_id(runs: Path) -> None:
    (runs / "20260101-demo-aa").rename(runs / "baseline")
    assert find_run("20260101-demo-aa") == runs / "baseline"
    assert find_run("base") == runs / "baseline"


def test_whole_name_is_preferred_to_a_beginning(runs: Path) -> None:
    make_run(runs / "20260101-demo-aa-again")
    assert find_run("20260101-demo-aa") == runs / "20260101-demo-aa"


def test_folder_here_is_preferred_to_a_run_of_that_name(runs: Path) -> None:
    make_run(runs.parents[1] / "2026")
    assert find_run("2026") == runs.parents[1] / "2026"
    make_run(runs.parents[1] / "latest")
    assert find_run("./latest") == runs.parents[1] / "latest"
    assert find_run(Path("latest")) == runs.parents[1] / "latest"
    assert find_run("latest") == runs / "20260102-demo-bb"


def test_beginning_of_several_runs_is_refused_with_their_names(runs: Path) -> None:
    with pytest.raises(RunFolderError) as caught:
        find_run("2026")
    assert runs.is_dir()
    assert "3 runs" in caught.value.reason
    assert "20260102-demo-bb" in caught.value.reason


@pytest.mark.parametrize("text", ["nowhere", "2027", "x" * 300, "a\0b"])
def test_text_that_names_no_run_is_refused(runs: Path, text: str) -> None:
    with pytest.raises(RunFolderError):
        find_run(text, runs=runs)
