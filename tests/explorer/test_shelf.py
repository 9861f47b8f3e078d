"""Runs with and without tables on the shelf of an explorer."""

from pathlib import Path

import pandas as pd
import pytest

from ssdlab.campaign.ingest import ingest_run
from ssdlab.explorer.shelf import Shelf, Wanted
from ssdlab.model.errors import RunFolderError
from tests.growing_run import begin, grow, hold, set_status

NAME = "growing"
CELLS: Wanted = (NAME, "cells", "total")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return begin(tmp_path / NAME)


def cells_of(shelf: Shelf) -> pd.DataFrame:
    shelf.load(CELLS)
    frame = shelf.table(NAME, "cells")
    assert frame is not None
    return frame


def test_run_without_tables_has_the_cells_of_one_with_them(run: Path) -> None:
    grow(run, 0, 1000)
    set_status(run, "finished")
    bare = cells_of(Shelf(run.parent))
    ingest_run(run)
    pd.testing.assert_frame_equal(cells_of(Shelf(run.parent)), bare)


def test_run_whose_first_step_goes_on_says_so(run: Path) -> None:
    with pytest.raises(RunFolderError, match="no step of it has finished"):
        Shelf(run.parent).load(CELLS)


def test_run_that_was_taken_up_again_is_not_read_from_its_old_tables(
    run: Path,
) -> None:
    grow(run, 0, 20)
    ingest_run(run)
    grow(run, 20, 38)
    with hold(run):
        assert cells_of(Shelf(run.parent))["round"].max() == 4


def test_run_that_went_on_is_read_anew_when_one_looks_again(run: Path) -> None:
    grow(run, 0, 20)
    with hold(run):
        shelf = Shelf(run.parent)
        assert cells_of(shelf)["round"].max() == 2
        grow(run, 20, 1000)
        shelf.look_again(NAME)
        assert shelf.has(CELLS)  # whoever follows it brings what is new
        shelf.look_again()
        assert not shelf.has(CELLS)
    set_status(run, "finished")
    shelf.look_again(NAME)
    assert cells_of(shelf)["round"].max() == 7
