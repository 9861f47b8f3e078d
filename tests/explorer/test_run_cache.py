"""Runs with and without tables on the run_cache of an explorer."""

from pathlib import Path

import pandas as pd
import pytest

from ssdlab.explorer.run_cache import RunCache, Wanted
from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.errors import RunFolderError
from tests.growing_run import begin, grow, hold, set_status

NAME = "growing"
CELLS: Wanted = (NAME, "cells", "total")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return begin(tmp_path / NAME)


def cells_of(run_cache: RunCache) -> pd.DataFrame:
    run_cache.load(CELLS)
    frame = run_cache.table(NAME, "cells")
    assert frame is not None
    return frame


def test_run_without_tables_has_the_cells_of_one_with_them(run: Path) -> None:
    grow(run, 0, 1000)
    set_status(run, "finished")
    bare = cells_of(RunCache(run.parent))
    ingest_run(run)
    pd.testing.assert_frame_equal(cells_of(RunCache(run.parent)), bare)


def test_run_whose_first_step_goes_on_says_so(run: Path) -> None:
    with pytest.raises(RunFolderError, match="no step"):
        RunCache(run.parent).load(CELLS)


def test_run_that_was_taken_up_again_is_not_read_from_its_old_tables(
    run: Path,
) -> None:
    grow(run, 0, 20)
    ingest_run(run)
    grow(run, 20, 38)
    with hold(run):
        assert cells_of(RunCache(run.parent))["round"].max() == 4


def test_run_that_went_on_is_read_again_after_a_refresh(run: Path) -> None:
    grow(run, 0, 20)
    with hold(run):
        run_cache = RunCache(run.parent)
        assert cells_of(run_cache)["round"].max() == 2
        grow(run, 20, 1000)
        run_cache.refresh(NAME)
        assert run_cache.has(CELLS)  # whoever follows it brings what is new
        run_cache.refresh()
        assert not run_cache.has(CELLS)
    set_status(run, "finished")
    run_cache.refresh(NAME)
    assert cells_of(run_cache)["round"].max() == 7
