"""A run is read while it grows, by one who only watches."""

from pathlib import Path

import pandas as pd

from ssdlab.ingest.ingest import build_tables
from ssdlab.ingest.live import LiveNews, RunWatcher
from ssdlab.model.schema import TABLES
from ssdlab.store.tables import columns_to_frame
from tests.growing_run import SAMPLE, grow, held, run, set_status

__all__ = ["held", "run"]  # the fixtures


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
    for name in ("steps", "measurements", "percentiles", "bins", "series", "windows"):
        expected = columns_to_frame(TABLES[name], whole[name])
        pd.testing.assert_frame_equal(news.tables[name], expected)


def test_a_step_that_is_worked_on_is_not_read(held: Path) -> None:
    grow(held, 0, 2)
    step = next((held / "steps").iterdir())
    step.rename(step.with_name(f".{step.name}"))
    assert RunWatcher(held).look().steps == 1


def test_progress_is_told_as_the_run_tells_it(held: Path) -> None:
    assert RunWatcher(held).look().line == "it has started"
    (held / "progress.json").write_text('{"line": "lat rounds | 8 s left"}', "utf-8")
    assert RunWatcher(held).look().line == "lat rounds | 8 s left"


def test_a_run_whose_process_was_killed_does_not_go_on(run: Path) -> None:
    news = RunWatcher(run).look()
    assert (news.is_running, news.line) == (False, "no process is working on it")


def test_a_finished_run_does_not_go_on(held: Path) -> None:
    set_status(held, "finished")
    assert not RunWatcher(held).look().is_running
