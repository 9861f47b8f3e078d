"""The recorded run of the virtual SSD that is part of the repository."""

import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.schema import OF_JOB_FILES, TABLES
from ssdlab.store.raw import StepRecord, read_all_steps
from ssdlab.store.run import Run, open_tables
from ssdlab.testing.replay import replay_run
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-lat"
FRAMES = sorted(TABLES)


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("sample") / "run"
    shutil.copytree(SAMPLE, folder)
    ingest_run(folder)
    return open_tables(folder)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return replay_run(SAMPLE, tmp_path_factory.mktemp("replay") / "run")


def frame_of(run: Run, name: str) -> pd.DataFrame:
    frame = getattr(run, name)
    assert isinstance(frame, pd.DataFrame)
    return frame


def test_sample_holds_raw_output_and_papers_alone() -> None:
    assert {path.name for path in SAMPLE.iterdir()} == {
        "run.json",
        "state.json",
        "steps",
        "telemetry",
    }
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*")) < 1_500_000


@pytest.mark.parametrize("name", FRAMES)
def test_opened_run_gives_a_frame_of_every_table(ingested: Run, name: str) -> None:
    frame = frame_of(ingested, name)
    assert tuple(frame.columns) == TABLES[name].column_names
    assert frame.empty == (name in OF_JOB_FILES)
    assert set(frame["run_id"]) <= {ingested.record.run_id}
    keys = [column.name for column in TABLES[name].columns if column.is_key]
    assert not frame.duplicated(keys).any()


def test_tables_are_equal_when_built_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(SAMPLE, folder)
    ingest_run(folder)
    first = open_tables(folder)
    frames = {name: frame_of(first, name) for name in FRAMES}
    shutil.rmtree(folder / "tables")
    ingest_run(folder)
    again = open_tables(folder)
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(frame, frame_of(again, name), check_exact=True)


@pytest.mark.parametrize("name", FRAMES)
def test_replay_gives_equal_tables_even_in_its_times(
    ingested: Run, replayed: Run, name: str
) -> None:
    pd.testing.assert_frame_equal(
        frame_of(ingested, name), frame_of(replayed, name), check_exact=True
    )


def test_replay_keeps_every_byte_of_the_raw_output(replayed: Run) -> None:
    def contents(run: Path) -> dict[str, bytes]:
        return {
            str(path.relative_to(run)): path.read_bytes()
            for path in sorted((run / "steps").rglob("*"))
            if path.is_file() and path.name != "step.json"
        }

    assert contents(replayed.path) == contents(SAMPLE)


def test_replay_keeps_every_record_of_a_step(replayed: Run) -> None:
    """The sample is of before there were digests of its files: a replay makes them."""

    def records(run: Path) -> list[StepRecord]:
        return [replace(step, files={}) for step in read_all_steps(run)]

    assert records(replayed.path) == records(SAMPLE)
    assert all(step.files for step in read_all_steps(replayed.path))


def test_sample_ended_as_its_windows_say(ingested: Run) -> None:
    windows = ingested.windows
    last = windows[windows["is_final"]]
    assert len(last) == 1
    assert windows["is_round_steady"].tolist() == [False] * (len(windows) - 1) + [True]
    assert ingested.steps["round"].max() == last["round"].item() == len(windows) + 4
