"""Recordings: found by name or by step, replayed as they were, or refused by name."""

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.errors import FioOutputError, PlanMismatchError, RunFolderError
from ssdlab.model.schema import TABLES
from ssdlab.model.step import Step
from ssdlab.store.raw import (
    put_aside_unfinished,
    read_all_steps,
    read_raw_output,
    steps_folder,
)
from ssdlab.store.records import RunState, read_record, read_state, write_state
from ssdlab.store.run import Run, open_tables
from ssdlab.system.folders import Folder
from ssdlab.testing.carry_out import carry_out
from ssdlab.testing.replay import (
    Recording,
    ReplayBackend,
    StepNotRecordedError,
    Stimulus,
    read_recorded_files,
    read_recorded_run,
    replay_run,
    stimulus_of,
)
from tests.engine.plans import (
    INPUTS,
    KIB,
    cell_name,
    drive,
    random_cell,
    write_papers,
)
from tests.fakes import FakeBackend, Mishap, fio_output
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-lat"
NAME = "bs{block_size}_read{read_percent}_round{round}.json"
CELLS = Stimulus(test_id="iops", kind="cell", access="rnd")
NOWHERE = Folder(Path("/nowhere"))
STEP = Step(
    step_id="00003-iops-rounds-r002-rnd-4KiB-r65",
    test_id="iops",
    phase_id="rounds",
    kind="cell",
    round=2,
    cell=1,
    workload=random_cell(4 * KIB, 65),
    runtime_s=1,
)
OUTPUT = fio_output(STEP, iops=1000, ended_s=100.5)


def found(folder: Path, *names: str, pattern: str = NAME) -> Recording:
    for name in names:
        (folder / name).write_bytes(OUTPUT)
    return read_recorded_files(folder, pattern, like=CELLS)


@pytest.mark.parametrize(
    ("word", "size"),
    [("4k", 4096), ("4KB", 4096), ("4096", 4096), ("512B", 512), ("1m", 1048576)],
)
def test_block_size_in_a_name_is_read_as_fio_reads_it(
    tmp_path: Path, word: str, size: int
) -> None:
    recording = found(tmp_path, f"bs{word}_read65_round2.json")
    assert list(recording.places) == [
        replace(CELLS, block_size_bytes=size, read_percent=65, round=2)
    ]


def test_names_that_do_not_follow_the_pattern_are_left_alone(tmp_path: Path) -> None:
    names = ("bs4KB_read65_round2.json", "bs4KB_read65_round2Xjson", "bs4KB.json")
    assert len(found(tmp_path, *names).places) == 1


def test_field_that_a_name_lacks_is_that_of_the_given_stimulus(tmp_path: Path) -> None:
    recording = found(tmp_path, "r3.json", pattern="r{round}.json")
    assert list(recording.places) == [replace(CELLS, round=3)]


def test_unknown_field_of_a_pattern_is_an_error_with_the_known_ones(
    tmp_path: Path,
) -> None:
    with pytest.raises(
        ValueError, match=r"unknown field 'bs' .* block_size, read_percent"
    ):
        found(tmp_path, pattern="{bs}.json")


def test_pattern_that_no_name_follows_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="no file name in it matches bs"):
        found(tmp_path)


def test_two_files_of_one_step_are_a_clear_error(tmp_path: Path) -> None:
    names = ("bs4KB_read65_round2.json", "bs4k_read65_round2.json")
    with pytest.raises(FioOutputError, match=r"same step as bs4KB_read65_round2\.json"):
        found(tmp_path, *names)


def test_recorded_output_is_put_in_place_with_its_own_time(tmp_path: Path) -> None:
    recording = found(tmp_path, "bs4KB_read65_round2.json")
    folder = Folder(tmp_path) / "step"
    outcome = ReplayBackend(recording=recording).run(STEP, folder, None, hold=False)
    assert folder.read("fio.json") == OUTPUT
    assert outcome.ended_s == 100.5
    assert (outcome.exit_code, outcome.signal_number, outcome.said) == (0, 0, "")


def test_compressed_output_is_replayed_as_well(tmp_path: Path) -> None:
    (tmp_path / "4k-r65-2.json.gz").write_bytes(gzip.compress(OUTPUT))
    pattern = "{block_size}-r{read_percent}-{round}.json.gz"
    recording = read_recorded_files(tmp_path, pattern, like=CELLS)
    folder = Folder(tmp_path) / "step"
    ReplayBackend(recording=recording).run(STEP, folder, None, hold=False)
    assert folder.read("fio.json") == OUTPUT


@pytest.mark.parametrize(
    "asked",
    [
        replace(STEP, round=3),
        replace(STEP, test_id="wsat"),
        replace(STEP, workload=random_cell(4 * KIB, 100)),
        replace(STEP, workload=random_cell(8 * KIB, 65)),
        replace(STEP, kind="histogram"),
    ],
    ids=["round", "test", "mix", "block size", "kind"],
)
def test_step_that_was_not_recorded_is_a_named_error(
    tmp_path: Path, asked: Step
) -> None:
    recording = found(tmp_path, "bs4KB_read65_round2.json")
    backend = ReplayBackend(recording=recording)
    with pytest.raises(
        StepNotRecordedError, match=r"not recorded in .* is kept"
    ) as error:
        backend.run(asked, Folder(tmp_path) / "step", None, hold=False)
    assert error.value.step_id == asked.step_id
    assert not (tmp_path / "step").exists()


