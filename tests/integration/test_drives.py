"""Whole runs on a block device: consent, hold, purge, alarm, and going on with it."""

import hashlib
import os
import shutil
import signal
from pathlib import Path

import pytest

import ssdlab
from ssdlab.drive.inventory import find_drive
from ssdlab.model.units import MIB
from ssdlab.store.records import read_record
from tests.integration.lab import (
    Lab,
    Started,
    end,
    recorded_steps,
    state_of,
    wait_for_steps,
    wait_until,
)
from tests.targets.conftest import MakeLoop, make_loop, move_loop, resize_loop

__all__ = ["make_loop"]

pytestmark = pytest.mark.fio


def start(lab: Lab, device: str, *more: str) -> Started:
    return lab.cli(
        *("run", "--target", device, "--profile", "tiny", "--tests", "wsat"),
        *("--runs", "runs", *more),
    )


def the_run(lab: Lab, started: Started) -> Path:
    """Wait for the one run folder of a lab and return it."""

    def has_begun() -> bool:
        is_there = any(lab.runs.glob("[!.]*/run.json"))
        assert is_there or started.popen.poll() is None, started.said
        return is_there

    wait_until(has_begun, what="a run")
    return next(lab.runs.glob("[!.]*/run.json")).parent


def sha256(device: str) -> str:
    return hashlib.sha256(Path(device).read_bytes()).hexdigest()


def is_held(device: str) -> bool:
    try:
        os.close(os.open(device, os.O_RDWR | os.O_EXCL))
    except OSError:
        return True
    return False


def test_device_is_not_touched_without_its_serial(
    lab: Lab, make_loop: MakeLoop
) -> None:
    device = make_loop(512)
    Path(device).write_bytes(os.urandom(64 * MIB))
    before, serial = sha256(device), find_drive(device).serial
    for words in ((), ("--confirm", "yes")):
        started = start(lab, device, *words)
        assert started.wait(60) == 2
        assert f"--confirm {serial}" in started.said
        assert "Traceback" not in started.said
    assert sha256(device) == before
    assert list(lab.runs.iterdir()) == []


def test_run_is_stopped_and_gone_on_with_under_another_name(
    lab: Lab, make_loop: MakeLoop
) -> None:
    device = make_loop(512)
    serial = find_drive(device).serial
    started = start(lab, device, "--confirm", serial)
    run = the_run(lab, started)
    wait_for_steps(run, 3, started)
    assert is_held(device)
    end(started.popen.pid, signal.SIGINT)
    assert started.wait(60) == 130, started.said
    wait_until(lambda: not is_held(device), what="let go")
    record, before = read_record(run), recorded_steps(run)
    assert record.drive == find_drive(device)
    assert {check.verdict for check in record.host_checks} & {"good", "warn", "bad"}

    moved = move_loop(device)
    resumed = lab.cli("resume", run.relative_to(lab.folder))
    assert resumed.wait(120) == 0, resumed.said
    assert not is_held(moved)
    assert before.items() <= recorded_steps(run).items()
    done = ssdlab.open_run(run)
    assert done.record == record
    assert set(done.findings["code"]) >= {"loop-target", "purge-unverified"}
    (purge,) = (run / "steps").glob("*/purge.txt")
    assert "64 places marked" in purge.read_text()
    jobs = [path.read_text() for path in sorted((run / "steps").glob("*/job.fio"))]
    assert f"filename={device}" in jobs[0]
    assert f"filename={moved}" in jobs[-1]


def test_folder_that_was_handed_on_asks_for_the_serial_again(
    lab: Lab, make_loop: MakeLoop
) -> None:
    device = make_loop(512)
    serial = find_drive(device).serial
    started = start(lab, device, "--confirm", serial)
    run = the_run(lab, started)
    wait_for_steps(run, 2, started)
    end(started.popen.pid, signal.SIGINT)
    assert started.wait(60) == 130, started.said
    wait_until(lambda: not is_held(device), what="let go")
    copy = shutil.copytree(run, lab.runs / "copy")
    before = sha256(device)
    for words in ((), ("--confirm", "yes")):
        refused = lab.cli("resume", copy, *words)
        assert refused.wait(60) == 2
        assert f"--confirm {serial}" in refused.said
        assert "Traceback" not in refused.said
    through_notebook = lab.resume(copy)
    assert through_notebook.wait(60) != 0
    assert f"--confirm {serial}" in through_notebook.said
    assert sha256(device) == before
    confirmed = lab.cli("resume", copy, "--confirm", serial)
    assert confirmed.wait(120) == 0, confirmed.said


def test_device_that_changes_ends_the_run_and_it_goes_on_when_that_is_mended(
    lab: Lab, make_loop: MakeLoop
) -> None:
    device = make_loop(512)
    started = start(lab, device, "--confirm", find_drive(device).serial)
    run = the_run(lab, started)
    wait_for_steps(run, 3, started)
    resize_loop(device, 80 * MIB)  # made smaller, the run's own writes may undo it
    assert started.wait(60) == 1, started.said
    assert "83,886,080 bytes instead of 67,108,864" in started.said
    assert "ssdlab resume" in started.said
    assert "Traceback" not in started.said
    state = state_of(run)
    assert state is not None
    assert state.status == "failed"
    assert not lab.find_fio()
    assert not is_held(device)
    assert len(ssdlab.open_run(run).steps) == len(recorded_steps(run)) >= 3

    refused = lab.cli("resume", run.relative_to(lab.folder))
    assert refused.wait(60) == 2
    assert "capacity in bytes was" in refused.said
    resize_loop(device, 64 * MIB)
    resumed = lab.resume(run)
    assert resumed.wait(120) == 0, resumed.said
