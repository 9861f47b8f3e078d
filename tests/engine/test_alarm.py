"""A run ends when its target gives an alarm: soon, cleanly, and not too eagerly."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ssdlab.engine.backend import FioBackend
from ssdlab.engine.execution import AlarmWatch
from ssdlab.fio.runner import FioChain
from ssdlab.model.errors import TargetAlarmError
from ssdlab.system.clocks import RunClock
from ssdlab.system.folders import Folder
from ssdlab.targets import open_target
from ssdlab.targets.file import FileTarget
from tests.fio.jobs import CONTEXT, cell, workload

HOT = "it has 91 °C, and the limit is 85 °C"


@dataclass(frozen=True, slots=True)
class Hot(FileTarget):
    """A file that says it is too hot from a moment on."""

    from_s: float = 0.0

    def find_alarm(self) -> str:
        return HOT if time.monotonic() >= self.from_s else ""


def hot(folder: Path, *, in_s: float, size: str = "1MiB") -> Hot:
    spec = f"file:{folder / 'drive'},size={size}"
    made = open_target(spec, folder=folder)
    assert isinstance(made, FileTarget)
    begins_s = time.monotonic() + in_s
    return Hot(made.identity, made.fio_options, made.held, from_s=begins_s)


def test_alarm_is_told_with_what_to_do_now(tmp_path: Path) -> None:
    target = hot(tmp_path, in_s=0)
    watch = AlarmWatch(target, run=Path("runs/mine"), clock=time.time)
    with pytest.raises(TargetAlarmError) as caught:
        watch.look()
    assert str(caught.value) == (
        f"file:{tmp_path / 'drive'}: {HOT}; the run was stopped. What was measured is "
        "kept. When the problem is fixed: ssdlab resume runs/mine"
    )
    assert caught.value.exit_code == 1


def test_alarm_is_asked_for_a_few_times_a_second_at_most(tmp_path: Path) -> None:
    now, asked = [100.0], []

    @dataclass(frozen=True, slots=True)
    class Asked(FileTarget):
        def find_alarm(self) -> str:
            asked.append(now[0])
            return ""

    made = hot(tmp_path, in_s=0)
    target = Asked(made.identity, made.fio_options, made.held)
    watch = AlarmWatch(target, run=tmp_path, clock=lambda: now[0])
    for _ in range(1000):
        watch.tick()
        now[0] += 0.01
    assert 40 <= len(asked) <= 51
    watch.look()
    assert asked[-1] == now[0]


@pytest.mark.fio
def test_alarm_ends_the_fio_that_runs_and_the_armed_one(tmp_path: Path) -> None:
    target = hot(tmp_path, in_s=3, size=str(CONTEXT.capacity_bytes))
    watch = AlarmWatch(target, run=tmp_path, clock=time.time)
    step = cell(workload(), seconds=60)
    steps = Folder(tmp_path) / "steps"
    began_s = time.monotonic()
    with FioChain("fio", clock=time.time, tick=watch.tick) as chain:
        backend = FioBackend(
            tmp_path, target, chain=chain, clock=RunClock(), watch=watch.look
        )
        with pytest.raises(TargetAlarmError, match="91 °C"):
            backend.run(step, steps / ".1", replace(step, step_id="2"), hold=True)
    assert (steps / ".1").has_file("fio.stderr")
    assert (steps / ".2").has_file("fio.stderr")
    assert time.monotonic() - began_s < 20
    drive = str(tmp_path / "drive")
    assert not [
        path
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.parent.name.isdecimal() and drive in _jobs_of(path.parent)
    ]


def _jobs_of(process: Path) -> str:
    """Return the job files in the folder of a fio process."""
    try:
        if b"fio" not in (process / "cmdline").read_bytes():
            return ""
        return "".join(job.read_text() for job in (process / "cwd").glob("*.fio"))
    except OSError:
        return ""


def test_step_does_not_begin_after_an_alarm(tmp_path: Path) -> None:
    target = hot(tmp_path, in_s=0)
    watch = AlarmWatch(target, run=tmp_path, clock=time.time)
    with FioChain("fio", clock=time.time, tick=watch.tick) as chain:
        backend = FioBackend(
            tmp_path, target, chain=chain, clock=RunClock(), watch=watch.look
        )
        step = cell(workload(), seconds=1)
        with pytest.raises(TargetAlarmError, match="91 °C"):
            backend.run(step, Folder(tmp_path) / "steps" / ".1", None, hold=False)
    assert not (tmp_path / "steps").exists()
