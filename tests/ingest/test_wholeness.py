"""Tables are never replaced by less than was measured, and only as a whole."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from ssdlab.ingest.ingest import ingest_run, plan_inputs
from ssdlab.ingest.opening import open_run
from ssdlab.ingest.wholeness import hash_plan
from ssdlab.model.errors import RunFolderError
from ssdlab.procedures.peak.spec import peak
from ssdlab.report import render_report
from ssdlab.store.raw import read_all_steps
from ssdlab.store.records import read_record, write_record
from tests.made_procedure import measure_made
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"
CUT_SAMPLES = ("file", "virtual-a", "virtual-all")


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    shutil.copytree(SAMPLES / "virtual-lat", folder)
    ingest_run(folder)
    return folder


@pytest.fixture
def run(ingested: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ingested, tmp_path / "run"))


def ingest(run: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["ingest", str(run), *options])


def contents(run: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (run / "tables").iterdir()}


def refused(run: Path, lost: str) -> None:
    before = contents(run)
    result = ingest(run)
    assert result.exit_code == 2
    assert lost in result.stderr
    assert "--drop-missing" in result.stderr
    assert contents(run) == before
    assert not list(run.glob(".tables*"))


@pytest.mark.parametrize("name", CUT_SAMPLES)
def test_sample_cut_to_some_of_its_steps_keeps_its_tables(
    name: str, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(SAMPLES / name, tmp_path / name))
    refused(run, "steps that were carried out would be lost")


def test_what_is_left_is_written_when_the_user_says_so(tmp_path: Path) -> None:
    run = Path(shutil.copytree(SAMPLES / "virtual-a", tmp_path / "run"))
    assert ingest(run, "--drop-missing").exit_code == 0
    kept = {record.step.step_id for record in read_all_steps(run)}
    opened = open_run(run)
    assert set(opened.steps["step_id"]) == kept
    last = max(int(step_id[:5]) for step_id in kept)
    words = f"steps: {last - len(kept)} of {last} steps are missing"
    found = opened.findings.set_index("code").loc["steps-missing"]
    assert found["severity"] == "grave"
    assert found["words"].startswith(words)
    assert words in opened.runs["departures"].item()
    assert not opened.runs["is_conformant"].item()
    assert words in render_report(opened).partition("</main>")[0]
    assert ingest(run).exit_code == 2  # the numbers of the steps still tell


@pytest.mark.parametrize("place", [0, 20, -1])
def test_a_step_that_is_gone_is_missed(run: Path, place: int) -> None:
    shutil.rmtree(sorted((run / "steps").iterdir())[place])
    refused(run, "steps")


def test_a_whole_run_misses_no_step(run: Path) -> None:
    codes = {"steps-missing", "telemetry-missing"}
    assert not codes & set(open_run(run).findings["code"])
    shutil.rmtree(sorted((run / "steps").iterdir())[20])
    assert ingest(run, "--drop-missing").exit_code == 0
    count = len(list((run / "steps").iterdir())) + 1
    found = open_run(run).findings.set_index("code").loc["steps-missing"]
    words = f"steps: 1 of {count} steps are missing, the first is number 21"
    assert found["words"] == words


def test_the_last_step_is_missed_when_there_are_no_tables(tmp_path: Path) -> None:
    run = measure_made(tmp_path / "run", peak(), lambda _: 100.0).path
    record = read_record(run)
    write_record(run, replace(record, plan_hash=hash_plan(*plan_inputs(record))))
    shutil.rmtree(run / "tables")
    assert ingest(run).exit_code == 0
    shutil.rmtree(run / "tables")
    shutil.rmtree(max((run / "steps").iterdir()))
    result = ingest(run)
    assert result.exit_code == 2
    assert "the end of the run" in result.stderr
    assert not (run / "tables").exists()
    with pytest.raises(RunFolderError, match="the end of the run"):
        _ = open_run(run).measurements
    assert ingest(run, "--drop-missing").exit_code == 0
    found = open_run(run).findings.set_index("code").loc["steps-missing"]
    count = len(list((run / "steps").iterdir()))
    assert found["words"].startswith(f"steps: those after number {count} are missing")


def test_the_log_of_a_step_that_is_gone_is_missed(run: Path) -> None:
    logs = sorted(run.glob("steps/*/series_*.log.gz"))
    for log in logs:
        if log.parent == logs[0].parent:
            log.unlink()
    refused(run, "the series of 1 of")


def test_telemetry_that_is_gone_is_missed(run: Path) -> None:
    shutil.rmtree(run / "telemetry")
    refused(run, "telemetry readings")


def _empty(run: Path) -> None:
    next((run / "telemetry").iterdir()).write_text("")


def _cut_end(run: Path) -> None:
    log = next((run / "telemetry").iterdir())
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:5]))


def _cut_begin(run: Path) -> None:
    log = next((run / "telemetry").iterdir())
    log.write_text("".join(log.read_text().splitlines(keepends=True)[-5:]))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda run: shutil.rmtree(run / "telemetry"), "its readings are missing"),
        (_empty, "its readings are missing"),
        (_cut_end, "its last 1 min 10 s are missing"),
        (_cut_begin, "its first 1 min 10 s are missing"),
    ],
)
def test_telemetry_that_is_gone_is_missed_without_tables_and_a_finding(
    run: Path, spoil: Callable[[Path], None], words: str
) -> None:
    shutil.rmtree(run / "tables")
    spoil(run)
    result = ingest(run)
    assert result.exit_code == 2
    assert "telemetry readings of 1 session would be lost" in result.stderr
    assert not (run / "tables").exists()
    assert ingest(run, "--drop-missing").exit_code == 0
    opened = open_run(run)
    found = opened.findings.set_index("code").loc["telemetry-missing"]
    assert found["severity"] == "grave"
    assert found["words"] == f"telemetry: session 1 of 1: {words}"
    assert found["words"] in opened.runs["doubts"].item()
    assert not opened.runs["is_conformant"].item()


def test_the_output_of_a_step_that_is_gone_is_missed(run: Path) -> None:
    next(run.glob("steps/*/fio.json.gz")).unlink()
    before = contents(run)
    assert ingest(run).exit_code == 2
    assert contents(run) == before


def test_a_whole_run_is_ingested_again_with_equal_tables(run: Path) -> None:
    before = contents(run)
    assert ingest(run).exit_code == 0
    assert contents(run) == before
    assert not list(run.glob(".tables*"))


@pytest.mark.parametrize("damage", ["not parquet", ""])
def test_damaged_tables_are_built_anew(run: Path, damage: str) -> None:
    before = contents(run)
    for path in (run / "tables").iterdir():
        path.write_text(damage)
    assert ingest(run).exit_code == 0
    assert contents(run) == before


def test_what_is_no_table_is_not_removed_with_the_tables(run: Path) -> None:
    (run / "tables" / "notes.txt").write_text("mine")
    result = ingest(run)
    assert result.exit_code == 2
    assert "tables/notes.txt" in result.stderr
    assert (run / "tables" / "notes.txt").read_text() == "mine"


def test_a_folder_where_a_table_belongs_is_named(run: Path) -> None:
    (run / "tables" / "series.parquet").unlink()
    (run / "tables" / "series.parquet").mkdir()
    result = ingest(run)
    assert result.exit_code == 2
    assert "tables/series.parquet" in result.stderr
    assert "Traceback" not in result.stderr


DIE = """
import os, sys
from pathlib import Path
from ssdlab.ingest.ingest import ingest_run, plan_inputs
from ssdlab.system.folders import Folder

