"""A run folder, opened, and the list of them."""

import gzip
from pathlib import Path

import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import TABLES
from ssdlab.store.catalog import list_runs
from ssdlab.store.run import open_tables
from ssdlab.store.tables import write_table
from ssdlab.system.folders import Folder
from tests.store.folders import STATE, make_run


def test_run_gives_its_papers_and_each_frame(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    (folder / "tables").mkdir()
    for table in TABLES.values():
        write_table(
            Folder(folder) / "tables",
            table,
            {name: [None] for name in table.column_names},
        )
    run = open_tables(str(folder))
    assert (run.record.run_id, run.state) == ("run", STATE)
    for name, table in TABLES.items():
        assert list(getattr(run, name).columns) == list(table.column_names)
    assert run.steps is run.steps


def test_frame_that_is_not_there_yet_is_named(tmp_path: Path) -> None:
    run = open_tables(make_run(tmp_path / "run"))
    with pytest.raises(RunFolderError, match=r"windows\.parquet does not exist yet"):
        run.windows  # noqa: B018 - reading it is the test


def test_raw_output_of_a_step_is_what_fio_said(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    step = folder / "steps" / "00001-iops-purge"
    step.mkdir()
    (step / "job.fio").write_text("[global]\n")
    (step / "command.txt").write_text("fio job.fio\n")
    (step / "fio.json.gz").write_bytes(gzip.compress(b"{said}"))
    run = open_tables(folder)
    assert run.raw_output(step.name) == b"{said}"
    assert run.job_file(step.name) == "[global]\n"
    assert run.command(step.name) == "fio job.fio"
    assert (run.job_file("no-step"), run.command("no-step")) == ("", "")


@pytest.mark.parametrize(
    "content",
    [None, b"plain", gzip.compress(b"x" * 9999)[:20], b"\x1f\x8b" + b"\0" * 30],
    ids=["missing", "no gzip", "cut", "damaged"],
)
def test_raw_output_is_refused_when_it_is_not_whole(
    tmp_path: Path, content: bytes | None
) -> None:
    folder = make_run(tmp_path / "run")
    step = folder / "steps" / "00002-x"
    step.mkdir()
    if content is not None:
        (step / "fio.json.gz").write_bytes(content)
    with pytest.raises(RunFolderError, match="no complete fio output"):
        open_tables(folder).raw_output(step.name)


def test_runs_are_listed_newest_first_and_damaged_ones_last(tmp_path: Path) -> None:
    make_run(tmp_path / "b", started_at="2026-01-02")
    make_run(tmp_path / "a", started_at="2026-01-03")
    old = make_run(tmp_path / "c", started_at="2026-01-01")
    (old / "steps" / "00001-iops-purge").mkdir()
    (old / "steps" / ".00002-iops-wipc").mkdir()
    broken = make_run(tmp_path / "d")
    (broken / "state.json").write_text("{")
    (tmp_path / "not a run").mkdir()
    make_run(tmp_path / ".cache")
    *runs, damaged = list_runs(tmp_path)
    assert [entry.run_id for entry in runs] == ["a", "b", "c"]
    assert (damaged.run_id, damaged.status) == ("d", "")
    assert "state.json is damaged" in damaged.trouble
    first = runs[-1]
    assert (first.steps, first.sessions, first.status) == (1, 2, "interrupted")
    assert (first.profile, first.tests) == ("demo", ("iops", "wsat"))
    assert first.device == "ssdlab virtual SSD VIRTUAL-1"
    assert first.trouble == ""


def test_list_is_empty_when_there_are_no_runs(tmp_path: Path) -> None:
    assert list_runs(tmp_path) == ()
    with pytest.raises(RunFolderError, match="No such file or directory"):
        list_runs(tmp_path / "nowhere")
