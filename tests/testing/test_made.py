"""Runs of a model: the real way to the tables brings its truth back."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import TABLES
from ssdlab.model.step import Step
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.store.raw import read_all_steps, steps_folder
from ssdlab.store.run import Run
from ssdlab.system.folders import Folder
from ssdlab.testing import Answer, ModelDrive, Settling, make_run, replay_run
from ssdlab.testing.backend import STARTED_S, ModelBackend, StepsEndedError
from ssdlab.testing.made import make_record

Make = Callable[..., Run]
DRIVE = ModelDrive()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("made") / "run")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def of(name: str = "run", **asked: object) -> Run:
        return make_run(tmp_path / name, **asked)  # type: ignore[arg-type] # by name

    return of


def totals(run: Run) -> pd.DataFrame:
    frame = run.measurements
    return frame[frame["direction"] == "total"].set_index("step_id")


def test_run_is_whole_and_said_to_be_of_a_model(whole: Run) -> None:
    assert whole.state.status == "finished"
    assert whole.record.target.kind == "virtual"
    assert whole.record.label == "made by a model"
    assert whole.runs["is_virtual"].item()
    assert set(whole.findings["code"]) >= {"virtual-target", "time-scaled"}


def test_iops_of_every_cell_are_those_of_the_model(whole: Run) -> None:
    measured = totals(whole)
    steps = [kept.step for kept in read_all_steps(whole.path) if kept.step.workload]
    true = np.array([DRIVE.iops(step) for step in steps])
    runtimes_s = measured["runtime_s"].to_numpy()
    assert measured.index.tolist() == [step.step_id for step in steps]
    assert (abs(measured["iops"].to_numpy() - true) * runtimes_s <= 1).all()


def test_latency_of_every_cell_is_that_of_the_model(whole: Run) -> None:
    measured = totals(whole)["lat_mean_ns"]
    for kept in read_all_steps(whole.path):
        if kept.step.workload is not None:
            true_ns = DRIVE.answer(kept.step).latency.mean_ns
            assert measured[kept.step.step_id] == pytest.approx(true_ns, rel=0.01)


def test_every_test_gets_steady_when_the_model_has_settled(whole: Run) -> None:
    assert whole.answers.is_steady
    final = whole.windows[whole.windows["is_final"]]
    assert set(final["test"]) == {"iops", "tp", "lat", "wsat"}
    assert (final.loc[final["test"] != "wsat", "round"] == 6).all()


def test_times_are_those_of_a_drive_and_gaps_those_of_the_backend(whole: Run) -> None:
    steps = whole.steps
    assert steps["started_s"].iloc[0] == pytest.approx(STARTED_S + 0.25)
    assert steps.loc[steps["phase"] == "histogram", "duration_s"].tolist() == (
        pytest.approx([8.0, 8.0], abs=1e-3)
    )
    armed = steps.loc[steps["was_armed"], "idle_before_s"]
    assert armed.to_numpy(float) == pytest.approx(0.004, abs=2e-3)


def test_raw_output_of_a_step_is_there_with_its_job(whole: Run) -> None:
    step = whole.steps["step_id"].iloc[2]
    assert whole.raw_output(step).startswith(b'{"fio version": "fio-3.33"')
    assert "rw=randread" in whole.job_file(step)
    assert whole.command(step).startswith("fio --output-format=json+")
    purge = whole.steps["step_id"].iloc[0]
    assert "as if never used" in whole.purge_record(purge)


def test_two_runs_of_one_model_are_alike_to_the_last_byte(make: Make) -> None:
    asked = {"tests": ["lat"], "drive": ModelDrive(noise_ratio=0.01)}
    runs = [make(name, **asked) for name in ("a", "b")]
    digests = [
        {
            str(path.relative_to(run.path)): hashlib.sha256(path.read_bytes()).digest()
            for path in sorted(run.path.rglob("*"))
            if path.is_file()
        }
        for run in runs
    ]
    assert digests[0] == digests[1]


def test_run_of_a_model_that_never_settles_is_not_steady(make: Make) -> None:
    drive = ModelDrive(settling=Settling(fresh_ratio=30, cliff_round=5, fall_rounds=4))
    run = make(tests=["lat"], drive=drive)
    assert not run.answers.is_steady
    assert run.answers.is_over
    assert run.windows["round"].max() == 10  # so many rounds the demo has at most


def test_faster_drive_is_as_much_faster_in_the_tables(make: Make) -> None:
    slow = make("slow", tests=["lat"], drive=ModelDrive(write_ns=100_000))
    fast = make("fast", tests=["lat"], drive=ModelDrive(write_ns=10_000))
    slow_ns, fast_ns = (run.windows["average"].iloc[-1] for run in (slow, fast))
    assert slow_ns - fast_ns == pytest.approx(90_000, rel=0.03)


def test_run_stopped_after_some_steps_is_interrupted(make: Make) -> None:
    run = make(tests=["lat"], steps=20)
    assert run.state.status == "interrupted"
    assert len(run.steps) == 20
    assert not run.answers.is_over
    assert "unfinished" in set(run.findings["code"])
    assert open_run(run.path).steps.shape == run.steps.shape


def test_run_of_no_step_has_empty_tables(make: Make) -> None:
    run = make(tests=["lat"], steps=0)
    assert all(getattr(run, name).empty for name in TABLES if name not in _ALWAYS)


_ALWAYS = {"runs", "findings"}


def test_profile_of_the_standard_is_carried_out_in_full(make: Make) -> None:
    run = make(asked="pts-2.0-enterprise", tests=["lat"])
    assert run.answers.is_steady
    assert totals(run)["runtime_s"].max() == 1200
    assert set(run.findings["code"]) == {"virtual-target", "write-cache"}


def test_procedure_is_carried_out_as_well(make: Make) -> None:
    procedure = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12)
    run = make(asked=procedure)
    assert run.record.is_procedure
    assert len(run.measurements)


def test_record_may_be_changed_before_the_run(make: Make) -> None:
    record = make_record(tests=["lat"], label="of mine")
    run = make(asked=replace(record, write_cache="enabled"))
    assert run.record.write_cache == "enabled"
    assert run.record.label == "of mine"


def test_waits_of_a_plan_are_part_of_its_gaps(make: Make) -> None:
    run = make(tests=["hir"])
    waited = run.steps[run.steps["wait_s"] > 0]
    late_s = waited["idle_before_s"].to_numpy(float) - waited["wait_s"].to_numpy(float)
    assert len(waited)
    assert late_s == pytest.approx(0.004, abs=0.25)


def test_anything_may_answer_for_the_drive(make: Make) -> None:
    class Constant:
        """A drive of 500 IOPS whatever it is asked."""

        def answer(self, step: Step) -> Answer:
            return replace(DRIVE.answer(step), iops=500.0)

    run = make(tests=["lat"], drive=Constant())
    cells = totals(run).query("kind == 'cell'")
    assert (cells["iops"] == 500).all()


def test_folder_that_has_a_run_already_is_refused(make: Make) -> None:
    make(tests=["lat"], steps=3)
    with pytest.raises(RunFolderError, match="it already holds steps"):
        make(tests=["lat"], steps=3)


def test_made_run_is_replayed_as_it_was(make: Make, tmp_path: Path) -> None:
    run = make(tests=["lat"])
    again = replay_run(run.path, tmp_path / "again")
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(run, name), getattr(again, name))


def test_backend_ends_before_the_step_that_is_too_many(tmp_path: Path) -> None:
    (kept, *_) = read_all_steps(make_run(tmp_path / "run", tests=["lat"]).path)
    place = steps_folder(tmp_path) / "next"
    with pytest.raises(StepsEndedError):
        ModelBackend(steps=0).run(kept.step, place, None, hold=False)
    assert not Folder(tmp_path).has("steps")
