"""The folder of a run is made whole or not at all, and its tables as they can be."""

import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ssdlab.engine.execution import write_tables
from ssdlab.engine.folders import write_papers as make_run_of
from ssdlab.model.errors import RunFolderError
from ssdlab.store.records import read_record, read_state
from tests.engine.plans import write_papers
from tests.paths import ROOT


@contextmanager
def room_for(size_bytes: int) -> Iterator[None]:
    """Let no file become larger than this."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("room_bytes", [10, 200], ids=["none", "for the state alone"])
def test_folder_that_cannot_be_written_is_taken_away(
    tmp_path: Path, room_bytes: int
) -> None:
    write_papers(tmp_path / "made")
    record, folder = read_record(tmp_path / "made"), tmp_path / "runs" / "run"
    (folder / "steps").mkdir(parents=True)
    with (
        room_for(room_bytes),
        pytest.raises(RunFolderError, match=r"cannot be written .*Free disk space"),
    ):
        make_run_of(folder, record)
    assert not folder.exists()


def test_folder_that_is_written_is_that_of_a_run_under_way(tmp_path: Path) -> None:
    write_papers(tmp_path / "made")
    record, folder = read_record(tmp_path / "made"), tmp_path / "run"
    folder.mkdir()
    make_run_of(folder, record)
    assert read_record(folder) == record
    assert read_state(folder).status == "running"


def test_tables_that_cannot_be_written_are_told_and_can_be_later(
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"
    shutil.copytree(ROOT / "data" / "samples" / "virtual-lat", run)
    words = rf"everything was measured, but its tables .*: ssdlab resume {run}"
    with room_for(2000), pytest.raises(RunFolderError, match=words):
        write_tables(run)
    assert len(write_tables(run).steps) > 10