left = 0

def dying(real):
    def called(self, *arguments, **named):
        global left
        if left == 0:
            os._exit(9)
        left -= 1
        return real(self, *arguments, **named)
    return called

for name in ("move", "remove_tree", "make_new"):
    setattr(Folder, name, dying(getattr(Folder, name)))
for left, run in enumerate(sys.argv[1:]):
    child = os.fork()
    if not child:
        ingest_run(Path(run))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
CALLS = range(6)


@pytest.fixture(scope="module")
def killed(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    """Return runs whose ingest was killed at each of its calls, but for the last."""
    folder = tmp_path_factory.mktemp("killed")
    runs = [shutil.copytree(ingested, folder / str(calls)) for calls in CALLS]
    command = [sys.executable, "-c", DIE, *map(str, runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == [*"99999", "0"]
    return runs


@pytest.mark.parametrize("calls", CALLS)
def test_a_kill_at_any_moment_leaves_the_old_tables_or_the_new(
    killed: Sequence[Path], ingested: Path, calls: int
) -> None:
    run, frame = killed[calls], open_run(ingested).measurements
    pd.testing.assert_frame_equal(open_run(run).measurements, frame)
    for path in run.glob(".tables.*[0-9a-f]"):
        os.utime(path, (0, 0))
    assert ingest(run).exit_code == 0
    pd.testing.assert_frame_equal(open_run(run).measurements, frame)
    assert not list(run.glob(".tables*"))
