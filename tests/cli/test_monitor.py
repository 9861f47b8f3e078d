"""What others are told of a run: metrics in a file, and a command of the user's."""

import os
import signal
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from ssdlab.cli import monitor as monitors
from ssdlab.cli.dashboard import View
from ssdlab.cli.monitor import Monitor, read_monitor
from ssdlab.model.io_counts import LiveIo
from tests.cli.called import call
from tests.cli.test_dashboard import PROGRESS
from tests.fio.processes import wait_until
from tests.made_run import Recipe, make_run

LIVE = LiveIo(
    read_iops=5000.0,
    write_iops=0.0,
    read_bytes_per_s=20_480_000.0,
    write_bytes_per_s=0.0,
    in_flight=16,
)
VIEW = View(
    title="a run",
    progress=replace(PROGRESS, live=LIVE, step_percent=25.0),
    age_s=0.0,
    now=datetime(2026, 1, 1, tzinfo=UTC),
)


def writer(folder: Path, words: str) -> Path:
    """Return a command that appends a line to ``said`` beside it."""
    script = folder / "tell.sh"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "{words}" >> "$0.said"\n', "utf-8")
    script.chmod(0o755)
    return script


def watching(run: Path, script: Path) -> Monitor:
    """Return a monitor that was there before the run began."""
    told = Monitor(run=run, command=(str(script),))
    told._sessions = -1
    return told


def is_running(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def said_by(script: Path) -> list[str]:
    return Path(f"{script}.said").read_text("utf-8").splitlines()


def values_of(text: str) -> dict[str, str]:
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return {line.partition("{")[0]: line.rpartition(" ")[2] for line in lines}


def test_metrics_are_what_is_known_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "run.prom"
    cold = replace(VIEW, progress=replace(VIEW.progress, temperature_celsius=None))
    Monitor(run=tmp_path / "R1", metrics=place).saw(cold)
    text = place.read_text("utf-8")
    assert text.endswith("# EOF\n")
    found = values_of(text)
    assert found["ssdlab_run_read_iops"] == "5000"
    assert found["ssdlab_run_read_bytes_per_second"] == "20480000"
    assert found["ssdlab_run_outstanding_ios"] == "16"
    assert found["ssdlab_run_step_done_ratio"] == "0.25"
    assert found["ssdlab_run_left_seconds"] == "1200"
    assert "ssdlab_run_temperature_celsius" not in found
    assert "ssdlab_run_power_watts" not in found
    metered = replace(VIEW, progress=replace(VIEW.progress, power_watts=5.25))
    Monitor(run=tmp_path / "R1", metrics=place).saw(metered)
    assert values_of(place.read_text("utf-8"))["ssdlab_run_power_watts"] == "5.25"
    assert 'ssdlab_run_info{run="R1",test="iops",phase="rounds"} 1' in text


def test_each_event_is_told_once_with_its_facts(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", Recipe(tests=("iops",)))
    script = writer(tmp_path, "$SSDLAB_EVENT $SSDLAB_TEST $SSDLAB_RUN")
    told = watching(run.path, script)
    tests = (replace(PROGRESS.tests[0], test="iops", is_steady=True),)
    steady = replace(VIEW, progress=replace(PROGRESS, tests=tests))
    hot = replace(
        steady,
        progress=replace(steady.progress, temperature_celsius=71.0),
        temperature_limit_celsius=70.0,
    )
    for view in (VIEW, steady, steady, hot, hot):
        told.saw(view)
    told.ended()
    place = run.path.resolve()
    assert sorted(said_by(script)) == [
        f"done  {place}",
        f"hot iops {place}",
        f"steady iops {place}",
        *(f"steady {one.test} {place}" for one in PROGRESS.tests if one.is_steady),
    ]


def test_text_of_a_drive_is_no_command(tmp_path: Path) -> None:
    script = writer(tmp_path, "$SSDLAB_TEST")
    told = Monitor(run=tmp_path / "none", command=(str(script),))
    strange = replace(PROGRESS.tests[0], test="$(touch pwned); `id`", is_steady=True)
    told.saw(replace(VIEW, progress=replace(PROGRESS, tests=(strange,))))
    told.ended()
    for thread in told._running:
        thread.join()
    assert said_by(script) == ["$(touch pwned); `id`"]
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("command", "words"),
    [(("sleep", "60"), "did not end within 0.3 s"), (("false",), "exit 1")],
)
def test_command_that_hangs_or_fails_is_said_at_the_end(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.setattr(monitors, "_MOST_S", 0.3)
    run = make_run(tmp_path / "runs", Recipe(tests=("iops",)))
    told = Monitor(run=run.path, command=command)
    told._sessions = -1
    told.ended()
    said = capsys.readouterr().err
    assert "--on-event failed at 'done'" in said
    assert words in said


def test_what_a_hanging_command_started_is_ended_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "_MOST_S", 0.5)
    run = make_run(tmp_path / "runs", Recipe(tests=("iops",)))
    script = tmp_path / "hang.sh"
    script.write_text('#!/bin/sh\nsleep 60 &\necho $! > "$0.pid"\nwait\n', "utf-8")
    script.chmod(0o755)
    watching(run.path, script).ended()
    child = int(Path(f"{script}.pid").read_text("ascii"))
    assert wait_until(lambda: not is_running(child))


def test_what_a_command_leaves_behind_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "runs", Recipe(tests=("iops",)))
    script = tmp_path / "leave.sh"
    script.write_text('#!/bin/sh\nsleep 20 &\necho $! > "$0.pid"\n', "utf-8")
    script.chmod(0o755)
    begun_s = time.monotonic()
    watching(run.path, script).ended()
    assert time.monotonic() - begun_s < 15
    assert capsys.readouterr().err == ""
    os.kill(int(Path(f"{script}.pid").read_text("ascii")), signal.SIGTERM)


