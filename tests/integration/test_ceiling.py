"""The host's ceiling before a run, and by itself."""

import json
import signal

import pytest

import ssdlab
from ssdlab.engine.ceiling import CEILING_WORKLOADS
from tests.integration.lab import Lab, end, wait_until

NAMES = [(w.threads, w.queue_depth, w.read_percent) for w in CEILING_WORKLOADS]


@pytest.mark.fio
def test_ceiling_is_measured_before_the_first_step_and_recorded(lab: Lab) -> None:
    folder = lab.runs / "run"
    measured = lab.measure(folder, host_ceiling=True, SSDLAB_TEST_CEILING_S="3.3")
    assert measured.wait(90) == 0, measured.said
    run = ssdlab.open_run(folder)
    points = run.record.host_ceiling
    assert [(p.threads, p.queue_depth, p.read_percent) for p in points] == NAMES
    assert all(point.iops > 0 for point in points)
    places = sorted((folder / "ceiling").iterdir())
    assert len(places) == len(points)
    measured_s = max((place / "fio.json.gz").stat().st_mtime for place in places)
    assert measured_s <= run.steps["started_s"].min() + 1
    assert "Host ceiling" in ssdlab.write_report(run).read_text("utf-8")


@pytest.mark.fio
def test_ceiling_that_fails_leaves_no_run_and_no_server(lab: Lab) -> None:
    folder = lab.runs / "run"
    failed = lab.measure(folder, host_ceiling=True, SSDLAB_TEST_CEILING_S="0.1")
    assert failed.wait(60) == 2
    assert "0.1 s are too short for 11 points" in failed.said
    assert not folder.exists()
    assert lab.find("nbdkit") == []


@pytest.mark.fio
def test_ceiling_that_is_told_to_stop_leaves_no_run_and_no_server(lab: Lab) -> None:
    folder = lab.runs / "run"
    started = lab.measure(folder, host_ceiling=True, SSDLAB_TEST_CEILING_S="30")
    wait_until(lambda: list(folder.glob("ceiling/*/job.fio")), what="the first point")
    end(started.popen.pid, signal.SIGTERM)
    started.wait(30)
    assert not folder.exists()
    assert lab.find("nbdkit") == []


@pytest.mark.fio
def test_run_begins_where_one_was_killed_while_it_measured_the_ceiling(
    lab: Lab,
) -> None:
    folder = lab.runs / "run"
    (folder / "ceiling" / "T1-Q1-4KiB-r100").mkdir(parents=True)
    measured = lab.measure(folder, host_ceiling=True, SSDLAB_TEST_CEILING_S="2.2")
    assert measured.wait(90) == 0, measured.said
    assert len(ssdlab.open_run(folder).record.host_ceiling) == len(NAMES)


@pytest.mark.fio
def test_ceiling_command_prints_every_point(lab: Lab) -> None:
    shown = lab.cli("ceiling", "--seconds", "3.3", "--json")
    assert shown.wait(60) == 0, shown.said
    points = json.loads(shown.out.read_text("utf-8"))
    assert [(p["threads"], p["queue_depth"], p["read_percent"]) for p in points] == (
        NAMES
    )
    for point in points:
        each_us = point["threads"] / point["iops"] * 1e6
        assert point["thread_time_us"] == pytest.approx(each_us)


def test_ceiling_command_refuses_too_little_time(lab: Lab) -> None:
    refused = lab.cli("ceiling", "--seconds", "1")
    assert refused.wait(30) == 2
    assert refused.said.count("\n") == 1
    assert "too short for 11 points" in refused.said
