"""A run is read while it grows, by one who only watches."""

import fcntl
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from ssdlab.campaign.ingest import build_tables
from ssdlab.campaign.live import LiveNews, RunWatcher
from ssdlab.model.schema import TABLES
from ssdlab.store.tables import columns_to_frame
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-lat"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "growing"
    (folder / "steps").mkdir(parents=True)
    shutil.copy(SAMPLE / "run.json", folder)
    set_status(folder, "running")
    return folder


@pytest.fixture
def held(run: Path) -> Iterator[Path]:
    with (run / "lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("4711")
        file.flush()
        yield run


def set_status(run: Path, status: str) -> None:
    state = json.loads((SAMPLE / "state.json").read_bytes())
    (run / "state.json").write_text(json.dumps(state | {"status": status}), "utf-8")


def grow(run: Path, first: int, end: int) -> None:
    for step in sorted((SAMPLE / "steps").iterdir())[first:end]:
        shutil.copytree(step, run / "steps" / step.name)


def last_news(watcher: RunWatcher) -> LiveNews:
    news = watcher.look()
    while news.is_behind:
        news = watcher.look()
    return news


def test_new_steps_are_read_once_and_add_up_to_the_tables_of_the_whole(
    held: Path,
) -> None:
    watcher = RunWatcher(held)
    assert watcher.look().tables is None
    grow(held, 0, 3)
    news = watcher.look()
    assert (news.steps, news.is_running, news.is_behind) == (3, True, False)
    assert news.tables is not None
    assert len(news.tables["measurements"]) > 0
    assert watcher.look().tables is None
    grow(held, 3, 1000)
    news = last_news(watcher)
    whole = build_tables(SAMPLE)
    assert news.tables is not None
    for name in ("steps", "measurements", "percentiles", "bins", "series"):
        expected = columns_to_frame(TABLES[name], whole[name])
        pd.testing.assert_frame_equal(news.tables[name], expected)


def test_a_step_that_is_worked_on_is_not_read(held: Path) -> None:
    grow(held, 0, 2)
    step = next((held / "steps").iterdir())
    step.rename(step.with_name(f".{step.name}"))
    assert RunWatcher(held).look().steps == 1


def test_progress_is_told_as_the_run_tells_it(held: Path) -> None:
    assert RunWatcher(held).look().line == "it has begun"
    (held / "progress.json").write_text('{"line": "lat rounds | 8 s left"}', "utf-8")
    assert RunWatcher(held).look().line == "lat rounds | 8 s left"


def test_a_run_whose_process_was_killed_does_not_go_on(run: Path) -> None:
    news = RunWatcher(run).look()
    assert (news.is_running, news.line) == (False, "nobody works on it any more")


def test_a_finished_run_does_not_go_on(held: Path) -> None:
    set_status(held, "finished")
    assert not RunWatcher(held).look().is_running