def test_output_without_a_timestamp_is_refused(tmp_path: Path) -> None:
    recording = found(tmp_path, "bs4KB_read65_round2.json")
    timeless = re.sub(rb'"timestamp_ms": \d+, ', b"", OUTPUT)
    (tmp_path / "bs4KB_read65_round2.json").write_bytes(timeless)
    with pytest.raises(FioOutputError, match="does not say when it was written"):
        ReplayBackend(recording=recording).run(STEP, NOWHERE, None, hold=False)


def test_joined_recordings_hold_the_steps_of_both(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = found(tmp_path, "bs4KB_read65_round2.json")
    second = found(
        tmp_path / "other", "bs4KB_read65_round2.json", "bs8KB_read65_round2.json"
    )
    joined = first | second
    assert len(joined.places) == 2
    assert joined.find(STEP) == tmp_path / "other" / "bs4KB_read65_round2.json"


def replayed_by_hand(old: Path, new: Path) -> Run:
    """Replay a made-up run, which follows no profile."""
    (new / "steps").mkdir(parents=True)
    write_papers(new)
    recording = read_recorded_run(old)
    backend = ReplayBackend(recording=recording)
    carry_out(new, backend, INPUTS, max_idle_s=5, breaks=recording.breaks)
    ingest_run(new, INPUTS)
    return open_tables(new)


def test_run_that_was_resumed_at_once_keeps_its_break_in_a_replay(
    tmp_path: Path,
) -> None:
    old = tmp_path / "old" / "run"
    stop = cell_name(10, 3, 65)
    with pytest.raises(KeyboardInterrupt):
        drive(old, FakeBackend(mishaps={stop: Mishap(raises=KeyboardInterrupt())}))
    put_aside_unfinished(old)
    ended_s = max(record.ended_s for record in read_all_steps(old))
    drive(old, FakeBackend(now_s=ended_s))
    write_papers(old)
    ingest_run(old, INPUTS)
    assert read_recorded_run(old).breaks == {stop}
    recorded = open_tables(old)
    replayed = replayed_by_hand(old, tmp_path / "new" / "run")
    assert recorded.windows["window_first_round"].tolist() == [4]
    for name in TABLES:
        pd.testing.assert_frame_equal(
            getattr(recorded, name), getattr(replayed, name), check_exact=True
        )


def test_replayed_run_breaks_its_windows_where_the_recorded_one_did(
    tmp_path: Path,
) -> None:
    """As if the sample had been resumed at once, in the middle of its second round."""
    old = tmp_path / "old"
    shutil.copytree(SAMPLE, old)
    (folder,) = (old / "steps").glob("*-r002-rnd-4KiB-r65")
    record = json.loads((folder / "step.json").read_bytes())
    record["result"]["is_contiguous"] = False
    (folder / "step.json").write_text(json.dumps(record), "utf-8")
    ingest_run(old)
    replayed = replay_run(old, tmp_path / "new")
    assert replayed.windows["window_first_round"].tolist() == [3]
    pd.testing.assert_frame_equal(
        replayed.windows, open_tables(old).windows, check_exact=True
    )


def test_recorded_step_of_another_content_is_refused(tmp_path: Path) -> None:
    drive(tmp_path / "old", FakeBackend())
    recording = read_recorded_run(tmp_path / "old")
    fill = list(read_all_steps(tmp_path / "old"))[1].step
    other = replace(fill, io_bytes=4096)
    assert stimulus_of(other) == stimulus_of(fill)
    with pytest.raises(
        PlanMismatchError, match=r"\(io_bytes=134217728\) .* \(io_bytes="
    ):
        ReplayBackend(recording=recording).run(other, NOWHERE, None, hold=False)


def cut_sample(folder: Path, *, status: str, first_steps: int) -> Path:
    """Copy the first steps of the sample run, as one that ended so."""
    steps = sorted((SAMPLE / "steps").iterdir())[:first_steps]
    (folder / "steps").mkdir(parents=True)
    for step in steps:
        shutil.copytree(step, folder / "steps" / step.name)
    shutil.copytree(SAMPLE / "telemetry", folder / "telemetry")
    (folder / "run.json").write_bytes((SAMPLE / "run.json").read_bytes())
    state = read_state(SAMPLE)
    write_state(folder, RunState(status=status, sessions=state.sessions))  # type: ignore[arg-type] # one of the four
    return folder


def test_interrupted_run_is_replayed_as_far_as_it_came(tmp_path: Path) -> None:
    old = cut_sample(tmp_path / "old", status="interrupted", first_steps=49)
    run = replay_run(old, tmp_path / "new")
    assert len(run.steps) == 49
    assert run.windows["round"].tolist() == [5]
    (told,) = run.findings.loc[run.findings["code"] == "not-steady", "words"]
    assert told == "rounds: not steady after 5 rounds"
    assert run.runs["is_steady"].tolist() == [False]
    assert run.state.status == "interrupted"
    assert run.record == read_record(SAMPLE)


def test_finished_run_that_lacks_steps_is_refused(tmp_path: Path) -> None:
    old = cut_sample(tmp_path / "old", status="finished", first_steps=49)
    with pytest.raises(StepNotRecordedError, match="00050-lat-rounds-r006"):
        replay_run(old, tmp_path / "new")


def test_replay_into_a_run_that_is_there_is_refused(tmp_path: Path) -> None:
    old = cut_sample(tmp_path / "old", status="interrupted", first_steps=2)
    replay_run(old, tmp_path / "new")
    with pytest.raises(RunFolderError, match="it already holds steps"):
        replay_run(old, tmp_path / "new")
    places = (
        steps_folder(run) / "00002-lat-wipc" for run in (tmp_path / "new", SAMPLE)
    )
    new, recorded = map(read_raw_output, places)
    assert new == recorded
