"""A run that is going on is opened without a trace."""

import fcntl
from pathlib import Path

import pandas as pd
import pytest

import ssdlab
from ssdlab.ingest.ingest import build_tables, ingest_run
from ssdlab.ingest.opening import open_run
from ssdlab.model.schema import TABLES
from ssdlab.store import run as store
from ssdlab.store.tables import columns_to_frame
from tests.growing_run import SAMPLE, grow, held, run, set_status

__all__ = ["held", "run"]  # the fixtures


def files_of(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in sorted(folder.rglob("*"))
    }


def test_public_name_opens_runs_that_go_on() -> None:
    assert ssdlab.open_run is open_run


def test_run_that_goes_on_has_the_frames_of_its_finished_steps(held: Path) -> None:
    grow(held, 0, 1000)
    before = files_of(held)
    opened = open_run(held)
    whole = build_tables(SAMPLE)
    for name in TABLES:
        if name in {"runs", "findings", "telemetry"}:  # these say that it goes on
            continue
        expected = columns_to_frame(TABLES[name], whole[name])
        pd.testing.assert_frame_equal(getattr(opened, name), expected)
    assert opened.runs["status"].tolist() == ["running"]
    assert opened.steps is opened.steps
    assert files_of(held) == before


def test_standing_says_how_far_it_is(held: Path) -> None:
    assert open_run(held).standing == "The run is in progress; no step is finished yet."
    grow(held, 0, 12)
    opened = open_run(held)
    assert opened.is_going_on
    words = opened.standing
    assert "12 steps are finished, the last of lat, rounds, round" in words
    assert "again to see more" in words
    grow(held, 12, 13)
    assert "13 steps" in open_run(held).standing
    grow(held, 13, 1000)
    histogram = open_run(held)
    assert histogram.steps["round"].iloc[-1] is pd.NA
    assert "the last of lat, histogram. Open it again" in histogram.standing


def test_run_that_was_resumed_is_not_read_from_its_old_tables(run: Path) -> None:
    grow(run, 0, 3)
    ingest_run(run)
    grow(run, 3, 5)
    assert len(store.open_tables(run).steps) == 3
    with (run / "lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("4711")
        file.flush()
        assert len(open_run(run).steps) == 5


def test_run_that_was_killed_says_so(run: Path) -> None:
    grow(run, 0, 3)
    opened = open_run(run)
    assert not opened.is_going_on
    assert "no process works on it" in opened.standing
    assert len(opened.steps) == 3


@pytest.mark.parametrize("status", ["finished", "interrupted", "failed"])
def test_run_that_has_ended_is_read_from_its_tables(run: Path, status: str) -> None:
    grow(run, 0, 3)
    set_status(run, status)
    ingest_run(run)
    opened = open_run(run)
    assert opened.make is None
    assert status.removeprefix("is ") in opened.standing
    (run / "tables" / "runs.parquet").unlink()
    assert len(open_run(run).steps) == 3