def test_session_that_never_began_tells_nothing(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", Recipe(tests=("iops",)))
    script = writer(tmp_path, "$SSDLAB_EVENT")
    Monitor(run=run.path, command=(str(script),)).ended()
    assert not Path(f"{script}.said").exists()


@pytest.mark.parametrize("text", ["a\0b", "a\udc80b", "a\nb"])
def test_strange_text_is_told_as_what_can_be_printed(tmp_path: Path, text: str) -> None:
    script = writer(tmp_path, "$SSDLAB_TEST")
    told = Monitor(run=tmp_path / "none", command=(str(script),))
    strange = replace(PROGRESS.tests[0], test=text, is_steady=True)
    told.saw(replace(VIEW, progress=replace(PROGRESS, tests=(strange,))))
    for thread in told._running:
        thread.join()
    assert len(said_by(script)) == 1


def test_metrics_that_cannot_be_written_do_not_end_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "runs", Recipe(tests=("iops",)))
    told = Monitor(run=run.path, metrics=tmp_path / "gone" / "run.prom")
    told._sessions = -1
    told.saw(VIEW)
    told.ended()
    assert capsys.readouterr().err.count("the metrics cannot be written") == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on_event": "no-such-program --x"}, "no program that can be run"),
        ({"on_event": "echo 'open"}, "No closing quotation"),
        ({"openmetrics": Path("no-such-folder/x.prom")}, "there is no folder"),
    ],
)
def test_what_cannot_be_told_is_refused_at_once(
    tmp_path: Path, options: dict[str, object], words: str
) -> None:
    with pytest.raises(click.BadParameter, match=words):
        read_monitor(tmp_path, options)


def test_nothing_is_read_where_nobody_is_to_be_told(tmp_path: Path) -> None:
    assert read_monitor(tmp_path, {}) is None


@pytest.mark.fio
def test_run_tells_how_it_goes_and_ends(tmp_path: Path) -> None:
    jobs = tmp_path / "one.fio"
    jobs.write_text("[a]\nrw=randread\nbs=4k\n", "utf-8")
    script = writer(tmp_path, "$SSDLAB_EVENT $SSDLAB_DEVICE")
    place = tmp_path / "run.prom"
    fast = "virtual:size=48MiB,tread=0,tprog=0,terase=0,link=0,command=0"
    measured = ("--job", jobs, "--precondition", "none", "--track", "none")
    short = ("--rounds", "1", "--seconds", "0.3", "--runs", tmp_path / "runs")
    told = ("--on-event", str(script), "--openmetrics", place)
    done = call("run", fast, *measured, *short, *told)
    assert done.returncode == 0, done.stderr
    assert [line[:23] for line in said_by(script)] == ["done ssdlab virtual SSD"]
    text = place.read_text("utf-8")
    assert 'event="done"} 1' in text
